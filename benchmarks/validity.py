"""Whether verdicts and intervals keep what they promise, on simulated audits whose truth is known.

Audits are drawn as rows of numbers from populations (`simulated.py`), counted by the product's tally, and
judged by the product's own questions, tests and verdicts. Printed: audits with any false finding, coverage of
intervals by measure and denominator, and power. Exit code 1 where a gate fails.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from audits import BANDS, ROBUST, Counted, simulate
from scenarios import SCENARIOS, scenario_of
from scipy.stats import beta, binom

ERROR = 0.05
GATES = dict(zip(BANDS, ((0.93, 1.0), (0.93, 0.97)), strict=True))
POWER = 0.90
ENOUGH = 500
"""Audits from which coverage and power are gated: below, chance alone can miss the gates."""
PART = 50
"""Audits that one process takes at a time."""


def _part(task: tuple[str, range, int, int]) -> tuple[str, Counted]:
    name, audits, seed, whole = task
    return name, simulate(scenario_of(name), audits, (seed, list(SCENARIOS).index(name)), whole)


def run(names: Sequence[str], audits: int, seed: int, whole: int, workers: int) -> dict[str, Counted]:
    """All audits of the named scenarios; the same whatever the number of workers."""
    tasks = [
        (name, range(start, min(start + PART, audits)), seed, whole)
        for name in names
        for start in range(0, audits, PART)
    ]
    found = {name: Counted() for name in names}
    with multiprocessing.Pool(workers) if workers > 1 else nullcontext() as pool:
        for name, part in pool.imap(_part, tasks) if pool else map(_part, tasks):
            found[name].add(part)
            print(f"\r{name}: {found[name].counts['audits']} audits", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


# ---- what is made of the counts


def share(successes: int, n: int) -> str:
    """A share with its exact 95 % interval (Clopper and Pearson), in percent."""
    if not n:
        return "-"
    low = beta.ppf(0.025, successes, n - successes + 1) if successes else 0.0
    high = beta.ppf(0.975, successes + 1, n - successes) if successes < n else 1.0
    return f"{100 * successes / n:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def allowed(audits: int) -> int:
    """Most audits with a false finding: the 95 % quantile of the binomial law with probability 0.05."""
    return int(binom.ppf(0.95, audits, ERROR))


@dataclass(frozen=True)
class Coverage:
    """Coverage of a measure's intervals in a band of denominators, over all groups and scenarios."""

    measure: str
    kind: str
    band: str
    covered: int
    intervals: int
    lowest: float
    """Of the cells (scenario, group, reference) with at least a tenth of the audits."""
    where: str
    gated: bool

    @property
    def mean(self) -> float:
        """Share of the intervals that hold the population's value."""
        return self.covered / self.intervals

    @property
    def passes(self) -> bool:
        """Whether the mean lies within the gate."""
        low, high = GATES[self.band]
        return low <= self.mean <= high


def coverages(found: Mapping[str, Counted], audits: int) -> list[Coverage]:
    """Coverage by measure, kind and band."""
    cells: dict[tuple[str, str, str, bool], list[tuple[str, int, int]]] = {}
    for name, seen in found.items():
        for cell, n in seen.intervals.items():
            claimed = name != "clusters" or cell.measure.startswith((*ROBUST, "mean_score"))
            where = f"{name}: {cell.group or 'all texts'}"
            if cell.reference:
                where += f" - {cell.reference}"
            place = (cell.measure, cell.kind, cell.band, claimed)
            cells.setdefault(place, []).append((where, seen.covered[cell], n))
    made = []
    for (measure, kind, band, claimed), parts in sorted(
        cells.items(), key=lambda one: (not one[0][3], one[0])
    ):
        large = [part for part in parts if part[2] >= audits / 10] or parts
        worst = min(large, key=lambda part: part[1] / part[2])
        made.append(
            Coverage(
                measure,
                kind,
                band,
                sum(part[1] for part in parts),
                sum(part[2] for part in parts),
                worst[1] / worst[2],
                worst[0],
                claimed,
            )
        )
    return made


def failures(found: Mapping[str, Counted], audits: int) -> list[str]:
    """Every gate that is missed, in a sentence."""
    missed = []
    for name, seen in found.items():
        scenario = scenario_of(name)
        false = seen.counts["audits: false"]
        if scenario.gated and false > allowed(audits):
            missed.append(f"{name}: {false} audits with a false finding, {allowed(audits)} allowed")
        if scenario.sought and audits >= ENOUGH and seen.counts["audits: sought"] < POWER * audits:
            missed.append(f"{name}: found in {seen.counts['audits: sought']} of {audits} audits")
    # The gate is for the mean over the whole grid: some cells alone lie outside it.
    whole = audits >= ENOUGH and set(found) == set(SCENARIOS)
    for one in coverages(found, audits) if whole else ():
        if one.gated and not one.passes:
            low, high = (100 * end for end in GATES[one.band])
            missed.append(
                f"{one.measure}, {one.kind}, denominators {one.band}: {100 * one.mean:.2f} % covered, "
                f"{low:.0f} to {high:.0f} wanted"
            )
    return missed


def report(found: Mapping[str, Counted], audits: int) -> Iterator[str]:
    """The tables, in Markdown."""
    yield f"False findings, {audits} audits each; at most {allowed(audits)} audits may have one."
    yield ""
    yield (
        "| scenario | criteria, of them equal | tested | audits with a false finding | share (95 % interval) | "
        "rejected by the test alone | with a right finding | right findings, of them below the margin | "
        "simultaneous intervals all hold | wrongly *within* |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for name, seen in found.items():
        scenario, counts = scenario_of(name), seen.counts
        null, other = (counts[f"{kind} criteria"] // audits for kind in ("null", "different"))
        false = counts["audits: false"]
        verdict = "not gated" if not scenario.gated else "ok" if false <= allowed(audits) else "FAILS"
        yield (
            f"| {name}: {scenario.title} | {null + other}, {null} | {counts['tested'] / audits:.1f} | "
            f"{false} ({verdict}) | {share(false, audits)} | {counts['audits: false test']} | "
            f"{share(counts['audits: right'], audits)} | {counts['right']:,}, {counts['small']} | "
            f"{share(counts['audits: simultaneous'], audits)} | "
            f"{counts['wrongly within']} of {counts['within']} |"
        )
    yield ""
    yield "Coverage of 95 % intervals."
    yield ""
    yield "| measure | of | denominators | intervals | covered | gate | lowest cell |"
    yield "|---|---|---|---|---|---|---|"
    for one in coverages(found, audits):
        gate = "not claimed" if not one.gated else "ok" if one.passes else "FAILS"
        yield (
            f"| {one.measure} | {one.kind} | {one.band} | {one.intervals:,} | {100 * one.mean:.2f} % | {gate} | "
            f"{100 * one.lowest:.1f} %, {one.where} |"
        )
    sought = {name: seen for name, seen in found.items() if scenario_of(name).sought}
    if sought:
        yield ""
        yield "Power."
        yield ""
        yield "| scenario | found in | share (95 % interval) | tests in the family |"
        yield "|---|---|---|---|"
        for name, seen in sought.items():
            hits = seen.counts["audits: sought"]
            yield (
                f"| {scenario_of(name).title} | {hits} of {audits} | {share(hits, audits)} | "
                f"{seen.counts['tested'] / audits:.1f} |"
            )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audits", type=int, default=2000, help="audits per scenario (default 2000)")
    parser.add_argument(
        "--scenario", action="append", choices=list(SCENARIOS), help="only this one; repeatable"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--whole", type=int, default=5, help="audits per scenario that also run whole sections (default 5)"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--json", type=Path, help="also write the counts to this file")
    given = parser.parse_args(arguments)
    names = given.scenario or list(SCENARIOS)
    began = time.perf_counter()
    found = run(names, given.audits, given.seed, given.whole, given.workers)
    for line in report(found, given.audits):
        print(line)
    missed = failures(found, given.audits)
    print(f"\n{time.perf_counter() - began:.0f} s; seed {given.seed}.")
    if given.audits < ENOUGH:
        print(f"Fewer than {ENOUGH} audits: power is shown, not gated.")
    if given.audits < ENOUGH or set(names) != set(SCENARIOS):
        print(f"Coverage is gated over all scenarios with {ENOUGH} audits or more: here it is shown.")
    print("\n".join(f"MISSED {sentence}" for sentence in missed) or "Every gate holds.")
    if given.json:
        given.json.write_text(json.dumps(_plain(found, given.audits, given.seed, missed), indent=1) + "\n")
    return 1 if missed else 0


def _plain(found: Mapping[str, Counted], audits: int, seed: int, missed: Sequence[str]) -> dict[str, Any]:
    return {
        "audits": audits,
        "seed": seed,
        "scenarios": {name: dict(sorted(seen.counts.items())) for name, seen in found.items()},
        "coverage": [{**asdict(one), "mean": one.mean} for one in coverages(found, audits)],
        "missed": list(missed),
    }


if __name__ == "__main__":
    sys.exit(main())
