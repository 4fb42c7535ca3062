from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
import rfc8785

from fairnb.case import load_case
from fairnb.errors import ExitCode, FairnbError
from fairnb.statistics import Tally


@pytest.fixture
def case(make_case: Any, tiny: list[str]) -> Any:
    case = load_case(make_case())
    for identity in case.sections:
        case.run_all(identity)
    return case


def test_it_holds_results_tallies_log_and_files(case: Any) -> None:
    evidence = case.evidence()
    sections = [payload["content"]["section"] for payload in evidence["payloads"]]
    assert sections == ["counting", "tallying", "training", "closing"]
    ((digest, data),) = evidence["tallies"].items()
    tally = Tally.from_bytes(base64.b64decode(data))
    assert (tally.digest, tally.n()) == (digest, 6)
    assert [entry["n"] for entry in evidence["log"]] == list(range(1, len(evidence["log"]) + 1))
    text = (case.folder / "assessment.toml").read_bytes()
    assert evidence["case"]["files"] == {"assessment.toml": hashlib.sha256(text).hexdigest()}
    assert (evidence["schema"], evidence["redaction"]) == ("fairnb.evidence/1", "mask")
    assert evidence["draft"] == case.draft


def test_it_is_plain_json_with_a_digest_over_all_of_it(case: Any) -> None:
    evidence = json.loads(json.dumps(case.evidence(), allow_nan=False))
    rest = {key: value for key, value in evidence.items() if key != "content_sha256"}
    assert evidence["content_sha256"] == hashlib.sha256(rfc8785.dumps(rest)).hexdigest()


def test_files_beside_the_case_file_belong_to_it(case: Any) -> None:
    before = case.digest
    (case.folder / "findings.toml").write_text("x = 1")
    assert set(case.files) == {"assessment.toml", "findings.toml"}
    assert case.digest != before


def test_without_a_tally_there_is_no_evidence(case: Any) -> None:
    for path in (case.folder / ".fairnb" / "tallies").iterdir():
        path.unlink()
    with pytest.raises(FairnbError) as caught:
        load_case(case.folder).evidence()
    assert (caught.value.code, caught.value.exit_code) == ("missing-tally", ExitCode.UNFAITHFUL)
