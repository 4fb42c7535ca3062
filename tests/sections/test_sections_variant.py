"""One way to mark what is not the default."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fairnb.sections._variant import joined, of_corpus, parted, without

SECTIONS = Path(__file__).resolve().parents[2] / "fairnb" / "sections"


def test_parts_are_joined_and_parted() -> None:
    assert joined("", "corpus=synthetic", "", "template=6") == "corpus=synthetic;template=6"
    assert parted("corpus=synthetic;template=6") == ["corpus=synthetic", "template=6"]
    assert parted(joined()) == []
    assert (of_corpus("test"), of_corpus("train")) == ("", "corpus=train")


def test_a_templates_name_may_hold_the_sign_between_parts() -> None:
    assert without(joined("corpus=synthetic", "template=a;b"), "corpus=synthetic") == "template=a;b"
    assert without("apart", "") == "apart"


@pytest.mark.parametrize("module", sorted(SECTIONS.glob("*.py")), ids=lambda path: path.stem)
def test_no_section_joins_variants_or_names_a_corpus_by_itself(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    if module.stem != "_variant":
        assert not re.search(r'f"corpus=|"[;,]"\.join', text)
