from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fairnb.report
from fairnb.case import BUNDLE, Payload, load_case
from fairnb.errors import FairnbError
from fairnb.notebook import _display
from fairnb.notebook._display import bundle_of, show, size_of, told


@pytest.fixture
def payloads(small: Any) -> tuple[Payload, ...]:
    return load_case(small()).run_all("technical_performance")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the report room hands back, to be set by a test."""
    given = {"html": "<p>page</p>", "svg": "<svg/>", "text": "words", "annex": "", "figures": []}

    class Page:
        def __init__(self, payloads: Any, results: Any, beside: Any) -> None:
            pass

        def at_least(self, *, annex: bool, figures: int | None) -> int:
            return 0

        @property
        def figures(self) -> int:
            return len(given["figures"])

        def html(self, *, annex: bool, figures: int | None) -> str:
            return given["html"] + (given["annex"] if annex else "") + "".join(given["figures"][:figures])

        def text(self) -> str:
            return given["text"]

        def first_figure(self) -> str:
            return given["svg"]

    monkeypatch.setattr(fairnb.report, "SectionPage", Page, raising=False)
    return given


def test_it_holds_page_figure_text_and_the_payloads(
    payloads: tuple[Payload, ...], drawn: dict[str, Any]
) -> None:
    bundle = bundle_of(payloads)
    assert set(bundle) == {"text/html", "image/svg+xml", "text/plain", BUNDLE}
    assert bundle[BUNDLE] == [payload.to_json() for payload in payloads]
    assert json.loads(json.dumps(bundle)) == bundle


def test_without_a_figure_there_is_none(payloads: tuple[Payload, ...], drawn: dict[str, Any]) -> None:
    drawn["svg"] = ""
    assert "image/svg+xml" not in bundle_of(payloads)


def test_a_large_figure_goes_first(payloads: tuple[Payload, ...], drawn: dict[str, Any]) -> None:
    drawn["svg"] = "x" * 600_000
    bundle = bundle_of(payloads)
    assert set(bundle) == {"text/html", "text/plain", BUNDLE}
    assert bundle["text/html"] == "<p>page</p>"


def test_the_annex_goes_before_the_figures_and_both_before_the_page(
    payloads: tuple[Payload, ...], drawn: dict[str, Any]
) -> None:
    drawn["annex"] = "a" * 600_000
    drawn["figures"] = ["<p>figures</p>"]
    assert bundle_of(payloads)["text/html"].startswith("<p>page</p><p>figures</p><p>The tables of the annex")
    drawn["figures"] = ["f" * 600_000]
    assert bundle_of(payloads)["text/html"].startswith(
        "<p>page</p><p>The tables of the annex and the figures"
    )


def test_as_many_figures_stay_as_there_is_room_for(
    payloads: tuple[Payload, ...], drawn: dict[str, Any]
) -> None:
    drawn["figures"] = [letter * 200_000 for letter in "abc"]
    page = bundle_of(payloads)["text/html"]
    assert [page.count(letter * 200_000) for letter in "abc"] == [1, 1, 0]
    assert page.endswith(
        "<p>The tables of the annex and some of the figures are too large for the notebook; "
        "the audit document prints them.</p>"
    )


def test_a_large_page_gives_way_to_the_text_escaped(
    payloads: tuple[Payload, ...], drawn: dict[str, Any]
) -> None:
    drawn["html"], drawn["text"] = "x" * 600_000, "a < b"
    bundle = bundle_of(payloads)
    assert "<pre>a &lt; b</pre>" in bundle["text/html"]
    assert "image/svg+xml" in bundle
    assert size_of(bundle) <= 500_000


def test_results_over_the_limit_are_refused(
    payloads: tuple[Payload, ...], drawn: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_display, "LARGEST", 1000)
    with pytest.raises(FairnbError) as caught:
        bundle_of(payloads)
    assert caught.value.code == "result-too-large"


def test_outside_of_ipython_the_text_is_printed(
    payloads: tuple[Payload, ...], drawn: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert show(bundle_of(payloads), "id") is None
    assert capsys.readouterr().out == "words\n"


def test_the_real_page_of_a_section_runs_nothing(small: Any, tmp_path: Path) -> None:
    for payloads in (load_case(small()).run_all(name) for name in ("system", "technical_performance")):
        bundle = bundle_of(payloads)
        assert size_of(bundle) <= 500_000
        assert "<script" not in bundle["text/html"]
        assert str(tmp_path) not in bundle["text/html"]


def test_two_showings_of_a_section_do_not_overwrite_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    ids: list[str] = []
    monkeypatch.setattr("IPython.core.getipython.get_ipython", object)
    monkeypatch.setattr("IPython.display.display", lambda bundle, raw, display_id: ids.append(display_id))
    for _ in range(2):
        show({"text/plain": "a result"}, "swap")
    assert len(set(ids)) == 2
    assert all(one.startswith("fairnb-swap-") for one in ids)


def test_why_there_is_no_result_can_be_sent_and_shows_what_would_act_unseen() -> None:
    bundle = told("system", "failed", "<b>half\ud800</b> \u202eabc")
    assert json.dumps(bundle, ensure_ascii=False).encode("utf-8")
    assert "&lt;b&gt;half\\ud800&lt;/b&gt; \\u202eabc" in bundle["text/html"]
    assert bundle["text/plain"].endswith("failed. <b>half\\ud800</b> \\u202eabc")
