"""What was assessed: the system, the question put to it, and the corpora."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairnb.sections._contract import Altai, Need, Role, Section, SectionParams, View
from fairnb.sections._format import count, number, percent
from fairnb.sections._result import Result
from fairnb.sections._shown import Column, Row, Table, one_table

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROLES: tuple[tuple[Role, Need], ...] = (
    ("train", Need.TRAIN_CORPUS),
    ("test", Need.TEST_CORPUS),
    ("synthetic", Need.SYNTHETIC_CORPUS),
)


class SystemSection(Section):
    """The system, the question put to it, the corpora and their labels. Source: paper, section 3."""

    id = "system"
    title = "System and data"
    requirement = Altai.TRANSPARENCY
    per_target = False
    source = "Paper, section 3 and appendix B."
    method = (
        "The system is identified by a fingerprint over its files and settings, each corpus by a digest of "
        "its content. Labels are annotators' opinions. *Positive* means what the target says; the share of "
        "positive texts comes from how the texts were collected, not from the world."
    )

    class Params(SectionParams):
        """No parameters."""

    def run(self, view: View, params: Params) -> Result:
        """Collect identities, sizes and label balance."""
        corpora: list[dict[str, Any]] = []
        limits: list[str] = []
        for role, need in _ROLES:
            if not view.has(need):
                continue
            corpus = view.corpus(role)
            balance = {}
            for target in view.targets:
                labels = view.labels(role, target.name)
                balance[target.name] = {
                    "positive": int((labels == 1).sum()),
                    "negative": int((labels == 0).sum()),
                    "without_label": int((labels < 0).sum()),
                }
            corpora.append(
                {
                    "role": role,
                    "name": corpus.name,
                    "rows": len(corpus),
                    "digest": corpus.digest,
                    "clustered": corpus.clusters is not None,
                    "balance": balance,
                    "facts": dict(corpus.facts),
                }
            )
            if corpus.clusters is None:
                limits.append(
                    f"Rows of the {role} corpus are treated as independent: it names no author or thread."
                )
        if not corpora:
            limits.append("No corpus is given: nothing could be measured.")
        facts = {
            "system": view.system.model_dump(mode="json"),
            "targets": [target.model_dump(mode="json") for target in view.targets],
            "corpora": corpora,
        }
        return Result(facts=facts, limits=tuple(limits))

    def tables(self, result: Result) -> Sequence[Table]:
        """System, targets, corpora."""
        return (_system_table(result), _target_table(result), _corpus_table(result), *_source_tables(result))


def _system_table(result: Result) -> Table:
    system = result.facts["system"]
    rows = [
        ("Name", system["name"]),
        ("Classes", ", ".join(system["classes"])),
        ("Can score new texts", "yes" if system["live"] else "no: recorded scores"),
        ("Fingerprint", system["fingerprint"] or "none: the system has no files and no declared version"),
    ]
    rows += [(_heading(key), _shown(value)) for key, value in system["description"].items() if _shown(value)]
    return one_table("System under assessment", ("Item", "Value"), rows)


def _target_table(result: Result) -> Table:
    columns = (
        Column("Target"),
        Column("Classes of the system"),
        Column("Positive labels"),
        Column("Negative labels"),
        Column("Threshold", "number"),
        Column("Source of the threshold"),
    )
    rows = [
        Row(
            (
                target["name"],
                f" {'+' if target['combine'] == 'sum' else '| '} ".join(target["classes"]) or "the only one",
                ", ".join(str(label) for label in target["positive"]),
                "all others"
                if target["negative"] is None
                else ", ".join(str(label) for label in target["negative"]),
                number(target["threshold"], 2),
                target["threshold_source"] or "not stated",
            )
        )
        for target in result.facts["targets"]
    ]
    return Table("What is asked of the system", columns, tuple(rows))


def _corpus_table(result: Result) -> Table:
    columns = (
        Column("Role"),
        Column("Corpus"),
        Column("Target"),
        Column("Texts", "number"),
        Column("Positive", "number"),
        Column("Negative", "number"),
        Column("No label", "number"),
        Column("Share positive", "number"),
    )
    rows = []
    for corpus in result.facts["corpora"]:
        for target, balance in corpus["balance"].items():
            labelled = balance["positive"] + balance["negative"]
            rows.append(
                Row(
                    (
                        corpus["role"],
                        corpus["name"],
                        target,
                        count(corpus["rows"]),
                        count(balance["positive"]),
                        count(balance["negative"]),
                        count(balance["without_label"]),
                        percent(balance["positive"] / labelled) if labelled else "undefined",
                    )
                )
            )
    return Table("Corpora and their labels", columns, tuple(rows))


def _source_tables(result: Result) -> list[Table]:
    return [
        one_table(
            f"The {corpus['role']} corpus: {corpus['name']}",
            ("Item", "Value"),
            [
                *((_heading(key), _shown(value)) for key, value in corpus["facts"].items() if _shown(value)),
                ("Digest", corpus["digest"]),
            ],
        )
        for corpus in result.facts["corpora"]
    ]


def _heading(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _shown(value: Any) -> str:
    """A fact in words: mappings and lists become one line, nothing becomes an empty text."""
    if value is None or value == "" or value == {} or value == []:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_shown(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(_shown(item) for item in value)
    return str(value)
