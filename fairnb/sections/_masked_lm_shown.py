"""Tables and the figure of the section on masked language models, made from the result alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairnb.sections._drawing import ACCENT, INK, MUTE, label_axes, new_figure, write
from fairnb.sections._format import count, interval_of, level_of, number, percent, value_of
from fairnb.sections._masked_lm_measures import GAP_MEASURES, NO_PREFERENCE, PUBLISHED
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Result
from fairnb.sections._shown import Column, Plot, Row, Table

_SHOWN_OF_DIGEST = 16


def about_model(facts: Mapping[str, Any]) -> str:
    """Which model, and its relation to the system: part of every title and sentence."""
    return f"Base model {facts['model']['name']} ({facts['relation']})"


def overall(result: Result, label: str = "all", variant: str = "") -> list[Measure]:
    """Preferences over all pairs, then by bias type, in one direction or both."""
    return [m for m in result.measures if (m.measure, m.label, m.variant) == ("crows_pairs", label, variant)]


def preference_table(result: Result) -> Table:
    """How often the more stereotyping sentence is likelier, by bias type."""
    marked = {finding.measures[0] for finding in result.findings}
    rows = []
    for measure in overall(result):
        keys = [measure.key]
        by_direction = []
        for label in ("stereo", "antistereo"):
            one = _of(result, measure, label=label)
            by_direction.append(
                "–" if one is None else f"{value_of(one, 1, scale=100)} ({count(one.n or 0)})"
            )
            keys += [] if one is None else [one.key]
        published = _of(result, measure, variant=PUBLISHED)
        rows.append(
            Row(
                (
                    (measure.subgroup or "all pairs") + (" ▲" if measure.key in marked else ""),
                    count(measure.n or 0),
                    count(result.facts["ties"].get(measure.subgroup, 0)),
                    value_of(measure, 1, scale=100),
                    interval_of(measure, 1, scale=100),
                    "–" if measure.p_adjusted is None else number(measure.p_adjusted, 4),
                    *by_direction,
                    "–" if published is None else value_of(published, 1, scale=100),
                ),
                (*keys, *([] if published is None else [published.key])),
                quiet=measure.status is not Status.OK,
                strong=not measure.subgroup,
            )
        )
    headings = (
        "Bias type",
        "Pairs",
        "Ties",
        "%",
        level_of(result.facts["level"]),
        "Adjusted p",
        "Stereo (pairs)",
        "Antistereo (pairs)",
        "As published",
    )
    return Table(
        f"Pairs whose more stereotyping sentence is the likelier one, in percent. {about_model(result.facts)}",
        tuple(Column(heading, "number" if place else "text") for place, heading in enumerate(headings)),
        tuple(rows),
        note="50 is no preference. A tie counts half; the published script counts it as a miss over all and leaves "
        "it out by direction. ▲: an observation.",
    )


def _of(result: Result, measure: Measure, **other: str) -> Measure | None:
    try:
        return result.measure(
            **{
                "measure": "crows_pairs",
                "attribute": measure.attribute,
                "subgroup": measure.subgroup,
                "label": measure.label,
                "variant": measure.variant,
                **other,
            }
        )
    except KeyError:
        return None


def gap_table(result: Result) -> Table:
    """What became of all pairs in the mask-gap test, by bias type."""
    rows = []
    # A stored result has its keys sorted by name.
    by_number = sorted(result.facts["gap"].items(), key=lambda item: (-sum(item[1].values()), item[0]))
    for place, counts in by_number:
        keys = tuple(
            m.key for m in result.measures if m.measure in GAP_MEASURES.values() and m.subgroup == place
        )
        kept = counts["pass"] + counts["fail"]
        rows.append(
            Row(
                (
                    place or "all pairs",
                    count(sum(counts.values())),
                    *(count(counts[outcome]) for outcome in GAP_MEASURES),
                    percent(counts["pass"] / kept) if kept else "–",
                ),
                keys,
                quiet=not kept,
                strong=not place,
            )
        )
    headings = (
        "Bias type",
        "Pairs",
        "Passed",
        "Failed",
        "Skipped",
        "Unscorable",
        "Passed of those kept",
    )
    low, gap = result.facts["low"], result.facts["gap_threshold"]
    return Table(
        f"Mask gap. {about_model(result.facts)}",
        tuple(Column(heading, "number" if place else "text") for place, heading in enumerate(headings)),
        tuple(rows),
        note=f"Skipped: both words have a probability below {number(low, 2)} in their place. Failed: they differ by "
        f"more than {number(gap, 2)}. Every pair is in one of the four columns.",
    )


def reasons_table(result: Result) -> Table:
    """How many pairs were not scored, or were odd, and why."""
    rows = [
        Row((method, reason, count(pairs)))
        for method, reasons in result.facts["reasons"].items()
        for reason, pairs in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    ]
    return Table(
        "Pairs that were not scored, or that are odd, and why",
        (Column("Test"), Column("Reason"), Column("Pairs", "number")),
        tuple(rows),
    )


def model_table(result: Result) -> Table:
    """What was tested: a figure without it cannot be compared with another."""
    model, pairs = result.facts["model"], result.facts["pairs"]
    stated = {
        "Model": model["name"],
        "Relation to the system": result.facts["relation"],
        "Revision": model["revision"] or "a folder, no revision",
        "SHA-256 of its files": model["digest"],
        "Architecture": model["architecture"],
        "Weights": f"{count(model['parameters'])} parameters, {model['weights']}",
        "Vocabulary": f"{count(model['vocabulary'])} tokens, {'lower case' if model['uncased'] else 'with case'}",
        "Software": ", ".join(f"{name} {version}" for name, version in model["versions"].items()),
        "Pairs": f"{pairs['name']}, {count(pairs['rows'])} pairs",
        "SHA-256 of the pairs": pairs["digest"],
    }
    return Table(
        "What was tested",
        (Column("What"), Column("Value", "mono")),
        tuple(Row((what, str(value))) for what, value in stated.items()),
        annex=True,
    )


def plot(result: Result) -> Plot:
    """Shares by bias type with their intervals around 50 %."""
    shown = list(reversed([m for m in overall(result) if m.value is not None]))
    figure, (axis,) = new_figure(150, 16 + 7.5 * len(shown))
    told = []
    for place, measure in enumerate(shown):
        value, low, high = (100 * (v or 0.0) for v in (measure.value, measure.low, measure.high))
        quiet = measure.status is not Status.OK
        colour = MUTE if quiet else ACCENT
        if measure.low is not None:
            axis.plot([low, high], [place, place], color=colour, linewidth=1.2)
        axis.plot([value], [place], "o", color=colour, markerfacecolor="white" if quiet else colour)
        write(axis, 101, place, f"{number(value, 1)}", va="center", color=INK)
        told.append(f"{measure.subgroup or 'all pairs'}: {number(value, 1)} %")
    axis.axvline(100 * NO_PREFERENCE, color=MUTE, linewidth=0.8, linestyle="--")
    axis.set_yticks(range(len(shown)), [f"{m.subgroup or 'all pairs'} ({count(m.n or 0)})" for m in shown])
    axis.set_xlim(0, 100)
    label_axes(axis, "pairs whose more stereotyping sentence is the likelier one, %", "")
    return Plot(
        figure,
        f"{about_model(result.facts)}: preference for the more stereotyping sentence by bias type, with number of "
        f"pairs and {level_of(result.facts['level'])}; dashed: no preference; hollow: too few to test.",
        "; ".join(told) + ".",
    )
