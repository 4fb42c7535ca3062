"""A small task with sentences of our own, and the official arithmetic done by scikit-learn and pandas."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings

settings.register_profile("ami", deadline=None)
settings.load_profile("ami")

TERMS = ("donne", "ragazze", "zie", "prime cugine")
FRAMES = {
    0: tuple(f"ringraziamo le {{}} del coro numero {k}" for k in range(12)),
    1: tuple(f"mandate via le {{}} dal coro numero {k}" for k in range(12)),
}


def lines_of(*columns: Iterable[object]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))


@dataclass
class Task:
    """Gold files in a folder, and a way to hand in."""

    folder: Path
    misogynous: np.ndarray
    aggressiveness: np.ndarray
    sentences: list[tuple[str, int]]

    @property
    def raw(self) -> Path:
        return self.folder / "raw.tsv"

    @property
    def synthetic(self) -> Path:
        return self.folder / "synthetic.tsv"

    @property
    def terms(self) -> Path:
        return self.folder / "terms.txt"

    @property
    def ids(self) -> list[str]:
        return [str(100 + row) for row in range(len(self.misogynous))]

    @property
    def synthetic_ids(self) -> list[str]:
        return [f"s{row}" for row in range(len(self.sentences))]

    @property
    def labels(self) -> np.ndarray:
        return np.array([label for _, label in self.sentences])

    def golds(self) -> dict[str, Path]:
        return {"gold_raw": self.raw, "gold_synthetic": self.synthetic, "terms": self.terms}

    def options(self) -> list[str]:
        names = ("--gold-raw", "--gold-synthetic", "--terms")
        return [str(part) for pair in zip(names, self.golds().values(), strict=True) for part in pair]

    def write(self, texts: Sequence[str] | None = None) -> Task:
        texts = texts or [f"il coro canta il brano {row}" for row in range(len(self.ids))]
        header = "id\ttext\tmisogynous\taggressiveness\n"
        self.raw.write_text(header + lines_of(self.ids, texts, self.misogynous, self.aggressiveness), "utf-8")
        rows = lines_of(self.synthetic_ids, *zip(*self.sentences, strict=True))
        self.synthetic.write_text("id\ttext\tmisogynous\n" + rows, "utf-8")
        self.terms.write_text("\n".join(TERMS) + "\n", "utf-8")
        return self

    def guessed(self, seed: int, wrong: float = 0.25) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(seed)

        def flipped(labels: np.ndarray) -> np.ndarray:
            return np.where(rng.random(len(labels)) < wrong, 1 - labels, labels)

        return {
            "misogynous": flipped(self.misogynous),
            "aggressiveness": flipped(self.aggressiveness),
            "b": flipped(self.misogynous),
            "synthetic": flipped(self.labels),
        }

    def files(self, guessed: dict[str, np.ndarray], team: str = "coro", run: int = 1) -> dict[str, str]:
        return {
            f"{team}.A.r.c.run{run}": lines_of(self.ids, guessed["misogynous"], guessed["aggressiveness"]),
            f"{team}.B.r.c.run{run}.tsv": lines_of(self.ids, guessed["b"]),
            f"{team}.B.s.c.run{run}.tsv": lines_of(self.synthetic_ids, guessed["synthetic"]),
        }

    def zipped(self, files: dict[str, str], name: str = "coro.zip") -> Path:
        path = self.folder / name
        with zipfile.ZipFile(path, "w") as archive:
            for inner, text in files.items():
                archive.writestr(inner, text)
        return path


@pytest.fixture
def task(tmp_path: Path) -> Task:
    """120 raw rows and 96 synthetic ones, all scored right by nobody."""
    rng = np.random.default_rng(5)
    misogynous = rng.integers(0, 2, 120)
    aggressiveness = misogynous * rng.integers(0, 2, 120)
    sentences = [
        (frame.format(term), label) for label, frames in FRAMES.items() for frame in frames for term in TERMS
    ]
    return Task(tmp_path, misogynous, aggressiveness, sentences).write()


class OfficialArithmetic:
    """Score A and Score B as the organisers' script defines them, by scikit-learn and pandas."""

    def score_a(self, gold: Path, predicted: str) -> dict[str, float]:
        from sklearn.metrics import f1_score

        merged = self._merged(gold, predicted, ["misogynous", "aggressiveness"])
        found = {
            name: float(f1_score(merged[name], merged[name + "_pred"], average="macro", zero_division=0))
            for name in ("misogynous", "aggressiveness")
        }
        return found | {"score_a": float(np.mean(list(found.values())))}

    def score_b(
        self,
        gold: Path,
        synthetic: Path,
        terms: Sequence[str],
        predicted: str,
        predicted_synthetic: str,
        *,
        kind: type = int,
        live: bool = True,
    ) -> dict[str, Any]:
        raw = self._merged(gold, predicted, ["misogynous"], kind)
        rows = self._merged(synthetic, predicted_synthetic, ["misogynous"], kind)
        per_term: list[dict[str, float]] = []
        positive = rows["misogynous"] == 1
        for term in terms:
            pattern = r"\b" + (term if live else re.escape(term)) + r"\b"
            inside = rows["text"].map(
                lambda text, p=pattern: re.search(p, str(text), re.IGNORECASE) is not None
            )
            sets = {
                "subgroup": inside,
                "bpsn": (inside & ~positive) | (~inside & positive),
                "bnsp": (inside & positive) | (~inside & ~positive),
            }
            per_term.append({name: self._auc(rows[chosen]) for name, chosen in sets.items()})
        overall = self._auc(raw)
        bias = np.average([[one[name] for one in per_term] for name in ("subgroup", "bpsn", "bnsp")])
        return {"auc_raw": overall, "terms": per_term, "score_b": float(np.mean([overall, bias]))}

    def _auc(self, rows: pd.DataFrame) -> float:
        from sklearn.metrics import roc_auc_score

        if rows["misogynous"].nunique() < 2:
            return float("nan")
        return float(roc_auc_score(rows["misogynous"], rows["misogynous_pred"]))

    def _merged(self, gold: Path, predicted: str, columns: list[str], kind: type = int) -> pd.DataFrame:
        converters = dict.fromkeys(range(1, 1 + len(columns)), kind)
        table = pd.read_csv(
            io.StringIO(predicted),
            sep="\t",
            header=None,
            names=["id", *columns],
            converters={0: str, **converters},
        )
        return pd.read_csv(gold, sep="\t", converters={0: str, 1: str}).merge(
            table, on="id", suffixes=("", "_pred")
        )


@pytest.fixture
def arithmetic() -> OfficialArithmetic:
    return OfficialArithmetic()
