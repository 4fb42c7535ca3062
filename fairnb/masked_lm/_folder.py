"""Where a masked language model lies, and the digest of what is loaded from there."""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass
from pathlib import Path

from fairnb.errors import FairnbError
from fairnb.files import digest_of, inside, sha256_file

_HUB_NAME = re.compile(r"(?=.{1,96}$)[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
_READ = frozenset((".json", ".txt", ".model", ".safetensors", ".bin"))
"""Endings of the files that a tokenizer or a model reads."""
_FETCHED = ["*.json", "*.txt", "*.model", "*.safetensors"]
_COMMIT = re.compile(r"[0-9a-f]{40}")
INSTALL = "install it with: pip install 'fairnb[transformers]' torch"


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder of model files and what it is called in results."""

    path: Path
    name: str
    """As it was asked for; a folder elsewhere by its last part, so that no result names a machine's path."""
    revision: str = ""
    """Commit of the hub's repository; empty for a folder of one's own."""

    def files(self) -> tuple[Path, ...]:
        """Files that loading may read, by name."""
        return tuple(sorted(f for f in self.path.iterdir() if f.suffix in _READ and f.is_file()))

    @property
    def digest(self) -> str:
        """SHA-256 over names and contents of these files."""
        return digest_of([[file.name, sha256_file(file)] for file in self.files()])

    @property
    def touched(self) -> tuple[tuple[str, int, int], ...]:
        """What changes when a file does, without reading it."""
        return tuple((f.name, (told := f.stat()).st_mtime_ns, told.st_size) for f in self.files())


def find_model(name: str, root: Path | None = None, *, fetch: bool = True) -> ModelFolder:
    """Find a model by its folder or by its name on the Hugging Face hub.

    A folder is never looked for on the network; a name only if it is not in Hugging Face's own cache yet.

    Parameters
    ----------
    name : str
        A folder, or ``owner/name``.
    root : Path, optional
        Folder that relative paths start from and may not leave; absolute ones are then refused. By default the
        current folder, and any path goes.
    fetch : bool
        Whether the network may be asked.

    Raises
    ------
    FairnbError
        ``missing-model`` if there is no such folder and no such name could be fetched, ``path-outside``,
        ``package-missing``.
    """
    place = _from_home(name) if root is None else inside(root, name)
    mode = _mode(place)
    if stat.S_ISREG(mode):
        raise FairnbError(
            "missing-model", f"{name!r} is a file", "name the folder that the model was saved into"
        )
    if stat.S_ISDIR(mode):
        if root is None:
            return ModelFolder(place, place.resolve().name)
        found = ModelFolder(place, Path(name).as_posix())
        for file in found.files():
            inside(root, file.relative_to(root.resolve()))
        return found
    if not _HUB_NAME.fullmatch(name):
        raise FairnbError(
            "missing-model",
            f"there is no folder {name!r}, and no model can be called so",
            "name a folder with config.json, weights and tokenizer, or OWNER/NAME of the Hugging Face hub",
        )
    return _from_hub(name, fetch)


def _from_home(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:
        # There is no such person on this machine: nor is there a folder.
        return Path(name)


def _mode(place: Path) -> int:
    """What lies there; 0 for nothing, and for what no file can be called."""
    try:
        return place.stat().st_mode
    except (OSError, ValueError):
        return 0


def _from_hub(name: str, fetch: bool) -> ModelFolder:
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise FairnbError(
            "package-missing", "models by name need the package huggingface_hub", INSTALL
        ) from error
    reason = "it is not in the local cache"
    for offline in (True, False) if fetch else (True,):
        try:
            place = Path(snapshot_download(name, allow_patterns=_FETCHED, local_files_only=offline))
        except Exception as error:  # noqa: BLE001 - no network, no such name, no access: each has kinds of its own
            reason = str(error).split("\n", 1)[0].removesuffix(".")[:200]
            continue
        if (place / "config.json").is_file() and any(place.glob("*.safetensors")):
            revision = place.name if _COMMIT.fullmatch(place.name) else ""
            return ModelFolder(place, name, revision)
        reason = "it has no config.json, or no weights as safetensors"
    raise FairnbError(
        "missing-model",
        f"there is no folder {name!r}, and it could not be fetched from the Hugging Face hub ({reason})",
        "name a folder with config.json, weights and tokenizer, or fetch the model where there is a network",
    )
