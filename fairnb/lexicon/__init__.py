"""Word groups, their corrections and swap pairs, and the matcher that finds them in texts.

The packaged lexicon is English and Italian. The English edition ``as printed`` is Appendix D of the
paper with the terms of Table 4; ``corrected``, the default, leaves out words that mostly mean something
else, puts misspellings right and adds subgroups, each with its reason (see ``data/en.toml``). The Italian
one has words for women and men (``data/it.toml``) and no swap pairs: what agrees with a word would have to
change with it.

An own lexicon is one TOML file per language, named by ``path`` in the case file's ``[lexicon]``::

    language = "en"
    extends = false                     # true: added to the packaged lexicon
    source = "word list of the ombudsperson, 2025"

    [attributes.gender]
    female = ["woman", "women"]
    male = ["man", "men"]

    [[identity_terms]]
    term = "woman"
    attribute = "gender"
    subgroup = "female"

    [[pairs]]
    attribute = "gender"
    first_subgroup = "male"
    first = "man"
    second_subgroup = "female"
    second = "woman"
    swap = "both"                       # both | forward | backward | none

    [[stop_phrases]]
    phrase = "man made"
    reason = "a thing"
    terms = ["man"]                     # left out: every term inside
"""

from fairnb.lexicon._lexicon import Excluded, IdentityTerm, Lexicon, SwapPair
from fairnb.lexicon._load import load_lexicon, word_groups
from fairnb.lexicon._matcher import Hits, Matcher, Rule, StopPhrase
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
