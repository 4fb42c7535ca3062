"""A case: its file, its inputs, and its sections, run or replayed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from fairnb.case._cells import read_notebook, section_cells
from fairnb.case._file import BESIDE, CASE_FILE, NOTEBOOK, CaseFile
from fairnb.case._inputs import digest_now
from fairnb.case._log import RunLog, last_failures, latest_results
from fairnb.case._noting import note_case_file, note_parameters, note_replay
from fairnb.case._payload import Payload
from fairnb.case._read import Reading, nearest, read_case_file
from fairnb.case._request import Request, make_request
from fairnb.case._shares import alphas
from fairnb.case._sources import Progress, Sources
from fairnb.case._status import draft_reasons
from fairnb.case._store import Store
from fairnb.errors import FairnbError, FairnbErrors
from fairnb.files import digest_of, plain, sha256, sha256_file
from fairnb.sections import Target, section, section_ids

State = Literal["fresh", "stale", "not run"]

# One turn at a time within a process: controls run on another thread than cells.
_TURNS: dict[Path, threading.RLock] = {}


class Case:
    """One assessment; made by `load_case`. Headless: it prints and draws nothing.

    Parameters
    ----------
    folder : Path
    reading : Reading
        Of its case file, without errors.
    live_object : object, optional
        What the notebook passed as the system.
    kept : dict, optional
        Loaded inputs of an earlier reading of the same case.
    """

    def __init__(
        self,
        folder: Path,
        reading: Reading,
        *,
        live_object: Any = None,
        kept: dict[Any, Any] | None = None,
    ) -> None:
        if reading.file is None:
            raise FairnbErrors(reading.errors)
        self.folder = folder
        self.file: CaseFile = reading.file
        self.reading = reading
        self.sources = Sources(self.file, folder, live_object, kept)
        self.store = Store(folder / ".fairnb")
        self.run_log = RunLog(folder / ".fairnb" / "log.jsonl")
        self._turn = _TURNS.setdefault(folder.resolve(), threading.RLock())
        self._asked: set[tuple[str, str]] = set()
        self._scores_noted: set[str] = set()
        self._ignored_noted: set[str] = set()
        self._entries: tuple[Any, tuple[dict[str, Any], ...]] = (None, ())

    # ---- what it is

    @property
    def title(self) -> str:
        """Title of the engagement."""
        return self.file.engagement.title

    @property
    def targets(self) -> tuple[Target, ...]:
        """Every target, in the order of the case file."""
        return self.file.targets

    def target(self, name: str) -> Target:
        """The target with a name.

        Raises
        ------
        FairnbError
            ``unknown-target``, with the names there are.
        """
        for target in self.targets:
            if target.name == name:
                return target
        if not isinstance(name, str):
            raise FairnbError(
                "unknown-target",
                f"a target is chosen by its name, and this is a {type(name).__name__}",
                "give the name as text",
            )
        known = [target.name for target in self.targets]
        raise FairnbError("unknown-target", f"there is no target {name!r}", nearest(name, known))

    def target_names(self, identity: str) -> tuple[str, ...]:
        """Targets for which a section has results: all, or the empty name if it is not per target."""
        return tuple(target.name for target in self.targets) if section(identity).per_target else ("",)

    @property
    def sections(self) -> tuple[str, ...]:
        """Ids of the sections in the order of the notebook; without a notebook, all that are installed."""
        try:
            cells = section_cells(read_notebook(self.folder / NOTEBOOK))
        except FairnbError as error:
            if error.code != "no-notebook":
                raise
            return section_ids()
        found = dict.fromkeys(name for cell in cells for name in cell.sections)
        return tuple(name for name in found if name in section_ids())

    @property
    def files(self) -> dict[str, str]:
        """Name -> SHA-256 of the case file as it was read, and of the files that belong to it."""
        beside = {name: sha256_file(self.folder / name) for name in BESIDE if (self.folder / name).is_file()}
        return {CASE_FILE: sha256(self.reading.data), **beside}

    @property
    def digest(self) -> str:
        """Digest over `files`."""
        return digest_of(self.files)

    @property
    def draft(self) -> list[str]:
        """What keeps the document a draft."""
        return draft_reasons(self)

    def facts(self) -> dict[str, Callable[[], Any]]:
        """What sections may ask of the case itself, each computed when asked for."""
        return {
            "engagement": lambda: plain(self.file.engagement),
            "sections": lambda: list(self.sections),
            "draft": lambda: self.draft,
            "case": lambda: {"title": self.title, "digest": self.digest},
            "shares": lambda: alphas(self),
            "recognition": _recognition,
        }

    @property
    def changed(self) -> bool:
        """Whether the case file was changed since it was read."""
        try:
            return (self.folder / CASE_FILE).read_bytes() != self.reading.data
        except OSError:
            return True

    def reloaded(self) -> Case:
        """The same case with its file read anew; inputs that are the same are not loaded again."""
        return load_case(self.folder, live_object=self.sources.live_object, kept=self.sources.kept)

    # ---- running

    @property
    def turn(self) -> threading.RLock:
        """Held while something runs: within a process one thing at a time, whichever thread asks for it.

        Who shows what a run gave holds it until it is shown, so that the last thing shown is the last thing
        that the log names. The thread that holds it may take it again.
        """
        return self._turn

    def request(self, section_id: str, params: Mapping[str, Any] | None = None) -> Request:
        """What a run with these parameters would ask of the section, for its first target.

        Raises
        ------
        FairnbError, FairnbErrors
            ``unknown-section``, ``unknown-key``, ``bad-value``.
        """
        names = self.target_names(section_id)
        return make_request(self, section(section_id), names[0], params or {}, "notebook")

    def run(
        self,
        section_id: str,
        *,
        target: str | None = None,
        params: Mapping[str, Any] | None = None,
        origin: Literal["case file", "notebook"] = "case file",
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Payload:
        """Run one section for one target, or replay its stored result if that is fresh.

        Parameters
        ----------
        section_id : str
        target : str, optional
            Name of a target; by default the first.
        params : mapping, optional
            Parameters that take the place of the case file's.
        origin : {"case file", "notebook"}
            Where `params` come from.
        progress : callable, optional
            Called with (done, total, what).
        cancelled : callable, optional
            Asked between batches; true stops the section.

        Raises
        ------
        FairnbError
            ``unknown-section``, ``unknown-target``; whatever an input or the system gives reason for.
        """
        from fairnb.case._compute import compute

        chosen = section(section_id)
        names = self.target_names(section_id)
        name = names[0] if target is None or not chosen.per_target else self.target(target).name
        request = make_request(self, chosen, name, params or {}, origin)
        with self._turn:
            note_case_file(self)
            stored = self._stored(request)
            if stored is not None:
                if latest_results(self.log).get((section_id, name)) != stored.content_sha256:
                    note_parameters(self, request)
                    note_replay(self, stored)
                self._note_ignored()
                return stored
            note_parameters(self, request)
            payload = compute(self, chosen, request, progress, cancelled)
            self.sources.computed.add(payload.content_sha256)
            self._note_ignored()
            return payload

    def run_all(self, section_id: str, **options: Any) -> tuple[Payload, ...]:
        """Run one section for each of its targets, with the options of `run`, in one turn."""
        with self._turn:
            return tuple(
                self.run(section_id, target=name, **options) for name in self.target_names(section_id)
            )

    # ---- what there is

    @property
    def log(self) -> tuple[dict[str, Any], ...]:
        """All events of the run log, oldest first; see `RunLog.entries`."""
        path = self.run_log.path
        try:
            stat = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return ()
        signature = (stat.st_mtime_ns, stat.st_size)
        if self._entries[0] != signature:
            self._entries = (signature, self.run_log.entries())
        return self._entries[1]

    def latest(self, section_id: str, target: str) -> Payload | None:
        """The result that the log names last, if it is still stored; fresh or not."""
        digest = latest_results(self.log).get((section_id, target))
        return None if digest is None else self.store.result(section_id, target, digest)

    def fresh(self, section_id: str, target: str) -> Payload | None:
        """The result that the log names last, if nothing it rests on has changed."""
        place = (section_id, target)
        with self._turn:
            payload = self.latest(section_id, target)
            if payload is None or place in self._asked:
                # Two sections that look at each other: the inner question takes the result as it stands.
                return payload
            self._asked.add(place)
            try:
                return payload if self.is_fresh(payload) else None
            finally:
                self._asked.discard(place)

    def is_fresh(self, payload: Payload) -> bool:
        """Whether a result's request, inputs and tallies are those of the case now."""
        request = self.request_of(payload)
        return request is not None and payload.content.request == request.digest and self._holds(payload)

    def request_of(self, payload: Payload) -> Request | None:
        """What the case would ask now for the result's section, with the parameters its notebook set."""
        content = payload.content
        if content.section not in section_ids() or content.target not in self.target_names(content.section):
            return None
        given = {k: content.parameters[k] for k, origin in content.origins.items() if origin == "notebook"}
        try:
            return make_request(self, section(content.section), content.target, given, "notebook")
        except FairnbError:
            # The parameters are not the installed section's: the result is another version's.
            return None

    def changed_inputs(self, payload: Payload) -> list[str]:
        """Names of the result's inputs that are not what they were."""
        return [
            name
            for name, digest in payload.content.inputs.items()
            if (now := self.current(name)) is not None and now != digest
        ]

    def state(self, section_id: str) -> State:
        """Whether a section's results are fresh, stale or missing; the worst of its targets."""
        names = self.target_names(section_id)
        if any(self.latest(section_id, name) is None for name in names):
            return "not run"
        return "fresh" if all(self.fresh(section_id, name) for name in names) else "stale"

    def failure(self, section_id: str) -> tuple[str, str] | None:
        """Code and reason of the last run, if that failed or was stopped; of the first of its targets."""
        failures = last_failures(self.log)
        places = ((section_id, name) for name in self.target_names(section_id))
        found = next((failures[place] for place in places if place in failures), None)
        return None if found is None else (found["code"], found["reason"])

    def payloads(self, section_id: str) -> tuple[Payload, ...]:
        """A section's last results, one per target; stale ones included."""
        found = (self.latest(section_id, name) for name in self.target_names(section_id))
        return tuple(payload for payload in found if payload is not None)

    def results(self) -> tuple[Payload, ...]:
        """The last results of all sections, in the order of the notebook."""
        return tuple(payload for identity in self.sections for payload in self.payloads(identity))

    def evidence(self, payloads: Sequence[Payload] | None = None) -> dict[str, Any]:
        """The machine-readable record; see `fairnb.case.make_evidence`."""
        from fairnb.case._evidence import make_evidence

        return make_evidence(self, self.results() if payloads is None else payloads)

    # ---- inputs

    def current(self, name: str) -> str | None:
        """Digest of an input now: empty if it is absent, None if it cannot be known here.

        The last is so for a function that only the notebook holds.
        """
        try:
            return digest_now(self, name)
        except FairnbError as error:
            # Without the recogniser's packages what it found can be printed, not found again.
            unknown = error.code == "package-missing" and name.startswith("mentions:")
            if unknown or error.code == "no-live-object":
                return None
            raise

    def _stored(self, request: Request) -> Payload | None:
        """A result that can be replayed."""
        for payload in self.store.requested(request.section, request.target, request.digest):
            if self._vouched(payload) and self._holds(payload):
                return payload
        return None

    def _vouched(self, payload: Payload) -> bool:
        """Whether something says that the system is still the one that was scored."""
        scored = any(name.startswith(("scores:", "predictions")) for name in payload.content.inputs)
        return not scored or payload.content_sha256 in self.sources.computed or self.sources.vouched

    def _holds(self, payload: Payload) -> bool:
        """Whether inputs and tallies of a result are the case's."""
        tallies = payload.result.tallies.values()
        return not self.changed_inputs(payload) and all(self.store.has_tally(digest) for digest in tallies)

    # ---- the log

    def note_score(self, name: str, digest: str) -> None:
        """Put down that scores are about to be seen, once for each system and corpus."""
        if digest not in self._scores_noted:
            self._scores_noted.add(digest)
            if not any(e["event"] == "score" and e["digest"] == digest for e in self.log):
                self.run_log.append([{"event": "score", "input": name, "digest": digest}])

    def _note_ignored(self) -> None:
        new = {k: v for k, v in self.store.ignored.items() if k not in self._ignored_noted}
        self._ignored_noted.update(new)
        self.run_log.append([{"event": "ignored", "file": k, "reason": v} for k, v in new.items()])


def _recognition() -> str:
    """Digest of what finds names in texts; empty where it is not installed."""
    from fairnb.mining import recognition_digest

    try:
        return recognition_digest()
    except FairnbError as error:
        if error.code != "package-missing":
            raise
        return ""


def load_case(folder: str | Path, *, live_object: Any = None, kept: dict[Any, Any] | None = None) -> Case:
    """Open a case folder.

    Parameters
    ----------
    folder : path
        Folder that holds `assessment.toml`.
    live_object : object, optional
        System that the notebook holds.

    Raises
    ------
    FairnbError
        ``no-case``, ``not-toml``.
    FairnbErrors
        Every error of the case file's shape at once; `check_case` looks at what it names, too.
    """
    place = Path(folder)
    reading = read_case_file(place)
    if reading.errors:
        raise FairnbErrors(reading.errors)
    return Case(place, reading, live_object=live_object, kept=kept)
