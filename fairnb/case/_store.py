"""Results and tallies on disk, by what they depend on."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fairnb.case._payload import Payload, read_payload
from fairnb.errors import FairnbError
from fairnb.files import digest_of, make_folder, write_bytes

if TYPE_CHECKING:
    from fairnb.statistics import Tally


_WHOLE = 3
"""Results of one section for one target that are kept in memory: a slider leaves hundreds behind."""


class _Head(NamedTuple):
    """What a result is found by."""

    section: str
    target: str
    request: str
    content_sha256: str


class Store:
    """The folder `.fairnb` of a case: `results/ID-DIGEST12.json` and `tallies/DIGEST.tally`.

    A damaged file is passed over, so that its result is computed again, and noted in `ignored`.

    Parameters
    ----------
    folder : Path
        Made when first written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ignored: dict[str, str] = {}
        """Name of each damaged file -> what is wrong with it."""
        self._sound: set[str] = set()
        self._last: Tally | None = None
        self._heads: dict[Path, tuple[tuple[int, int], _Head]] = {}
        self._whole: dict[tuple[str, str], dict[Path, Payload]] = {}

    def requested(self, section: str, target: str, request: str) -> Iterator[Payload]:
        """Every sound stored result that answers a request, in the order of their names."""
        for path, head in self._stored(section, target):
            if head.request == request and (payload := self._payload(path)) is not None:
                yield payload

    def result(self, section: str, target: str, content_sha256: str) -> Payload | None:
        """The stored result with this digest, if it is there."""
        for path, head in self._stored(section, target):
            if head.content_sha256 == content_sha256:
                return self._payload(path)
        return None

    def save(self, payload: Payload) -> Path:
        """Write a result under the digest of its request and inputs."""
        key = digest_of({"request": payload.content.request, "inputs": payload.content.inputs})
        path = self._made("results") / f"{payload.section}-{key[:12]}.json"
        write_bytes(path, payload.to_bytes() + b"\n")
        self._keep(path, _signature(path), payload)
        return path

    def save_tally(self, tally: Tally) -> None:
        """Write a tally's bytes under its digest; one that is there already is left alone."""
        if not self.has_tally(tally.digest):
            write_bytes(self._tally_path(tally.digest, made=True), tally.to_bytes())
            self._sound.add(tally.digest)
        self._last = tally

    def counted(self, digest: str) -> Tally | None:
        """A stored tally, unpacked; None if it is missing or damaged."""
        from fairnb.statistics import Tally

        if self._last is not None and self._last.digest == digest:
            return self._last
        data = self.tally(digest)
        return None if data is None else Tally.from_bytes(data)

    def tally(self, digest: str) -> bytes | None:
        """Bytes of a tally, or None if it is missing or damaged."""
        from fairnb.statistics import Tally

        path = self._tally_path(digest)
        if not path.is_file():
            return None
        data = path.read_bytes()
        try:
            sound = Tally.from_bytes(data).digest == digest
        except FairnbError:
            sound = False
        if not sound:
            self.ignored[f"tallies/{path.name}"] = "the tally was altered"
            return None
        self._sound.add(digest)
        return data

    def has_tally(self, digest: str) -> bool:
        """Whether a sound tally is there; one that was seen to be sound is not decoded again."""
        return (digest in self._sound and self._tally_path(digest).is_file()) or self.tally(
            digest
        ) is not None

    def _stored(self, section: str, target: str) -> Iterator[tuple[Path, _Head]]:
        """Every sound stored result of a section for a target, in the order of their names."""
        for path in sorted(self._folder("results").glob(f"{section}-*.json")):
            head = self._head(path)
            if head is None and self._payload(path) is not None:
                head = self._head(path)
            if head is not None and head[:2] == (section, target):
                yield path, head

    def _head(self, path: Path) -> _Head | None:
        """What is known of a file that has not been touched since it was read."""
        known = self._heads.get(path)
        return known[1] if known is not None and known[0] == _signature(path) else None

    def _payload(self, path: Path) -> Payload | None:
        """A stored result; None if it is damaged."""
        head = self._head(path)
        kept = None if head is None else self._whole.get(head[:2], {}).get(path)
        if kept is not None:
            return kept
        signature = _signature(path)
        try:
            payload = read_payload(json.loads(path.read_bytes()), path.name)
        except (OSError, ValueError, FairnbError) as error:
            reason = error.found if isinstance(error, FairnbError) else "the file cannot be read"
            self.ignored[f"results/{path.name}"] = reason
            return None
        self._keep(path, signature, payload)
        return payload

    def _keep(self, path: Path, signature: tuple[int, int], payload: Payload) -> None:
        head = _Head(payload.section, payload.target, payload.content.request, payload.content_sha256)
        self._heads[path] = (signature, head)
        kept = self._whole.setdefault(head[:2], {})
        kept.pop(path, None)
        kept[path] = payload
        while len(kept) > _WHOLE:
            del kept[next(iter(kept))]

    def _folder(self, name: str) -> Path:
        return self.folder / name

    def _made(self, name: str) -> Path:
        return make_folder(self._folder(name), "make the case folder writable")

    def _tally_path(self, digest: str, *, made: bool = False) -> Path:
        folder = self._made("tallies") if made else self._folder("tallies")
        return folder / f"{digest}.tally"


def _signature(path: Path) -> tuple[int, int]:
    """By which a file that was touched is known; one that is gone has none of a file's."""
    try:
        stat = path.stat()
    except OSError:
        return -1, -1
    return stat.st_mtime_ns, stat.st_size


def as_base64(data: bytes) -> str:
    """Bytes as the evidence holds them."""
    return base64.b64encode(data).decode("ascii")


def redaction_key(folder: Path) -> bytes:
    """The case's own 32 random bytes for keyed digests of texts, made when first asked for.

    They never leave the case folder: without them a reader cannot try texts against a digest.
    """
    import secrets

    path = folder / "redaction.key"
    if not path.is_file():
        make_folder(folder, "make the case folder writable")
        write_bytes(path, secrets.token_bytes(32))
        path.chmod(0o600)
    return path.read_bytes()
