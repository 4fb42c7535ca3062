"""Why a system gave its scores: words that move one text's score, and those that drive scores overall."""

from fairnb.explanation._attribute import MOST_TOKENS, Attribution, Attributor, shap_is_installed
from fairnb.explanation._explain import COMPARED, ENUMERATED_UP_TO, Explanation, explain
from fairnb.explanation._local import Surrogate, closeness, fit_surrogate
from fairnb.explanation._sample import Sample, WeightedMean, stratified, weighted_mean
from fairnb.explanation._tokens import Span, Units, spans_of, units_of

__all__ = [
    "COMPARED",
    "ENUMERATED_UP_TO",
    "MOST_TOKENS",
    "Attribution",
    "Attributor",
    "Explanation",
    "Sample",
    "Span",
    "Surrogate",
    "Units",
    "WeightedMean",
    "closeness",
    "explain",
    "fit_surrogate",
    "shap_is_installed",
    "spans_of",
    "stratified",
    "units_of",
    "weighted_mean",
]
