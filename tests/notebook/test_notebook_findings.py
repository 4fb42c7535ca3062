from __future__ import annotations

from pathlib import Path

import pytest

import fairnb
from fairnb.errors import FairnbErrors

TOML = """\
[engagement]
title = "A small assessment"
level = "third-party"
independence = "none of us built it"
assessor = { name = "Ada", organisation = "Office" }

[system]
scores = "score"

[corpus.test]
path = "test.csv"

[sections.data_bias]
corpus = "test"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A case in which positive texts mention women far more often than negative ones."""
    (tmp_path / "assessment.toml").write_text(TOML, encoding="utf-8")
    rows = [f"The woman baked bread {i},{int(i < 60)},0.5\n" for i in range(80)]
    rows += [f"It rained on day {i},{int(i < 20)},0.5\n" for i in range(80)]
    (tmp_path / "test.csv").write_text("text,label,score\n" + "".join(rows), encoding="utf-8")
    return tmp_path


def test_findings_are_a_table_with_ids_and_entries(folder: Path) -> None:
    case = fairnb.open(folder)
    assert repr(case.findings()).startswith("0 computed findings.")
    assert case.case.run("data_bias").result.findings
    shown = case.findings()
    ids = [row.finding.id for row in shown.register.rows]
    assert "data_bias/positive/frequency_ratio/gender/female" in ids
    entry = f'[findings."{ids[0]}"]\nrecommendation = "<b>Look</b> at the texts."\n'
    (folder / "findings.toml").write_text(entry, encoding="utf-8")
    shown = case.findings()
    html, text = shown._repr_html_(), repr(shown)
    assert "&lt;b&gt;Look&lt;/b&gt; at the texts." in html
    assert "<script" not in html
    assert ids[0] in text
    assert "  | Recommendation: <b>Look</b> at the texts." in text
    # The measures' numbers are those of the table of measures.
    numbers = {row["measure"]: row["id"] for row in case.measures() if row["subgroup"] == "female"}
    assert numbers["frequency_ratio"] in text
    assert numbers["frequency_ratio"] in html


def test_a_mistake_in_the_file_is_told(folder: Path) -> None:
    (folder / "findings.toml").write_text("[finding]\n", encoding="utf-8")
    with pytest.raises(FairnbErrors, match="did you mean 'findings'"):
        fairnb.open(folder).findings()
