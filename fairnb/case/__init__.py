"""A case: the case file, running sections, results on disk, evidence and run log. Headless."""

from fairnb.case._case import Case, State, load_case
from fairnb.case._cells import SectionCell, cell_place, read_notebook, section_cells
from fairnb.case._check import check_case
from fairnb.case._evidence import evidence_digest, make_evidence
from fairnb.case._faithful import Problem, faithful, payloads_in
from fairnb.case._file import CASE_FILE, NOTEBOOK, CaseFile
from fairnb.case._guess import missing_target
from fairnb.case._log import RunLog, changed_after_first_score
from fairnb.case._new import new_case
from fairnb.case._payload import BUNDLE, CONTROLS, Content, Context, Payload, payload_schema, read_payload
from fairnb.case._placeholders import CONTROLS_CLASS, PANELS, add_placeholders, controls_id
from fairnb.case._read import read_case_file
from fairnb.case._register import read_register
from fairnb.case._review import (
    REVIEW_NOTE,
    ReviewScore,
    ReviewShare,
    review_score,
    review_sheet,
)
from fairnb.case._status import draft_reasons, export_asks
from fairnb.case._store import redaction_key
from fairnb.case._template import is_template_text

__all__ = [
    "BUNDLE",
    "CASE_FILE",
    "CONTROLS",
    "CONTROLS_CLASS",
    "NOTEBOOK",
    "PANELS",
    "REVIEW_NOTE",
    "Case",
    "CaseFile",
    "Content",
    "Context",
    "Payload",
    "Problem",
    "ReviewScore",
    "ReviewShare",
    "RunLog",
    "SectionCell",
    "State",
    "add_placeholders",
    "cell_place",
    "changed_after_first_score",
    "check_case",
    "controls_id",
    "draft_reasons",
    "evidence_digest",
    "export_asks",
    "faithful",
    "is_template_text",
    "load_case",
    "make_evidence",
    "missing_target",
    "new_case",
    "payload_schema",
    "payloads_in",
    "read_case_file",
    "read_notebook",
    "read_payload",
    "read_register",
    "redaction_key",
    "review_score",
    "review_sheet",
    "section_cells",
]
