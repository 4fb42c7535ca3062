"""The section on personal data: counts that can be made by hand, and nothing that was found."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from statsmodels.stats.proportion import proportion_confint

from fairnb import mining
from fairnb.errors import FairnbError
from fairnb.mining import Named
from fairnb.sections import Altai, Result, Status
from fairnb.sections.privacy import Privacy

PRIVATE = ["@mike_99", "ann.b@mail.example.org", "555-0143", "www.example.org/a", "Angela Merkel"]
TEXTS = [
    "thanks @mike_99 and @mike_99!",
    "&#64;mike_99 write to ann.b@mail.example.org",
    "call 555-0143",
    "see www.example.org/a",
    "@USER and @user say hello",
    "Angela Merkel baked bread",
    *[f"the goose ate bread on day {n}" for n in range(34)],
]


@pytest.fixture
def recogniser(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """A recogniser that knows one name; what it was asked."""
    asked: list[list[str]] = []

    def find_names(texts: list[str], **_: Any) -> Named:
        asked.append(list(texts))
        return Named(tuple(text.count("Angela Merkel") for text in texts), "small 1.0", "d" * 64)

    monkeypatch.setattr(mining, "find_names", find_names)
    return asked


class _View:
    """A small view that can be asked how far it is."""

    lexicon: Any

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.lexicon = inner.lexicon

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def progress(self, done: int, total: int, what: str) -> None:
        pass

    def cancelled(self) -> bool:
        return False


def _run(small_view: Callable[..., Any], params: dict[str, Any] | None = None, **texts: list[str]) -> Result:
    labels = {role: [0] * len(held) for role, held in texts.items()}
    return Privacy().run(_View(small_view(labels, {}, texts)), Privacy.Params(**(params or {})))  # type: ignore[arg-type]


def _share(result: Result, kind: str, role: str = "test") -> Any:
    return result.measure(
        "personal_data", attribute="kind", subgroup=kind, label="all", variant=f"corpus={role}"
    )


@pytest.mark.usefixtures("recogniser")
@pytest.mark.parametrize(
    ("kind", "texts", "times"),
    [("handle", 2, 3), ("email", 1, 1), ("phone", 1, 1), ("link", 1, 1), ("any", 4, None), ("name", 1, 1)],
)
def test_texts_are_counted_by_kind(
    small_view: Callable[..., Any], kind: str, texts: int, times: int | None
) -> None:
    result = _run(small_view, test=TEXTS)
    share = _share(result, kind)
    low, high = proportion_confint(texts, 40, method="wilson")
    assert share.value == texts / 40
    assert share.denominator == 40
    assert (share.low, share.high) == (pytest.approx(low), pytest.approx(high))
    told = result.facts["corpora"]["test"]
    if kind == "name":
        assert told["names"]["times"] == times
    elif times is not None:
        assert told["times"][kind] == times


@pytest.mark.usefixtures("recogniser")
def test_placeholders_are_no_handles(small_view: Callable[..., Any]) -> None:
    result = _run(small_view, test=TEXTS)
    assert result.facts["corpora"]["test"]["placeholders"] == 1


@pytest.mark.usefixtures("recogniser")
def test_nothing_that_was_found_is_in_the_result(small_view: Callable[..., Any]) -> None:
    result = _run(small_view, test=TEXTS, train=TEXTS)
    written = result.model_dump_json()
    section = Privacy()
    shown = repr([section.statements(result), section.tables(result), section.figures(result)])
    for private in PRIVATE:
        assert private not in written
        assert private not in shown
    assert result.examples == ()


@pytest.mark.usefixtures("recogniser")
def test_every_corpus_has_its_rows(small_view: Callable[..., Any]) -> None:
    result = _run(small_view, test=TEXTS, train=TEXTS[6:], synthetic=TEXTS[:2])
    assert _share(result, "any", "train").value == 0
    # Two texts are too few for a share.
    assert _share(result, "any", "synthetic").status is Status.TOO_FEW
    said = Privacy().statements(result)
    assert said[0].startswith("No text of the train corpus holds")
    assert "10.0 % of 40 texts of the test corpus" in said[1]
    assert "handles in 5.0 %" in said[1]
    assert "a name was recognised in 2.5 % of 40 texts" in said[1]
    assert "too few" in said[2]
    (table,) = Privacy().tables(result)
    # Six kinds for each corpus, and the placeholders of one.
    assert len(table.rows) == 3 * 6 + 1
    assert set(Privacy().figures(result)) == {"personal_data"}
    assert Result.model_validate_json(result.model_dump_json()) == result


def test_names_are_looked_for_in_a_seeded_sample(
    small_view: Callable[..., Any], recogniser: list[list[str]]
) -> None:
    result = _run(small_view, {"names_sample": 20}, test=TEXTS)
    assert _share(result, "name").denominator == 20
    assert _share(result, "handle").denominator == 40
    _run(small_view, {"names_sample": 20}, test=TEXTS)
    assert recogniser[0] == recogniser[1]
    assert len(set(recogniser[0])) == 20


def test_without_the_extra_it_is_said(
    small_view: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: Any, **__: Any) -> None:
        raise FairnbError("package-missing", "no pipeline", "install it")

    monkeypatch.setattr(mining, "find_names", missing)
    result = _run(small_view, test=TEXTS)
    name = _share(result, "name")
    assert (name.value, name.status) == (None, Status.NOT_MEASURED)
    assert name.note == "no recogniser was installed"
    assert (
        "Names of persons were not counted (no recogniser was installed)." in Privacy().statements(result)[0]
    )
    assert (
        Privacy().tables(result)[0].note == "Names of persons were not counted (no recogniser was installed)."
    )


def test_another_failure_of_the_recogniser_is_not_hidden(
    small_view: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: Any, **__: Any) -> None:
        raise FairnbError("file-missing", "the pipeline is damaged", "install it again")

    monkeypatch.setattr(mining, "find_names", damaged)
    with pytest.raises(FairnbError, match="damaged"):
        _run(small_view, test=TEXTS)


def test_names_are_not_looked_for_if_not_asked_or_not_english(
    small_view: Callable[..., Any], recogniser: list[list[str]]
) -> None:
    result = _run(small_view, {"names": False}, test=TEXTS)
    assert _share(result, "name").note == "not asked for"
    labels = {"test": [0] * len(TEXTS)}
    italian = small_view(labels, {}, {"test": TEXTS}, languages={"test": ["it"] * len(TEXTS)})
    result = Privacy().run(_View(italian), Privacy.Params())  # type: ignore[arg-type]
    assert "English" in _share(result, "name").note
    spoken = _View(small_view(labels, {}, {"test": TEXTS}))
    spoken.lexicon = SimpleNamespace(languages=("it",))
    result = Privacy().run(spoken, Privacy.Params())  # type: ignore[arg-type]
    assert "English" in _share(result, "name").note
    assert not recogniser


@pytest.mark.usefixtures("recogniser")
@pytest.mark.parametrize("texts", [[], [""], ["\ud800"], ["a" * 10_000], ["مرحبا 😀"]])
def test_odd_texts(small_view: Callable[..., Any], texts: list[str]) -> None:
    result = _run(small_view, test=texts)
    assert Privacy().statements(result)
    assert Privacy().tables(result)
    assert Privacy().figures(result) == {}


def test_without_a_corpus_it_is_not_applicable(small_view: Callable[..., Any]) -> None:
    result = Privacy().run(small_view({}), Privacy.Params())
    assert (result.status, result.reason) == ("not_applicable", "no corpus")
    assert Privacy.requirement is Altai.PRIVACY_AND_DATA_GOVERNANCE
    assert not Privacy.per_target


def test_what_finds_names_is_an_input_where_names_are_looked_for(small_view: Callable[..., Any]) -> None:
    read: list[str] = []

    class Facts(dict[str, Any]):
        def __getitem__(self, key: str) -> Any:
            read.append(key)
            return super().__getitem__(key)

    view = small_view({"test": [0]}, texts={"test": ["nothing here"]})
    view.facts = Facts(view.facts)
    Privacy().run(view, Privacy.Params(names=False))
    assert read == []
    Privacy().run(view, Privacy.Params())
    assert read == ["recognition"]
