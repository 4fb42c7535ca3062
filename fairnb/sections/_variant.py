"""How a measure that is not the default one is marked: the only place that joins and parts such marks."""

from __future__ import annotations

_BETWEEN = ";"


def joined(*parts: str) -> str:
    """Parts of a variant, empty ones left out.

    >>> joined("corpus=synthetic", "template=6"), joined("", "standardised"), joined("")
    ('corpus=synthetic;template=6', 'standardised', '')
    """
    return _BETWEEN.join(part for part in parts if part)


def parted(variant: str) -> list[str]:
    """The parts of a variant; the default has none."""
    return variant.split(_BETWEEN) if variant else []


def without(variant: str, prefix: str) -> str:
    """What a variant says beside a prefix, as it stands: a template's name may hold anything.

    >>> without("corpus=synthetic;template=a;b", "corpus=synthetic"), without("apart", "")
    ('template=a;b', 'apart')
    """
    return variant.removeprefix(f"{prefix}{_BETWEEN}") if prefix else variant


def of_corpus(role: str, default: str = "test") -> str:
    """Mark of measures on another corpus than the section's default; named by its role.

    >>> of_corpus("synthetic"), of_corpus("test")
    ('corpus=synthetic', '')
    """
    return "" if role == default else f"corpus={role}"
