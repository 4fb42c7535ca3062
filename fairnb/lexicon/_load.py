"""Lexicons read from the package's data and from a user's own files."""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeVar

from fairnb.errors import FairnbError
from fairnb.lexicon._lexicon import Excluded, IdentityTerm, Lexicon, SwapPair
from fairnb.lexicon._matcher import StopPhrase
from fairnb.lexicon._own import OwnFile, read_own
from fairnb.lexicon._spec import Edition, LexiconSpec

_PACKAGED = ("en", "it")
_SOURCE = {
    "corrected": (
        "Appendix D of the paper, corrected: misspellings put right, ambiguous words and surnames left out, "
        "words for further subgroups added"
    ),
    "as printed": "Appendix D and Table 4 of the paper, as printed",
}
_Entry = TypeVar("_Entry", IdentityTerm, SwapPair, StopPhrase)
_Groups = dict[str, dict[str, dict[str, None]]]


def load_lexicon(spec: LexiconSpec, folder: Path) -> Lexicon:
    """Read the lexicon a case asks for.

    Parameters
    ----------
    spec : LexiconSpec
    folder : Path
        The case folder, in which own lexicon files lie.

    Returns
    -------
    Lexicon
        Only the attributes asked for; identity terms, pairs and stop phrases in any case.

    Raises
    ------
    FairnbError
        ``unknown-language``, ``unknown-attribute``, ``unknown-subgroup``; for own files also
        ``missing-file``, ``path-outside``, ``bad-lexicon`` with file and key.
    """
    if spec.path:
        own = [read_own(folder, path) for path in spec.path]
        whole = _joined(own, spec)
        place = ", ".join(spec.path)
    else:
        whole = _packaged(spec)
        place = "lexicon"
    return _chosen(whole, spec, place)


def word_groups(edition: Edition = "corrected") -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Word groups of Appendix D: attribute -> subgroup -> words, for embeddings.

    Nothing is left out or added: ambiguous words and surnames are among them.

    Parameters
    ----------
    edition : {"corrected", "as printed"}
        ``as printed`` keeps repetitions and misspellings; ``corrected`` has each word once, spelt right.

    Returns
    -------
    mapping
    """
    printed: dict[str, dict[str, list[str]]] = tomllib.loads(_data("appendix_d.toml"))
    if edition == "as printed":
        return {a: {s: tuple(words) for s, words in groups.items()} for a, groups in printed.items()}
    corrected = {a: {s: tuple(dict.fromkeys(words)) for s, words in g.items()} for a, g in printed.items()}
    pairs = [row for row in _pair_rows() if row["index"]]
    corrected["gender"] = {s: tuple(dict.fromkeys(row[s] for row in pairs)) for s in ("male", "female")}
    return corrected


def _packaged(spec: LexiconSpec) -> Lexicon:
    unknown = [language for language in spec.languages if language not in _PACKAGED]
    if unknown:
        raise FairnbError(
            "unknown-language",
            f"the packaged lexicon has no words of the language {unknown[0]!r}",
            f"choose among {', '.join(_PACKAGED)} or give a file of your own with path",
            where="lexicon.languages",
        )
    parts = [_english(spec) if language == "en" else _other(language, spec) for language in spec.languages]
    return Lexicon(
        by_language={
            language: part.by_language[language] for language, part in zip(spec.languages, parts, strict=True)
        },
        identity_terms=_once(*(part.identity_terms for part in parts)),
        pairs=_once(*(part.pairs for part in parts)),
        stop_phrases=_once(*(part.stop_phrases for part in parts)),
        excluded=tuple(entry for part in parts for entry in part.excluded),
        rule=spec.rule,
        source="; ".join(part.source for part in parts),
    )


def _other(language: str, spec: LexiconSpec) -> Lexicon:
    """A packaged lexicon without a printed list behind it: what is left out is only told."""
    table = tomllib.loads(_data(f"{language}.toml"))
    if spec.edition != "corrected":
        raise FairnbError(
            "unknown-edition",
            f"the paper prints no words of the language {language!r}",
            'set edition = "corrected", or leave the language out',
            where="lexicon.edition",
        )
    return Lexicon(
        by_language={
            language: {a: {s: tuple(w) for s, w in g.items()} for a, g in table["attributes"].items()}
        },
        identity_terms=tuple(IdentityTerm(**entry) for entry in table["identity_terms"]),
        stop_phrases=tuple(_stops(table["stop"])),
        excluded=tuple(
            Excluded(term, entry["attribute"], entry["subgroup"], entry["reason"])
            for entry in table["exclude"]
            for term in entry["terms"]
        ),
        source=table["source"],
    )


def _english(spec: LexiconSpec) -> Lexicon:
    identity = tuple(IdentityTerm(**row) for row in csv.DictReader(io.StringIO(_data("table_4.csv"))))
    english = tomllib.loads(_data("en.toml"))
    groups: _Groups = {}
    for attribute, subgroups in word_groups(spec.edition).items():
        for subgroup, words in subgroups.items():
            _put(groups, attribute, subgroup, words)
    excluded: tuple[Excluded, ...] = ()
    if spec.edition == "corrected":
        excluded = tuple(_exclude(groups, english["exclude"]))
        for table in english["add"]:
            for subgroup, words in table["subgroups"].items():
                _put(groups, table["attribute"], subgroup, words)
    else:
        for entry in identity:
            if entry.attribute not in ("gender", "religion", "ethnicity"):
                _put(groups, entry.attribute, entry.subgroup, (entry.term,))
    return Lexicon(
        by_language={"en": _settled(groups)},
        identity_terms=identity,
        pairs=tuple(_pairs()),
        stop_phrases=tuple(_stops(english["stop"])),
        excluded=excluded,
        source=_SOURCE[spec.edition],
    )


def _joined(own: list[OwnFile], spec: LexiconSpec) -> Lexicon:
    by_language: dict[str, _Groups] = {}
    known = tuple(language for language in spec.languages if language in _PACKAGED)
    packaged = (
        _packaged(spec.model_copy(update={"languages": known})) if any(o.extends for o in own) else None
    )
    if packaged is not None:
        for language, attributes in packaged.by_language.items():
            for attribute, subgroups in attributes.items():
                for subgroup, words in subgroups.items():
                    _put(by_language.setdefault(language, {}), attribute, subgroup, words)
    for part in own:
        for attribute, subgroups in part.attributes.items():
            for subgroup, words in subgroups.items():
                _put(by_language.setdefault(part.language, {}), attribute, subgroup, words)
    missing = [language for language in spec.languages if language not in by_language]
    if missing:
        raise FairnbError(
            "unknown-language",
            f"no lexicon file has words of the language {missing[0]!r}",
            f"set languages to {', '.join(by_language)} or add a file",
            where="lexicon.languages",
        )
    before = packaged or Lexicon({})
    return Lexicon(
        by_language={language: _settled(by_language[language]) for language in spec.languages},
        identity_terms=_once(before.identity_terms, *(part.identity_terms for part in own)),
        pairs=_once(before.pairs, *(part.pairs for part in own)),
        stop_phrases=_once(before.stop_phrases, *(part.stop_phrases for part in own)),
        excluded=before.excluded,
        rule=spec.rule,
        source="; ".join(([before.source] if before.source else []) + [part.source for part in own]),
    )


def _chosen(whole: Lexicon, spec: LexiconSpec, place: str) -> Lexicon:
    """The attributes a case asks for, with its references."""
    known = whole.attributes
    wanted = spec.attributes
    if "attributes" not in spec.model_fields_set and not spec.path:
        # The default names those of the English lexicon; of another, those that it has.
        wanted = tuple(attribute for attribute in wanted if attribute in known)
    for attribute in wanted:
        if attribute not in known:
            raise FairnbError(
                "unknown-attribute",
                f"the lexicon has no attribute {attribute!r}",
                f"choose among {', '.join(known)}",
                where=f"{place}.attributes" if place == "lexicon" else place,
            )
    reference = {a: s for a, s in spec.reference.items() if a in wanted}
    for attribute, subgroup in reference.items():
        if subgroup not in known[attribute]:
            raise FairnbError(
                "unknown-subgroup",
                f"the attribute {attribute} has no subgroup {subgroup!r}",
                f"choose among {', '.join(known[attribute])}",
                where=f"lexicon.reference.{attribute}",
            )
    return Lexicon(
        by_language={
            language: {a: attributes[a] for a in wanted if a in attributes}
            for language, attributes in whole.by_language.items()
        },
        identity_terms=whole.identity_terms,
        pairs=whole.pairs,
        stop_phrases=whole.stop_phrases,
        excluded=tuple(entry for entry in whole.excluded if entry.attribute in wanted),
        reference=reference,
        rule=whole.rule,
        source=whole.source,
    )


def _put(groups: _Groups, attribute: str, subgroup: str, words: Iterable[str]) -> None:
    groups.setdefault(attribute, {}).setdefault(subgroup, {}).update(dict.fromkeys(words))


def _exclude(groups: _Groups, tables: list[dict[str, Any]]) -> Iterable[Excluded]:
    for table in tables:
        for subgroup, words in groups[table["attribute"]].items():
            for term in table["terms"]:
                if term in words:
                    del words[term]
                    yield Excluded(term, table["attribute"], subgroup, table["reason"])


def _settled(groups: _Groups) -> dict[str, dict[str, tuple[str, ...]]]:
    return {a: {s: tuple(words) for s, words in g.items() if words} for a, g in groups.items()}


def _stops(tables: list[dict[str, Any]]) -> Iterable[StopPhrase]:
    for table in tables:
        for phrase in table["phrases"]:
            yield StopPhrase(phrase, table["reason"], tuple(table.get("terms", ())))


_SWAP: dict[str, Literal["both", "forward", "backward", "none"]] = {
    "both": "both",
    "to_female": "forward",
    "to_male": "backward",
    "none": "none",
}


def _pairs() -> Iterable[SwapPair]:
    for row in _pair_rows():
        yield SwapPair(
            "gender",
            "male",
            row["male"],
            "female",
            row["female"],
            _SWAP[row["swap"]],
            row["correction"],
            row["note"],
            row["source"],
        )


def _pair_rows() -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(_data("gender_pairs.csv"))))


def _once(*lists: tuple[_Entry, ...]) -> tuple[_Entry, ...]:
    return tuple(dict.fromkeys(entry for entries in lists for entry in entries))


@cache
def _data(name: str) -> str:
    return files("fairnb.lexicon").joinpath("data", name).read_text(encoding="utf-8")
