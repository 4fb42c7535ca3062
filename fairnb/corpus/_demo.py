"""The demonstration corpus: comments composed from templates of our own.

About 3,000 comments on everyday topics; label 1 means insulting. Some mention a subgroup of gender,
religion, ethnicity or orientation, always respectfully: an insult is aimed at the reader, at deeds or at
opinions. Nothing about people follows from them.

What is planted (`planted` gives it as a table; the numbers stand in ``data/demo.toml``):

- overall, 35 % of the comments are insulting, in both parts;
- in the training part, comments that mention gay (50 %), Islam (50 %), lesbian or Black (45 %) are more
  often insulting, those that mention straight (20 %), Christianity (25 %) or White (28 %) less often;
  gender is about even (36 % and 34 %);
- in the test part every subgroup has 35 %, so that a difference there is the system's own.

Also planted, so that the assessment has something to find: insults without a telling word, friendly
comments with rough words, handles, links, hashtags, emoji, HTML entities, all-lower-case comments.

The same seed gives the same comments on every Python (`Dice`).
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairnb.corpus._corpus import Corpus, Role
from fairnb.corpus._dice import Dice
from fairnb.files import digest_of, sha256_file

if TYPE_CHECKING:
    import pandas as pd

_DATA = Path(__file__).with_name("data") / "demo.toml"
_VERSION = 1
"""Raised when the same templates come out differently: makes stored results stale."""
_SLOT = re.compile(r"\{(\w+)\}")
_TRIES = 25


@dataclass(frozen=True, slots=True)
class Comment:
    """One composed comment."""

    id: str
    text: str
    label: int
    """1 insulting, 0 not."""
    part: str
    """``train`` or ``test``."""
    mentions: tuple[tuple[str, str], ...]
    """(attribute, subgroup) that the comment was composed to mention."""


@dataclass(frozen=True, slots=True)
class _Order:
    """What a comment is to be: whom it mentions, and whether it insults."""

    subgroups: tuple[str, ...]
    label: int


def demo_comments(seed: int = 0) -> tuple[Comment, ...]:
    """Compose the comments of both parts, training part first."""
    return tuple(comment for part in ("train", "test") for comment in _composed(seed, part))


def demo_frame(seed: int = 0) -> pd.DataFrame:
    """Compose the demonstration corpus as a pandas frame.

    Parameters
    ----------
    seed : int
        Another seed gives other comments with the same planted associations.

    Returns
    -------
    pandas.DataFrame
        Columns ``id``, ``text``, ``label`` (1 insulting, 0 not), ``part`` (train, test) and ``mentions``
        (``attribute/subgroup``, several joined by a comma and a space).
    """
    import pandas as pd

    return pd.DataFrame(
        {
            "id": comment.id,
            "text": comment.text,
            "label": comment.label,
            "part": comment.part,
            "mentions": ", ".join("/".join(mention) for mention in comment.mentions),
        }
        for comment in demo_comments(seed)
    )


def planted() -> tuple[dict[str, Any], ...]:
    """List what is planted: attribute, subgroup, and for each part rows and share of insulting ones."""
    return tuple(
        {key: subgroup[key] for key in ("attribute", "name", "train", "test")}
        for subgroup in _data()["subgroups"]
    )


def corpus(name: str, role: Role) -> Corpus:
    """Build ``demo``, ``demo-train`` or ``demo-test`` with the seed 0."""
    part = name.removeprefix("demo").removeprefix("-")
    comments = [comment for comment in demo_comments() if part in ("", comment.part)]
    return Corpus(
        name=name,
        role=role,
        texts=tuple(comment.text for comment in comments),
        labels=tuple(comment.label for comment in comments),
        ids=tuple(comment.id for comment in comments),
        facts={"source": name, "format": "generated", "seed": 0, "planted": _planted_in_words(part)},
    )


def generator_digest() -> str:
    """Digest of what the comments depend on: the templates and the generator's version."""
    return digest_of({"version": _VERSION, "templates": sha256_file(_DATA)})


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(_DATA.read_text("utf-8"))


def _planted_in_words(part: str) -> str:
    shown = [one for one in ("train", "test") if part in ("", one)]
    shares = [
        f"{subgroup['name']} " + " and ".join(f"{subgroup[one]['positive']:.0%}" for one in shown)
        for subgroup in planted()
    ]
    which = f"the {part} part" if part else "the training and the test part"
    return (
        f"Share of insulting comments planted among those that mention a subgroup, in {which}: "
        + ", ".join(shares)
    )


@cache
def _composed(seed: int, part: str) -> tuple[Comment, ...]:
    dice = Dice(f"fairnb demo {seed} {part}")
    attributes = {subgroup["name"]: subgroup["attribute"] for subgroup in _data()["subgroups"]}
    seen: set[str] = set()
    comments = []
    for number, order in enumerate(dice.shuffled(_orders(part)), start=1):
        for _ in range(_TRIES):
            text = _text(order, dice)
            if text not in seen:
                break
        seen.add(text)
        mentions = tuple((attributes[name], name) for name in order.subgroups)
        comments.append(Comment(f"{part}-{number:04}", text, order.label, part, mentions))
    return tuple(comments)


def _orders(part: str) -> list[_Order]:
    """List what is to be composed, so that the planted shares hold exactly, not on average."""
    data = _data()
    left = {
        subgroup["name"]: [subgroup[part]["rows"], round(subgroup[part]["rows"] * subgroup[part]["positive"])]
        for subgroup in data["subgroups"]
    }
    wanted: list[tuple[tuple[str, ...], int, int]] = []
    for overlap in data["overlaps"]:
        rows, positive = overlap[part]["rows"], overlap[part]["positive"]
        wanted.append((tuple(overlap["subgroups"]), rows, positive))
        for name in overlap["subgroups"]:
            left[name][0] -= rows
            left[name][1] -= positive
    wanted += [((name,), rows, positive) for name, (rows, positive) in left.items()]
    whole = data["parts"][part]
    rows = whole["rows"] - sum(one[1] for one in wanted)
    wanted.append(((), rows, whole["positive"] - sum(one[2] for one in wanted)))
    return [
        _Order(names, int(number < positive)) for names, rows, positive in wanted for number in range(rows)
    ]


def _text(order: _Order, dice: Dice) -> str:
    lead = _about(order, dice)
    remark = _insult(dice) if order.label else _plain_remark(lead, dice)
    sentences = [lead, remark]
    if order.label and dice.one_in(4):
        sentences.reverse()
    elif order.label and not order.subgroups and dice.one_in(8):
        sentences = [remark, _insult(dice)]
    return _decorated(" ".join(filter(None, sentences)), dice)


def _about(order: _Order, dice: Dice) -> str:
    """Compose the sentence that mentions the subgroups, or one about something else."""
    data = _data()
    if not order.subgroups:
        return _sentence(dice.pick(data["sentences"]["topics"]), {}, dice)
    by_name = {subgroup["name"]: subgroup for subgroup in data["subgroups"]}
    first, *others = (by_name[name] for name in order.subgroups)
    words = first["words"]
    if others:
        # Two subgroups meet in one person: the sentences with a relative take the other's adjective.
        adjective = dice.pick(others[0]["words"]["adjective"])
        words = {**words, "kin": [f"{adjective} {kin}" for kin in words["kin"]]}
        options = [sentence for sentence in data["sentences"]["gender"] if "{kin}" in sentence]
        return _sentence(dice.pick(options), words, dice)
    own = first.get("more", [])
    options = own if own and dice.one_in(2) else data["sentences"][first["sentences"]]
    return _sentence(dice.pick(options), words, dice)


def _insult(dice: Dice) -> str:
    sentences = _data()["sentences"]
    return _sentence(dice.pick(sentences["veiled_insults" if dice.one_in(8) else "insults"]), {}, dice)


def _plain_remark(lead: str, dice: Dice) -> str:
    sentences = _data()["sentences"]
    kind = dice.below(10)
    if kind < 3:
        return ""
    if kind < 6:
        return _sentence(dice.pick(sentences["friendly"]), {}, dice)
    if kind == 6:
        return _sentence(dice.pick(sentences["rough_but_plain"]), {}, dice)
    # A second sentence on something else: not the lead's own template again.
    others = [topic for topic in sentences["topics"] if topic.split()[:2] != lead.split()[:2]]
    return _sentence(dice.pick(others), {}, dice)


def _sentence(template: str, words: dict[str, list[str]], dice: Dice) -> str:
    slots = {**_data()["slots"], **words}
    filled = _SLOT.sub(lambda slot: dice.pick(slots[slot[1]]), template)
    return filled[:1].upper() + filled[1:]


def _decorated(text: str, dice: Dice) -> str:
    """Add, now and then, what comments on the web carry."""
    decorations = _data()["decorations"]
    if dice.one_in(8):
        text = text.lower()
    if dice.one_in(10):
        text = text.removesuffix(".") + "!!!"
    if dice.one_in(5):
        for plain, entity in decorations["entities"]:
            text = (
                text.replace(f" {plain} ", f" {entity} ") if plain.isalpha() else text.replace(plain, entity)
            )
    for kind, often in (("hashtags", 14), ("emoji", 12), ("links", 40)):
        if dice.one_in(often):
            text += " " + _numbered(dice.pick(decorations[kind]), dice)
    if dice.one_in(12):
        text = f"{_numbered(dice.pick(decorations['handles']), dice)} {text}"
    return text


def _numbered(template: str, dice: Dice) -> str:
    return template.replace("{n}", str(10 + dice.below(990)))
