"""Templates: filled for every subgroup alike, and told what is wrong with a file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fairnb.errors import FairnbError
from fairnb.variants import PACKAGED, packaged_templates, read_templates

OWN = """
attribute = "diet"
reference = "meat"
[subgroups.meat]
terms = [["omnivore", "omnivores"]]
[subgroups.plants]
terms = [["vegan", "vegans"]]
forms = { they = "she" }
[[templates]]
id = "soup"
label = "negative"
text = "{A one} ate soup because {they} liked it; {Many}!"
"""


@pytest.mark.parametrize("attribute", PACKAGED)
def test_packaged_sets_are_balanced(attribute: str) -> None:
    found = packaged_templates(attribute)
    labels = Counter({s.template: s.label for s in found.sentences}.values())
    assert labels[0] >= 12
    assert labels[1] >= 12
    for subgroup in found.subgroups:
        own = [s for s in found.sentences if s.subgroup == subgroup]
        assert len({s.term for s in own}) >= 8
        assert len(own) == len(found.sentences) / len(found.subgroups)
    assert found.reference in found.subgroups
    assert len({s.text for s in found.sentences}) == len(found.sentences)
    assert not any("{" in s.text for s in found.sentences)


def test_articles_plurals_and_pronouns(tmp_path: Path) -> None:
    file = tmp_path / "diet.toml"
    file.write_text(OWN, encoding="utf-8")
    assert [s.text for s in read_templates(file).sentences] == [
        "An omnivore ate soup because they liked it; Omnivores!",
        "A vegan ate soup because she liked it; Vegans!",
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{they}", "{whom}", "templates.soup: unknown slot {whom}"),
        ('"negative"', '"nice"', "templates.0.label"),
        ('reference = "meat"', 'reference = "fish"', "reference: there is no subgroup 'fish'"),
        ('[["vegan", "vegans"]]', "[]", "plants 0"),
        ('id = "soup"', 'idea = "soup"', "templates.0"),
        ("attribute =", "attribute", "not TOML"),
        ("[subgroups.meat]", 'include = ["cats"]\n[subgroups.meat]', "include: "),
    ],
)
def test_a_mistake_is_told_with_file_and_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = tmp_path / "diet.toml"
    file.write_text(OWN.replace(old, new), encoding="utf-8")
    with pytest.raises(FairnbError) as caught:
        read_templates(file)
    assert str(caught.value).startswith("diet.toml")
    assert said in str(caught.value)


def test_a_missing_file_and_an_unknown_attribute_are_told(tmp_path: Path) -> None:
    with pytest.raises(FairnbError, match="no such file"):
        read_templates(tmp_path / "none.toml")
    with pytest.raises(FairnbError, match="no packaged templates"):
        packaged_templates("shoe size")
