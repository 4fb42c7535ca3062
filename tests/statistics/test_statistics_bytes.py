"""Bytes of a tally: small enough for a document, and never believed when damaged."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairnb.errors import ExitCode, FairnbError
from fairnb.statistics import Tally, tally

HEAD = len(b"fairnb-tally") + 1


def counted(n=200, **options):
    random = np.random.default_rng(3)
    scores = random.random(n).astype(np.float32)
    groups = random.random((n, 2)) < 0.3
    names = ("gender/female", "gender/male")
    thresholds = (0.25, 0.5)
    return tally(random.integers(-1, 2, n), scores, groups, names, thresholds=thresholds, **options)


EXAMPLE = counted(clusters=[str(row % 7) for row in range(200)])
DATA = EXAMPLE.to_bytes()
CONTENT = zlib.decompress(DATA[HEAD:])


def repacked(content):
    return DATA[:HEAD] + zlib.compress(content)


def refused(data):
    with pytest.raises(FairnbError) as raised:
        Tally.from_bytes(data)
    assert raised.value.exit_code == ExitCode.NOT_INTACT
    return raised.value.code == "damaged-tally"


def test_the_digest_does_not_depend_on_how_bytes_were_compressed():
    assert Tally.from_bytes(DATA[:HEAD] + zlib.compress(CONTENT, 1)).digest == EXAMPLE.digest


def test_the_finest_shift_that_fits_the_limit_is_stored_and_says_so():
    whole = counted(40_000)
    limit = len(whole.coarsened(11).to_bytes()) + 1
    stored = Tally.from_bytes(whole.to_bytes(limit))
    assert len(whole.to_bytes(limit)) <= limit
    assert stored.shift == 11
    assert stored.digest == whole.fitted(limit).digest != whole.digest
    # Counts at configured thresholds survive any coarsening.
    assert stored.confusion(0.25) == whole.confusion(0.25)


def test_a_million_rows_fit_a_document():
    random = np.random.default_rng(0)
    scores = random.random(1_000_000).astype(np.float32)
    data = tally(random.integers(0, 2, 1_000_000), scores).to_bytes()
    assert len(data) <= 1_000_000


def test_what_does_not_fit_even_at_its_coarsest_is_told():
    with pytest.raises(FairnbError) as raised:
        EXAMPLE.to_bytes(50)
    assert raised.value.code == "tally-too-large"


def test_the_bytes_do_not_depend_on_what_clusters_are_called():
    names = [f"author-{row % 7}" for row in range(200)]
    assert counted(clusters=names).to_bytes() == DATA
    assert b"author" not in zlib.decompress(counted(clusters=names).to_bytes()[HEAD:])


def test_a_million_authors_take_no_more_bytes_than_two_hundred():
    random = np.random.default_rng(0)
    labels, scores = random.integers(0, 2, 1_000_000), random.integers(0, 50, 1_000_000) / 50
    few, many = (
        tally(labels, scores, thresholds=[0.5], clusters=np.arange(1_000_000) % authors).to_bytes()
        for authors in (200, 1_000_000)
    )
    assert len(many) < len(few) + 50


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(data):
    assert refused(data)
    assert refused(DATA[:HEAD] + data)
    assert refused(repacked(data))


@given(st.integers(0, len(DATA) - 1))
def test_a_tally_cut_short_is_refused(length):
    assert refused(DATA[:length])
    assert refused(repacked(CONTENT[: length % len(CONTENT)]))


@given(st.integers(0, len(CONTENT) - 1), st.integers(1, 255))
def test_content_with_a_byte_changed_is_refused_or_is_another_whole_tally(at, change):
    content = bytearray(CONTENT)
    content[at] ^= change
    try:
        other = Tally.from_bytes(repacked(bytes(content)))
    except FairnbError:
        assert refused(repacked(bytes(content)))
        return
    assert other.digest != EXAMPLE.digest
    # Whatever passes can be measured: no part is larger than the whole.
    for group in ("", *other.groups, *(f"~{name}" for name in other.groups)):
        assert min(other.confusion(0.25, group)) >= 0
        assert min(other.confusion(0.4, group)) >= 0
        other.auc(group)


def test_trailing_bytes_are_refused():
    assert refused(DATA + b"\0")
    assert refused(repacked(CONTENT + b"\0"))


def test_a_bomb_is_not_unpacked():
    assert refused(DATA[:HEAD] + zlib.compress(bytes(200 * 2**20)))


def test_a_later_format_asks_for_a_later_fairnb():
    with pytest.raises(FairnbError) as raised:
        Tally.from_bytes(DATA[: HEAD - 1] + b"\2" + DATA[HEAD:])
    assert raised.value.code == "newer-tally"
