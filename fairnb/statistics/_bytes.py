"""A tally as bytes: delta-coded, compressed, and read back without trust."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fairnb.errors import ExitCode, FairnbError
from fairnb.files import canonical_json, sha256
from fairnb.statistics._arrays import Counts, read_only
from fairnb.statistics._clusters import ClusterSums
from fairnb.statistics._keys import SHIFTS, TOP, TYPES
from fairnb.statistics._memo import of_entries
from fairnb.statistics._plausible import check_tally, require

if TYPE_CHECKING:
    from fairnb.statistics._tally import Tally

MAGIC = b"fairnb-tally"
VERSION = 1
LIMIT = 1_000_000
"""Bytes a tally may take in a document."""
_STORED = "_stored"
"""Where a tally keeps the bytes that were made of it, as it keeps its digest."""
_HALF = 62
"""Bits of a product's lower half: products of scores are stored in two."""
LARGEST = 64 * 2**20
"""Bytes of content that are written or unpacked at most."""
MOST_ENTRIES = 4_000_000
"""Entries that are written or read at most: read, each takes far more bytes than it does packed."""


def digest(tally: Tally) -> str:
    """SHA-256 of the content before compression, which does not depend on the version of zlib."""
    return sha256(b"".join(_content(tally)))


def encode(tally: Tally, limit: int | None) -> tuple[Tally, bytes]:
    """The tally at the finest shift whose bytes fit, and those bytes.

    Raises
    ------
    FairnbError
        ``tally-too-large`` if even the coarsest does not fit.
    """
    known = vars(tally).get(_STORED)
    if known is not None and (limit is None or len(known) <= limit):
        return tally, known
    for shift in SHIFTS:
        if shift < tally.shift:
            continue
        fitting = tally.coarsened(shift)
        content = _content(fitting)
        data = _packed(fitting, content)
        fits = len(fitting.entries) <= MOST_ENTRIES and sum(map(len, content)) <= LARGEST
        if fits and (limit is None or len(data) <= limit):
            # What is fitted is stored and digested next: neither packs it a second time.
            vars(fitting)[_STORED] = data
            vars(fitting)["digest"] = sha256(b"".join(content))
            return fitting, data
    raise FairnbError(
        "tally-too-large",
        f"a tally of {len(tally.names)} groups takes {len(data):,} bytes at its coarsest",
        f"count fewer groups or pairs, so that it fits {limit or LARGEST:,} bytes",
    )


def sizes(tally: Tally) -> Iterator[tuple[int, int]]:
    """Each shift that a tally may still be coarsened by, finest first, and the bytes it then takes."""
    for shift in SHIFTS:
        if shift >= tally.shift:
            coarsened = tally.coarsened(shift)
            yield shift, len(_packed(coarsened, _content(coarsened)))


def decode(data: bytes, kind: type[Tally]) -> Tally:
    """Tally from bytes; see `Tally.from_bytes`."""
    head = len(MAGIC) + 1
    if data[: len(MAGIC)] != MAGIC or len(data) <= head:
        raise _damaged("these bytes do not begin as a tally does")
    if data[len(MAGIC)] > VERSION:
        raise FairnbError(
            "newer-tally",
            f"a tally of format {data[len(MAGIC)]}, where this fairnb knows {VERSION}",
            "read it with a later fairnb",
        )
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(data[head:], LARGEST)
    except zlib.error as error:
        raise _damaged("the tally's bytes cannot be unpacked") from error
    if not unpacker.eof or unpacker.unused_data or data[len(MAGIC)] != VERSION:
        raise _damaged("the tally's bytes are cut short or followed by others")
    try:
        return _parsed(content, kind)
    except (ValueError, KeyError, TypeError, OverflowError, struct.error, RecursionError) as error:
        raise _damaged("the tally's content does not have its form") from error


def _damaged(found: str) -> FairnbError:
    return FairnbError(
        "damaged-tally",
        found,
        "take the file again from where it came, or run the section again",
        exit_code=ExitCode.NOT_INTACT,
    )


# ---- writing


class _Content(NamedTuple):
    """Content in three parts; the large one in the middle is the same whatever the thresholds."""

    head: bytes
    body: bytes
    tail: bytes


def _packed(tally: Tally, content: _Content) -> bytes:
    """Content as one zlib stream, whose parts are compressed apart: the body's bytes serve every threshold."""
    head, body, tail = content
    total = zlib.adler32(tail, zlib.adler32(body, zlib.adler32(head)))
    return b"".join(
        (
            MAGIC,
            bytes([VERSION]),
            b"\x78\x9c",
            _deflated(head, zlib.Z_FULL_FLUSH),
            _packed_body(tally),
            _deflated(tail, zlib.Z_FINISH),
            struct.pack(">I", total),
        )
    )


def _deflated(part: bytes, end: int) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(part) + packer.flush(end)


@of_entries
def _packed_body(tally: Tally) -> bytes:
    return _deflated(_body(tally), zlib.Z_FULL_FLUSH)


@of_entries
def _body(tally: Tally) -> bytes:
    """The arrays that do not depend on thresholds."""
    keys = (tally.entries & np.uint64(0xFFFFFFFF)).astype(np.int64)
    steps = np.diff(keys, prepend=0)
    # The first key of a cell stands whole: keys start anew there.
    first = tally.starts[:-1][np.diff(tally.starts) > 0]
    steps[first] = keys[first]
    blocks = (
        np.diff(tally.starts),
        steps,
        tally.counts - 1,
        tally.unscored_counts,
        tally.unlabelled_counts,
    )
    return b"".join(map(_planes, blocks))


def _content(tally: Tally) -> _Content:
    """Header and arrays; the same tally gives the same bytes."""
    sums = tally.clusters
    header = canonical_json(
        {
            "names": list(tally.names),
            "thresholds": list(tally.thresholds),
            "dtype": tally.dtype,
            "shift": tally.shift,
            "entries": len(tally.entries),
            "clusters": None if sums is None else len(sums.pairs),
        }
    )
    blocks: list[npt.NDArray[Any]] = [tally.flagged]
    if sums is not None:
        high, low = sums.scores >> _HALF, sums.scores & (2**_HALF - 1)
        blocks += [sums.pairs, sums.counted, sums.totals, sums.rows, high, low, sums.flagged]
    head = struct.pack("<I", len(header)) + header
    return _Content(head, _body(tally), b"".join(map(_planes, blocks)))


def _planes(block: npt.NDArray[Any]) -> bytes:
    """Width in bytes of the largest value, then the values' lowest bytes, their second bytes, and so on."""
    flat = np.ascontiguousarray(block, "<u8").reshape(-1)
    width = max(1, (int(flat.max(initial=0)).bit_length() + 7) // 8)
    return bytes([width]) + flat.view(np.uint8).reshape(-1, 8).T[:width].tobytes()


# ---- reading


class _Reader:
    """Takes blocks of known length from the content; none asks for more memory than 8 x its bytes."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def take(self, size: int) -> bytes:
        if not 0 <= size <= len(self.content) - self.at:
            raise ValueError
        self.at += size
        return self.content[self.at - size : self.at]

    def unsigned(self, *shape: int) -> npt.NDArray[np.uint64]:
        length = 1
        for side in shape:
            length *= side
        width = self.take(1)[0]
        if not 1 <= width <= 8:
            raise ValueError
        planes = np.frombuffer(self.take(width * length), np.uint8).reshape(width, length)
        whole = np.zeros((length, 8), np.uint8)
        whole[:, :width] = planes.T
        return whole.view("<u8").astype(np.uint64).reshape(shape)

    def counts(self, *shape: int) -> Counts:
        block = self.unsigned(*shape)
        if len(block.reshape(-1)) and int(block.max()) >= 2**62:
            raise ValueError
        return block.astype(np.int64)


def _parsed(content: bytes, kind: type[Tally]) -> Tally:
    reader = _Reader(content)
    header = json.loads(reader.take(struct.unpack("<I", reader.take(4))[0]))
    names, thresholds = tuple(header["names"]), tuple(float(one) for one in header["thresholds"])
    shift, size, clusters = header["shift"], header["entries"], header["clusters"]
    whole = all(type(one) is int for one in (shift, size, 0 if clusters is None else clusters))
    require(whole and shift in SHIFTS and header["dtype"] in TYPES)
    require(all(isinstance(name, str) for name in names) and names[:1] == ("",))
    require(len(set(names)) == len(names) and all(np.isfinite(thresholds)))
    require(list(thresholds) == sorted(set(thresholds)) and all(0 <= one <= 1 for one in thresholds))
    require(size <= MOST_ENTRIES)

    groups = len(names)
    lengths = reader.counts(2 * groups)
    require(sum(lengths.tolist()) == size)
    steps = reader.counts(size)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    first = np.zeros(size, bool)
    first[starts[:-1][lengths > 0]] = True
    require(bool(np.all(steps[~first] > 0)) and bool(np.all(steps <= TOP >> shift)))
    running = np.cumsum(steps)
    before = np.repeat(running[first] - steps[first], lengths[lengths > 0])
    keys = running - before
    require(bool(np.all(keys <= TOP >> shift)))
    cells = np.repeat(np.arange(2 * groups, dtype=np.uint64), lengths)
    clustered = None
    counts = reader.counts(size) + 1
    unscored, unlabelled = reader.counts(groups, 2), reader.counts(groups)
    flagged = reader.counts(len(thresholds), groups, 2)
    if clusters is not None:
        # Each pair that was asked for is a group of its own; more of them would take memory before they are looked at.
        require(2 * groups - 1 <= clusters <= 3 * groups - 2)
        clustered = _parsed_sums(reader, groups, clusters, len(thresholds))
    require(reader.at == len(content))
    tally = kind(
        names=names,
        entries=read_only(cells << np.uint64(32) | keys.astype(np.uint64)),
        counts=read_only(counts),
        unscored_counts=read_only(unscored),
        unlabelled_counts=read_only(unlabelled),
        thresholds=thresholds,
        flagged=read_only(flagged),
        dtype=header["dtype"],
        shift=shift,
        clusters=clustered,
    )
    check_tally(tally)
    require(b"".join(_content(tally)) == content)
    return tally


def _parsed_sums(reader: _Reader, groups: int, pairs: int, thresholds: int) -> ClusterSums:
    kept, counted = reader.counts(pairs, 2), reader.counts(groups, 2, 3)
    totals, rows = reader.counts(groups, 2), reader.counts(pairs, 2, 2)
    high, low = (reader.counts(pairs, 3, 2, 2).astype(object) for _ in range(2))
    flagged = reader.counts(thresholds, pairs, 3, 2, 2)
    arrays = (kept, counted, totals, rows, high * 2**_HALF + low, flagged)
    return ClusterSums(*map(read_only, arrays))
