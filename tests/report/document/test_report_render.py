"""A section as a fragment: what it prints, that it escapes, that it repeats itself byte for byte."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from typing import Any

import pytest

from fairnb.report._measures import number_measures
from fairnb.report._render import render_section, render_text, section_view
from fairnb.report._section_page import SectionPage
from fairnb.sections import Candidate, Measure, Result, Verdict

HOSTILE = '<script>alert(1)</script><img src="http://evil.example/x" onerror=alert(1)>{{ 7*7 }}"\'&'


def test_a_section_prints_its_statement_before_its_table_and_its_limit_after(kit: Any) -> None:
    html = render_section([kit.sample()])
    places = [
        html.index(text)
        for text in (
            "were flagged more often",
            "<caption>False-positive rate",
            "Rows are treated as independent",
        )
    ]
    assert places == sorted(places)
    assert '<th scope="col" class="num">Rate</th>' in html
    assert '<td class="num">0.410</td>' in html


def test_ids_of_measures_are_printed_only_when_numbering_is_given(kit: Any) -> None:
    payloads = [kit.sample()]
    assert "M-0001" not in render_section(payloads)
    numbered = render_section(payloads, number_measures(payloads))
    assert all(f"M-000{i}" in numbered for i in (1, 2, 3, 4))


def test_every_target_has_its_own_part(kit: Any) -> None:
    html = render_section([kit.sample(target="toxic"), kit.sample(target="severe")])
    assert html.index("toxic") < html.index("severe")
    assert html.count("<caption>False-positive rate") == 2


def test_a_section_that_is_not_applicable_says_so_in_one_line(kit: Any) -> None:
    html = render_section([kit.sample(Result(status="not_applicable", reason="no training corpus"))])
    assert "Not applicable" in html
    assert "No training corpus." in html
    assert "<table" not in html


def test_a_section_that_is_not_installed_prints_its_measures_and_says_so(kit: Any) -> None:
    html = render_section([kit.payload("from_elsewhere", kit.sample_result(), title="Elsewhere")])
    assert "false_positive_rate" in html
    assert "0.4100" in html
    assert "is not installed here" in html


def test_a_result_of_another_version_of_a_section_is_not_laid_out_by_this_one(kit: Any) -> None:
    html = render_section([kit.sample(section_version=7)])
    assert "is not installed here in the version that made this result" in html


def test_hostile_text_is_escaped_wherever_it_comes_from(kit: Any) -> None:
    result = kit.sample_result(
        facts={
            "statement": HOSTILE,
            "tables": [{"title": HOSTILE, "heads": [HOSTILE], "rows": [[HOSTILE]]}],
        },
        limits=(HOSTILE,),
        measures=(
            Measure(
                measure="m",
                attribute=HOSTILE,
                subgroup=HOSTILE,
                value=0.5,
                low=0.4,
                high=0.6,
                n=99,
                note=HOSTILE,
            ),
        ),
        candidates=(),
        findings=(),
    )
    for section, title in (("sample", "x"), (HOSTILE, HOSTILE)):
        html = render_section([kit.payload(section, result, title=title, target=HOSTILE)])
        assert kit.active(html) == []
        assert HOSTILE not in html
        assert "{{ 7*7 }}" in html


def test_hostile_names_in_a_figure_stay_words(kit: Any) -> None:
    measures = tuple(
        Measure(measure="m", subgroup=name, value=0.5, low=0.4, high=0.6, n=99)
        for name in ("$x^$", "</text><script>alert(1)</script>", "$\\frac{1}$")
    )
    svg = SectionPage(
        [kit.sample(kit.sample_result(measures=measures, candidates=(), findings=()))]
    ).first_figure()
    assert svg is not None
    assert "<script" not in svg
    assert "$x^$" in svg


def test_characters_that_hide_or_reorder_text_are_shown_by_their_code(kit: Any) -> None:
    result = kit.sample_result(facts={"statement": "in\u200bvisible \u202ereversed\x07"})
    html = render_section([kit.sample(result)])
    assert "in‹U+200B›visible ‹U+202E›reversed‹U+0007›" in html
    assert "\u202e" not in html


def test_figures_are_pictures_with_words_for_those_who_cannot_see_them(kit: Any) -> None:
    html = render_section([kit.sample()])
    pictures = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]+)">', html)
    assert [alternative for _, alternative in pictures] == [
        "Bars of rates: 4 subgroups.",
        "Bars of supports: 4 subgroups.",
    ]
    svg = base64.b64decode(pictures[0][0]).decode()
    assert ">Christianity</text>" in svg
    assert "<script" not in svg
    assert not re.search(r"(?:href|src|url\()\W*http", svg)


def test_the_same_result_gives_the_same_bytes_in_another_process(kit: Any) -> None:
    payload = kit.payload("unknown_here", kit.sample_result(), title="Elsewhere")
    code = (
        "import json,sys; from fairnb.report import render_section;"
        "sys.stdout.reconfigure(encoding='utf-8'); sys.stdout.write(render_section(json.load(sys.stdin)))"
    )
    import json

    runs = [
        subprocess.run(
            [sys.executable, "-c", code], input=json.dumps([payload]).encode(), capture_output=True, check=True,
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin"},
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1] == render_section([payload]).encode()


def test_figures_repeat_themselves_byte_for_byte(kit: Any) -> None:
    assert SectionPage([kit.sample()]).first_figure() == SectionPage([kit.sample()]).first_figure()


@pytest.mark.parametrize("figures", [0, 1, None])
def test_what_a_page_takes_at_least_is_near_what_it_takes_and_never_more(
    kit: Any, figures: int | None
) -> None:
    # So many rows that one letter too many for each would show.
    measures = tuple(
        Measure(measure="m", subgroup=f"{row}", value=0.5, low=0.4, high=0.6, n=9) for row in range(900)
    )
    page = SectionPage([kit.sample(kit.sample_result(measures=measures))])
    taken = len(json.dumps(page.html(figures=figures), ensure_ascii=False).encode())
    assert 0.7 * taken < page.at_least(annex=True, figures=figures) <= taken


def test_a_difference_stands_in_the_unit_of_its_sentence(kit: Any) -> None:
    result = kit.sample_result()
    rate, preference = result.measures[0], result.measures[1]
    named = {"statement": "It differs.", "family": "E", "verdict": Verdict.INCONCLUSIVE}
    candidates = (
        Candidate(criterion="Share", measures=(rate.key,), effect=0.41, points=True, **named),
        Candidate(criterion="Area", measures=(rate.key,), effect=0.41, **named),
        # A preference is counted from one half, and so are the ends of its interval.
        Candidate(
            criterion="Preference", measures=(preference.key,), effect=0.09 - 0.5, points=True, **named
        ),
    )
    view = section_view([kit.payload("sample", kit.sample_result(candidates=candidates))], None, drawn=False)
    assert [(item.effect, item.interval) for item in view.parts[0].verdicts] == [
        ("+41.0 points", "36.0 to 46.0"),
        ("+0.410", "0.360 to 0.460"),
        ("−41.0 points", "−46.0 to −36.0"),
    ]


def test_text_has_the_same_content_in_aligned_columns(kit: Any) -> None:
    text = render_text([kit.sample()])
    assert "Harmless comments that mention gay people were flagged more often." in text
    assert re.search(r"^gay +0\.410 +0\.360 to 0\.460 +757$", text, re.MULTILINE)
    assert "Limit: Rows are treated as independent." in text


def test_a_section_without_results_is_an_error_that_says_what_to_do() -> None:
    from fairnb.errors import FairnbError

    with pytest.raises(FairnbError, match="run it first"):
        render_section([])


def test_importing_the_room_loads_neither_nbconvert_nor_weasyprint() -> None:
    code = (
        "import sys, fairnb.report; "
        "print([m for m in ('nbconvert', 'weasyprint', 'pyhanko', 'matplotlib', 'jinja2') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_each_verdict_has_its_own_shape_and_word_in_the_row_of_its_criterion(kit: Any) -> None:
    html = render_section([kit.sample()])
    row = r'<tr><th scope="row">([^<]+)</th>(?:(?!</tr>).)*?<span class="mark (\w+)">([^<]+)</span>'
    assert {criterion: (kind, said) for criterion, kind, said in re.findall(row, html, re.DOTALL)} == {
        "Wrongly flagged": ("exceeds", "▲ Exceeds"),
        "Missed": ("within", "● Within"),
        "Missed, religion": ("unclear", "◆ Inconclusive"),
        "Wrongly flagged, disability": ("unmeasured", "○ Not measured"),
    }
