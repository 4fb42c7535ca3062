"""What a reader sees of the words that drive scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairnb.sections._any_script import name_rows
from fairnb.sections._drawing import ACCENT, INK, MUTE, RULE, label_axes, new_figure, write
from fairnb.sections._format import count, level_of, number, percent
from fairnb.sections._global_words import MOVES, SWARM_POINTS, TERM, TOKEN, key_of
from fairnb.sections._measure import Measure, Status
from fairnb.sections._result import Result
from fairnb.sections._shift import interval_points, points
from fairnb.sections._shown import Column, Plot, Row, Table

_IN_POINTS = "Percentage points of P(positive). "


def tables_of(result: Result) -> list[Table]:
    """Words, identity terms; in the annex words by subgroup and how the sample was drawn."""
    level = level_of(result.facts["level"])
    tables = [
        _means_table(result, TOKEN, result.facts["words"], level),
        *_term_tables(result, level),
        _groups_table(result, level),
    ]
    return [*(table for table in tables if table.rows), _sample_table(result)]


def _term_tables(result: Result, level: str) -> list[Table]:
    """Identity terms and their exchange; no tables of zeros."""
    sizes = [one for one in result.measures if one.attribute == TERM]
    if all(abs(one.value or 0.0) < MOVES for one in sizes):
        return []
    return [_means_table(result, TERM, result.facts["terms"], level), _exchanged_table(result, level)]


def nothing_moves(result: Result) -> str:
    """What is said where no word is listed."""
    facts = result.facts
    minimum, texts = count(facts["min_texts"]), count(facts["explained"])
    if not facts["counted"]:
        return f"No word occurs in {minimum} of the {texts} texts explained: there is no statement."
    terms = f", the {count(len(facts['terms']))} identity terms among them" if facts["terms"] else ""
    still = all(abs(one.value or 0.0) < MOVES for one in result.measures if one.attribute == TERM)
    return (
        f"No word moves the score: of each of the {count(facts['counted'])} words that occur in at least {minimum} of "
        f"the {texts} texts explained{terms if still else ''}, mean |SHAP| is under {number(100 * MOVES, 2)} "
        "percentage points."
    )


def rare_said(result: Result) -> list[str]:
    """Words in too few texts, named where few others move the score."""
    facts = result.facts
    found = [(name, mean_of(result, "mean_shap", name)) for name in facts["rare_words"]]
    if not found:
        return []
    named = ", ".join(
        f"“{name}” ({points(mean.value)} in {count(mean.n or 0)} texts)" for name, mean in found
    )
    words = f"{count(len(facts['words']))} of the words" if facts["words"] else "None of the words"
    moves = "move" if len(facts["words"]) > 1 else "moves"
    return [
        f"{words} that occur in at least {count(facts['min_texts'])} texts of the sample {moves} the score; of those "
        f"in fewer texts, too few to say how much, these do: {named}."
    ]


def _get(result: Result, measure: str, attribute: str, name: str, label: str = "all") -> Measure | None:
    wanted = key_of(measure, attribute, name, label)
    return next((one for one in result.measures if one.key == wanted), None)


def mean_of(result: Result, measure: str, word: str) -> Measure:
    """A mean of a listed word over all texts."""
    return result.measure(measure, attribute=TOKEN, subgroup=word, label="all")


def _in_points(measure: Measure | None) -> str:
    if measure is None or measure.value is None:
        return "–"
    text = points(measure.value)
    return f"({text})" if measure.status is Status.TOO_FEW else text


def _unsigned(measure: Measure) -> str:
    return "–" if measure.value is None else number(100 * measure.value, 1)


def _means_table(result: Result, attribute: str, names: Sequence[str], level: str) -> Table:
    verdicts = {candidate.measures[0]: candidate.verdict.value for candidate in result.candidates}
    rows = []
    for name in names:
        size, mean = (_get(result, measure, attribute, name) for measure in ("mean_abs_shap", "mean_shap"))
        if size is None or mean is None:
            continue
        split = [_get(result, "mean_shap", attribute, name, label) for label in ("positive", "negative")]
        keys = [one.key for one in (size, mean, *split) if one is not None]
        cells = [
            name,
            count(size.n or 0),
            _unsigned(size),
            points(mean.value),
            interval_points(mean),
            *map(_in_points, split),
        ]
        if attribute == TERM:
            cells.append(verdicts.get(mean.key, "–"))
        rows.append(Row(tuple(cells), tuple(keys)))
    columns = [
        Column("Word" if attribute == TOKEN else "Identity term"),
        Column("Texts", "number"),
        Column("Mean |SHAP|", "number"),
        Column("Mean SHAP", "number"),
        Column(level, "number"),
        Column("Positive texts", "number"),
        Column("Negative texts", "number"),
    ]
    if attribute == TERM:
        columns.append(Column("Verdict"))
    what = "Words" if attribute == TOKEN else "Identity terms"
    note = (
        f"{_IN_POINTS}In texts where it occurs; at least {count(result.facts['min_texts'])} of the sample. The "
        "columns by label: mean SHAP, in brackets where too few texts are behind it."
    )
    return Table(f"{what} by mean |SHAP|", tuple(columns), tuple(rows), note=note)


def _exchanged_table(result: Result, level: str) -> Table:
    rows = []
    for shift in (one for one in result.measures if one.measure == "mean_shift"):
        mean = _get(result, "mean_shap", TERM, shift.subgroup)
        if mean is None:
            continue
        cells = (
            shift.subgroup,
            shift.variant.removeprefix("to="),
            count(shift.n or 0),
            points(mean.value),
            _in_points(shift),
            interval_points(shift),
        )
        rows.append(Row(cells, (mean.key, shift.key), quiet=shift.status is not Status.OK))
    columns = (
        Column("Identity term"),
        Column("Exchanged for"),
        Column("Texts", "number"),
        Column("Mean SHAP", "number"),
        Column("Change", "number"),
        Column(level, "number"),
    )
    note = (
        f"{_IN_POINTS}Change: of the score, on average, where the word alone is exchanged for its counterpart in the "
        "same texts; a word that raises scores by itself makes it fall. In brackets: too few texts."
    )
    return Table("Identity terms exchanged in the same texts", columns, tuple(rows), note=note)


def _groups_table(result: Result, level: str) -> Table:
    rows = []
    for mean in result.measures:
        if mean.measure != "mean_shap" or not mean.variant.startswith("mentions="):
            continue
        size_key = key_of("mean_abs_shap", mean.attribute, mean.subgroup, "all", mean.variant)
        size = next(one for one in result.measures if one.key == size_key)
        group = mean.variant.removeprefix("mentions=").replace("/", ": ")
        cells = (
            group,
            mean.subgroup,
            count(mean.n or 0),
            _unsigned(size),
            points(mean.value),
            interval_points(mean),
        )
        rows.append(Row(cells, (size.key, mean.key)))
    columns = (
        Column("Texts that mention"),
        Column("Word"),
        Column("Texts", "number"),
        Column("Mean |SHAP|", "number"),
        Column("Mean SHAP", "number"),
        Column(level, "number"),
    )
    return Table("Words by subgroup", columns, tuple(rows), note=_IN_POINTS.strip(), annex=True)


def _sample_table(result: Result) -> Table:
    rows = [
        Row(
            (
                one["stratum"],
                count(one["texts"]),
                count(one["drawn"]),
                number(one["texts"] / one["drawn"], 1) if one["drawn"] else "–",
            )
        )
        for one in result.facts["strata"]
    ]
    rows += [
        Row((f"not explained: {reason}", "–", count(number_of), "–"), quiet=True)
        for reason, number_of in result.facts["failed"].items()
    ]
    columns = (
        Column("Label, mention"),
        Column("Different texts", "number"),
        Column("Drawn", "number"),
        Column("Each stands for", "number"),
    )
    return Table("How the sample was drawn", columns, tuple(rows), annex=True)


def without_words(result: Result) -> Result:
    """The result with words by their rank, but for those that the lexicon has too."""
    if result.status != "done":
        return result
    kept = set(result.facts["of_lexicon"])
    own = (one.subgroup for one in result.measures if one.attribute == TOKEN and one.subgroup not in kept)
    named = {word: f"[word {rank}]" for rank, word in enumerate(dict.fromkeys(own), 1)}
    return result.model_copy(
        update={
            "measures": tuple(
                one.model_copy(update={"subgroup": named.get(one.subgroup, one.subgroup)})
                if one.attribute == TOKEN
                else one
                for one in result.measures
            ),
            "facts": {
                **result.facts,
                "words": [named.get(word, word) for word in result.facts["words"]],
                "rare_words": [named.get(word, word) for word in result.facts["rare_words"]],
            },
        }
    )


def figures_of(result: Result) -> Mapping[str, Plot]:
    """Bars and the values text by text."""
    if not result.facts["words"]:
        return {}
    return {"drivers": _bars(result), "swarm": _swarm(result)}


def _name(result: Result, name: str) -> str:
    """A word as a row is named: cut, identity terms marked."""
    short = name if len(name) <= 24 else name[:23] + "…"
    return short + (" ◆" if name in result.facts["terms"] else "")


def _bars(result: Result) -> Plot:
    names = result.facts["words"]
    figure, (axis,) = new_figure(150, 16 + 4.6 * len(names))
    said = []
    for place, name in enumerate(reversed(names)):
        size, mean = (mean_of(result, m, name) for m in ("mean_abs_shap", "mean_shap"))
        value, raises = 100 * (size.value or 0.0), (mean.value or 0.0) > 0
        axis.barh(
            place,
            value,
            height=0.62,
            facecolor=ACCENT if raises else "white",
            edgecolor=ACCENT if raises else INK,
            linewidth=0.7,
            linestyle="solid" if raises else (0, (3, 2)),
        )
        if size.low is not None and size.high is not None:
            axis.plot((100 * size.low, 100 * size.high), (place, place), color=MUTE, linewidth=0.9)
        said.append(f"{name} {number(value, 1)} {'up' if raises else 'down'}")
    name_rows(axis, [_name(result, name) for name in reversed(names)], color=INK)
    axis.set_xlim(left=0)
    axis.set_ylim(-0.7, len(names) - 0.3)
    label_axes(axis, "mean |SHAP|, percentage points", "")
    caption = (
        f"Words by how much of the score they move in texts where they occur: solid bars raise it on average, dashed "
        f"ones lower it; lines are {level_of(result.facts['level'])}s. {count(result.facts['explained'])} texts, "
        f"words in at least {count(result.facts['min_texts'])} of them. ◆: identity term."
    )
    return Plot(figure, caption, "; ".join(reversed(said)) + ".")


def _swarm(result: Result) -> Plot:
    series: Mapping[str, Any] = result.series["swarm"].columns
    by_word: dict[int, list[float]] = {}
    for place, value in zip(series["word"], series["value"], strict=True):
        by_word.setdefault(int(place), []).append(100 * value)
    names = result.facts["words"][: len(by_word)]
    figure, (axis,) = new_figure(150, 18 + 6.5 * len(names))
    axis.axvline(0, color=RULE, linewidth=0.9)
    everything = [value for values in by_word.values() for value in values]
    step = max(max(everything) - min(everything), 1e-9) / 90
    for place, name in enumerate(names):
        values = by_word[place]
        y = len(names) - 1 - place
        dots = list(zip(values, _offsets(values, step), strict=True))
        for raises in (True, False):
            side = [(value, y + offset) for value, offset in dots if (value > 0) == raises]
            axis.plot(
                [value for value, _ in side],
                [height for _, height in side],
                "o",
                markersize=2.8,
                markeredgewidth=0.5,
                markerfacecolor=ACCENT if raises else "white",
                markeredgecolor=ACCENT if raises else INK,
            )
        mean = mean_of(result, "mean_shap", name)
        write(axis, 1.01, y, f"n = {count(mean.n or 0)}", va="center", transform=axis.get_yaxis_transform())
    name_rows(axis, [_name(result, name) for name in reversed(names)], color=INK)
    axis.set_ylim(-0.7, len(names) - 0.3)
    label_axes(axis, "what the word adds to the score of a text, percentage points", "")
    caption = (
        f"Each dot is a text in which the word occurs: filled dots raise its score, hollow ones lower it. Of more than "
        f"{SWARM_POINTS} texts, {SWARM_POINTS} are drawn, evenly taken from the sorted values."
    )
    said = "; ".join(
        f"{name}: {number(min(by_word[place]), 1)} to {number(max(by_word[place]), 1)}, "
        f"{percent(sum(value > 0 for value in by_word[place]) / len(by_word[place]), 0)} above zero"
        for place, name in enumerate(names)
    )
    return Plot(figure, caption, said + ".")


def _offsets(values: Sequence[float], step: float) -> list[float]:
    """Dots at one place lie above and below each other, none outside its row."""
    taken: dict[int, int] = {}
    offsets = []
    for value in values:
        place = round(value / step)
        number_here = taken[place] = taken.get(place, 0) + 1
        way = 1 if number_here % 2 else -1
        offsets.append(max(-0.42, min(0.42, way * (number_here // 2) * 0.07)))
    return offsets
