"""Verbs about known data, identities and reviews by a person."""

from __future__ import annotations

import getpass
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from fairnb.cli._app import Json, app, put, say
from fairnb.files import plain

data_app = App(name="data", help="Known corpora, systems and embeddings.", help_format="plaintext")
identity_app = App(name="identity", help="The key and certificate you sign with.", help_format="plaintext")
review_app = App(name="review", help="Let a person check mentions and labels.", help_format="plaintext")
app.command(data_app)
app.command(identity_app)
app.command(review_app)


@data_app.command(name="list")
def data_list() -> None:
    """List what fairnb knows by name."""
    from fairnb.registry import all_known, status

    for item in all_known():
        sys.stdout.write(f"{item.name:<26} {item.kind:<11} {status(item.name):<14} {item.licence}\n")


@data_app.command(name="show")
def data_show(name: str, /) -> None:
    """Show licence, size, address and digests of a known thing.

    Parameters
    ----------
    name : str
        As `fairnb data list` prints it.
    """
    from fairnb.registry import known, status

    item = known(name)
    rows = {
        "name": item.name,
        "kind": item.kind,
        "title": item.title,
        "state": status(name),
        "licence": item.licence,
        "size": f"{item.size:,} bytes" if item.size else "",
        "address": item.address,
        "package": item.package,
        "derived from": ", ".join(item.derived_from),
        "about": item.description,
        "note": item.notes,
    }
    for heading, value in rows.items():
        if value:
            sys.stdout.write(f"{heading:<13} {value}\n")
    for file in item.files:
        sys.stdout.write(f"{'sha256':<13} {file.sha256}  {file.path}\n")


@data_app.command(name="fetch")
def data_fetch(name: str, /, *, source: Annotated[Path | None, Parameter(name="--from")] = None) -> None:
    """Copy a known corpus from your own copy into fairnb's data folder, checked by digest.

    Parameters
    ----------
    name : str
        As `fairnb data list` prints it.
    source : Path
        Folder that holds your copy; searched for files by digest.
    """
    from fairnb.registry import fetch

    say(f"{name} is ready in {fetch(name, source)}")


@identity_app.command(name="new")
def identity_new(
    file: Path,
    /,
    *,
    name: str = "",
    organisation: str = "",
    passphrase_file: Path | None = None,
) -> None:
    """Make a key and a self-signed certificate to sign with.

    Parameters
    ----------
    file : Path
        Identity file (.p12) to write; the certificate for receivers goes beside it (.pem).
    name : str
        Name on the certificate; by default your user name.
    organisation : str
        Organisation on the certificate.
    passphrase_file : Path
        File whose first line is the passphrase.
    """
    from fairnb.report import new_identity, passphrase_from

    passphrase = passphrase_from(passphrase_file, confirm=True)
    made = new_identity(
        file, name=name or getpass.getuser(), organisation=organisation, passphrase=passphrase
    )
    say(f"wrote {made.identity} and {made.certificate}")
    say(f"Give receivers the certificate, and its SHA-256 over another channel: {made.fingerprint}")


@review_app.command(name="sheet")
def review_sheet(
    folder: Path,
    /,
    *,
    per_subgroup: int = 50,
    role: Literal["train", "test", "synthetic"] = "test",
    seed: int = 0,
) -> None:
    """Write a blind random sheet in which a person marks whether mention and label are right.

    Parameters
    ----------
    folder : Path
        The case folder.
    per_subgroup : int
        Texts drawn for each subgroup.
    role : str
        Corpus to draw from.
    seed : int
        Seed of the draw.
    """
    from fairnb.case import REVIEW_NOTE
    from fairnb.case import review_sheet as write_sheet

    say(f"wrote {write_sheet(folder, per_subgroup=per_subgroup, role=role, seed=seed)}")
    say(REVIEW_NOTE)


@review_app.command(name="score")
def review_score(folder: Path, /, *, as_json: Json = False) -> None:
    """Read the filled sheet: how many mentions and labels a person found right.

    Parameters
    ----------
    folder : Path
        The case folder.
    as_json : bool
        Put the shares on stdout as JSON.
    """
    from fairnb.case import review_score as read_sheet

    score = read_sheet(folder)
    if as_json:
        put(plain([asdict(share) for share in score.shares]))
    total = score.shares[0]
    say(
        f"Of {total.rows} reviewed mentions {total.mentions_right} are right; of their labels {total.labels_right}."
    )
    say(f"wrote {score.path}")
