"""Word vectors and the bias in them: readers, disparities between subgroups, nulls, association tests.

Vectors are read from GloVe and word2vec text, word2vec binary, gensim's KeyedVectors, arrays, Keras models
and packages; each source is converted once to a matrix that is memory-mapped.
"""

from fairnb.embedding._disparity import Disparity, disparity, disparity_of, similarity
from fairnb.embedding._embedding import Case, Embedding, Rows, from_arrays
from fairnb.embedding._lists import Covered, Duplicates, Units, covered, lemmas, units
from fairnb.embedding._neutral import NeutralWords, own_neutral_words, read_neutral_words
from fairnb.embedding._null import Null, WithoutOne, disparity_null, leave_one_out, neutral_interval
from fairnb.embedding._open import (
    OwnLayer,
    embeddings_digest,
    embeddings_touched,
    load_embeddings,
    open_embedding,
)
from fairnb.embedding._spec import EmbeddingSpec, Relation
from fairnb.embedding._weat import Weat, association, effect_size, weat, weat_null

__all__ = [
    "Case",
    "Covered",
    "Disparity",
    "Duplicates",
    "Embedding",
    "EmbeddingSpec",
    "NeutralWords",
    "Null",
    "OwnLayer",
    "Relation",
    "Rows",
    "Units",
    "Weat",
    "WithoutOne",
    "association",
    "covered",
    "disparity",
    "disparity_null",
    "disparity_of",
    "effect_size",
    "embeddings_digest",
    "embeddings_touched",
    "from_arrays",
    "leave_one_out",
    "lemmas",
    "load_embeddings",
    "neutral_interval",
    "open_embedding",
    "own_neutral_words",
    "read_neutral_words",
    "similarity",
    "units",
    "weat",
    "weat_null",
]
