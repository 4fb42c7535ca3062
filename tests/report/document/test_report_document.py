"""The document: what stands where, what makes it a draft, whose words are whose."""

from __future__ import annotations

import base64
import io
import re
from typing import Any

import pytest

from fairnb.errors import FairnbError
from fairnb.files import canonical_json
from fairnb.report._document import build_document
from fairnb.report._page import contents, render_document
from fairnb.sections import Measure

HOSTILE = '<script>alert(1)</script><img src="http://evil.example/x" onerror=alert(1)>'


def png(size: tuple[int, int] = (8, 4)) -> bytes:
    """A picture with a text chunk."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    told = PngInfo()
    told.add_text("Comment", "made at home")
    stream = io.BytesIO()
    Image.new("RGB", size, (10, 20, 30)).save(stream, "PNG", pnginfo=told)
    return stream.getvalue()


def test_the_cover_names_parties_system_data_criteria_and_digest(kit: Any) -> None:
    evidence = kit.evidence(kit.payloads())
    text = kit.words(kit.page(evidence))
    for said in (
        "Independent ethical assessment of the comment filter “Harbour”", "third-party", "Trust and Safety Board",
        "A. Example", "Example Assurance", "Harbour 4.2", "Harbour Labs", "Test corpus comments: 3,803 texts",
        "margin 0.05; set by the Board, 2026-11-01", "2026-11-22", "22 November 2026",
        evidence["content_sha256"][:8],
    ):  # fmt: skip
        assert said in text, said


def test_a_finished_document_is_final_and_says_so(kit: Any) -> None:
    html = kit.page(kit.evidence(kit.payloads()))
    assert '<meta name="fairnb-document-status" content="final">' in html
    assert "This is a draft" not in html


def test_a_draft_says_what_is_missing(kit: Any) -> None:
    html = kit.page(kit.evidence(kit.payloads(draft=["the addressee is empty"])))
    assert '<meta name="fairnb-document-status" content="draft">' in html
    assert html.count("the addressee is empty") >= 2


def test_the_page_promises_of_a_check_no_more_than_it_does(kit: Any) -> None:
    text = kit.words(kit.page(kit.evidence(kit.payloads())))
    assert "whether its figures follow" not in text
    assert "It does not compare the printed figures with the evidence" in text
    assert text.count("--trust CERTIFICATE.pem") == 2
    assert "ROOTS.pem" not in text


def test_words_that_the_document_uses_are_explained_once(kit: Any) -> None:
    terms = [term for term, _ in build_document(kit.evidence(kit.payloads())).glossary]
    assert len(set(terms)) == len(terms)
    assert set(terms) >= {
        "Placebo", "BPSN", "BNSP", "Severity", "Reference", "Template", "Part of alpha", "Power mean",
        "Simultaneous interval", "Tally",
    }  # fmt: skip


def test_sections_stand_in_the_notebooks_order_with_remarks_between_them(kit: Any) -> None:
    payloads = kit.payloads()
    notebook = kit.notebook(payloads)
    notebook["cells"].insert(1, kit.markdown("Seen *by me*."))
    text = kit.words(kit.page(kit.evidence(payloads), notebook))
    body = text[text.index("Speaks to requirement 7") :]
    places = [
        body.index(s)
        for s in ("Assessor’s remark", "Seen by me", "System under assessment", "False-positive")
    ]
    assert places == sorted(places)


def test_the_templates_own_words_are_not_the_assessors_remarks(kit: Any) -> None:
    payloads = kit.payloads()
    notebook = kit.notebook(payloads, kit.markdown("# A title", "fairnb"))
    assert "Assessor’s remark" not in kit.words(kit.page(kit.evidence(payloads), notebook))


def test_a_template_cell_the_assessor_rewrote_is_a_remark(kit: Any) -> None:
    payloads = kit.payloads()
    notebook = kit.notebook(payloads, kit.markdown("## Data bias\n\nI changed these words.", "fairnb"))
    assert "I changed these words." in kit.words(kit.page(kit.evidence(payloads), notebook))


def test_remarks_bring_no_html_no_picture_and_no_link(kit: Any) -> None:
    remark = (
        f"{HOSTILE}\n\n[click](javascript:alert(1)) [site](https://example.org/a) ![x](http://evil.example/p.png)"
        "\n\n<https://example.org/b>\n\n# Big\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    )
    payloads = kit.payloads()
    html = kit.page(kit.evidence(payloads), kit.notebook(payloads, kit.markdown(remark)))
    assert kit.active(html) == []
    assert "site (https://example.org/a)" in html
    assert "[picture not printed: x]" in html
    assert "<h4>Big</h4>" in html
    assert html.count("<h1>") == 1
    assert "<td>1</td>" in html


def test_outputs_of_own_code_go_to_an_annex_that_vouches_for_nothing(kit: Any) -> None:
    payloads = kit.payloads()
    picture = png()
    cell = kit.code(
        "print(1)",
        {"output_type": "stream", "name": "stdout", "text": ["\x1b[31mred\x1b[0m ", HOSTILE]},
        {"output_type": "display_data", "metadata": {"filename": "../../evil"},
         "data": {"text/html": HOSTILE, "image/png": base64.b64encode(picture).decode()}},
        {"output_type": "display_data", "metadata": {}, "data": {"image/svg+xml": HOSTILE, "text/plain": "plain"}},
        {"output_type": "display_data", "metadata": {}, "data": {"image/png": "bm90IGEgcGljdHVyZQ=="}},
    )  # fmt: skip
    html = kit.page(kit.evidence(payloads), kit.notebook(payloads, cell))
    assert kit.active(html) == []
    assert "Not verified by fairnb" in html
    assert "red &lt;script&gt;" in html
    assert "plain" in html
    shown = re.search(r'<img src="data:image/png;base64,([^"]+)" alt="[^"]*not verified', html)
    assert shown is not None
    assert b"made at home" not in base64.b64decode(shown[1])


def test_hostile_text_is_escaped_in_every_place_of_the_document(kit: Any) -> None:
    hostile = kit.sample_result(facts={"statement": HOSTILE}, limits=(HOSTILE,))
    payloads = [
        kit.engagement([HOSTILE], title=HOSTILE, addressee=HOSTILE, level=HOSTILE, independence=HOSTILE,
                       assessor={"name": HOSTILE, "organisation": HOSTILE}, restriction=HOSTILE),
        kit.sample(hostile, target=HOSTILE, parameters={HOSTILE: HOSTILE}, origins={HOSTILE: HOSTILE},
                   declared={HOSTILE: "x"}),
        kit.payload(HOSTILE, hostile, title=HOSTILE),
        kit.conclusion(HOSTILE),
    ]  # fmt: skip
    payloads[0]["context"]["versions"] = {HOSTILE: HOSTILE}
    log = [
        {"event": "score", "time": "x"},
        {
            "event": "case_file",
            "time": HOSTILE,
            "previous": HOSTILE,
            "changes": {HOSTILE: [HOSTILE, HOSTILE]},
        },
    ]
    case = {"title": HOSTILE, "digest": HOSTILE, "files": {HOSTILE: HOSTILE}}
    evidence = kit.evidence(payloads, case=case, log=log)
    assert kit.active(kit.page(evidence)) == []
    assert kit.active(render_document(build_document(evidence), medium="paper")) == []


def test_the_page_forbids_everything_and_carries_its_evidence(kit: Any) -> None:
    evidence = kit.evidence(kit.payloads())
    html = kit.page(evidence)
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in html
    assert html.index("Content-Security-Policy") < html.index("<style>")
    link = re.search(
        r'id="fairnb-evidence" download="evidence.json" href="data:application/json;base64,([^"]*)"', html
    )
    assert link is not None
    assert base64.b64decode(link[1]) == canonical_json(evidence)
    assert not re.search(r"url\(\W*(?!data:)\w", html)
    assert "@import" not in html


def test_no_text_can_take_the_place_of_the_letters(kit: Any) -> None:
    html = kit.page(kit.evidence([kit.engagement(title="/*\x1f*/")]))
    assert html.index("@font-face") > html.index("<style>")


def test_the_same_evidence_gives_the_same_page(kit: Any) -> None:
    evidence = kit.evidence(kit.payloads())
    assert kit.page(evidence) == kit.page(evidence)


def test_the_date_is_the_last_results_or_the_one_that_is_set(
    kit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence = kit.evidence(kit.payloads())
    assert build_document(evidence).moment.isoformat() == "2026-11-22T16:04:00+00:00"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert build_document(evidence).moment.isoformat() == "1970-01-01T00:00:00+00:00"


def test_a_changed_parameter_is_printed_with_the_case_files_value(kit: Any) -> None:
    changed = kit.sample(
        parameters={"threshold": 0.6}, origins={"threshold": "notebook"}, declared={"threshold": 0.5}
    )
    text = kit.words(kit.page(kit.evidence([kit.engagement(), changed])))
    assert "threshold 0.6 0.5 in the notebook, at a time not recorded" in text
    assert "notebook; case file 0.5" in text


def test_a_moved_threshold_is_told_on_the_cover_at_a_glance_and_beside_its_section(kit: Any) -> None:
    """A section without a threshold of its own takes the target's 0.5, until somebody moves it."""
    moved = kit.sample(
        parameters={"threshold": 0.69}, origins={"threshold": "notebook"}, declared={"threshold": None}
    )
    event = {"event": "parameter", "section": "sample", "target": "toxic", "parameter": "threshold"}
    log = [
        {**event, "before": None, "after": 0.69, "time": "2026-11-19T10:00:00Z"},
        {**event, "before": 0.69, "after": 0.8, "time": "2026-11-20T10:00:00Z"},
        {**event, "before": 0.8, "after": 0.69, "time": "2026-11-21T10:30:00Z"},
        {**event, "target": "rude", "before": None, "after": 0.69, "time": "2026-11-22T10:30:00Z"},
    ]
    payloads = [kit.engagement(), kit.system(), moved]
    text = kit.words(kit.page(kit.evidence(payloads, log=log)))
    said = (
        "Who is wrongly flagged (toxic) was run with threshold 0.69 instead of the case file’s 0.50, "
        "changed by hand on 21 November 2026"
    )
    cover, _, rest = text.partition("Not run as the case file says.")
    assert said in cover.partition("Criteria margin 0.05; set by the Board, 2026-11-01")[2]
    head, _, below = rest.partition("What was assessed")
    assert said in head
    assert said in below.partition("What was not assessed")[0]
    assert "threshold 0.69 0.5 2026-11-21 10:30 UTC" in text
    assert "was run with" not in kit.words(
        kit.page(kit.evidence([kit.engagement(), kit.system(), kit.sample()]))
    )


def test_a_section_that_a_change_made_not_applicable_and_a_long_value_are_told_too(kit: Any) -> None:
    payloads = [
        kit.engagement(),
        kit.payload("sample", kit.not_applicable("no training corpus"), title="Flagged",
                    parameters={"corpus": "train"}, declared={"corpus": "test"}),
        kit.sample(parameters={"words": "goose " * 20}, declared={"words": ""}, target="rude"),
    ]  # fmt: skip
    text = kit.words(kit.page(kit.evidence(payloads, log=[])))
    assert (
        "Flagged was asked for with corpus train instead of the case file’s test, changed by hand at a time not "
        "recorded, and is not applicable." in text
    )
    assert (
        "(rude) was run with a value of words that is not the case file’s, changed by hand at a time" in text
    )


def test_many_changes_are_counted_on_the_cover_and_named_at_a_glance(kit: Any) -> None:
    names = ("a", "b", "c", "d")
    many = kit.sample(parameters=dict.fromkeys(names, 2), declared=dict.fromkeys(names, 1))
    document = build_document(kit.evidence([kit.engagement(), many]))
    assert dict(document.facts)["Changed"] == (
        "4 parameters of sections are not those of the case file: At a glance names each."
    )
    assert [f"with {name} 2 instead of the case file’s 1" in change.sentence
            for name, change in zip(names, document.moved, strict=True)] == [True] * 4  # fmt: skip


def test_settings_changed_after_the_first_score_are_printed(kit: Any) -> None:
    log = [
        {"event": "case_file", "time": "2026-11-20T08:00:00Z", "changes": {"criteria.margin": [None, 0.02]}},
        {"event": "score", "time": "2026-11-20T09:00:00Z"},
        {"event": "case_file", "time": "2026-11-21T10:30:00Z", "changes": {"criteria.margin": [0.02, 0.05]}},
    ]
    text = kit.words(kit.page(kit.evidence(kit.payloads(), log=log)))
    assert "criteria.margin 0.05 0.02 2026-11-21 10:30 UTC" in text
    assert (
        "2026-11-20 08:00 UTC"
        not in text.partition("Parameters, and what was changed")[2].partition("The evidence holds")[0]
    )


def test_every_measure_that_no_table_prints_stands_in_the_annex(kit: Any) -> None:
    measures = tuple(Measure(measure="m", subgroup=f"g{i}", value=i / 100, n=30 + i) for i in range(60))
    result = kit.sample_result(measures=measures, candidates=(), findings=())
    text = kit.words(kit.page(kit.evidence([kit.engagement(), kit.sample(result)])))
    annex = text.partition("Those that stand in no table")[2]
    assert all(f"M-{i + 1:04d} m g{i} {i / 100:.4f}" in annex for i in range(60))


def test_contents_name_each_chapter_once_and_lead_to_it(kit: Any) -> None:
    evidence = kit.evidence(kit.payloads())
    html = kit.page(evidence)
    entries = contents(build_document(evidence))
    assert [entry.label for entry in entries][:3] == ["", "1", "2"]
    for entry in entries:
        assert html.count(f'id="{entry.anchor}"') == 1
        assert html.count(f'href="#{entry.anchor}"') >= 1


def test_ids_in_the_page_are_unique(kit: Any) -> None:
    payloads = [kit.engagement(), kit.sample(target="a b"), kit.sample(target="a-b"), kit.sample(target="")]
    ids = re.findall(r'\sid="([^"]+)"', kit.page(kit.evidence(payloads)))
    assert len(ids) == len(set(ids))


def test_without_results_there_is_nothing_to_print(kit: Any) -> None:
    with pytest.raises(FairnbError) as caught:
        build_document(kit.evidence([]))
    assert caught.value.code == "nothing-to-print"
