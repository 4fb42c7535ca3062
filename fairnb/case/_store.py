"""Results and tallies on disk, by what they depend on."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING

from fairnb.case._payload import Payload, read_payload
from fairnb.errors import FairnbError
from fairnb.files import digest_of, make_folder, write_bytes

if TYPE_CHECKING:
    from fairnb.statistics import Tally


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
        self._read: dict[Path, tuple[tuple[int, int], Payload | None]] = {}

    def results(self, section: str, target: str) -> tuple[Payload, ...]:
        """Every sound stored result of a section for a target, in the order of their names."""
        found = (self._result(path) for path in sorted(self._folder("results").glob(f"{section}-*.json")))
        return tuple(
            payload
            for payload in found
            if payload is not None and (payload.section, payload.target) == (section, target)
        )

    def result(self, section: str, target: str, content_sha256: str) -> Payload | None:
        """The stored result with this digest, if it is there."""
        return next((p for p in self.results(section, target) if p.content_sha256 == content_sha256), None)

    def save(self, payload: Payload) -> Path:
        """Write a result under the digest of its request and inputs."""
        key = digest_of({"request": payload.content.request, "inputs": payload.content.inputs})
        path = self._made("results") / f"{payload.section}-{key[:12]}.json"
        write_bytes(path, payload.to_bytes() + b"\n")
        self._read[path] = (_signature(path), payload)
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

    def _result(self, path: Path) -> Payload | None:
        try:
            signature = _signature(path)
            known = self._read.get(path)
            if known is not None and known[0] == signature:
                return known[1]
            payload = read_payload(json.loads(path.read_bytes()), path.name)
        except (OSError, ValueError, FairnbError) as error:
            reason = error.found if isinstance(error, FairnbError) else "the file cannot be read"
            self.ignored[f"results/{path.name}"] = reason
            return None
        self._read[path] = (signature, payload)
        return payload

    def _folder(self, name: str) -> Path:
        return self.folder / name

    def _made(self, name: str) -> Path:
        return make_folder(self._folder(name), "make the case folder writable")

    def _tally_path(self, digest: str, *, made: bool = False) -> Path:
        folder = self._made("tallies") if made else self._folder("tallies")
        return folder / f"{digest}.tally"


def _signature(path: Path) -> tuple[int, int]:
    """By which a file that was touched is known."""
    stat = path.stat()
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
