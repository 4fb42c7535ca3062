"""Why a system gave its scores: words that move one text's score, and those that drive scores overall."""

from fairnb.explanation._explain import COMPARED, ENUMERATED_UP_TO, Explanation, explain
from fairnb.explanation._local import Surrogate, closeness, fit_surrogate
from fairnb.explanation._tokens import Span, Units, spans_of, units_of

__all__ = [
    "COMPARED",
    "ENUMERATED_UP_TO",
    "Explanation",
    "Span",
    "Surrogate",
    "Units",
    "closeness",
    "explain",
    "fit_surrogate",
    "spans_of",
    "units_of",
]
