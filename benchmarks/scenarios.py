"""The scenarios of `validity.py`: who is mentioned how often, with which base rates, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from scipy.stats import norm
from simulated import Laws, Mentioned, Population


@dataclass(frozen=True)
class Scenario:
    """What is drawn, and what of it is true."""

    title: str
    population: Population
    truth: Population
    """By which a finding is judged: another than `population` where labels are wrong."""
    n: int = 6000
    authors: int = 0
    gated: bool = True
    sought: tuple[str, str] | None = None
    """A measure and subgroup that have to be found."""
    covered_every: int = 1
    """Intervals are compared with the truth in one audit of so many."""


REFERENCE = {"gender": "male", "religion": "Christianity", "ethnicity": "European"}


def _attributes(rates: Sequence[float], *, orientation: bool = True) -> dict[str, list[Mentioned]]:
    """Groups of 18 to 960 texts of 6,000, with little overlap; base rates in the order of `rates`."""
    f, m, both, c, i, j, h, ci, g, s, b = rates
    found = {
        "gender": [
            Mentioned(("female",), 0.14, f),
            Mentioned(("male",), 0.12, m),
            Mentioned(("female", "male"), 0.02, both),
        ],
        "religion": [
            Mentioned(("Christianity",), 0.06, c),
            Mentioned(("Islam",), 0.05, i),
            Mentioned(("Judaism",), 0.02, j),
            Mentioned(("Hinduism",), 0.006, h),
            Mentioned(("Christianity", "Islam"), 0.01, ci),
        ],
        "orientation": [
            Mentioned(("gay",), 0.04, g),
            Mentioned(("straight",), 0.012, s),
            Mentioned(("bisexual",), 0.003, b),
        ],
    }
    return found if orientation else {name: found[name] for name in ("gender", "religion")}


EQUAL = (0.4,) * 11
UNEQUAL = (0.2, 0.6, 0.4, 0.3, 0.7, 0.5, 0.2, 0.5, 0.6, 0.2, 0.5)
UNEQUAL_BUT_GENDER = (0.4, 0.4, 0.4, *UNEQUAL[3:])


def _equal() -> Scenario:
    population = Population(_attributes(EQUAL), REFERENCE, Laws())
    return Scenario("equal base rates", population, population)


def _unequal() -> Scenario:
    population = Population(_attributes(UNEQUAL), REFERENCE, Laws())
    return Scenario("base rates .2 to .7, separation holds", population, population)


def _sufficiency() -> Scenario:
    population = Population(_attributes(UNEQUAL_BUT_GENDER), REFERENCE, Laws(calibrated=1.2))
    return Scenario("base rates .2 to .7, sufficiency holds", population, population)


def _biased() -> Scenario:
    laws = Laws(shifts={"gay": (0.6, 0.6), "Islam": (-0.36, 0.36)})
    population = Population(_attributes(UNEQUAL), REFERENCE, laws)
    return Scenario("two groups wronged", population, population)


def _overlap() -> Scenario:
    attributes = {
        "gender": [
            Mentioned(("female",), 0.06, 0.3),
            Mentioned(("male",), 0.05, 0.5),
            Mentioned(("female", "male"), 0.06, 0.4),
        ],
        "religion": [
            Mentioned(("Christianity",), 0.04, 0.3),
            Mentioned(("Islam",), 0.03, 0.6),
            Mentioned(("Christianity", "Islam"), 0.02, 0.5),
            Mentioned(("Judaism",), 0.009, 0.5),
            Mentioned(("Christianity", "Judaism"), 0.009, 0.4),
        ],
        "orientation": [
            Mentioned(("gay",), 0.03, 0.6),
            Mentioned(("straight",), 0.008, 0.3),
            Mentioned(("gay", "straight"), 0.004, 0.5),
        ],
    }
    reference = {**REFERENCE, "orientation": "straight"}
    population = Population(attributes, reference, Laws())
    return Scenario("33 to 55 % of the smaller group shared", population, population)


def _clusters() -> Scenario:
    population = Population(_attributes(UNEQUAL, orientation=False), REFERENCE, Laws(authors=True))
    title = "1,500 authors, each with an effect; cluster given"
    return Scenario(title, population, population, authors=1500, covered_every=5)


def _noise() -> Scenario:
    observed = Population(_attributes(EQUAL), REFERENCE, Laws(), mislabelled={"gay": 0.1})
    truth = Population(_attributes(EQUAL), REFERENCE, Laws())
    return Scenario("one negative text in ten of a group labelled positive", observed, truth, gated=False)


def _power(tpr: float, other: float) -> Scenario:
    """500 positive mentions and 3,000 other texts on average; twenty differences, forty tests."""
    n, base = 5000, 0.3
    attributes = {
        **_attributes((base,) * 11),
        "religion": [
            Mentioned(("Christianity",), 0.06, base),
            Mentioned(("Islam",), 0.05, base),
            Mentioned(("Judaism",), 0.03, base),
            Mentioned(("Hinduism",), 0.03, base),
            Mentioned(("Christianity", "Islam"), 0.01, base),
        ],
        "orientation": [
            Mentioned(("gay",), 500 / base / n, base),
            Mentioned(("straight",), 0.03, base),
            Mentioned(("bisexual",), 0.03, base),
        ],
        "ethnicity": [
            Mentioned((name,), share, base)
            for name, share in (("European", 0.05), ("African", 0.05), ("Asian", 0.03), ("Arab", 0.03))
        ],
    }
    laws = Laws(tpr=other, shifts={"gay": (float(norm.ppf(tpr) - norm.ppf(other)), 0.0)})
    population = Population(attributes, REFERENCE, laws, base_rate=base)
    return Scenario(
        f"TPR {tpr:.2f} against {other:.2f}", population, population, n, sought=("equal_opportunity", "gay")
    )


SCENARIOS: dict[str, Callable[[], Scenario]] = {
    "equal": _equal,
    "unequal": _unequal,
    "sufficiency": _sufficiency,
    "biased": _biased,
    "overlap": _overlap,
    "clusters": _clusters,
    "noise": _noise,
    "power-lower": lambda: _power(0.80, 0.90),
    "power-higher": lambda: _power(0.90, 0.80),
}


@cache
def scenario_of(name: str) -> Scenario:
    """A scenario by name, made once."""
    return SCENARIOS[name]()
