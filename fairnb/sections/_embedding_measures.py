"""The numbers of the section on embedding bias: one embedding and one attribute at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from fairnb.sections._measure import Measure, Status

if TYPE_CHECKING:
    from fairnb.embedding import Case, Covered, Duplicates, Embedding, NeutralWords, Units

LEMMAS = 8
"""Fewer words a subgroup, forms of a word together, and nothing is tested."""
NEUTRAL = "neutral_words"
"""Stands as the attribute of the coverage of the neutral words."""
GIVEN = "bootstrap of neutral words, given these word lists"
_NAMED = 40
"""Most missing words that are listed by name."""


@dataclass(frozen=True)
class Policies:
    """How words are looked up and counted."""

    case: Case
    duplicates: Duplicates
    coverage: float
    """Smallest share of a list that must have vectors."""
    permutations: int
    level: float
    seed: int


@dataclass
class Measured:
    """Measures and facts of one embedding, gathered attribute by attribute."""

    measures: list[Measure] = field(default_factory=list)
    missing: dict[str, dict[str, Any]] = field(default_factory=dict)
    """List -> how many words have no vector, and the first of them."""
    without_one: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Attribute -> AMAE without single words: the lowest and the highest."""


def measured(
    embedding: Embedding,
    variant: str,
    groups: Mapping[str, Mapping[str, Sequence[str]]],
    pairs: Mapping[str, Sequence[tuple[str, str]]],
    reference: Mapping[str, str],
    neutral: NeutralWords,
    policies: Policies,
) -> Measured:
    """Every measure of one embedding.

    Parameters
    ----------
    variant : str
        Empty for the default embedding.
    groups : mapping
        attribute -> subgroup -> words.
    pairs : mapping
        attribute -> counterparts that change sides together under the null.
    reference : mapping
        attribute -> the subgroup with which the others are compared, where one is named.
    """
    from fairnb.embedding import covered

    # Each neutral word once, whatever the policy: they are no group whose weights mean something.
    traits = covered(embedding, NEUTRAL, neutral.words, case=policies.case)
    found = Measured()
    _cover(found, variant, NEUTRAL, "", traits, policies.coverage)
    poles = tuple(
        covered(embedding, valence, neutral.marked(valence), case=policies.case)
        for valence in ("favourable", "unfavourable")
    )
    for attribute, subgroups in groups.items():
        ordered = sorted(subgroups, key=lambda name: name == reference.get(attribute))
        lists = [
            covered(embedding, name, subgroups[name], case=policies.case, duplicates=policies.duplicates)
            for name in ordered
        ]
        for words in lists:
            _cover(found, variant, attribute, words.name, words, policies.coverage)
        made = _Attribute(attribute, variant, traits, lists, tuple(pairs.get(attribute, ())), policies)
        found.measures += made.of_pairs(poles)
        found.measures += made.of_all(found)
    return found


def _cover(found: Measured, variant: str, attribute: str, name: str, words: Covered, least: float) -> None:
    share = words.rows.coverage
    missing = words.rows.missing
    forms = words.rows.by_form
    by_case = forms["lower"] + forms["title"]
    notes = [f"{len(missing)} without a vector"] if missing else []
    notes += [f"{by_case} found in another case"] if by_case else []
    notes += [f"{len(words.rows.zero)} with a zero vector"] if words.rows.zero else []
    if not words.rows.words:
        notes = ["the list is empty"]
    enough = share >= least and bool(words.words)
    found.measures.append(
        Measure(
            measure="coverage",
            attribute=attribute,
            subgroup=name,
            variant=variant,
            value=share,
            n=len(words.rows.words),
            denominator=len(words.rows.words),
            family="D",
            status=Status.OK if enough else Status.NOT_MEASURED,
            method="words with a vector / words of the list",
            note="; ".join(notes),
        )
    )
    found.missing[f"{attribute}/{name}" if name else attribute] = {
        "count": len(missing),
        "words": list(missing[:_NAMED]),
        "another_case": by_case,
        "zero": list(words.rows.zero[:_NAMED]),
    }


@dataclass(frozen=True)
class _Attribute:
    """The word lists of one attribute in one embedding."""

    name: str
    variant: str
    neutral: Covered
    lists: Sequence[Covered]
    pairs: Sequence[tuple[str, str]]
    policies: Policies

    def of_pairs(self, poles: tuple[Covered, ...]) -> Iterable[Measure]:
        """MAE and RMSE of each pair of subgroups, and the association test."""
        from fairnb.embedding import disparity_of, neutral_interval, similarity

        for first, second in combinations(self.lists, 2):
            key: dict[str, Any] = {"subgroup": first.name, "reference": second.name}
            lacking = self._lacking([self.neutral, first, second])
            if lacking:
                for measure in ("mae", "rmse", "weat_effect"):
                    yield self._not_measured(measure, lacking, **key)
                continue
            found = disparity_of(self.neutral, [first, second])
            ends = neutral_interval(
                similarity(self.neutral.vectors, [first.vectors, second.vectors]),
                [(0, 1)],
                self.policies.level,
                seed=self.policies.seed,
            )
            methods = (
                "mean absolute difference of similarities, eq. (3)",
                "root mean square of them, eq. (5)",
            )
            for measure, value, (low, high), method in zip(
                ("mae", "rmse"), (found.amae, found.armse), ends, methods, strict=True
            ):
                yield self._measure(measure, value, low, high, method=method, family="E", **key)
            yield self._association(first, second, poles, key)

    def of_all(self, found: Measured) -> Iterable[Measure]:
        """AMAE and ARMSE over all pairs, what chance gives, and the excess."""
        from fairnb.embedding import (
            disparity_null,
            disparity_of,
            leave_one_out,
            neutral_interval,
            similarity,
            units,
        )

        names = ("amae", "armse", "null_amae", "excess_amae")
        lacking = self._lacking([self.neutral, *self.lists])
        if len(self.lists) < 2:
            lacking = "one subgroup alone cannot be compared"
        if lacking:
            for measure in names:
                yield self._not_measured(measure, lacking)
            return
        value = disparity_of(self.neutral, self.lists)
        made = units(self.lists, self.pairs)
        nulls = disparity_null(
            self.neutral, made, permutations=self.policies.permutations, seed=self.policies.seed
        )
        ends = neutral_interval(
            similarity(self.neutral.vectors, [words.vectors for words in self.lists]),
            list(combinations(range(len(self.lists)), 2)),
            self.policies.level,
            seed=self.policies.seed,
        )
        status, note = self._support(made)
        equations = ("mean of the pairs' MAE, eq. (4)", "mean of the pairs' RMSE, eq. (6)")
        for measure, number, (low, high), null, method in zip(
            names, (value.amae, value.armse), ends, nulls, equations, strict=False
        ):
            yield self._measure(
                measure,
                number,
                low,
                high,
                null=null.mean,
                method=method,
                family="E",
                status=status,
                note=note,
            )
        way = self._way(made)
        yield self._measure("null_amae", nulls[0].mean, method=f"mean over {way}", family="D")
        yield self._measure(
            "excess_amae",
            value.amae - nulls[0].mean,
            null=0.0,
            p=nulls[0].p if status is Status.OK else None,
            method=f"AMAE less its mean over {way}",
            family="E",
            status=status,
            note=note,
        )
        without = leave_one_out(self.neutral, made)
        if without is not None:
            found.without_one[self.name] = {
                "low": without.lowest,
                "low_without": list(without.lowest_without),
                "high": without.highest,
                "high_without": list(without.highest_without),
            }

    def _association(
        self, first: Covered, second: Covered, poles: tuple[Covered, ...], key: dict[str, Any]
    ) -> Measure:
        """Whether one subgroup's words lie nearer to favourable traits, and the other's to unfavourable ones."""
        from fairnb.embedding import association, effect_size, units, weat_null
        from fairnb.errors import FairnbError

        if any(not pole.rows.words for pole in poles):
            return self._not_measured(
                "weat_effect",
                "the list of neutral words marks none as favourable or none as unfavourable",
                **key,
            )
        lacking = self._lacking(poles)
        if lacking:
            return self._not_measured("weat_effect", lacking, **key)
        good, bad = (pole.vectors for pole in poles)
        made = units([first, second], self.pairs)
        status, note = self._support(made)
        try:
            effect = effect_size(
                association(first.vectors, good, bad), association(second.vectors, good, bad)
            )
        except FairnbError as error:
            return self._measure("weat_effect", None, status=Status.UNDEFINED, note=error.found, **key)
        p = weat_null(made, good, bad, permutations=self.policies.permutations, seed=self.policies.seed)
        return self._measure(
            "weat_effect",
            effect,
            null=0.0,
            p=p if status is Status.OK else None,
            n=len(first.words),
            n_reference=len(second.words),
            denominator=len(first.words),
            method=f"difference of mean associations / standard deviation; two-sided p over {self._way(made)}",
            family="E",
            status=status,
            note=note,
            **key,
        )

    def _lacking(self, lists: Iterable[Covered]) -> str:
        """Which lists have too few vectors, in words; empty where all have enough."""
        short = [
            f"{words.name.replace('_', ' ')} {100 * words.rows.coverage:.0f} %"
            for words in lists
            if words.rows.coverage < self.policies.coverage or not words.words
        ]
        return f"too few words have a vector: {', '.join(short)}" if short else ""

    def _support(self, made: Units) -> tuple[Status, str]:
        fewest = min(made.lemmas_in(group) for group in range(made.groups))
        if fewest >= LEMMAS:
            return Status.OK, ""
        return Status.INDICATIVE, f"{fewest} words in the smallest list: indicative (tested from {LEMMAS})"

    def _way(self, made: Units) -> str:
        within = " within pairs" if (made.block >= 0).any() else ""
        return f"{self.policies.permutations:,} permutations of words{within}, forms of a word together"

    def _measure(
        self,
        measure: str,
        value: float | None,
        low: float | None = None,
        high: float | None = None,
        **columns: Any,
    ) -> Measure:
        interval: dict[str, Any] = {"low": low, "high": high, "level": self.policies.level, "interval": GIVEN}
        counted = {"n": len(self.neutral.words), "denominator": len(self.neutral.words)}
        return Measure(
            measure=measure,
            attribute=self.name,
            variant=self.variant,
            value=value,
            **(interval if low is not None else {}),
            **{**counted, **columns},
        )

    def _not_measured(self, measure: str, note: str, **key: str) -> Measure:
        return Measure(
            measure=measure,
            attribute=self.name,
            variant=self.variant,
            status=Status.NOT_MEASURED,
            note=note,
            **key,
        )
