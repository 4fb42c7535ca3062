"""Sentences that differ in the group alone: templates, and a synthetic corpus of such sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairnb.sections._contract import Need, View
from fairnb.sections._variant import of_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from fairnb.variants import TemplateSet


@dataclass(frozen=True, slots=True)
class Sentence:
    """One scored sentence about one subgroup."""

    subgroup: str
    label: int
    skeleton: str
    """Sentences of one skeleton differ in the group alone."""
    template: str
    """Skeletons of one template depend on each other."""
    term: str
    score: float
    text: str


@dataclass(frozen=True)
class Group:
    """All sentences of one attribute from one source."""

    attribute: str
    reference: str
    subgroups: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    prefix: str = ""
    """Variant of its measures; empty for templates."""
    source: str = "packaged templates"

    def means(self, subgroup: str, label: int) -> Mapping[tuple[str, str], float]:
        """(template, skeleton) -> mean score of the subgroup's sentences."""
        found: dict[tuple[str, str], list[float]] = {}
        for one in self.sentences:
            if one.subgroup == subgroup and one.label == label:
                found.setdefault((one.template, one.skeleton), []).append(one.score)
        return {key: sum(scores) / len(scores) for key, scores in found.items()}


def template_sets(
    folder: Callable[[str], Path], attributes: Sequence[str], file: str
) -> list[tuple[TemplateSet, str]]:
    """Packaged templates and what they are called; a user's file stands instead of those of its attribute."""
    from fairnb.variants import packaged_templates, read_templates

    own = read_templates(folder(file), file) if file else None
    packaged = [packaged_templates(name) for name in attributes if own is None or name != own.attribute]
    named = [(one, "packaged templates") for one in packaged]
    return named if own is None else [*named, (own, file)]


def from_templates(view: View, attributes: Sequence[str], file: str) -> list[Group]:
    """Packaged templates, one of them replaced by a user's file; scored in one go."""
    named = template_sets(view.file, attributes, file)
    wanted = list(dict.fromkeys(s.text for one in (s for s, _ in named) for s in one.sentences))
    scores = dict(zip(wanted, map(float, view.predict(wanted)), strict=True)) if wanted else {}
    groups = []
    for one, source in named:
        sentences = tuple(
            Sentence(
                s.subgroup, s.label, f"{s.template} {s.place}", s.template, s.term, scores[s.text], s.text
            )
            for s in one.sentences
            if scores[s.text] == scores[s.text]
        )
        reference = view.lexicon.reference.get(one.attribute, one.reference)
        if reference not in one.subgroups:
            reference = one.reference
        groups.append(Group(one.attribute, reference, one.subgroups, sentences, "", source))
    return groups


def from_corpus(view: View) -> tuple[list[Group], str]:
    """Groups of the synthetic corpus, and why there are none."""
    if not view.has(Need.SYNTHETIC_CORPUS):
        return [], ""
    corpus = view.corpus("synthetic")
    if corpus.clusters is None:
        return [], (
            f"The synthetic corpus {corpus.name} names no cluster column: which sentences are counterparts of "
            "which is not known, and they were not compared."
        )
    from fairnb.variants import is_skeletal, madlibs_reference, madlibs_terms, template_of, term_in

    labels, scores = view.labels("synthetic"), view.scores("synthetic")
    found: dict[str, dict[str, list[Sentence]]] = {}
    references: dict[str, str] = dict(view.lexicon.reference)
    named: list[tuple[int, str, str, str]]
    if is_skeletal(corpus.texts, corpus.clusters):
        terms = madlibs_terms()
        references = {**madlibs_reference(), **references}
        named = []
        for row, (text, cluster) in enumerate(zip(corpus.texts, corpus.clusters, strict=True)):
            term = term_in(text, cluster)
            group = terms.get(term)
            if group is not None:
                named.append((row, group.attribute, group.subgroup, term))
    else:
        named = _mentioned(view)
    for row, attribute, subgroup, term in named:
        if labels[row] not in (0, 1) or scores[row] != scores[row]:
            continue
        skeleton = corpus.clusters[row]
        template = template_of(skeleton) if corpus.templates is None else corpus.templates[row]
        found.setdefault(attribute, {}).setdefault(subgroup, []).append(
            Sentence(
                subgroup,
                int(labels[row]),
                skeleton,
                template,
                term,
                float(scores[row]),
                corpus.texts[row],
            )
        )
    groups = []
    for attribute, subgroups in found.items():
        reference = references.get(attribute, "")
        if len(subgroups) < 2:
            continue
        if reference not in subgroups:
            reference = max(subgroups, key=lambda name: len(subgroups[name]))
        every = tuple(one for own in subgroups.values() for one in own)
        groups.append(
            Group(attribute, reference, tuple(subgroups), every, of_corpus("synthetic"), corpus.name)
        )
    note = "" if groups else f"No two groups are named in the synthetic corpus {corpus.name}."
    return groups, note


def _mentioned(view: View) -> list[tuple[int, str, str, str]]:
    """(row, attribute, subgroup, "") of texts that mention one subgroup of the attribute."""
    names, matrix = view.mentions("synthetic").groups("subgroup")
    rows: dict[tuple[int, str], list[str]] = {}
    whole: Any = matrix.tocoo()
    for row, column in zip(whole.row.tolist(), whole.col.tolist(), strict=True):
        attribute, subgroup = names[column].split("/", 1)
        rows.setdefault((row, attribute), []).append(subgroup)
    return [(row, attribute, own[0], "") for (row, attribute), own in rows.items() if len(own) == 1]
