"""Which text refers to which subgroup, and by which words."""

from fairnb.mining._lookup import look_up
from fairnb.mining._mentions import Grouping, Mentions

__all__ = ["Grouping", "Mentions", "look_up"]
