"""Which text refers to which subgroup, by which words, and what found them; which holds a name."""

from fairnb.mining._counted import Counted, CountedBy, counted_groups
from fairnb.mining._lookup import look_up
from fairnb.mining._mentions import Grouping, Mentions, Source, Unmapped
from fairnb.mining._names import Named, find_names
from fairnb.mining._ner import mentions, recognition_digest

__all__ = [
    "Counted",
    "CountedBy",
    "Grouping",
    "Mentions",
    "Named",
    "Source",
    "Unmapped",
    "counted_groups",
    "find_names",
    "look_up",
    "mentions",
    "recognition_digest",
]
