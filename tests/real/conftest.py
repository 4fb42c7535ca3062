"""The real case: texts read and split without fairnb's code, and the case run once for all tests here."""

from __future__ import annotations

import csv
import hashlib

import pytest

from fairnb.case import load_case, new_case
from fairnb.registry import fetch

SECTIONS = (
    "engagement",
    "system",
    "technical_performance",
    "data_bias",
    "mining",
    "group_bias",
    "conclusion",
)


def key(row) -> str:
    source, number, *_ = row
    return hashlib.sha256(f"0\t{source}\t{number}".encode()).hexdigest()


@pytest.fixture(scope="session")
def split(real_data):
    """(source, row, text, label) of the train and the test part."""
    rows = []
    with (real_data / "davidson" / "labeled_data.csv").open(newline="", encoding="utf-8") as stream:
        for number, row in enumerate(csv.DictReader(stream)):
            rows.append(("davidson", number, row["tweet"], int(row["class"] in ("0", "1"))))
    with (real_data / "olid" / "olid-training-v1.0.tsv").open(newline="", encoding="utf-8") as stream:
        for number, row in enumerate(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)):
            rows.append(("olid", number, row["tweet"], int(row["subtask_a"] == "OFF")))
    positive = sorted((row for row in rows if row[3]), key=key)
    negative = sorted((row for row in rows if not row[3]), key=key)
    return positive[2502:] + negative[1301:], positive[:2502] + negative[:1301]


@pytest.fixture(scope="session")
def case(real_data, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRNB_HOME", str(tmp_path_factory.mktemp("real-home")))
        for name in ("paper-train", "paper-test"):
            fetch(name, real_data)
        folder = tmp_path_factory.mktemp("cases") / "real"
        new_case(folder, system="toxic-comment-classifier", train="paper-train", test="paper-test")
        opened = load_case(folder)
        payloads = {name: opened.run(name) for name in SECTIONS}
        results = {name: payload.result for name, payload in payloads.items()}
        evidence = opened.evidence(list(payloads.values()))
        corpora = {role: opened.sources.corpus(role) for role in ("train", "test")}
        scores = opened.sources.scores("test", None, None)
    return results, corpora, dict(zip(scores.classes, scores.values.T, strict=True))["toxic"], evidence
