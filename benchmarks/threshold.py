"""What a moved threshold costs, from the changed control to the output that takes the last one's place.

`numbers` is the time until tables, sentences and payload are shown, beside the figures of before; `all` until
figures are drawn, too. Between them nothing waits."""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fairnb.case import Case, load_case
from fairnb.errors import FairnbError
from fairnb.sections import section, section_ids

ROWS = 1_000_000
TOML = """\
[engagement]
title = "What a moved threshold costs"
level = "third-party"
independence = "none"
assessor = {{ name = "A program", organisation = "fairnb" }}

[system]
{system}

[targets.toxic]
{classes}
positive = [1]
negative = [0]
threshold = 0.5

[lexicon]
languages = ["en"]
attributes = ["gender", "religion", "ethnicity", "orientation"]
reference = {{ gender = "male", religion = "Christianity", orientation = "straight" }}

[corpus.test]
{corpus}
"""
_WHOM = (
    ("It", 0.55), ("The woman next door", 0.08), ("A man", 0.07), ("My mother and her husband", 0.03),
    ("The Muslim family", 0.05), ("A Christian choir", 0.05), ("The Jewish baker", 0.03), ("A Hindu", 0.01),
    ("The gay couple next door", 0.03), ("Their straight friends", 0.01), ("A bisexual poet", 0.005),
    ("The Asian shop", 0.02), ("An African drummer", 0.025), ("The Arab teacher", 0.02),
    ("The Muslim woman", 0.02),
)  # fmt: skip
"""How texts begin, and the share of texts that do."""
_DID = (
    "baked bread",
    "came by",
    "rang twice",
    "forgot the keys",
    "is late",
    "sang",
    "was there",
    "left early",
)


def recorded(folder: Path, rows: int, *, clusters: bool) -> Path:
    """A case of recorded scores: labels, scores and authors are drawn, texts are composed."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "test.csv").exists():
        drawn = np.random.default_rng(20)
        whom = drawn.choice(len(_WHOM), rows, p=[share for _, share in _WHOM])
        label = drawn.random(rows) < 0.1 + 0.02 * whom
        score = 1 / (1 + np.exp(-drawn.normal(np.where(label, 1.2, -1.4) + 0.05 * whom, 1.5)))
        author = drawn.integers(0, max(2, rows // 20), rows)
        with (folder / "test.csv").open("w", encoding="utf-8") as stream:
            stream.write("text,label,score,author\n")
            stream.writelines(
                f"{_WHOM[w][0]} {_DID[i % 8]} on day {i},{int(y)},{s:.9f},a{a}\n"
                for i, (w, y, s, a) in enumerate(zip(whom, label, score, author, strict=True))
            )
    corpus = 'path = "test.csv"' + ('\ncluster = "author"' if clusters else "")
    return _case(folder, system='scores = "score"', classes="", corpus=corpus)


def known(folder: Path, corpus: str) -> Path:
    """A case of a packaged classifier on a known corpus."""
    return _case(
        folder,
        system='use = "toxic-comment-classifier"',
        classes='classes = ["toxic"]',
        corpus=f'use = "{corpus}"',
    )


def _case(folder: Path, **parts: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / ".fairnb", ignore_errors=True)
    (folder / "assessment.toml").write_text(TOML.format(**parts), encoding="utf-8")
    return folder


class Clock:
    """Processor and wall seconds by stage; what a stage calls of another stage is not counted twice."""

    def __init__(self) -> None:
        self.spent: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._inside: list[list[float]] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self._inside.append([0.0, 0.0])
        began = time.process_time(), time.perf_counter()
        try:
            yield
        finally:
            took = [time.process_time() - began[0], time.perf_counter() - began[1]]
            inside = self._inside.pop()
            for at in (0, 1):
                self.spent[name][at] += took[at] - inside[at]
                if self._inside:
                    self._inside[-1][at] += took[at]

    def around(self, owner: Any, name: str, stage: str) -> None:
        """Count a function's time under a stage."""
        function: Callable[..., Any] = getattr(owner, name)

        def timed(*args: Any, **options: Any) -> Any:
            with self.stage(stage):
                return function(*args, **options)

        setattr(owner, name, timed)


STAGES = ("request", "run", "seal", "save", "early", "draw", "html")


def watched() -> Clock:
    """A clock that knows the stages of a run."""
    from fairnb.case import _case, _compute, _log, _store
    from fairnb.report import _render
    from fairnb.sections import Section

    clock = Clock()
    clock.around(_case, "make_request", "request")
    clock.around(_compute, "seal", "seal")
    clock.around(_store.Store, "save", "save")
    clock.around(_store.Store, "save_tally", "save")
    clock.around(_store.Store, "result", "save")
    clock.around(_log.RunLog, "append", "save")
    clock.around(_render, "draw_svg", "draw")
    for identity in section_ids():
        kind = type(section(identity))
        if kind.figures is not Section.figures:
            clock.around(kind, "figures", "draw")
        clock.around(kind, "run", "run")
    return clock


def moved(case: Case, identity: str, thresholds: list[float], clock: Clock) -> dict[str, list[float]]:
    """Median seconds of each stage, over thresholds none of which was asked for before."""
    from fairnb.notebook._display import Shape

    before = Shape(case.payloads(identity))
    before.bundle()
    seen: dict[str, list[list[float]]] = defaultdict(list)
    for threshold in thresholds:
        gc.collect()
        clock.spent.clear()
        with clock.stage("request"):
            given = {"threshold": threshold}
            case.request(identity, given)
            payloads = case.run_all(identity, params=given, origin="notebook")
        with clock.stage("early"):
            shape = Shape(payloads, before=before)
            shape.bundle()
        seen["numbers"].append([sum(stage[at] for stage in clock.spent.values()) for at in (0, 1)])
        with clock.stage("html"):
            whole = shape.drawn(lambda: True)
            if whole is not None:
                whole.bundle()
                before = whole
        for name in STAGES:
            seen[name].append(clock.spent[name])
        seen["all"].append([sum(stage[at] for stage in clock.spent.values()) for at in (0, 1)])
    return {
        name: [statistics.median(one[at] for one in took) for at in (0, 1)] for name, took in seen.items()
    }


def measure(title: str, folder: Path, identities: list[str], times: int, clock: Clock) -> None:
    """Print what moving the threshold of each section costs in one case."""
    case = load_case(folder)
    print(f"\n{title}: processor ms / wall ms, median of {times} thresholds")
    columns = (*STAGES, "numbers", "all")
    print(f"{'section':>22}" + "".join(f"{head:>13}" for head in columns))
    for identity in identities:
        try:
            for payload in case.run_all(identity):
                if payload.result.status != "done":
                    raise FairnbError("not-applicable", payload.result.reason, "choose another corpus")
            thresholds = [round(0.2 + 0.5 * step / times + 0.0137, 4) for step in range(times + 1)]
            moved(case, identity, thresholds[:1], clock)
            took = moved(case, identity, thresholds[1:], clock)
        except FairnbError as error:
            print(f"{identity:>22}  {error.found}")
            continue
        figures = "".join(f"{1000 * took[n][0]:7.0f}/{1000 * took[n][1]:5.0f}" for n in columns)
        print(f"{identity:>22}{figures}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=11, help="thresholds per section (default 11)")
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of recorded scores (default 1,000,000)")
    parser.add_argument("--folder", type=Path, default=Path("build/threshold"), help="where cases are made")
    parser.add_argument("--case", nargs="*", default=["paper-test", "demo-test", "recorded", "clusters"])
    with_threshold = [one for one in section_ids() if "threshold" in type(section(one)).Params.model_fields]
    parser.add_argument("--section", nargs="*", default=with_threshold)
    asked = parser.parse_args()
    os.environ.setdefault("FAIRNB_HOME", str(Path("build/test-home").resolve()))
    clock = watched()
    for name in asked.case:
        folder = asked.folder / (name if name in ("paper-test", "demo-test") else f"{name}-{asked.rows}")
        if name in ("paper-test", "demo-test"):
            place, title = known(folder, name), name
        else:
            place = recorded(folder, asked.rows, clusters=name == "clusters")
            title = f"{asked.rows:,} recorded scores{', authors named' if name == 'clusters' else ''}"
        measure(title, place, asked.section, asked.times, clock)


if __name__ == "__main__":
    main()
