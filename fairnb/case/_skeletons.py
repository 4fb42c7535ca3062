"""What a new case holds beside its case file: answers and findings to be filled in, all of it commented out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap

from fairnb.case._file import FINDINGS, QUESTIONNAIRE
from fairnb.sections import Altai, questions


def skeletons(folder: Path) -> Mapping[Path, bytes]:
    """Files to write; those that are there already are left alone."""
    texts = {folder / QUESTIONNAIRE: _questionnaire(), folder / FINDINGS: _FINDINGS}
    return {path: text.encode("utf-8") for path, text in texts.items() if not path.exists()}


def _questionnaire() -> str:
    parts = [_ANSWERS]
    before = None
    for asked in questions():
        if asked.requirement is not before:
            before = asked.requirement
            parts.append(f"# ---- {int(before)}. {Altai(before).title}\n")
        lines = wrap(asked.text, 110, initial_indent="# ", subsequent_indent="# ")
        named = ", ".join(asked.evidence)
        lines += [f"# Can be answered from: {named}"] if named else []
        parts.append("\n".join((*lines, f"# [answers.{asked.id}]", '# answer = "not covered"')) + "\n")
    return "\n".join((*parts, _LABELS))


_ANSWERS = """\
# Your answers on the seven requirements, read by case.section("questionnaire"). All of it may be left out: a question
# without an answer is printed as unanswered. Every key is explained in the documentation under "The case file".
#
# [answers.ID]
# answer = "covered"        # covered | partly | not covered | not applicable (with the reason in text)
# text = ""
# evidence = []             # "section:measure:key=value", or a source in words
# by = ""                   # covered and partly need a name and evidence
# on = 2026-01-01
"""

_LABELS = """\
# ---- How the labels came to be

# [ground_truth]
# labelled_by = ""
# labels_per_text = ""
# instructions = ""
# agreement = ""
# source = ""
# by = ""

# ---- Whom the system concerns: number of a requirement = 0 (none) to 3 (high)

# [[stakeholders]]
# name = "People mentioned in comments"
# interest = ""
# relevance = { 1 = 2, 5 = 3 }
"""

_FINDINGS = """\
# What people say of findings, and findings that they add; read by case.section("conclusion"). All of it may be left out.
# case.findings() in the notebook lists the findings with their ids. What was computed stays: it is printed beside.
# Every key is explained in the documentation under "The case file".

# [findings."group_bias/TARGET/false_positive_rate/gender/female"]
# severity = "low"          # high | medium | low | observation, if you judge otherwise: with the reason
# reason = ""
# recommendation = ""
# management_response = ""
# owner = ""
# date = 2026-01-01         # by when
# status = "open"           # open | accepted | disputed | resolved
# by = ""
# on = 2026-01-01

# [[added]]                 # a finding from an interview, a document, an inspection
# id = "appeals"
# title = ""
# requirement = 1           # of the seven, by number
# criterion = ""
# condition = ""
# effect = ""
# severity = "medium"
# source = ""
# by = ""
"""
