"""The published template sentences: who is wrongly flagged, counted from the file without fairnb's reader."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from fairnb.case import CASE_FILE, load_case, new_case
from fairnb.registry import fetch
from fairnb.system import SystemSpec, open_system

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found(real_data, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRNB_HOME", str(tmp_path_factory.mktemp("madlibs-home")))
        for name in ("paper-train", "paper-test", "jigsaw-madlibs"):
            fetch(name, real_data)
        folder = tmp_path_factory.mktemp("madlibs") / "case"
        new_case(folder, system="toxic-comment-classifier", test="paper-test", synthetic="jigsaw-madlibs")
        file = folder / CASE_FILE
        text = file.read_text(encoding="utf-8")
        old = 'attributes = ["gender", "religion", "ethnicity"]'
        assert old in text
        file.write_text(text.replace(old, old.replace("]", ', "orientation"]')), encoding="utf-8")
        return load_case(folder).run("counterfactual").result


@pytest.fixture(scope="module")
def flagged(real_data):
    """Term -> share of its sentences without an insult that the system flags, by a scan of the file."""
    terms = ("gay", "straight", "christian")
    with (real_data / "jigsaw" / "bias_madlibs_77k.csv").open(newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["Label"] == "NOT_BAD"]
    said = {term: [row["Text"] for row in rows if term in row["Text"].split()] for term in terms}
    system = open_system(SystemSpec(use="toxic-comment-classifier"), real_data)
    column = system.classes.index("toxic")
    return {term: (np.asarray(system.raw(texts))[:, column] >= 0.5).mean() for term, texts in said.items()}


def test_rates_per_term_are_those_of_a_scan_of_the_file(found, flagged):
    assert flagged["gay"] > 0.9
    assert max(flagged["straight"], flagged["christian"]) < 0.1
    for term, share in flagged.items():
        (own,) = (one for one in found.facts["terms"] if one["term"] == term and "corpus=" in one["prefix"])
        assert own["negative_flagged"] / own["negative_n"] == pytest.approx(share, abs=1e-12)


def test_it_is_a_high_finding_of_this_set_and_shown_per_template(found):
    (finding,) = (
        one
        for one in found.findings
        if "census" in one.criterion
        and (one.measures[0].subgroup, one.measures[0].reference) == ("gay", "straight")
        and one.measures[0].label == "negative"
    )
    assert finding.severity == "high"
    shifts = [
        one["shift"]
        for one in found.facts["templates"]
        if (one["subgroup"], one["reference"], one["label"]) == ("gay", "straight", "negative")
        and "corpus=" in one["prefix"]
    ]
    assert len(shifts) >= 2
    assert min(shifts) > 0
    assert "100 % of them were flagged" in finding.statement
