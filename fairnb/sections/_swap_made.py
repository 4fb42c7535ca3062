"""Texts with swapped words, scored once each, by direction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fairnb.sections._variant import joined

if TYPE_CHECKING:
    from fairnb.lexicon import Lexicon
    from fairnb.variants import Swapped, Swapper

PLACEBO = "placebo"


@dataclass(frozen=True, slots=True)
class Row:
    """One text that a swap changed, with its scores before and after."""

    swapped: Swapped
    label: int
    cluster: str
    before: float
    after: float

    @property
    def shift(self) -> float:
        """P(positive) after the swap minus before."""
        return self.after - self.before


@dataclass(frozen=True)
class Pair:
    """Everything that was swapped between two subgroups."""

    attribute: str
    first: str
    second: str
    rows: Mapping[tuple[str, str], Sequence[Row]]
    """(subgroup in the original, subgroup after or ``placebo``) -> texts."""
    mixed: int
    """Texts that name both, swapped simultaneously."""
    left_alone: int
    """Texts with words of either group, none of which was swapped."""
    untouched: int
    """Texts without such a word."""
    skipped: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """(word, reason) -> how often it was left as it is."""
    of_several: bool = False
    """Whether the attribute has further pairs: keys then name the pair."""

    @property
    def suffix(self) -> str:
        """What tells keys of several pairs apart."""
        return f"pair={self.first}/{self.second}" if self.of_several else ""

    def variant(self, to: str) -> str:
        """Variant of a direction, or of the placebo, which several pairs may share."""
        if to != PLACEBO:
            return f"to={to}"
        return joined(PLACEBO, self.suffix)


@dataclass(frozen=True, slots=True)
class Text:
    """One labelled and scored text of the corpus."""

    text: str
    label: int
    cluster: str
    score: float


def swap_texts(
    lexicon: Lexicon,
    attributes: Sequence[str],
    texts: Sequence[Text],
    predict: Any,
    *,
    every_pair: bool,
    titles: bool,
    surnames: bool,
) -> list[Pair]:
    """Swap all texts for all pairs of subgroups, and score what is new in one go.

    Parameters
    ----------
    lexicon : Lexicon
    attributes : sequence of str
    texts : sequence of Text
    predict : callable
        Texts -> P(positive).
    every_pair, titles, surnames : bool
        See the section's parameters.
    """
    from fairnb.variants import make_placebo, make_swapper

    raw = [text.text for text in texts]
    made: list[tuple[str, str, str, list[Swapped], dict[str, list[Swapped]]]] = []
    for attribute, first, second in pairs_of(lexicon, attributes, every_pair=every_pair):
        swapper = make_swapper(lexicon, attribute, first, second, titles=titles, surnames=surnames)
        placebos = {group: make_placebo(lexicon, attribute, group) for group in (first, second)}
        swapped = swapper.swap_all(raw)
        # The placebo is of texts that name one group only, as the swap's directions are.
        baseline = {
            group: _placebo(placebo, [done for done in swapped if done.subgroup == group])
            for group, placebo in placebos.items()
            if placebo is not None
        }
        made.append((attribute, first, second, swapped, baseline))
    wanted = dict.fromkeys(
        done.text
        for _, _, _, swapped, baseline in made
        for done in [*swapped, *(one for many in baseline.values() for one in many)]
        if not done.unchanged and not done.mixed
    )
    new = dict(zip(wanted, map(float, predict(list(wanted))), strict=True)) if wanted else {}
    pairs = [_pair(*one, texts, new) for one in made]
    per_attribute = Counter(pair.attribute for pair in pairs)
    return [replace(pair, of_several=per_attribute[pair.attribute] > 1) for pair in pairs]


def pairs_of(lexicon: Lexicon, attributes: Sequence[str], *, every_pair: bool) -> list[tuple[str, str, str]]:
    """(attribute, first, second) of the swaps; without `every_pair` the first of each attribute."""
    from fairnb.variants import swapped_groups

    found = []
    for attribute in attributes:
        groups = swapped_groups(lexicon, attribute)
        found += [(attribute, *both) for both in (groups if every_pair else groups[:1])]
    return found


def _placebo(placebo: Swapper, found: Iterable[Swapped]) -> list[Swapped]:
    return placebo.swap_all([done.original for done in found])


def _pair(
    attribute: str,
    first: str,
    second: str,
    swapped: list[Swapped],
    baseline: dict[str, list[Swapped]],
    texts: Sequence[Text],
    new: Mapping[str, float],
) -> Pair:
    rows: dict[tuple[str, str], list[Row]] = {(first, second): [], (second, first): []}
    skipped: Counter[tuple[str, str]] = Counter()
    mixed = left = untouched = 0
    by_text: dict[str, list[Text]] = {}
    for text, done in zip(texts, swapped, strict=True):
        skipped.update(
            (_shown_word(one.word, one.reason), one.reason) for one in done.skipped if one.subgroup
        )
        if done.mixed:
            mixed += 1
        elif done.unchanged:
            named = any(one.subgroup for one in done.skipped)
            left, untouched = left + named, untouched + (not named)
        else:
            by_text.setdefault(done.original, []).append(text)
            _add(rows[done.subgroup, done.to], done, text, new)
    for group, many in baseline.items():
        own = rows.setdefault((group, PLACEBO), [])
        for done in {one.original: one for one in many if not one.unchanged and not one.mixed}.values():
            for text in by_text.get(done.original, ()):
                _add(own, done, text, new)
    return Pair(attribute, first, second, rows, mixed, left, untouched, dict(skipped.most_common(40)))


def _add(rows: list[Row], done: Swapped, text: Text, new: Mapping[str, float]) -> None:
    after = new[done.text]
    if after == after:  # NaN where the system gave no score
        rows.append(Row(done, text.label, text.cluster, text.score, after))


def _shown_word(word: str, reason: str) -> str:
    """What a table may show: a word of the lists, not a hashtag or an address somebody made up."""
    return "(hashtag)" if word[:1] in {"#", "\uff03"} or "hashtag" in reason else word.casefold()
