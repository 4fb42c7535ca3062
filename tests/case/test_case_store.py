from __future__ import annotations

import gc
import weakref
from typing import Any

from fairnb.case import load_case

THRESHOLDS = [0.05 * step for step in range(1, 20)]


def moved(case: Any, threshold: float) -> Any:
    return case.run("counting", params={"threshold": threshold}, origin="notebook")


def test_a_threshold_moved_many_times_leaves_few_results_in_memory(make_case: Any, tiny: list[str]) -> None:
    case = load_case(make_case())
    left = [weakref.ref(moved(case, threshold)) for threshold in THRESHOLDS]
    gc.collect()
    assert sum(one() is not None for one in left) <= 3
    assert len(list((case.folder / ".fairnb" / "results").glob("counting-*.json"))) == len(THRESHOLDS)


def test_what_left_the_memory_is_replayed_from_its_file(make_case: Any, tiny: list[str]) -> None:
    case = load_case(make_case())
    first = moved(case, THRESHOLDS[0])
    for threshold in THRESHOLDS[1:]:
        moved(case, threshold)
    computed = len(tiny)
    again = moved(case, THRESHOLDS[0])
    assert (again, len(tiny)) == (first, computed)
    assert case.state("counting") == "fresh"


def test_a_result_whose_file_is_gone_or_altered_meanwhile_is_computed_again(
    make_case: Any, tiny: list[str]
) -> None:
    case = load_case(make_case())
    moved(case, 0.3)
    (file,) = (case.folder / ".fairnb" / "results").glob("counting-*.json")
    whole = file.read_bytes()
    file.unlink()
    assert case.state("counting") == "not run"
    moved(case, 0.3)
    assert len(tiny) == 2
    file.write_bytes(whole[:-20])
    moved(case, 0.3)
    assert len(tiny) == 3
    assert f"results/{file.name}" in case.store.ignored
