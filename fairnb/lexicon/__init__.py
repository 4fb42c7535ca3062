"""Word groups, their corrections and swap pairs, and the matcher that finds them in texts."""

from fairnb.lexicon._lexicon import Excluded, IdentityTerm, Lexicon, StopPhrase, SwapPair
from fairnb.lexicon._load import load_lexicon, word_groups
from fairnb.lexicon._matcher import Hits, Matcher, Rule
from fairnb.lexicon._spec import Edition, LexiconSpec

__all__ = [
    "Edition",
    "Excluded",
    "Hits",
    "IdentityTerm",
    "Lexicon",
    "LexiconSpec",
    "Matcher",
    "Rule",
    "StopPhrase",
    "SwapPair",
    "load_lexicon",
    "word_groups",
]
