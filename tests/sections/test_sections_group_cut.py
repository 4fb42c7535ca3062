"""What is recorded of the smallest subgroups where the whole record would not fit, and what does not depend on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fairnb.lexicon import LexiconSpec
from fairnb.sections import Result, group_bias, section

RATES = ("equal_opportunity", "false_positive_rate")


def run(make: Callable[..., Any]) -> Result:
    random = np.random.default_rng(3)
    texts = ["her bus was late"] * 60 + ["his bus was late"] * 200 + ["the bus was late"] * 740
    labels = random.integers(0, 2, len(texts))
    scores = np.clip(random.normal(0.3 + 0.3 * labels, 0.2), 0, 1)
    scores[:60] = np.where(labels[:60] == 0, 0.9, scores[:60])
    view = make(
        {"test": labels.tolist()},
        {"test": scores},
        {"test": texts},
        spec=LexiconSpec(attributes=("gender",)),
    )
    return section("group_bias").run(view, section("group_bias").Params())


def told(result: Result) -> list[str]:
    return [limit for limit in result.limits if limit.startswith("For these subgroups")]


def test_no_verdict_on_a_rate_depends_on_what_the_record_has_no_room_for(
    small_view: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(small_view)
    assert told(whole) == []
    room = sum(len(one.model_dump_json()) + 2 for one in whole.measures) - 20_000
    monkeypatch.setattr(group_bias, "BUDGET", room)
    cut = run(small_view)
    assert told(cut) == [
        "For these subgroups, the smallest of those with ten texts or more, only mean scores, TPR and FPR are recorded: "
        "female (gender). The other metrics would not fit into the record that a notebook keeps of a section; a case "
        "with fewer attributes records every metric. No verdict on TPR or FPR depends on them; observations are "
        "adjusted for what is recorded."
    ]
    left = {one.measure for one in cut.measures if one.subgroup == "female" and not one.reference}
    assert left == {*RATES, "mean_score"}
    rates = [
        [one for one in result.candidates if one.measures[0].measure in RATES] for result in (whole, cut)
    ]
    assert rates[0] == rates[1]
    assert any(one.verdict == "exceeds the margin" for one in rates[0])
