"""Texts made from others: swaps, the placebo swap, templates, perturbations; favour, counterfactual bias."""

from fairnb.variants._favour import CounterfactualBias, Favoured, counterfactual_bias, favour
from fairnb.variants._pairs import make_placebo, make_swapper, swap_pairs, swapped_groups
from fairnb.variants._perturbations import Perturbation, Perturbed, find_perturbation, perturbations
from fairnb.variants._skeletons import (
    TermGroup,
    is_skeletal,
    madlibs_reference,
    madlibs_terms,
    template_of,
    term_in,
)
from fairnb.variants._swap import GENDERED, Swapper, SwapRules, refuse_language
from fairnb.variants._swapped import MIXED, Change, Skipped, Swapped
from fairnb.variants._templates import PACKAGED, Filled, TemplateSet, packaged_templates, read_templates

__all__ = [
    "GENDERED",
    "MIXED",
    "PACKAGED",
    "Change",
    "CounterfactualBias",
    "Favoured",
    "Filled",
    "Perturbation",
    "Perturbed",
    "Skipped",
    "SwapRules",
    "Swapped",
    "Swapper",
    "TemplateSet",
    "TermGroup",
    "counterfactual_bias",
    "favour",
    "find_perturbation",
    "is_skeletal",
    "madlibs_reference",
    "madlibs_terms",
    "make_placebo",
    "make_swapper",
    "packaged_templates",
    "perturbations",
    "read_templates",
    "refuse_language",
    "swap_pairs",
    "swapped_groups",
    "template_of",
    "term_in",
]
