"""Names of groups of rows."""

from __future__ import annotations

COMPLEMENT = "~"
"""Before a group's name: the rows outside that group."""


def overlap_name(first: str, second: str) -> str:
    """Name of the group of rows that belong to both groups, such as ``gender/female&gender/male``."""
    return f"{first}&{second}"
