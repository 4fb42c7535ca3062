"""Which words are swapped: the lexicon's pairs and the packaged ones, by attribute."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from fairnb.lexicon import Lexicon, StopPhrase, SwapPair, word_groups
from fairnb.variants._swap import Swapper, SwapRules

_OWN = "packaged swap pairs"
_WAYS: tuple[Literal["both", "forward", "backward"], ...] = ("both", "forward", "backward")


@cache
def _data() -> Mapping[str, Any]:
    text = files("fairnb.variants").joinpath("data", "swaps.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def swap_pairs(lexicon: Lexicon, attribute: str, *, surnames: bool = False) -> tuple[SwapPair, ...]:
    """Pairs of words that are swapped for an attribute.

    Parameters
    ----------
    lexicon : Lexicon
        Its own pairs come first; the packaged ones are added where it has none for two subgroups.
    attribute : str
    surnames : bool
        Add the surnames of the paper's Appendix D, paired in the order of its lists: only for ethnicity.
    """
    own = tuple(pair for pair in lexicon.pairs if pair.attribute == attribute)
    joined = {frozenset((pair.first_subgroup, pair.second_subgroup)) for pair in own}
    packaged = [
        pair
        for pair in _packaged(attribute)
        if frozenset((pair.first_subgroup, pair.second_subgroup)) not in joined
    ]
    return (*own, *packaged, *(_surnames() if surnames and attribute == "ethnicity" else ()))


def swapped_groups(lexicon: Lexicon, attribute: str) -> tuple[tuple[str, str], ...]:
    """Pairs of subgroups whose words can be swapped, in the order of the data: (first, second)."""
    return tuple(
        dict.fromkeys((pair.first_subgroup, pair.second_subgroup) for pair in swap_pairs(lexicon, attribute))
    )


def make_swapper(
    lexicon: Lexicon, attribute: str, first: str, second: str, *, titles: bool = False, surnames: bool = False
) -> Swapper:
    """A swapper between two subgroups, with the phrases and names that are left alone.

    Raises
    ------
    FairnbError
        ``no-swap-pairs`` if no pair joins the two subgroups.
    """
    pairs = swap_pairs(lexicon, attribute, surnames=surnames)
    names = {word for words in _surname_lists().values() for word in words} if surnames else set()
    return Swapper(pairs, first, second, _rules(lexicon, attribute, titles=titles, capitalised=names))


def make_placebo(lexicon: Lexicon, attribute: str, subgroup: str) -> Swapper | None:
    """A swapper between words of the same subgroup (man, guy): the baseline. None where no data are.

    Its two subgroups are `subgroup` and ``placebo``; a text in both words is swapped both ways at once.
    """
    words = _data()["placebo"].get(attribute, {}).get(subgroup, ())
    pairs = [
        SwapPair(attribute, subgroup, one, "placebo", other, "both", source=_OWN) for one, other in words
    ]
    return Swapper(pairs, subgroup, "placebo", _rules(lexicon, attribute)) if pairs else None


def _packaged(attribute: str) -> Iterable[SwapPair]:
    for table in _data()["pairs"]:
        if table["attribute"] != attribute:
            continue
        for way in _WAYS:
            for one, other in table.get(way, ()):
                yield SwapPair(attribute, table["first"], one, table["second"], other, way, source=_OWN)
        for one, other in table.get("none", ()):
            note = "a name or an everyday word without a counterpart"
            yield SwapPair(attribute, table["first"], one, table["second"], other, "none", note=note)


def _rules(
    lexicon: Lexicon, attribute: str, *, titles: bool = False, capitalised: Iterable[str] = ()
) -> SwapRules:
    data = _data()
    stops = [
        StopPhrase(phrase, table["reason"], tuple(table["terms"]))
        for table in data["stop"]
        for phrase in table["phrases"]
    ]
    names = frozenset(" ".join(data["names"]["first"]).split()) if attribute == "gender" else frozenset()
    return SwapRules(
        (*lexicon.stop_phrases, *stops),
        frozenset(data["before_people"].get(attribute, ())),
        frozenset(capitalised),
        names,
        titles,
    )


def _surname_lists() -> Mapping[str, Sequence[str]]:
    return word_groups("corrected")["ethnicity"]


def _surnames() -> Iterable[SwapPair]:
    lists = _surname_lists()
    for subgroup in ("Chinese", "Hispanic"):
        for one, other in zip(lists[subgroup], lists["White"], strict=False):
            yield SwapPair(
                "ethnicity", subgroup, one, "White", other, "both", source="Appendix D of the paper"
            )
