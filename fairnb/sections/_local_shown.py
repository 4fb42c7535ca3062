"""What a reader sees of explanations of single texts: tables of words; the texts are drawn in `_local_figure`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fairnb.sections._format import between, count, level_of, number, signed, value_of
from fairnb.sections._local_figure import Bar, Panel, draw_panels
from fairnb.sections._local_text import word_at
from fairnb.sections._measure import Measure
from fairnb.sections._result import Result
from fairnb.sections._shown import Column, Plot, Row, Table

FITS_FROM = 0.5
"""Local R² from which words are marked."""
_NAMED = 3
"""Words that a sentence names of each direction."""
_UNFIT = {False: "fit too poor to say", True: "no word moves the score"}


@dataclass(frozen=True)
class Explained:
    """One text of a result with all that is told of it."""

    name: str
    text: str
    told: Mapping[str, Any]
    bars: tuple[Bar, ...]
    weights: tuple[Measure, ...]
    r2: Measure | None
    stability: Measure | None


def explained_of(result: Result) -> Iterator[Explained]:
    """The texts of a result, in its order."""
    for at, (told, example) in enumerate(zip(result.facts["explained"], result.examples, strict=True)):
        name = f"text {at + 1}"
        own = [measure for measure in result.measures if measure.attribute == name]
        weights = tuple(measure for measure in own if measure.measure == "weight")
        bars = []
        for weight in weights:
            place = int(weight.subgroup.removeprefix("token ")) - 1
            spans = told["spans"].get(str(place), ()) if len(example.text) == told["length"] else ()
            word = word_at(example.text, told["length"], spans, place, together=told["at_a_time"] > 1)
            removed = told["removed"].get(str(place))
            bars.append(Bar(word, weight, place in told["marked"], tuple((s, e) for s, e in spans), removed))
        yield Explained(
            name,
            example.text,
            told,
            tuple(bars),
            weights,
            next((m for m in own if m.measure == "local_r2"), None),
            next((m for m in own if m.measure == "stability"), None),
        )


def readable(result: Result) -> str:
    """How many texts have an explanation good enough to read, and what became of the others."""
    explained = [one for one in explained_of(result) if not one.told["reason"]]
    fit = [one for one in explained if one.told["fits"]]
    still = sum(one.r2 is None or one.r2.value is None for one in explained)
    rest = [
        (len(explained) - len(fit) - still, "the fit is too poor to say"),
        (still, "no word moves the score"),
        (len(result.facts["explained"]) - len(explained), "there was nothing to explain, or no score"),
    ]
    return (
        f"{count(len(fit))} of {count(len(result.facts['explained']))} texts have an explanation that fits well enough "
        f"to be read (a linear model of words catches at least {number(100 * FITS_FROM, 0)} % of what the masked "
        f"scores vary){''.join(f'; in {count(many)} {why}' for many, why in rest if many)}."
    )


def outstanding(result: Result) -> str:
    """The words that stand out of the chance of the draws, largest weight first; empty where nothing can be read.

    Only marked words: the whole interval lies on one side of zero, or the weight is exact.
    """
    read = [one for one in explained_of(result) if one.told["fits"]]
    if not read:
        return ""
    said = []
    for way, sign in (("raise", 1), ("lower", -1)):
        largest: dict[str, tuple[float, str]] = {}
        for one in read:
            for bar in one.bars:
                if bar.marked and sign * bar.value > sign * largest.get(bar.word, (0.0, ""))[0]:
                    largest[bar.word] = (bar.value, one.name)
        first = sorted(largest.items(), key=lambda item: -sign * item[1][0])[:_NAMED]
        if first:
            named = ", ".join(f"“{word}” ({signed(value, 2)}, {name})" for word, (value, name) in first)
            said.append(f"Words that {way} a score most, beyond the chance of the draws: {named}.")
    return " ".join(said) or "No word stands out of the chance of the draws."


def tables_of(result: Result) -> list[Table]:
    """Texts with what stands out; in the annex all weights."""
    explained = list(explained_of(result))
    tables = [_texts_table(explained)] if explained else []
    if any(one.weights for one in explained):
        tables.append(_weights_table(explained, level_of(result.facts["level"])))
    return tables


def _texts_table(explained: list[Explained]) -> Table:
    rows = []
    for one in explained:
        told = one.told
        up, down = (
            ", ".join(
                f"{bar.word} {signed(bar.value, 2)}"
                for bar in one.bars
                if bar.marked and (bar.value > 0) == rising
            )
            for rising in (True, False)
        )
        nothing = told["reason"] or ("" if told["fits"] else _UNFIT[one.r2 is None or one.r2.value is None])
        keys = [m.key for m in (*one.weights, one.r2, one.stability) if m is not None]
        rows.append(
            Row(
                (
                    one.name.removeprefix("text "),
                    told["why"],
                    told["label"] or "–",
                    "–" if told["score"] is None else number(told["score"], 2),
                    "–" if one.r2 is None else value_of(one.r2, 2),
                    "exact"
                    if told["exact"]
                    else "–"
                    if one.stability is None
                    else value_of(one.stability, 2),
                    nothing or up or "–",
                    "–" if nothing else down or "–",
                ),
                tuple(keys),
                quiet=bool(nothing),
            )
        )
    columns = (
        Column("Text", "number"),
        Column("Chosen as"),
        Column("Label"),
        Column("Score", "number"),
        Column("Local R²", "number"),
        Column("Overlap", "number"),
        Column("Raises the score"),
        Column("Lowers it"),
    )
    note = (
        "Only words that stand out of the chance of the draws are named; the annex has every weight. Overlap: of the "
        "five largest words, between runs; exact: all masked forms were scored."
    )
    return Table("Texts and the words behind their scores", columns, tuple(rows), note=note)


def _weights_table(explained: list[Explained], level: str) -> Table:
    rows = [
        Row(
            (
                one.name.removeprefix("text "),
                bar.word,
                signed(bar.value),
                between(bar.weight.low, bar.weight.high),
                "–" if bar.removed is None else signed(bar.removed),
                "yes" if bar.marked else bar.weight.note or "no",
            ),
            (bar.weight.key,),
            quiet=not bar.marked,
        )
        for one in explained
        for bar in one.bars
    ]
    columns = (
        Column("Text", "number"),
        Column("Word"),
        Column("Weight", "number"),
        Column(level, "number"),
        Column("Lost without it", "number"),
        Column("Stands out"),
    )
    note = (
        "Intervals tell the chance of the draws (Monte-Carlo); an exact weight has none. Lost without it: the score of "
        "the text minus that of the text without this word alone."
    )
    return Table("Weights of words, text by text", columns, tuple(rows), note=note, annex=True)


def figures_of(result: Result) -> Mapping[str, Plot]:
    """The texts that were explained with their words marked, some to a figure."""
    facts = result.facts
    panels, said = [], {}
    for one in explained_of(result):
        if not one.bars:
            continue
        told = one.told
        how = f"all {count(told['distinct'])} masked forms" if told["exact"] else "samples"
        title = f"{one.name.capitalize()}: {told['why']}" + (
            f", label {told['label']}" if told["label"] else ""
        )
        fit = "" if one.r2 is None else f" · local R² {value_of(one.r2, 2)}"
        unfit = "" if told["fits"] else " · single words do not explain this score: none is marked"
        foot = f"P(positive) {number(told['score'], 3)}{fit} · {how}{unfit}"
        panel = Panel(title, one.text, one.bars, foot, withheld=len(one.text) != told["length"])
        marked = [f"{bar.word} {signed(bar.value)}" for bar in one.bars if bar.marked]
        said[title] = f"{title}: " + (", ".join(marked) if marked else "no word stands out")
        panels.append(panel)
    caption = (
        f"LIME, {count(facts['samples'])} samples in {facts['seeds']} runs, or all masked forms of a short text. Words "
        "in a solid box raise the score, in a dashed one they lower it; bars give the weights, thin lines the chance of "
        "the draws. Hollow bars, three at most, do not stand out of it; the annex has every weight."
    )
    return {
        f"texts_{place}": Plot(figure, caption, "; ".join(said[panel.title] for panel in shown) + ".")
        for place, (shown, figure) in enumerate(draw_panels(panels), 1)
    }
