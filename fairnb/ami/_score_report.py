"""Scoring submissions: read, check, score, rank; as data and as tables for a person."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairnb.ami._checks import Predictions, Scores, known, predictions, term_warnings
from fairnb.ami._files import (
    COLUMNS,
    Dataset,
    RawSet,
    Subtask,
    SyntheticSet,
    raise_all,
    read_raw,
    read_synthetic,
    read_terms,
)
from fairnb.ami._ranking import Competitor, Correction, Ranking, ranking, resampled_score_a
from fairnb.ami._score import KINDS, RESAMPLES, ScoreA, ScoreB, TermScore, cells_of, score_a, score_b
from fairnb.ami._score_shown import limits, tables
from fairnb.ami._submission import Run, Submission, gather
from fairnb.errors import FairnbError
from fairnb.files import sha256_file
from fairnb.statistics import Estimate

_SCHEMA = "fairnb.ami-scores/1"


@dataclass(frozen=True, slots=True)
class RunScores:
    """What one run scored."""

    run: Run
    a: ScoreA | None
    """None where nothing was handed in for subtask A."""
    b: ScoreB | None
    """None where nothing was handed in for subtask B, or there is no synthetic gold file."""


@dataclass(frozen=True, slots=True)
class Report:
    """Scores of all runs, and how they rank."""

    scores: Scores
    """``hard``: labels, as the official script; ``prob``: scores. The two are never mixed."""
    threshold: float
    """From which score a row counts as called positive in Score A; labels are not touched by it."""
    level: float
    runs: tuple[RunScores, ...]
    rankings: tuple[Ranking, ...]
    """Of each subtask with at least two runs."""
    warnings: tuple[str, ...]
    files: dict[str, str]
    """SHA-256 of each gold file, by what it is."""

    def to_json(self) -> dict[str, Any]:
        """The report as plain data; figures of a single run also stand at the top."""
        rows = [_run_json(one) for one in self.runs]
        figures = rows[0] if len(rows) == 1 else dict.fromkeys(_FIGURES)
        return {
            "schema": _SCHEMA,
            "scores": self.scores,
            "threshold": self.threshold if self.scores == "prob" else None,
            "level": self.level,
            **{name: figures[name] for name in _FIGURES},
            "runs": rows,
            "rankings": [_ranking_json(one) for one in self.rankings],
            "warnings": list(self.warnings),
            "limits": limits(self.scores, [one.b for one in self.runs if one.b is not None]),
            "files": self.files,
        }

    def lines(self) -> list[str]:
        """Tables for a person."""
        return tables(
            self.scores,
            self.threshold,
            self.level,
            [(one.run.name, one.a, one.b) for one in self.runs],
            self.rankings,
        )


def score_submissions(
    submissions: Sequence[Path],
    *,
    gold_raw: Path,
    gold_synthetic: Path | None = None,
    terms: Path | None = None,
    scores: Scores = "hard",
    threshold: float = 0.5,
    correction: Correction = "holm",
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Report:
    """Check and score submissions to the AMI task; several runs are ranked on the same resampled texts.

    Parameters
    ----------
    submissions : sequence of Path
        ZIP files, folders, single files; together.
    gold_raw : Path
    gold_synthetic, terms : Path, optional
        Needed for Score B, both of them.
    scores : {"hard", "prob"}
        Whether files hold labels, as in the task, or scores in [0, 1] in their place.
    threshold : float
        For Score A from scores.
    correction : {"holm", "max"}
        How differences between runs are corrected; see `ranking`.
    level : float
    seed, resamples : int

    Raises
    ------
    FairnbError
        Everything that is wrong with the submissions at once, each with file and line; see `read_submission`
        and `predictions`. ``missing-gold`` if one of the two files for Score B is given, or neither and
        nothing else can be scored.
    """
    if (gold_synthetic is None) != (terms is None):
        raise FairnbError(
            "missing-gold",
            "Score B needs the synthetic gold file and the identity terms; one of them is given",
            "give both, or neither to score subtask A only",
            where="--terms" if terms is None else "--gold-synthetic",
        )
    raw = read_raw(gold_raw)
    synthetic = None if gold_synthetic is None else read_synthetic(gold_synthetic)
    listed = () if terms is None else read_terms(terms)
    errors: list[FairnbError] = []
    submission = gather(submissions, errors)
    warnings = [*term_warnings(listed), *_gold_warnings(raw), *_case_warnings(submission)]
    if terms is not None and terms.read_bytes().startswith(codecs.BOM_UTF8):
        warnings.append(
            f"{terms.name} begins with a byte order mark, which the official script takes as part of the "
            "first term, so that it has no Score B"
        )
    warnings += [
        f"{where} is not named as a submission's file and is left out" for where in submission.ignored
    ]
    checked = [_checked(run, raw, synthetic, scores, errors) for run in submission.runs]
    raise_all(errors)
    scored = []
    for run, found in zip(submission.runs, checked, strict=True):
        warnings += [warning for one in found.values() for warning in one.warnings]
        a, b = found.get(("A", "r")), (found.get(("B", "r")), found.get(("B", "s")))
        of_a = None if a is None else score_a(raw, *_columns(a), threshold=threshold, level=level)
        of_b = None
        if synthetic is not None and b[0] is not None and b[1] is not None:
            of_b = score_b(
                raw,
                synthetic,
                listed,
                *_columns(b[0]),
                *_columns(b[1]),
                level=level,
                resamples=resamples,
                seed=seed,
            )
        elif run.has("B"):
            warnings.append(f"{run.name}: subtask B is not scored without --gold-synthetic and --terms")
        scored.append(RunScores(run, of_a, of_b))
    if not any(one.a or one.b for one in scored):
        raise FairnbError(
            "missing-gold",
            "only subtask B is handed in, and there is no synthetic gold file",
            "give --gold-synthetic and --terms",
        )
    rankings = [
        *_ranked_a(scored, checked, raw, threshold, correction, level, resamples, seed),
        *_ranked_b(scored, correction, level),
    ]
    files = {"gold_raw": raw.digest}
    if synthetic is not None and terms is not None:
        files |= {"gold_synthetic": synthetic.digest, "terms": sha256_file(terms)}
    return Report(scores, threshold, level, tuple(scored), tuple(rankings), tuple(warnings), files)


_Found = dict[tuple[Subtask, Dataset], Predictions]


def _checked(
    run: Run, raw: RawSet, synthetic: SyntheticSet | None, scores: Scores, errors: list[FairnbError]
) -> _Found:
    found: _Found = {}
    for subtask, dataset in COLUMNS:
        file = run.file(subtask, dataset)
        gold = raw if dataset == "r" else synthetic
        if file is not None and gold is not None:
            read = predictions(file, gold, scores, errors)
            if read is not None:
                found[subtask, dataset] = read
    return found


def _columns(found: Predictions) -> list[Any]:
    return list(found.columns.values())


def _gold_warnings(raw: RawSet) -> Iterator[str]:
    odd = int(((known(raw.aggressiveness) == 1) & (known(raw.misogynous) == 0)).sum())
    if odd:
        yield (
            f"{raw.path.name}: rows labelled aggressive but not misogynous, "
            f"which the task's definition rules out: {odd:,}"
        )


def _case_warnings(submission: Submission) -> Iterator[str]:
    alike: dict[str, set[str]] = {}
    for run in submission.runs:
        alike.setdefault(run.team.casefold(), set()).add(run.team)
    for teams in alike.values():
        if len(teams) > 1:
            yield f"teams whose names differ in case only are taken as several: {', '.join(map(repr, sorted(teams)))}"


def _ranked_a(
    scored: Sequence[RunScores],
    checked: Sequence[_Found],
    raw: RawSet,
    threshold: float,
    correction: Correction,
    level: float,
    resamples: int,
    seed: int,
) -> Iterator[Ranking]:
    competitors = [
        Competitor(
            one.run.name,
            one.run.team,
            one.a.score.value,
            resampled_score_a(
                cells_of(raw, *_columns(found["A", "r"]), threshold=threshold), resamples=resamples, seed=seed
            ),
        )
        for one, found in zip(scored, checked, strict=True)
        if one.a is not None and one.a.score.value is not None
    ]
    if len(competitors) > 1:
        yield ranking("A", competitors, correction=correction, level=level)


def _ranked_b(scored: Sequence[RunScores], correction: Correction, level: float) -> Iterator[Ranking]:
    competitors, unranked = [], []
    for one in scored:
        if one.b is None:
            continue
        if one.b.score.value is None:
            unranked.append(one.run.name)
        else:
            competitors.append(Competitor(one.run.name, one.run.team, one.b.score.value, one.b.law))
    if len(competitors) > 1:
        yield ranking("B", competitors, unranked=unranked, correction=correction, level=level)


_FIGURES = (
    "score_a",
    "f1_misogynous",
    "f1_aggressiveness",
    "score_b",
    "score_b_undefined",
    "score_b_defined",
    "terms_defined",
    "terms_listed",
    "auc_raw",
    "mean_subgroup_auc",
    "mean_bpsn_auc",
    "mean_bnsp_auc",
    "resampled",
    "intervals",
    "terms",
)


def _run_json(one: RunScores) -> dict[str, Any]:
    figures: dict[str, Any] = dict.fromkeys(_FIGURES)
    estimates: dict[str, Estimate] = {}
    if one.a is not None:
        estimates |= {
            "score_a": one.a.score,
            "f1_misogynous": one.a.misogynous,
            "f1_aggressiveness": one.a.aggressiveness,
        }
    if one.b is not None:
        estimates |= {
            "score_b": one.b.score,
            "score_b_defined": one.b.defined_terms,
            "auc_raw": one.b.auc_raw,
        }
        figures |= {
            "score_b_undefined": one.b.score.note if one.b.score.value is None else None,
            "terms_defined": sum(term.defined for term in one.b.terms),
            "terms_listed": len(one.b.terms),
            **{f"mean_{kind}_auc": one.b.means[kind] for kind in KINDS},
            "resampled": one.b.resampled,
            "terms": [_term_json(term) for term in one.b.terms],
        }
    figures |= {name: estimate.value for name, estimate in estimates.items()}
    figures["intervals"] = {name: _interval_json(estimate) for name, estimate in estimates.items()}
    return {
        "run": one.run.name,
        "team": one.run.team,
        "mode": one.run.mode,
        "number": one.run.number,
        **figures,
    }


def _term_json(term: TermScore) -> dict[str, Any]:
    return {
        "term": term.term,
        "rows": term.rows,
        "misogynous": term.positives,
        "not_misogynous": term.negatives,
        **{f"{kind}_auc": term.areas[kind].value for kind in KINDS},
        "smaller_class": {f"{kind}_auc": term.support[kind] for kind in KINDS},
        "intervals": {f"{kind}_auc": _interval_json(term.areas[kind]) for kind in KINDS},
    }


def _interval_json(estimate: Estimate) -> dict[str, Any]:
    return {
        "low": estimate.low,
        "high": estimate.high,
        "method": estimate.method,
        "note": estimate.note,
    }


def _ranking_json(found: Ranking) -> dict[str, Any]:
    return {
        "subtask": found.subtask,
        "correction": found.correction,
        "level": found.level,
        "places": [
            {
                "rank": place.rank,
                "rank_low": place.best,
                "rank_high": place.worst,
                "run": place.run,
                "team": place.team,
                "score": place.value,
                "selected_of": place.selected_of,
            }
            for place in found.places
        ],
        "differences": [
            {"first": one.first, "second": one.second, "difference": one.value, "p_adjusted": one.p}
            for one in found.differences
        ],
        "unranked": list(found.unranked),
    }
