"""Labelled texts: readers, known and derived corpora, how labels answer a target."""

from fairnb.corpus._answers import answers
from fairnb.corpus._corpus import Corpus, Role
from fairnb.corpus._decode import decode
from fairnb.corpus._demo import Comment, demo_comments, demo_frame, planted
from fairnb.corpus._dice import Dice
from fairnb.corpus._guess import CorpusGuess, Guess, guess_columns
from fairnb.corpus._languages import LANGUAGE, NOT_DECLARED, language_groups
from fairnb.corpus._preview import ColumnPreview, FilePreview, preview
from fairnb.corpus._read import corpus_digest, from_frame, has_templates, read_corpus
from fairnb.corpus._spec import CorpusSpec, SubgroupColumns
from fairnb.corpus._table import Table
from fairnb.corpus._tsv import read_tsv

__all__ = [
    "LANGUAGE",
    "NOT_DECLARED",
    "ColumnPreview",
    "Comment",
    "Corpus",
    "CorpusGuess",
    "CorpusSpec",
    "Dice",
    "FilePreview",
    "Guess",
    "Role",
    "SubgroupColumns",
    "Table",
    "answers",
    "corpus_digest",
    "decode",
    "demo_comments",
    "demo_frame",
    "from_frame",
    "guess_columns",
    "has_templates",
    "language_groups",
    "planted",
    "preview",
    "read_corpus",
    "read_tsv",
]
