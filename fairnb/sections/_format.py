"""How numbers are written for a reader: one precision per kind, a true minus, undefined in words."""

from __future__ import annotations

from fairnb.sections._measure import Measure, Status

_IN_WORDS = {
    Status.TOO_FEW: "too few to say",
    Status.UNDEFINED: "undefined",
    Status.NOT_MEASURED: "not measured",
}


def count(value: int) -> str:
    """A count with thousands separated.

    >>> count(38023)
    '38,023'
    """
    return f"{value:,}"


def number(value: float, digits: int = 3) -> str:
    """A number with a true minus and no negative zero.

    >>> number(-0.00001), number(-0.5, 2)
    ('0.000', '−0.50')
    """
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def signed(value: float, digits: int = 3) -> str:
    """A difference with its sign.

    >>> signed(0.0413), signed(-0.0413), signed(0.00001)
    ('+0.041', '−0.041', '0.000')
    """
    text = number(value, digits)
    return text if text.startswith("−") or float(text) == 0 else f"+{text}"


def percent(share: float, digits: int = 1) -> str:
    """A share in percent.

    >>> percent(0.003864, 4)
    '0.3864 %'
    """
    return f"{number(100 * share, digits)} %"


def margin_points(margin: float) -> str:
    """A margin of probabilities in percentage points, with all its digits.

    >>> margin_points(0.05), margin_points(0.025)
    ('5 points', '2.5 points')
    """
    return f"{100 * margin:g} points"


def between(low: float | None, high: float | None, digits: int = 3, *, scale: float = 1.0) -> str:
    """An interval's ends; a dash where there is none.

    >>> between(0.861, 0.8824)
    '0.861 to 0.882'
    """
    if low is None or high is None:
        return "–"
    return f"{number(scale * low, digits)} to {number(scale * high, digits)}"


def value_of(measure: Measure, digits: int = 3, *, scale: float = 1.0) -> str:
    """A measure's value, or in words why there is none."""
    if measure.value is None:
        return _IN_WORDS.get(measure.status, "undefined")
    text = number(scale * measure.value, digits)
    return f"({text})" if measure.status is Status.TOO_FEW else text


def interval_of(measure: Measure, digits: int = 3, *, scale: float = 1.0) -> str:
    """A measure's interval; a dash where there is none or no statement is supported."""
    if measure.value is None or measure.status is Status.TOO_FEW:
        return "–"
    return between(measure.low, measure.high, digits, scale=scale)


def level_of(level: float) -> str:
    """A confidence level as it heads a column.

    >>> level_of(0.95)
    '95 % interval'
    """
    return f"{100 * level:g} % interval"
