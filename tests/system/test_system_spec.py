"""The case file's `[system]` table."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from fairnb.system import SystemSpec


@pytest.mark.parametrize("kind", ["use", "python", "sklearn", "keras", "scores"])
def test_one_key_names_the_system(kind: str) -> None:
    spec = SystemSpec(**{kind: "x:y"})
    assert (spec.kind, spec.value) == (kind, "x:y")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({}, "found none of them"),
        ({"use": "", "version": "1"}, "found none of them"),
        ({"use": "a", "keras": "b"}, "found use and keras"),
        ({"scores": "p", "classes": ["toxic"]}, "leave classes out"),
        ({"python": "a:b", "classes": ["x", "x"]}, "none twice"),
        ({"python": "a:b", "classes": [" "]}, "none empty"),
        ({"python": "a:b", "trust": True}, "trust is for"),
        ({"keras": "a.keras", "trust": ["a.B"]}, "lambda layers"),
        ({"keras": "a.keras", "files": ["w.bin"]}, "files is for"),
        ({"python": "a:b", "batch_size": 1}, "greater than or equal to 2"),
        ({"python": "a:b", "onnx": "c"}, "onnx"),
    ],
)
def test_a_wrong_table_is_told_in_one_sentence(table: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError) as caught:
        SystemSpec.model_validate(table)
    assert told in str(caught.value)


def test_trust_may_list_types() -> None:
    assert SystemSpec.model_validate({"sklearn": "m.skops", "trust": ["a.B"]}).trust == ("a.B",)


def test_a_spec_survives_json() -> None:
    spec = SystemSpec(python="a:b", version="2", declared={"trained_on": "forum posts", "year": 2024})
    assert SystemSpec.model_validate_json(spec.model_dump_json()) == spec


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_declared_is_a_number_that_every_record_can_hold(value: float) -> None:
    with pytest.raises(ValidationError):
        SystemSpec(scores="score", declared={"recall": value})
