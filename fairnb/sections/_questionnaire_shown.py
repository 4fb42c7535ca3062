"""Tables and figure of the section on the seven requirements."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from fairnb.sections._contract import Altai
from fairnb.sections._drawing import INK, MUTE, RULE, new_figure, write
from fairnb.sections._format import count, interval_of, level_of, number, percent, value_of
from fairnb.sections._ground_truth import FORMULA
from fairnb.sections._measure import Status
from fairnb.sections._questionnaire import crosswalk, laws
from fairnb.sections._questionnaire_judged import State
from fairnb.sections._registry import section, section_ids
from fairnb.sections._shown import Column, Plot, Row, Table, one_table
from fairnb.sections._variant import of_corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fairnb.sections._measure import Measure
    from fairnb.sections._result import Result

_NOT_STATED = "not stated"
_HIGHEST = 3
_HEADS = {
    State.COVERED: "Covered",
    State.PARTLY: "Partly",
    State.NOT_COVERED: "Not",
    State.NOT_APPLICABLE: "N/A",
    State.CLAIMED: "Claimed",
    State.UNANSWERED: "Open",
}


def shown_tables(result: Result) -> Iterable[Table]:
    """All tables but the law's."""
    questions = result.facts["questions"]
    yield _overview(questions)
    for requirement in Altai:
        yield _answers(requirement, [one for one in questions if one["requirement"] == requirement])
    yield _labelling(result.facts["ground_truth"])
    if result.facts["corpora"]:
        yield _contradictions(result)
    if any(held["annotators"] for held in result.facts["corpora"]):
        yield _agreement(result)
    if result.facts["changes"]:
        yield _changes(result)
    if result.facts["stakeholders"]:
        yield _relevance(result.facts["stakeholders"])


def _agreement(result: Result) -> Table:
    """Agreement of annotators by corpus, over all texts and by subgroup."""
    rows = []
    for share in result.measures:
        if share.measure != "percent_agreement":
            continue
        alpha = next(
            one for one in result.measures if one.key == share.key._replace(measure="krippendorff_alpha")
        )
        whole = not share.subgroup
        corpus = share.variant.removeprefix("corpus=")
        cells = [
            f"{corpus}, all texts" if whole else f"{share.attribute}: {share.subgroup}",
            count(share.n or 0),
            value_of(share),
            interval_of(share),
            value_of(alpha),
            interval_of(alpha),
        ]
        rows.append(
            Row(tuple(cells), (share.key, alpha.key), quiet=share.status is not Status.OK, strong=whole)
        )
    level = level_of(next((one.level for one in result.measures if one.level is not None), 0.95))
    columns = (
        Column("Texts"),
        Column("Number", "number"),
        Column("Pairs that agree", "number"),
        Column(level, "number"),
        Column("Alpha", "number"),
        Column(level, "number"),
    )
    note = (
        "Texts with labels of two annotators or more. Alpha is Krippendorff's for nominal labels: 1 agreement, 0 what "
        "chance would give; it falls where one label is rare, also at the same share of pairs. Rows under the first "
        "are texts that mention the subgroup. In brackets: fewer than 20 texts."
    )
    return Table("Agreement of annotators", columns, tuple(rows), note=note)


def crosswalk_table() -> Table:
    """Where the law asks alike, for the annex."""
    rows = tuple(
        Row(
            (
                _named(row.requirement),
                "; ".join(row.annex_iv) or "–",
                "; ".join(row.articles) or "–",
                "; ".join(row.dsa) or "–",
            )
        )
        for row in crosswalk()
    )
    headings = ("Requirement", "AI Act, Annex IV", "AI Act, Articles 10, 13, 15", "Digital Services Act")
    return Table(
        "Provisions that the requirements are aligned with",
        tuple(Column(heading) for heading in headings),
        rows,
        note=(
            f"{'; '.join(laws())}. Aligned with: what is asked here bears on what the provision asks for. It is no "
            "statement that a provision applies or is met."
        ),
        annex=True,
    )


def heat_map(result: Result) -> Plot | None:
    """Relevance by stakeholder and requirement, in grey with the number in each field."""
    stakeholders = result.facts["stakeholders"]
    if not any(one["relevance"] for one in stakeholders):
        return None
    figure, (axis,) = new_figure(150, 24 + 8 * len(stakeholders))
    for place, one in enumerate(reversed(stakeholders)):
        for requirement in Altai:
            given = one["relevance"].get(str(int(requirement)))
            left = int(requirement) - 1
            # Light enough at every step for the number, which says it all, to be read.
            shade = "white" if given is None else str(1 - 0.4 * given / _HIGHEST)
            axis.add_patch(_field(left, place, shade))
            said = "–" if given is None else str(given)
            style: dict[str, Any] = {"color": MUTE if given is None else INK, "fontsize": 8}
            write(axis, left + 0.5, place + 0.5, said, ha="center", va="center", **style)
    axis.set_xlim(0, len(Altai))
    axis.set_ylim(0, len(stakeholders))
    axis.set_xticks([int(one) - 0.5 for one in Altai], [_wrapped(one) for one in Altai])
    axis.set_yticks(
        [place + 0.5 for place in range(len(stakeholders))], [one["name"] for one in reversed(stakeholders)]
    )
    axis.tick_params(axis="x", length=0, labelcolor=INK, labelsize=6)
    axis.tick_params(axis="y", length=0, labelcolor=INK)
    for side in ("left", "bottom"):
        axis.spines[side].set_visible(False)
    return Plot(
        figure,
        "Relevance of the seven requirements for those whom the system concerns, as the assessor judges it: 0 none, "
        "3 high; – not stated.",
        " ".join(f"{one['name']}: {_spoken(one['relevance'])}." for one in stakeholders),
    )


def _field(left: float, bottom: float, shade: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((left, bottom), 1, 1, facecolor=shade, edgecolor=RULE, linewidth=0.6)


def _wrapped(requirement: Altai) -> str:
    """A requirement's name in a narrow field: no line longer than a word needs."""
    lines: list[str] = []
    for word in f"{int(requirement)}. {requirement.title}".replace("non-", "non- ").split():
        if lines and len(lines[-1]) + len(word) < 14:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)


def _named(requirement: Altai) -> str:
    return f"{int(requirement)}. {requirement.title}"


def _spoken(relevance: Mapping[str, int]) -> str:
    said = [f"{relevance[str(int(one))]} for {one.title}" for one in Altai if str(int(one)) in relevance]
    return ", ".join(said) or _NOT_STATED


def _overview(questions: Sequence[Mapping[str, Any]]) -> Table:
    def row(name: str, asked: Sequence[Mapping[str, Any]], *, strong: bool = False) -> Row:
        states = Counter(one["state"] for one in asked)
        return Row((name, count(len(asked)), *(count(states[state]) for state in State)), strong=strong)

    rows = [
        row(_named(requirement), [one for one in questions if one["requirement"] == requirement])
        for requirement in Altai
    ]
    return Table(
        "Answers by requirement",
        (
            Column("Requirement"),
            Column("Asked", "number"),
            *(Column(_HEADS[state], "number") for state in State),
        ),
        (*rows, row("All", questions, strong=True)),
        note=(
            "Not: not covered. N/A: not applicable. Claimed: without evidence. Open: unanswered. Counts of questions, "
            "each as good as another: no grade of the system follows from them."
        ),
    )


def _answers(requirement: Altai, questions: Sequence[Mapping[str, Any]]) -> Table:
    rows: list[Row] = []
    part = ""
    for one in questions:
        if one["part"] != part:
            part = one["part"]
            rows.append(Row((part, "", "", ""), strong=True))
        cells = (one["question"], _state(one), _said(one), _who(one))
        rows.append(Row(cells, quiet=one["state"] == State.UNANSWERED))
    headings = ("Question", "Answer", "In words, with evidence", "By whom, when")
    return Table(
        f"Answers on requirement {_named(requirement)}",
        tuple(Column(heading) for heading in headings),
        tuple(rows),
        # What nobody answered need not fill pages between the results.
        annex=all(one["state"] == State.UNANSWERED for one in questions),
    )


def _section(identity: str) -> str:
    return section(identity).title if identity in section_ids() else identity


def _state(one: Mapping[str, Any]) -> str:
    if one["state"] == State.CLAIMED:
        return f"{State.CLAIMED} (“{one['answer']}”; lacks {' and '.join(one['lacks'])})"
    return str(one["state"])


def _said(one: Mapping[str, Any]) -> str:
    if one["state"] == State.UNANSWERED:
        speak = ", ".join(map(_section, one["sections"]))
        return f"Sections that can speak to it: {speak}" if speak else "No section measures this"
    parts = [one["text"]] if one["text"] else []
    for evidence in one["evidence"]:
        found = "as stated" if evidence["kind"] == "source" else evidence["found"]
        parts.append(f"[{evidence['said']} → {found}]")
    return " ".join(parts) or "–"


def _who(one: Mapping[str, Any]) -> str:
    return ", ".join(part for part in (one["by"], one["on"]) if part) or "–"


def _labelling(said: Mapping[str, Any]) -> Table:
    rows = [
        ("Who labelled the texts", said["labelled_by"]),
        ("Labels per text", said["labels_per_text"]),
        ("Instructions", said["instructions"]),
        ("Agreement", said["agreement"]),
        ("Source", said["source"]),
        ("Stated by", _who({"by": said["by"], "on": said["on"] or ""}).replace("–", "")),
    ]
    return one_table(
        "Ground truth as stated",
        ("Item", "As stated"),
        [(item, told or _NOT_STATED) for item, told in rows],
        note="Nothing of this was computed.",
    )


def _contradictions(result: Result) -> Table:
    rows = []
    for held in result.facts["corpora"]:
        role = held["role"]
        found = result.measure("conflicting_texts", label="all", variant=of_corpus(role, default=""))
        share = percent((found.value or 0.0) / held["repeated"]) if held["repeated"] else "–"
        by_target = ", ".join(f"{name} {count(texts)}" for name, texts in held["targets"])
        by_target = by_target if held["repeated"] else "–"
        cells = (
            role,
            count(held["labelled"]),
            count(held["repeated"]),
            number(found.value, 0) if found.value is not None else "–",
            share,
            by_target,
        )
        rows.append(Row(cells, (found.key,), quiet=not held["repeated"]))
    columns = (
        Column("Corpus"),
        Column("Rows with a label", "number"),
        Column("Texts labelled more than once", "number"),
        Column("Labels differ", "number"),
        Column("Share", "number"),
        Column("Differ for the target"),
    )
    return Table(
        "Contradictory labels on the same text",
        columns,
        tuple(rows),
        note=(
            "The same text, letter by letter. Labels that differ may mean the same to a target. Texts that occur "
            "more than once are not typical of all."
        ),
    )


def _changes(result: Result) -> Table:
    rows = []
    for told in result.facts["changes"]:
        name = told["criterion"] + (f" ({told['target']})" if told["target"] else "")
        where = _section(told["section"])
        found = _change(result, told)
        if found is None:
            rows.append(Row((name, where, "–", "–", "–", told["reason"]), quiet=True))
            continue
        flagged, of = told["flagged_of"]
        x, n = told["other_of"]
        counts = f"{count(flagged)} of {count(of)} flagged; the others {percent(x / n)}"
        if told["labels"] is None:
            rows.append(Row((name, where, counts, "–", "–", told["reason"]), (found.key,), quiet=True))
        else:
            which = f"texts that are {told['moves']}"
            cells = (name, where, counts, count(told["labels"]), percent(found.value or 0.0), which)
            rows.append(Row(cells, (found.key,)))
    columns = (
        Column("High finding"),
        Column("Section"),
        Column("Counts"),
        Column("Labels to change", "number"),
        Column("Share", "number"),
        Column("Which, or why none"),
    )
    margin = f"Margin {number(result.facts['margin'], 2)}. "
    return Table(
        "Labels that would have to be otherwise for a high finding to vanish",
        columns,
        tuple(rows),
        note=margin + FORMULA,
    )


def _change(result: Result, told: Mapping[str, Any]) -> Measure | None:
    """The measure behind a row, if there is one."""
    return next((one for one in result.measures if list(one.key) == told["key"]), None)


def _relevance(stakeholders: Sequence[Mapping[str, Any]]) -> Table:
    rows = tuple(
        Row(
            (
                one["name"],
                one["interest"] or _NOT_STATED,
                *(str(one["relevance"].get(str(int(requirement)), "–")) for requirement in Altai),
            )
        )
        for one in stakeholders
    )
    columns = (
        Column("Stakeholder"),
        Column("At stake"),
        *(Column(str(int(one)), "number") for one in Altai),
    )
    return Table(
        "Relevance of the requirements for stakeholders",
        columns,
        rows,
        note=(
            f"Columns: {', '.join(_named(one) for one in Altai)}. 0 none, 1 low, 2 medium, 3 high; – not stated. "
            "Judged by the assessor, not computed. After the relevancy matrix of Brown et al. (2021), with the seven "
            "requirements in the place of their metrics."
        ),
    )
