"""Labelled texts: readers, known and derived corpora, how labels answer a target."""

from fairnb.corpus._answers import answers
from fairnb.corpus._corpus import Corpus, Role
from fairnb.corpus._demo import Comment, demo_comments, demo_frame, planted
from fairnb.corpus._guess import CorpusGuess, Guess, guess_columns
from fairnb.corpus._read import corpus_digest, from_frame, has_templates, read_corpus
from fairnb.corpus._spec import CorpusSpec, SubgroupColumns

__all__ = [
    "Comment",
    "Corpus",
    "CorpusGuess",
    "CorpusSpec",
    "Guess",
    "Role",
    "SubgroupColumns",
    "answers",
    "corpus_digest",
    "demo_comments",
    "demo_frame",
    "from_frame",
    "guess_columns",
    "has_templates",
    "planted",
    "read_corpus",
]
