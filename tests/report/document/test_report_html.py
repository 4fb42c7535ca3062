"""Where text becomes HTML: which spaces break no line, and that none is changed."""

from __future__ import annotations

import html
import re
from typing import Any

from fairnb.report._html import _unparted
from fairnb.report._render import render_section
from fairnb.sections import Example

_TAG = re.compile(r"<[^>]+>")


def parted(page: str) -> list[str]:
    """Shares of a page's words that a line may break in: none that the rule of style holds."""
    held = re.sub(r'<span class="whole">[^<]*</span>', "", page)
    return re.findall(r"\d %[^<]*", _TAG.sub("", held))


def test_a_number_and_its_per_cent_sign_stay_on_one_line_wherever_they_are_printed(kit: Any) -> None:
    said = "Of 1,312 texts 12.5 % were flagged (95 % interval 3 to 21 %)."
    result = kit.sample_result(
        facts={"statement": said},
        limits=("Below 5 % nothing is said.",),
        examples=(Example(text="I am 100 % sure of the bread", note="flagged at 71 %"),),
    )
    page = render_section([kit.payload("sample", result)])
    assert '<span class="whole">95 %</span> interval' in page
    assert '<span class="whole">12.5 %</span> were' in page
    assert '<span class="whole">100 %</span> sure' in page
    assert parted(page) == []
    # A reader who copies the sentence has the spaces that it was written with.
    assert said in html.unescape(_TAG.sub("", page))
    assert "\u00a0" not in page


def test_only_running_text_is_held_together() -> None:
    for page in (
        '<p title="5 % of texts">none</p>',
        "<title>5 % of texts</title>",
        "<style>/* 5 % */</style>",
        '<svg viewBox="0 0 1 1"><text>5 %</text></svg>',
        "<pre>rate = 5 % 3</pre>",
        "<p><code>5 % 3</code> is two</p>",
    ):
        assert _unparted(page) == page
    assert _unparted("<p>a &lt; −5 % &gt; b</p>") == '<p>a &lt; <span class="whole">−5 %</span> &gt; b</p>'
    # Neither takes a time that grows with the square of the length.
    assert _unparted("1" * 300_000) == "1" * 300_000
    assert _unparted("<p>" + "1 % " * 200_000).count("whole") == 200_000
    assert _unparted("<pre>1</pre>2 %<pre>3 %</pre>").count("whole") == 1
