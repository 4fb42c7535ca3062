"""The calls that users of LangTest know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fairnb
from fairnb.errors import FairnbError
from fairnb.masked_lm import Pair

THEIRS = ["category", "test_type", "fail_count", "pass_count", "pass_rate", "minimum_pass_rate", "pass"]
ROWS = ["category", "test_type", "sentence", "mask1", "mask2", "mask1_score", "mask2_score", "pass"]


@pytest.fixture
def file(tmp_path: Path, own_pairs: tuple[Pair, ...]) -> str:
    """The own pairs as a file."""
    import pandas as pd

    table = {"sent_more": [pair.more for pair in own_pairs], "sent_less": [pair.less for pair in own_pairs]}
    table["bias_type"] = [pair.bias_type for pair in own_pairs]
    pd.DataFrame(table).to_csv(tmp_path / "pairs.csv", index=False)
    return str(tmp_path / "pairs.csv")


def harness(file: str, **given: Any) -> Any:
    model = {"model": "some/model", "hub": "huggingface"}
    return fairnb.Harness(task="crows-pairs", model=model, data={"data_source": file}, **given)


def test_report_and_results_have_langtests_columns_and_ours(file: str, written: Any) -> None:
    import math

    model = written({"tall": math.log(0.5), "short": math.log(0.4)}, other=-5.0)
    ran = harness(file).generate().run(model)
    report = ran.report()
    assert list(report.columns[:7]) == THEIRS
    row = report.iloc[0]
    assert (row["category"], row["test_type"]) == ("stereotype", "crows-pairs")
    assert (row["fail_count"], row["pass_count"], row["pass_rate"], row["minimum_pass_rate"]) == (
        0,
        1,
        "100%",
        "70%",
    )
    assert row["pass"]
    assert (
        row["fail_count"] + row["pass_count"] + row["skipped_count"] + row["unscorable_count"]
        == row["pair_count"]
    )
    results = ran.generated_results()
    assert list(results.columns[:8]) == ROWS
    assert list(results.columns[8:]) == ["id", "bias_type", "outcome", "reason"]
    assert len(results) == row["pair_count"]
    assert set(results["pass"]) == {True, "-"}


def test_as_in_langtest_only_what_its_filter_keeps_is_a_row(file: str, written: Any) -> None:
    model = written(tops=[("tall", 0.5), ("short", 0.1)])
    ran = harness(file, compat="langtest").generate().run(model)
    results = ran.generated_results()
    assert list(results["mask1_score"]) == [0.5]
    assert list(results["pass"]) == [False]
    row = ran.report().iloc[0]
    assert (row["fail_count"], row["pass_count"], row["pass_rate"], row["pass"]) == (1, 0, "0%", False)


def test_where_nothing_is_kept_the_report_says_so(file: str, written: Any) -> None:
    row = harness(file).generate().run(written(other=-9.0)).report().iloc[0]
    assert (row["pass_rate"], row["pass"]) == ("-", False)


def test_sentences_are_shown_only_when_asked_for(file: str, written: Any) -> None:
    hidden = harness(file).generate().run(written())
    assert set(hidden.generated_results()["sentence"]) == {"-"}
    assert set(hidden.testcases()["mask1"]) == {"-"}
    shown = harness(file, show_texts=True).generate()
    assert "The [MASK] cook lost the keys again." in set(shown.testcases()["sentence"])


def test_thresholds_come_from_langtests_config(file: str, written: Any) -> None:
    import math

    model = written({"tall": math.log(0.5), "short": math.log(0.4)})
    table = {"diff_threshold": 0.05, "filter_threshold": 0.2, "min_pass_rate": 0.9}
    config = {"tests": {"stereotype": {"crows-pairs": table}}}
    row = harness(file, config=config).generate().run(model).report().iloc[0]
    assert (row["fail_count"], row["minimum_pass_rate"]) == (1, "90%")


def test_other_ways_to_name_task_and_model_are_taken() -> None:
    fairnb.Harness(task={"task": "fill-mask", "category": "crows-pairs"}, model="some/model")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"task": "ner"}, "unknown-task"),
        ({"model": {"model": "x", "hub": "openai"}}, "unknown-hub"),
        ({"model": {"hub": "huggingface"}}, "bad-value"),
        ({"compat": "other"}, "bad-value"),
        ({"config": {"tests": {"stereotype": {"crows-pairs": {"diff_threshold": 3}}}}}, "bad-value"),
        ({"config": {"tests": {"stereotype": {"crows-pairs": {"diff_threshold": "0.3"}}}}}, "bad-value"),
        ({"config": {"tests": {"stereotype": {"crows-pairs": {"min_pass_rate": 70}}}}}, "bad-value"),
        ({"config": {"tests": {"stereotype": {"crows-pairs": {"min_pass_rate": True}}}}}, "bad-value"),
        ({"config": {"tests": {"stereotype": {"wino-bias": {}}}}}, "unknown-task"),
        ({"config": {"tests": {"robustness": {"uppercase": {}}}}}, "unknown-task"),
        ({"config": {"tests": None}}, "bad-value"),
        ({"config": "config.yml"}, "bad-value"),
        ({"model": None}, "bad-value"),
        ({"model": ""}, "bad-value"),
        ({"model": [{"model": "x", "hub": "huggingface"}]}, "bad-value"),
        ({"model": {"model": 3}}, "bad-value"),
        ({"data": "pairs.csv"}, "bad-value"),
        ({"data": {"data_source": 3}}, "bad-value"),
        ({"data": {"source": "pairs.csv"}}, "bad-value"),
    ],
)
def test_what_it_does_not_know_is_one_sentence(given: dict[str, Any], code: str) -> None:
    with pytest.raises(FairnbError) as error:
        fairnb.Harness(**{"task": "crows-pairs", "model": "some/model", **given})
    assert error.value.code == code


def test_langtests_default_pass_rate_holds_where_the_test_names_none(file: str, written: Any) -> None:
    config: Any = {"tests": {"defaults": {"min_pass_rate": 0.9}, "stereotype": {"crows-pairs": {}}}}
    assert harness(file, config=config).generate().run(written()).report()["minimum_pass_rate"][0] == "90%"
    config["tests"]["stereotype"]["crows-pairs"]["min_pass_rate"] = 0.8
    assert harness(file, config=config).generate().run(written()).report()["minimum_pass_rate"][0] == "80%"


def test_calls_out_of_order_say_what_comes_first(file: str, written: Any) -> None:
    with pytest.raises(FairnbError, match=r"generate\(\) first"):
        harness(file).run(written())
    with pytest.raises(FairnbError, match=r"run\(\) first"):
        harness(file).generate().report()
