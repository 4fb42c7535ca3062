r"""The corpus of the assessment-process paper and its split.

The corpus is davidson followed by olid, each in the order of its file. A row is positive (1) if its
davidson class is 0 or 1, or its olid label OFF, and negative (0) otherwise.

The split: for each row, SHA-256 is taken over the UTF-8 bytes of the seed, the source's name and the
row's number in its file (the first row under the header is 0), joined by tabs: ``0\tdavidson\t0`` is
the first row of davidson under the seed 0. The 2,502 positive rows and the 1,301 negative rows with
the smallest digests are the test part, all others the training part; both keep the corpus's order.
Neither a library's version nor a random number generator has a part in it.

Source: paper section 4 and Table 4; its own split is not published.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import chain

from fairnb.corpus._corpus import Corpus, Role
from fairnb.registry import known

_SEED = 0
_TEST_ROWS = {1: 2502, 0: 1301}


def corpus(name: str, role: Role, sources: Sequence[Corpus]) -> Corpus:
    """Build ``paper``, ``paper-train`` or ``paper-test`` from davidson and olid.

    Parameters
    ----------
    name : str
    role : {"train", "test", "synthetic"}
    sources : sequence of Corpus
        davidson, then olid. Ids become ``davidson:ID`` and ``olid:ID``.
    """
    labels = [int(label in known(source.name).positive) for source in sources for label in source.labels]
    in_test = rows_for_test([(source.name, len(source)) for source in sources], labels)
    rows = [
        row for row in range(len(labels)) if name == "paper" or (row in in_test) == (name == "paper-test")
    ]
    texts = list(chain.from_iterable(source.texts for source in sources))
    ids = [f"{source.name}:{one}" for source in sources for one in source.ids]
    return Corpus(
        name=name,
        role=role,
        texts=tuple(texts[row] for row in rows),
        labels=tuple(labels[row] for row in rows),
        ids=tuple(ids[row] for row in rows),
        facts={
            "source": name,
            "format": "derived",
            "parts": {source.name: len(source) for source in sources},
            "split": "" if name == "paper" else _SPLIT,
        },
    )


def rows_for_test(
    sources: Sequence[tuple[str, int]], labels: Sequence[int], *, seed: int = _SEED
) -> frozenset[int]:
    """Choose the rows of the test part; see the module's text.

    Parameters
    ----------
    sources : sequence of (str, int)
        Names and numbers of rows, in the order of the rows.
    labels : sequence of int
        1 or 0 for each row of all sources.
    seed : int
    """
    order = [
        hashlib.sha256(f"{seed}\t{name}\t{row}".encode()).digest()
        for name, rows in sources
        for row in range(rows)
    ]
    chosen: set[int] = set()
    for label, wanted in _TEST_ROWS.items():
        of_class = [row for row, own in enumerate(labels) if own == label]
        chosen.update(sorted(of_class, key=order.__getitem__)[:wanted])
    return frozenset(chosen)


_SPLIT = (
    "Rows are ordered by SHA-256 of seed 0, source and row within each class; the first 2,502 positive and "
    "1,301 negative rows are the test part. The paper's own split is not published."
)
