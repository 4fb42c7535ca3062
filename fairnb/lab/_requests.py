"""What the browser asks for, checked, and the command that does it. Paths stay below the server's root."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from fairnb.errors import FairnbError
from fairnb.files import inside

Level = Literal["", "first-party", "second-party", "third-party"]
Redaction = Literal["", "mask", "withhold", "none"]
LEVELS = get_args(Level)[1:]

# Kinds of system that name a file.
_FILE_KINDS = ("sklearn", "keras")
_MINUTE = 60.0


def _line(longest: int) -> object:
    """A text of one line: it becomes an argument of a command."""
    return Field(max_length=longest, pattern=r"^[^\x00-\x1f\x7f]*$")


Name = Annotated[str, _line(300)]
PathText = Annotated[str, _line(2000)]


@dataclass(frozen=True)
class Command:
    """One run of `fairnb`."""

    arguments: tuple[str, ...]
    folder: Path
    seconds: float
    passphrase: str = ""


class _Request(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kernel: Annotated[str, Field(max_length=100)] | None = None
    """Id of the kernel whose interpreter runs the command; None: the server's own."""


class NewRequest(_Request):
    """Make a case."""

    title: Name = ""
    level: Level = ""
    system: Name = ""
    train: PathText = ""
    test: PathText = ""
    folder: PathText

    def command(self, root: Path) -> Command:
        """`fairnb new`, with files of the corpora and the system below the root."""
        arguments = ["new", str(below(root, self.folder))]
        given = {
            "title": self.title,
            "level": self.level,
            "system": _system(root, self.system),
            "train": _corpus(root, self.train),
            "test": _corpus(root, self.test),
        }
        # One argument each: a value that begins with a hyphen is no option.
        arguments += [f"--{name}={value}" for name, value in given.items() if value]
        return Command(tuple(arguments), root, 10 * _MINUTE)


class ExportRequest(_Request):
    """Make the audit document of a notebook."""

    path: PathText
    formats: tuple[Literal["pdf", "html", "json"], ...] = Field(min_length=1, max_length=3)
    identity: PathText = ""
    passphrase: Annotated[str, Field(max_length=1000, repr=False, pattern=r"^[^\x00]*$")] = ""
    role: Name = "assessor"
    redact: Redaction = ""

    def command(self, root: Path) -> Command:
        """`fairnb export`, in the notebook's folder."""
        notebook = existing(root, self.path)
        arguments = ["export", str(notebook), "--json", f"--to={','.join(self.formats)}"]
        if self.identity:
            arguments += [f"--sign={existing(root, self.identity)}", f"--role={self.role or 'assessor'}"]
        if self.redact:
            arguments.append(f"--redact={self.redact}")
        passphrase = self.passphrase if self.identity else ""
        return Command(tuple(arguments), notebook.parent, 60 * _MINUTE, passphrase)


class VerifyRequest(_Request):
    """Verify a document."""

    path: PathText
    trust: PathText = ""

    def command(self, root: Path) -> Command:
        """`fairnb verify`."""
        document = existing(root, self.path)
        arguments = ["verify", str(document), "--json"]
        if self.trust:
            arguments.append(f"--trust={existing(root, self.trust)}")
        return Command(tuple(arguments), document.parent, 10 * _MINUTE)


class PlanRequest(_Request):
    """Say which results of a case still hold."""

    path: PathText

    def command(self, root: Path) -> Command:
        """`fairnb run --plan`, in the notebook's folder."""
        folder = existing(root, self.path).parent
        return Command(("run", str(folder), "--plan", "--json"), folder, 5 * _MINUTE)


REQUESTS: dict[str, type[NewRequest | ExportRequest | VerifyRequest | PlanRequest]] = {
    "new": NewRequest,
    "export": ExportRequest,
    "verify": VerifyRequest,
    "plan": PlanRequest,
}
"""Kind of job -> what it is asked with."""


def below(root: Path, path: str) -> Path:
    """A path as the browser names it, made absolute; links are followed before it is judged.

    Raises
    ------
    FairnbError
        ``no-path``, ``hidden-path``; ``path-outside`` and ``bad-path`` of `fairnb.files.inside`.
    """
    inner = path.strip("/")
    if not inner:
        raise FairnbError("no-path", "no file or folder is named", "name one below the top folder")
    full = inside(root, inner)
    named = [part for part in Path(inner).parts if part not in (".", "..")]
    # A link that shows may lead to what does not.
    if any(part.startswith(".") for part in (*named, *full.relative_to(root.resolve()).parts)):
        raise FairnbError("hidden-path", f"{path!r} is hidden", "name a file that the file browser shows")
    return full


def existing(root: Path, path: str) -> Path:
    """A file below the root.

    Raises
    ------
    FairnbError
        ``missing-file``, and those of `below`.
    """
    found = below(root, path)
    if not found.is_file():
        raise FairnbError("missing-file", f"there is no file {path}", "check the path")
    return found


def _corpus(root: Path, said: str) -> str:
    from fairnb.registry import all_known

    if not said or said in {item.name for item in all_known("corpus")}:
        return said
    return str(existing(root, said))


def _system(root: Path, said: str) -> str:
    kind, colon, value = said.partition(":")
    if colon and kind in _FILE_KINDS:
        return f"{kind}:{existing(root, value)}"
    return said
