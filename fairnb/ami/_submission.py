"""Submissions as they arrive: a ZIP, a folder, or single files. Nothing is ever unpacked to the disk."""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from fairnb.ami._files import PATTERN, Dataset, FileName, Mode, Subtask, parse_name, raise_all, read_bytes
from fairnb.errors import FairnbError
from fairnb.files import inside

LARGEST = 64 << 20
"""Bytes a file of a submission may have; those of the task have some thousand rows of a few bytes."""
MOST = 1000
"""Files a ZIP or folder may hold."""
_ENCRYPTED = 0x1
_DRIVE = re.compile(r"[A-Za-z]:")
_REPACK = "pack the submission's files anew, by themselves, into a plain ZIP"


@dataclass(frozen=True, slots=True)
class RunFile:
    """One file of a submission."""

    name: FileName
    path: str
    """Its path in the ZIP or folder."""
    where: str
    """What errors call it."""
    data: bytes


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a team: what it handed in for either subtask."""

    team: str
    mode: Mode
    number: int
    files: tuple[RunFile, ...]

    @property
    def name(self) -> str:
        """Team, mode and number, as the files are called."""
        return f"{self.team}.{self.mode}.run{self.number}"

    def file(self, subtask: Subtask, dataset: Dataset) -> RunFile | None:
        """The file of a subtask and a set; None if there is none."""
        wanted = (subtask, dataset)
        return next((file for file in self.files if (file.name.subtask, file.name.dataset) == wanted), None)

    def has(self, subtask: Subtask) -> bool:
        """Whether anything was handed in for a subtask."""
        return any(file.name.subtask == subtask for file in self.files)


@dataclass(frozen=True, slots=True)
class Submission:
    """What was found below the paths given."""

    runs: tuple[Run, ...]
    """By team, mode and number."""
    ignored: tuple[str, ...]
    """Files that are not named as a submission's and do not look like one."""


def read_submission(paths: Sequence[Path]) -> Submission:
    """Read submissions: ZIP files, folders and single files, together.

    Parameters
    ----------
    paths : sequence of Path

    Raises
    ------
    FairnbError
        All at once: ``file-missing``; of a ZIP ``damaged-file``, ``path-outside``, ``link-in-archive``,
        ``encrypted-file``, ``too-large``, ``too-many-files``; of names ``bad-submission-name``,
        ``file-twice``, ``run-twice`` (a run is constrained or unconstrained), ``missing-file`` (a part of
        subtask B), ``no-synthetic-in-a``; ``empty-submission``.
    """
    errors: list[FairnbError] = []
    submission = gather(paths, errors)
    raise_all(errors)
    return submission


def gather(paths: Sequence[Path], errors: list[FairnbError]) -> Submission:
    """What `read_submission` reads, as far as it can be read; what it would raise is added to `errors`."""
    found: list[RunFile] = []
    ignored: list[str] = []
    for path in paths:
        try:
            for inner, where, data in members(path, errors):
                name = parse_name(PurePosixPath(inner).name)
                if name is not None:
                    found.append(RunFile(name, inner, where, data))
                elif "run" in PurePosixPath(inner).name.lower() or is_single(path):
                    errors.append(
                        FairnbError(
                            "bad-submission-name",
                            f"the file is called {PurePosixPath(inner).name!r}",
                            f"name it {PATTERN}, with or without .tsv",
                            where=where,
                        )
                    )
                else:
                    ignored.append(where)
        except FairnbError as error:
            errors.append(error)
    errors += _odd(found)
    if not found and not errors:
        errors.append(
            FairnbError(
                "empty-submission",
                "there is no file of a submission",
                f"name its files {PATTERN}",
                where=", ".join(path.name for path in paths),
            )
        )
    runs: dict[tuple[str, Mode, int], list[RunFile]] = {}
    for file in found:
        runs.setdefault((file.name.team, file.name.mode, file.name.run), []).append(file)
    return Submission(tuple(Run(*key, tuple(files)) for key, files in sorted(runs.items())), tuple(ignored))


def members(path: Path, errors: list[FairnbError]) -> Iterator[tuple[str, str, bytes]]:
    """Each file of a ZIP or folder, or the file itself: path inside, name for errors, bytes.

    What is wrong with one file is added to `errors`; what is wrong with the whole is raised.
    """
    if path.is_dir():
        yield from _of_folder(path, errors)
    elif _is_zip(path):
        yield from _of_zip(path, errors)
    else:
        _refuse_large(path.stat().st_size if path.exists() else 0, path.name)
        yield path.name, path.name, read_bytes(path)


def is_single(path: Path) -> bool:
    """Whether a path is one file of a submission by itself."""
    return not path.is_dir() and not _is_zip(path)


def _is_zip(path: Path) -> bool:
    return path.suffix.lower() == ".zip" or (path.is_file() and zipfile.is_zipfile(path))


def _is_noise(path: PurePosixPath) -> bool:
    """What file managers leave behind."""
    return "__MACOSX" in path.parts or path.name.startswith(".") or path.name == "Thumbs.db"


def _of_folder(folder: Path, errors: list[FairnbError]) -> Iterator[tuple[str, str, bytes]]:
    seen = 0
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder).as_posix()
        if _is_noise(PurePosixPath(inner)):
            continue
        seen += 1
        if seen > MOST:
            raise _too_many(folder.name)
        where = f"{folder.name}/{inner}"
        try:
            full = inside(folder, inner)
            if full.is_dir():
                continue
            _refuse_large(full.stat().st_size, where)
            yield inner, where, read_bytes(full)
        except FairnbError as error:
            errors.append(error)
        except OSError as error:
            errors.append(
                FairnbError("file-missing", f"it cannot be read ({error.strerror})", "check it", where=where)
            )


def _of_zip(path: Path, errors: list[FairnbError]) -> Iterator[tuple[str, str, bytes]]:
    try:
        with zipfile.ZipFile(path) as archive:
            if len(archive.infolist()) > MOST:
                raise _too_many(path.name)
            for info in archive.infolist():
                inner = PurePosixPath(info.filename.replace("\\", "/"))
                if info.filename.endswith("/") or (_is_noise(inner) and not _leads_out(inner)):
                    continue
                where = f"{path.name}/{info.filename}"
                try:
                    yield info.filename, where, _unpacked(archive, info, inner, where)
                except FairnbError as error:
                    errors.append(error)
    # NotImplementedError is zipfile's word for a compression that this Python cannot unpack.
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, zlib.error) as error:
        raise FairnbError(
            "damaged-file", f"it is no whole ZIP file ({error})", _REPACK, where=path.name
        ) from error
    except OSError as error:
        raise FairnbError(
            "file-missing",
            f"the file cannot be read ({error.strerror or error})",
            "check the path",
            where=path.name,
        ) from error


def _leads_out(inner: PurePosixPath) -> bool:
    return inner.is_absolute() or ".." in inner.parts or _DRIVE.match(str(inner)) is not None


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, inner: PurePosixPath, where: str) -> bytes:
    if _leads_out(inner):
        raise FairnbError(
            "path-outside", f"the path {info.filename!r} leads out of the archive", _REPACK, where=where
        )
    if stat.S_ISLNK(info.external_attr >> 16):
        raise FairnbError("link-in-archive", "it is a link, not a file", _REPACK, where=where)
    if info.flag_bits & _ENCRYPTED:
        raise FairnbError("encrypted-file", "it is encrypted", _REPACK, where=where)
    _refuse_large(info.file_size, where)
    with archive.open(info) as stream:
        # The size an archive declares need not be true.
        data = stream.read(LARGEST + 1)
    _refuse_large(len(data), where)
    return data


def _refuse_large(size: int, where: str) -> None:
    if size > LARGEST:
        raise FairnbError(
            "too-large", f"it holds more than {LARGEST >> 20} MiB", "hand in ids and labels only", where=where
        )


def _too_many(where: str) -> FairnbError:
    return FairnbError("too-many-files", f"it holds more than {MOST:,} files", _REPACK, where=where)


def _odd(files: Sequence[RunFile]) -> Iterator[FairnbError]:
    """What is wrong with the files of a submission as a set."""
    seen: dict[FileName, RunFile] = {}
    modes: dict[tuple[str, Subtask, int], RunFile] = {}
    for file in files:
        name = file.name
        if name.subtask == "A" and name.dataset == "s":
            yield FairnbError(
                "no-synthetic-in-a",
                "subtask A has no synthetic set",
                f"call it {name.team}.B.s.{name.mode}.run{name.run} if it belongs to subtask B",
                where=file.where,
            )
        if name in seen:
            yield FairnbError(
                "file-twice",
                f"the same file is {seen[name].where}",
                "leave one of them out",
                where=file.where,
            )
            continue
        seen[name] = file
        other = modes.setdefault((name.team, name.subtask, name.run), file)
        if other.name.mode != name.mode:
            yield FairnbError(
                "run-twice",
                f"run {name.run} of subtask {name.subtask} is constrained and unconstrained ({other.where})",
                "give each run a number of its own",
                where=file.where,
            )
    for name, file in seen.items():
        if name.subtask != "B":
            continue
        missing = FileName(name.team, "B", "r" if name.dataset == "s" else "s", name.mode, name.run)
        if missing not in seen:
            yield FairnbError(
                "missing-file",
                f"its {'raw' if missing.dataset == 'r' else 'synthetic'} file {missing} is missing",
                "hand in both: Score B needs them",
                where=file.where,
            )
