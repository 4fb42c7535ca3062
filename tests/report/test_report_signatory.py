"""Who signs and who assessed: names compared, hostile evidence read."""

from __future__ import annotations

from typing import Any

import pytest

from fairnb.report._signatory import assessor_of, signed_by_another


@pytest.mark.parametrize(
    ("signers", "told"),
    [
        ([("A. Example", "assessor")], []),
        ([("a.  EXAMPLE ", "assessor")], []),
        ([("B. Other", "assessor")], ["B. Other"]),
        ([("B. Other", "reviewer")], ["B. Other as reviewer"]),
        ([("A. Example", "assessor"), ("B. Other", "reviewer")], []),
        ([("A. Example", "assessor"), ("B. Other", "assessor")], ["B. Other"]),
        ([("B. Other", "reviewer"), ("C. Third", "")], ["B. Other as reviewer", "C. Third"]),
        ([], []),
    ],
)
def test_signers_other_than_the_assessor_are_named(signers: Any, told: list[str]) -> None:
    assert signed_by_another(signers, "A. Example") == [
        f"Signed by {one}, who is not the assessor named in the case file, A. Example" for one in told
    ]
    assert signed_by_another(signers, "") == []


@pytest.mark.parametrize(
    "payloads",
    [None, 7, {}, [None], [{"content": []}], [{"content": {"section": "engagement", "result": 3}}],
     [{"content": {"section": "engagement",
                   "result": {"facts": {"engagement": {"assessor": {"name": ["A. Example"]}}}}}}],
     [{"content": {"section": "other",
                   "result": {"facts": {"engagement": {"assessor": {"name": "A. Example"}}}}}}]],
)  # fmt: skip
def test_evidence_of_any_shape_names_no_assessor_without_a_traceback(payloads: Any) -> None:
    assert assessor_of({"payloads": payloads}) == ""
