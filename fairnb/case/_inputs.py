"""What each input of a case is now, by the name under which a result records it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fairnb.case._file import FINDINGS, QUESTIONNAIRE, REVIEW
from fairnb.files import digest_of, sha256_file
from fairnb.sections import Need, Role

if TYPE_CHECKING:
    from fairnb.case._case import Case


def digest_now(case: Case, name: str) -> str:
    """Digest of an input as it is now; empty if it is absent.

    Names are ``corpus:ROLE``, ``scores:ROLE``, ``mentions:ROLE:SOURCE``, ``target:NAME``, ``targets``,
    ``system``, ``predictions``, ``embeddings``, ``lexicon``, ``reviews``, ``answers``, ``register``,
    ``criteria``, ``confidence``, ``privacy``, ``has:NEED``, ``alpha:ID``, ``result:ID``, ``result:ID:TARGET``,
    ``file:PATH``, ``known:NAME``, ``model:NAME``, and the facts of the case.
    """
    kind, _, rest = name.partition(":")
    if not rest:
        return _whole(case, name)
    first, _, second = rest.partition(":")
    if kind in ("corpus", "scores", "mentions"):
        return _of_corpus(case, kind, first, second or "lookup")
    if kind == "target":
        return next((digest_of(target) for target in case.targets if target.name == rest), "")
    if kind == "has":
        return digest_of(case.sources.has(Need[rest.upper()]))
    if kind == "result":
        payload = case.fresh(first, second)
        return "" if payload is None else payload.content_sha256
    if kind == "alpha":
        from fairnb.case._shares import alpha_of

        return digest_of(alpha_of(case, rest))
    if kind == "file":
        return _of_file(case, rest)
    if kind == "model":
        return case.sources.model_digest(rest)
    if kind == "known":
        from fairnb.registry import known

        return digest_of([[file.path, file.sha256] for file in known(rest).files])
    return ""


def _whole(case: Case, name: str) -> str:
    """Digest of an input of which there is one."""
    sources = case.sources
    single: dict[str, Callable[[], str]] = {
        "targets": lambda: digest_of(case.targets),
        "system": lambda: digest_of(sources.system_facts()),
        "predictions": sources.identity_digest,
        "embeddings": sources.embeddings_digest,
        "lexicon": lambda: sources.lexicon().digest,
        "reviews": lambda: _of_file(case, REVIEW),
        "answers": lambda: _of_file(case, QUESTIONNAIRE),
        "register": lambda: _of_file(case, FINDINGS),
        "criteria": lambda: digest_of(case.file.criteria),
        "confidence": lambda: digest_of(case.file.run.confidence),
        "privacy": lambda: digest_of(case.file.privacy),
    }
    if name in single:
        return single[name]()
    facts = case.facts()
    return digest_of(facts[name]()) if name in facts else ""


def _of_file(case: Case, name: str) -> str:
    path = case.folder / name
    return sha256_file(path) if path.is_file() else ""


def _of_corpus(case: Case, kind: str, name: str, source: str) -> str:
    role: Role | None = next((role for role in case.file.corpus if role == name), None)
    if role is None:
        return ""
    if kind == "corpus":
        return case.sources.corpus_digest(role)
    if kind == "scores":
        return case.sources.scores_digest(role)
    return case.sources.mentions_digest(role, source)
