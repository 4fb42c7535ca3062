"""Templates to HTML. Whatever a template prints is escaped; nothing printed can run or load."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from fairnb.files import templates

if TYPE_CHECKING:
    from jinja2 import Environment
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererProtocol
    from markdown_it.token import Token
    from markupsafe import Markup

# Characters that reorder or hide what a reader sees; they are printed by their code.
_UNSEEN = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"
)
_ID = re.compile(r"M-\d+")
# A number is tried from its first digit only: a text of digits alone takes no time.
_SHARE = re.compile(r"(?<![\d.,])([−+]?\d[\d.,]* %)")
# Printed values are escaped, so that angle brackets are those of tags alone.
_WITH_SHARE = re.compile(r"(?:\A|(?<=>))[^<]* %[^<]*")
_VERBATIM = re.compile(r"<(title|style|svg|pre|code)\b.*?</\1>", re.DOTALL)
"""What is no running text: a space in it breaks no line, or is the reader's to copy."""
_BREAKS = re.compile(r"[\s\-/]+")
_TAGS = {
    "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "h4", "h5", "h6",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


def render(template: str, **values: Any) -> str:
    """A template of `report_templates/audit`, filled; no line breaks between a number and its per cent sign.

    Values are escaped by the template engine; only what is already `Markup` stands as it is.
    """
    return _unparted(environment().get_template(template).render(**values))


def seen(text: str) -> str:
    r"""A text in which hidden and reordering characters are visible by their code.

    >>> seen("safe\u202etxt")
    'safe‹U+202E›txt'
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(lambda found: f"‹U+{ord(found.group()):04X}›", text)


def markdown(text: str, *, heading: int = 4) -> Markup:
    """Markdown as HTML without raw HTML, pictures and links; an address is printed in words.

    Parameters
    ----------
    text : str
    heading : int
        Level at which the text's own headings begin, at most 6.
    """
    import nh3
    from markupsafe import Markup

    html = _markdown().render(seen(text), {"heading": heading})
    return Markup(nh3.clean(html, tags=_TAGS, attributes={}, clean_content_tags={"script", "style"}))  # noqa: S704


@cache
def environment() -> Environment:
    """The template engine: escapes everything, knows no file but the package's own."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(templates("report_templates") / "audit"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["markdown"] = markdown
    made.filters["grouped"] = _grouped
    made.filters["unbroken"] = _unbroken
    made.filters["ids"] = _ids
    return made


def _shown(value: Any) -> Any:
    # Most values are plain; what is Markup is a string, too.
    return seen(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _unparted(html: str) -> str:
    """A page whose shares stay on one line by a rule of style: what is copied from it has a plain space."""
    parts, start = [], 0
    for verbatim in _VERBATIM.finditer(html):
        parts += [_WITH_SHARE.sub(_whole, html[start : verbatim.start()]), verbatim.group()]
        start = verbatim.end()
    return "".join([*parts, _WITH_SHARE.sub(_whole, html[start:])])


def _whole(words: re.Match[str]) -> str:
    return _SHARE.sub(r'<span class="whole">\1</span>', words.group())


def _grouped(digest: str, size: int = 4) -> str:
    """A digest in groups, so that two people can read it to each other."""
    return " ".join(digest[start : start + size] for start in range(0, len(digest), size))


def _ids(refs: str) -> Markup:
    """Ids of measures, none of which is broken at its hyphen where several do not fit into one line."""
    from markupsafe import Markup, escape

    return Markup(_ID.sub(r'<span class="id">\g<0></span>', str(escape(refs))))  # noqa: S704 - escaped before


def _unbroken(text: str) -> int:
    """Letters of the longest word."""
    return max(map(len, _BREAKS.split(text)))


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    made.add_render_rule("link_open", _nothing)
    made.add_render_rule("link_close", _address)
    made.add_render_rule("image", _picture)
    made.add_render_rule("heading_open", _heading)
    made.add_render_rule("heading_close", _heading)
    # Any address may be written, because none becomes a link.
    made.validateLink = _anything  # type: ignore[method-assign]
    return made


def _anything(url: str) -> bool:
    return True


def _nothing(self: RendererProtocol, tokens: list[Token], index: int, options: Any, env: Any) -> str:
    return ""


def _address(self: RendererProtocol, tokens: list[Token], index: int, options: Any, env: Any) -> str:
    from markupsafe import escape

    opening = next(i for i in range(index, -1, -1) if tokens[i].type == "link_open")
    address = str(tokens[opening].attrs.get("href", ""))
    words = "".join(token.content for token in tokens[opening:index])
    return "" if address in ("", words) else f" ({escape(address)})"


def _picture(self: RendererProtocol, tokens: list[Token], index: int, options: Any, env: Any) -> str:
    from markupsafe import escape

    return str(escape(f"[picture not printed: {tokens[index].content}]"))


def _heading(self: RendererProtocol, tokens: list[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    level = min(6, int(token.tag[1]) + env.get("heading", 4) - 1)
    return f"<h{level}>" if token.nesting == 1 else f"</h{level}>\n"
