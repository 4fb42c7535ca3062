"""The shared task AMI at Evalita 2020: its files, its scores, its baseline, and a synthetic set of its kind."""

from fairnb.ami._augment import Augmented, TermBalance, neutral_sentences
from fairnb.ami._baseline import Baseline, open_baseline, save_baseline, train_baseline
from fairnb.ami._checks import term_matches
from fairnb.ami._enter import Debias, Entered, enter_baseline
from fairnb.ami._files import (
    RawSet,
    SyntheticSet,
    read_raw,
    read_synthetic,
    read_terms,
    write_submission,
)
from fairnb.ami._generate import generate
from fairnb.ami._official import Official, official, official_outcomes
from fairnb.ami._ranking import Competitor, Difference, Place, Ranking, ranking
from fairnb.ami._raw import Post, raw_set
from fairnb.ami._score import ScoreA, ScoreB, TermScore, score_a, score_b
from fairnb.ami._score_report import Report, RunScores, score_submissions
from fairnb.ami._submission import Run, RunFile, Submission, read_submission
from fairnb.ami._synth import Made, synthetic_set, synthetic_terms

__all__ = [
    "Augmented",
    "Baseline",
    "Competitor",
    "Debias",
    "Difference",
    "Entered",
    "Made",
    "Official",
    "Place",
    "Post",
    "Ranking",
    "RawSet",
    "Report",
    "Run",
    "RunFile",
    "RunScores",
    "ScoreA",
    "ScoreB",
    "Submission",
    "SyntheticSet",
    "TermBalance",
    "TermScore",
    "enter_baseline",
    "generate",
    "neutral_sentences",
    "official",
    "official_outcomes",
    "open_baseline",
    "ranking",
    "raw_set",
    "read_raw",
    "read_submission",
    "read_synthetic",
    "read_terms",
    "save_baseline",
    "score_a",
    "score_b",
    "score_submissions",
    "synthetic_set",
    "synthetic_terms",
    "term_matches",
    "train_baseline",
    "write_submission",
]
