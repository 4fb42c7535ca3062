"""Which text refers to which subgroup, and by which words."""

from fairnb.mining._counted import Counted, CountedBy, counted_groups
from fairnb.mining._lookup import look_up
from fairnb.mining._mentions import Grouping, Mentions

__all__ = ["Counted", "CountedBy", "Grouping", "Mentions", "counted_groups", "look_up"]
