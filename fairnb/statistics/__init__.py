"""Tallies, intervals and tests: every number a section prints is estimated here."""

from fairnb.statistics._agreement import Agreement, agreement
from fairnb.statistics._auc import auc_delong
from fairnb.statistics._averages import averaged_share
from fairnb.statistics._benefits import generalised_entropy, gini_of_benefits
from fairnb.statistics._bias_auc import BiasAucs, GroupAuc, average_equality_gap, bias_aucs, power_mean
from fairnb.statistics._bootstrap import (
    Areas,
    RankedRows,
    bias_corrected,
    ranked_rows,
    resampled_areas,
)
from fairnb.statistics._clustered import Outcome, clustered_difference, clustered_mean, outcome_share
from fairnb.statistics._compare import Rate, mean_score_difference, rate_difference, share_of
from fairnb.statistics._confusion import Confusion
from fairnb.statistics._count import tally
from fairnb.statistics._counting import Counting
from fairnb.statistics._curves import Bin, Roc, ece_null
from fairnb.statistics._differences import mover_difference, overlap_correlation, welch_difference
from fairnb.statistics._estimate import Estimate, normal_quantile
from fairnb.statistics._f1 import f1_interval, mean_f1_interval
from fairnb.statistics._flagged import flagged_mean, flagged_mean_difference, standardised_flagged_mean
from fairnb.statistics._intervals import accuracy, wilson
from fairnb.statistics._means import Mean, mean_of, student_quantile, wald_mean
from fairnb.statistics._names import overlap_name
from fairnb.statistics._paired import ClusterMean, cluster_mean, mcnemar_mid_p, paired_difference, sign_test
from fairnb.statistics._permutation import bias_aucs_null, mean_score_p, permutation_p, scores_apart
from fairnb.statistics._ratio import ratio_interval
from fairnb.statistics._shares import clustered_share, clustered_share_p
from fairnb.statistics._significance import benjamini_hochberg, fisher_mid_p, holm
from fairnb.statistics._standardised import Standardised, standardised
from fairnb.statistics._tally import BUDGET, Tally, merge_tallies

__all__ = [
    "BUDGET",
    "Agreement",
    "Areas",
    "BiasAucs",
    "Bin",
    "ClusterMean",
    "Confusion",
    "Counting",
    "Estimate",
    "GroupAuc",
    "Mean",
    "Outcome",
    "RankedRows",
    "Rate",
    "Roc",
    "Standardised",
    "Tally",
    "accuracy",
    "agreement",
    "auc_delong",
    "average_equality_gap",
    "averaged_share",
    "benjamini_hochberg",
    "bias_aucs",
    "bias_aucs_null",
    "bias_corrected",
    "cluster_mean",
    "clustered_difference",
    "clustered_mean",
    "clustered_share",
    "clustered_share_p",
    "ece_null",
    "f1_interval",
    "fisher_mid_p",
    "flagged_mean",
    "flagged_mean_difference",
    "generalised_entropy",
    "gini_of_benefits",
    "holm",
    "mcnemar_mid_p",
    "mean_f1_interval",
    "mean_of",
    "mean_score_difference",
    "mean_score_p",
    "merge_tallies",
    "mover_difference",
    "normal_quantile",
    "outcome_share",
    "overlap_correlation",
    "overlap_name",
    "paired_difference",
    "permutation_p",
    "power_mean",
    "ranked_rows",
    "rate_difference",
    "ratio_interval",
    "resampled_areas",
    "scores_apart",
    "share_of",
    "sign_test",
    "standardised",
    "standardised_flagged_mean",
    "student_quantile",
    "tally",
    "wald_mean",
    "welch_difference",
    "wilson",
]
