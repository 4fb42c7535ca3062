"""Tables and the figure of the section on embedding bias, made from the result alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairnb.sections._drawing import ACCENT, INK, MUTE, label_axes, new_figure, write
from fairnb.sections._embedding_measures import LEMMAS, NEUTRAL
from fairnb.sections._format import count, interval_of, level_of, number, percent, signed, value_of
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Result
from fairnb.sections._shown import Column, Plot, Row, Table


def capital(name: str) -> str:
    """A name with a capital and without underscores."""
    return f"{name[0].upper()}{name[1:].replace('_', ' ')}"


def _about(facts: Mapping[str, Any]) -> str:
    """Which vectors, and their relation to the system: part of every title."""
    return f"{facts['name']} ({facts['relation']})"


def _chosen(result: Result, facts: Mapping[str, Any], *names: str) -> list[Measure]:
    return [m for m in result.measures if m.measure in names and m.variant == facts["variant"]]


def disparities(result: Result, facts: Mapping[str, Any], *, annex: bool) -> Table:
    """AMAE and ARMSE of one embedding, by attribute."""
    marked = {finding.measures[0] for finding in result.findings}
    rows = []
    for amae in _chosen(result, facts, "amae"):
        armse, null, excess = (
            result.measure(name, attribute=amae.attribute, variant=amae.variant)
            for name in ("armse", "null_amae", "excess_amae")
        )
        mark = " ▲" if excess.key in marked else ""
        rows.append(
            Row(
                (
                    capital(amae.attribute) + mark,
                    value_of(amae),
                    interval_of(amae),
                    value_of(null),
                    value_of(excess),
                    "–" if excess.p_adjusted is None else number(excess.p_adjusted, 4),
                    value_of(armse),
                    "–" if armse.null is None else number(armse.null),
                ),
                (amae.key, null.key, excess.key, armse.key),
                quiet=amae.status is not Status.OK,
            )
        )
    headings = (
        "Attribute",
        "AMAE",
        level_of(result.facts["level"]),
        "By chance",
        "Excess",
        "Adjusted p",
        "ARMSE",
    )
    neutral, listed = result.facts["neutral"], result.facts["words"]
    words = "of the case's lexicon" if listed == "lexicon" else f"of appendix D, {listed}"
    return Table(
        f"Disparity by attribute, {_about(facts)}",
        tuple(
            Column(heading, "number" if place else "text")
            for place, heading in enumerate((*headings, "By chance"))
        ),
        tuple(rows),
        note=(
            f"{neutral['name']}, {count(neutral['words'])} words; word groups {words}; "
            f"{count(result.facts['permutations'])} permutations. "
            f"▲ above chance after adjustment, by {number(result.facts['margin'], 2)} or more."
        ),
        annex=annex,
    )


def side_by_side(result: Result) -> Table:
    """AMAE and excess of all embeddings."""
    embeddings = result.facts["embeddings"]
    rows = []
    for attribute in result.facts["attributes"]:
        cells, keys = [capital(attribute)], []
        for facts in embeddings:
            for name in ("amae", "excess_amae"):
                measure = result.measure(name, attribute=attribute, variant=facts["variant"])
                cells.append(value_of(measure))
                keys.append(measure.key)
        rows.append(Row(tuple(cells), tuple(keys)))
    columns = [Column("Attribute")]
    for facts in embeddings:
        columns += [Column(f"{facts['name']}: AMAE", "number"), Column("excess", "number")]
    return Table(
        f"Embeddings side by side: {'; '.join(_about(facts) for facts in embeddings)}",
        tuple(columns),
        tuple(rows),
        note="Excess: AMAE less its mean by chance, in the same vectors with the words shuffled.",
    )


def pairs_of_subgroups(result: Result, facts: Mapping[str, Any]) -> Table:
    """MAE, RMSE and association test of each pair."""
    rows = []
    for mae in _chosen(result, facts, "mae"):
        key = {name: getattr(mae, name) for name in ("attribute", "subgroup", "reference", "variant")}
        rmse, weat = result.measure("rmse", **key), result.measure("weat_effect", **key)
        effect = value_of(weat, 2) if weat.value is None else signed(weat.value, 2)
        rows.append(
            Row(
                (
                    f"{capital(mae.attribute)}: {mae.subgroup} and {mae.reference}",
                    value_of(mae),
                    interval_of(mae),
                    value_of(rmse),
                    interval_of(rmse),
                    effect,
                    "–" if weat.p_adjusted is None else number(weat.p_adjusted, 4),
                ),
                (mae.key, rmse.key, weat.key),
                quiet=mae.value is None,
            )
        )
    level = level_of(result.facts["level"])
    headings = ("Subgroups", "MAE", level, "RMSE", level, "WEAT effect size", "Adjusted p")
    return Table(
        f"Pairs of subgroups, {_about(facts)}",
        tuple(Column(heading, "number" if place else "text") for place, heading in enumerate(headings)),
        tuple(rows),
        note="Effect size above zero: the first subgroup's words lie nearer to favourable traits than the second's.",
        annex=True,
    )


def coverage_of_lists(result: Result, facts: Mapping[str, Any]) -> Table:
    """What one embedding has of each list, and what it lacks."""
    rows = []
    for measure in _chosen(result, facts, "coverage"):
        name = (
            "Trait words"
            if measure.attribute == NEUTRAL
            else f"{capital(measure.attribute)}: {measure.subgroup}"
        )
        place = f"{measure.attribute}/{measure.subgroup}" if measure.subgroup else measure.attribute
        missing = facts["missing"][place]
        rest = missing["count"] - len(missing["words"])
        listed = ", ".join(missing["words"]) + (f" and {count(rest)} more" if rest else "")
        rows.append(
            Row(
                (
                    name,
                    count(measure.denominator or 0),
                    count(round((measure.value or 0.0) * (measure.denominator or 0))),
                    percent(measure.value or 0.0),
                    count(missing["another_case"]),
                    listed or "–",
                ),
                (measure.key,),
                quiet=measure.status is not Status.OK,
            )
        )
    return Table(
        f"Coverage of the word lists, {_about(facts)}",
        (
            Column("List"),
            Column("Words", "number"),
            Column("With a vector", "number"),
            Column("Coverage", "number"),
            Column("In another case", "number"),
            Column("Without a vector"),
        ),
        tuple(rows),
        note=(
            f"{count(facts['words'])} words of {facts['dimension']} dimensions. Under "
            f"{percent(result.facts['coverage'], 0)} a list is not measured. A zero vector counts as none."
        ),
        annex=True,
    )


def single_words(result: Result, facts: Mapping[str, Any]) -> Table:
    """AMAE without the words that carry it most."""
    rows = []
    for attribute, found in facts["without_one"].items():
        amae = result.measure("amae", attribute=attribute, variant=facts["variant"])
        rows.append(
            Row(
                (
                    capital(attribute),
                    value_of(amae),
                    number(found["low"]),
                    ", ".join(dict.fromkeys(found["low_without"])),
                    number(found["high"]),
                    ", ".join(dict.fromkeys(found["high_without"])),
                ),
                (amae.key,),
            )
        )
    return Table(
        f"How far single words carry the value, {_about(facts)}",
        (
            Column("Attribute"),
            Column("AMAE", "number"),
            Column("Lowest", "number"),
            Column("without"),
            Column("Highest", "number"),
            Column("without"),
        ),
        tuple(rows),
        note=f"AMAE without each subgroup word in turn, its forms together. Tested from {LEMMAS} words a subgroup.",
        annex=True,
    )


def drawable(result: Result, facts: Mapping[str, Any]) -> bool:
    """Whether one embedding has an attribute that can be drawn."""
    return any(m.value is not None for m in _chosen(result, facts, "amae"))


def plot(result: Result, embeddings: Sequence[Mapping[str, Any]]) -> Plot:
    """Grouped bars, one panel per embedding, with what chance gives."""
    figure, axes = new_figure(150, 74, columns=len(embeddings))
    highest = 0.0
    told = []
    for axis, facts in zip(axes, embeddings, strict=True):
        shown = _chosen(result, facts, "amae")
        for place, amae in enumerate(shown):
            if amae.value is None:
                write(axis, place, 0, " not measured", ha="center", va="bottom", rotation=90)
                told.append(f"{facts['name']}, {amae.attribute}: not measured")
                continue
            armse = result.measure("armse", attribute=amae.attribute, variant=amae.variant)
            for offset, measure, face, hatch in ((-0.2, amae, ACCENT, ""), (0.2, armse, "white", "////")):
                value, low, high = (v or 0.0 for v in (measure.value, measure.low, measure.high))
                x = place + offset
                axis.bar(x, value, 0.36, facecolor=face, edgecolor=ACCENT, hatch=hatch, linewidth=0.8)
                axis.plot([x, x], [low, high], color=INK, linewidth=0.9)
                axis.plot([x], [measure.null or 0.0], "D", color="white", markeredgecolor=INK, markersize=4.2)
                write(axis, x, high, f"{number(value)}", ha="center", va="bottom", fontsize=6.5, color=INK)
                highest = max(highest, high)
            told.append(
                f"{facts['name']}, {amae.attribute}: AMAE {number(amae.value or 0)} (by chance "
                f"{number(amae.null or 0)}), ARMSE {number(armse.value or 0)}"
            )
        axis.set_xticks(range(len(shown)), [capital(m.attribute) for m in shown])
        axis.tick_params(axis="x", length=0, labelcolor=INK)
        axis.set_xlim(-0.6, len(shown) - 0.4)
        label_axes(axis, str(facts["relation"]), "difference of cosine similarity", str(facts["name"]))
    for axis in axes:
        axis.set_ylim(0, highest * 1.18)
    for axis in axes[1:]:
        axis.set_ylabel("")
    axes[0].plot([], [], "s", color=ACCENT, label="AMAE")
    axes[0].plot(
        [], [], "s", markerfacecolor="white", markeredgecolor=ACCENT, color=MUTE, label="ARMSE (hatched)"
    )
    axes[0].plot(
        [],
        [],
        "D",
        markerfacecolor="white",
        markeredgecolor=INK,
        color=INK,
        markersize=4.2,
        label="by chance",
    )
    figure.legend(loc="outside upper right", ncols=3, fontsize=7, frameon=False)
    return Plot(
        figure,
        "AMAE (filled) and ARMSE (hatched) by protected attribute; diamonds: their mean when words are shuffled "
        f"among subgroups; lines: {level_of(result.facts['level'])}s given these word lists. The paper's Figure 1.",
        "; ".join(told) + ".",
    )
