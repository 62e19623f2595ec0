"""From Markdown to HTML: the parser with its rules, what is drawn differently here, and what may stay in the result.

Everything that Markdown itself would drop is drawn: definitions of links, footnotes that nothing points to, cells
beyond a table's columns, the words after a code block's language, the titles of links. It must not know pages.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Sequence

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import escapedSplit, getLine, table
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import escape
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_inline_dollar
from mdit_py_plugins.footnote import footnote_plugin

from notewell.surfaces.web.markdown_code import code_html, math_html
from notewell.surfaces.web.visible import visible_html, visible_text

MAX_CPU_SECONDS = 2.0
"""For one text. Some texts take Markdown's rules the square of their length; a page shows such a text as it is."""
MAX_INLINE_CHARS = 10_000
"""Of one paragraph, heading or cell; a longer one is shown as it is, which no note written by hand will meet."""
MAX_ADDRESS_CHARS = 300
"""Of an image that is not shown."""
_MAX_SLUG_CHARS = 80
_NO_SLUG = re.compile(r"[^\w\- ]")
_ENDED_BY_TIME = ("paragraph", "reference", "blockquote", "list")
"""The blocks whose rules look at each line for what may end them: there, too, the time is looked at."""
_TASK = re.compile(r"\[([ xX])\] ")
_FORMULA_TAGS = (
    "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded msub msup msubsup munder mover"
    " munderover mmultiscripts mprescripts mtable mtr mtd"
)
_TEXT_TAGS = (
    "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s a table thead tbody tr th td hr br span div section"
    " sup img"
)
_FORMULA_ATTRIBUTES = (
    "display mathvariant stretchy fence separator lspace rspace accent accentunder columnalign rowspacing columnspacing"
    " linethickness form minsize maxsize symmetric movablelimits largeop"
)
_ATTRIBUTES = {
    "*": {"class", "id", "title"},
    "a": {"href", "aria-label"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "div": {"tabindex"},
    "span": {"role", "aria-label", "tabindex"},
    "img": {"src", "alt", "loading", "referrerpolicy"},
    **{tag: set(_FORMULA_ATTRIBUTES.split()) for tag in _FORMULA_TAGS.split()},
}
_cleaner = nh3.Cleaner(
    tags={*_TEXT_TAGS.split(), *_FORMULA_TAGS.split()},
    clean_content_tags={"script", "style"},
    attributes=_ATTRIBUTES,
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow ugc",
    strip_comments=True,
)
_local = threading.local()


def html_of(text: str, id_prefix: str, first_heading: int, *, shows_images: bool) -> tuple[str, int]:
    """The text as HTML that is still to be cleaned, and how many images of other sites it has."""
    parser = _parser()
    _local.end_seconds = time.thread_time() + MAX_CPU_SECONDS
    env: EnvType = {"docId": id_prefix, "shows_images": shows_images, "images": 0}
    tokens = parser.parse(text, env)
    _Walk(id_prefix, first_heading).adjust(tokens)
    _check_time()
    html: str = parser.renderer.render(tokens, parser.options, env)
    return html, env["images"]


def clean(html: str) -> str:
    """The HTML with nothing left that could act on the page."""
    return _cleaner.clean(html)


def _parser() -> MarkdownIt:
    """The parser of this thread: looking for links keeps a state of its own."""
    parser: MarkdownIt | None = getattr(_local, "parser", None)
    if parser is None:
        parser = MarkdownIt("gfm-like", {"html": False, "linkify": True, "inline_definitions": True})
        parser.use(footnote_plugin)
        parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False)
        if parser.linkify is not None:
            # README.md is a file and no site of Moldova.
            parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
        parser.inline.ruler.at("math_inline", _dollars)
        parser.core.ruler.at("inline", _inline)
        parser.inline.ruler.before("text", "time", _take_time)
        parser.block.ruler.before("table", "time", _take_block_time, {"alt": list(_ENDED_BY_TIME)})
        parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
        parser.core.ruler.before("footnote_tail", "footnote_unused", _keep_unused_footnotes)
        for name, rule in _RULES.items():
            parser.add_render_rule(name, rule)
        _local.parser = parser
    return parser


# How long it may take


class _TooLong(Exception):
    """The time for one text is used up."""


def _check_time() -> None:
    if time.thread_time() > _local.end_seconds:
        raise _TooLong


def _take_time(state: StateInline, silent: bool) -> bool:
    _check_time()
    return False


def _take_block_time(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    _check_time()
    return False


def _inline(state: StateCore) -> None:
    """The usual rule for the inside of blocks, but for one that is too long."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        if token.children is None:
            token.children = []
        if len(token.content) > MAX_INLINE_CHARS:
            token.children.append(Token("long_text", "", 0, content=token.content))
        else:
            state.md.inline.parse(token.content, state.md, state.env, token.children)


# Formulas

_strict_dollars = math_inline_dollar(allow_space=False, allow_digits=False, allow_double=True)
_lenient_dollars = math_inline_dollar(allow_space=False, allow_digits=True, allow_double=True)


def _dollars(state: StateInline, silent: bool) -> bool:
    """Formulas, but no prices: no digit beside the outer side of a dollar sign.

    At the start of a text the plugin would take its last character for the one before.
    """
    is_first = state.pos == 0 and state.src[-1:].isdigit()
    return (_lenient_dollars if is_first else _strict_dollars)(state, silent)


# What the parser would drop


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The usual rule for tables, with a token for the cells that have no column."""
    before = len(state.tokens)
    is_table = table(state, start, end, silent)
    if silent or not is_table:
        return is_table
    made = state.tokens[before:]
    columns = sum(token.type == "th_open" for token in made)
    kept: list[Token] = []
    extra = ""
    for token in made:
        if token.type == "tr_open" and token.map is not None:
            cells = escapedSplit(getLine(state, token.map[0]).strip())
            cells = cells[1:] if cells and not cells[0] else cells
            extra = " | ".join(each.strip() for each in cells[columns:]).strip(" |")
        elif token.type == "tr_close" and extra:
            kept.append(Token("extra_cells", "", 0, content=extra))
        kept.append(token)
    state.tokens[before:] = kept
    return True


def _keep_unused_footnotes(state: StateCore) -> None:
    """Leaves a footnote where it stands when nothing points to it, when another has its label, or inside another."""
    refs = state.env.get("footnotes", {}).get("refs", {})
    opened: list[Token] = []
    last = {token.meta["label"]: token for token in state.tokens if token.type == "footnote_reference_open"}
    depth = 0
    for token in state.tokens:
        if token.type == "footnote_reference_open":
            label = token.meta["label"]
            if depth or refs.get(f":{label}", -1) < 0 or last[label] is not token:
                token.type = "unused_footnote_open"
            else:
                depth += 1
            opened.append(token)
        elif token.type == "footnote_reference_close":
            if opened.pop().type == "unused_footnote_open":
                token.type = "unused_footnote_close"
            else:
                depth -= 1


# What is set before drawing


class _Walk:
    """Goes through the tokens of one text."""

    def __init__(self, id_prefix: str, first_heading: int) -> None:
        self._prefix = id_prefix
        self._level = first_heading - 1
        self._first = first_heading
        self._slugs: dict[str, int] = {}

    def adjust(self, tokens: list[Token]) -> None:
        """Gives headings their level and id, cells their side, tasks their box, links within the text their aim."""
        for place, token in enumerate(tokens):
            if token.type == "heading_open":
                self._heading(tokens, place)
            elif token.type in ("th_open", "td_open"):
                _align(tokens, place)
            elif token.type == "inline" and token.children:
                if place > 1 and tokens[place - 2].type == "list_item_open":
                    _make_task(tokens[place - 2], token.children)
                self._links(token.children)

    def _heading(self, tokens: list[Token], place: int) -> None:
        opened, inline, closed = tokens[place : place + 3]
        # One level down at most, so that the outline of the page has no gaps.
        self._level = min(self._first + int(opened.tag[1]) - 1, self._level + 1, 6)
        opened.tag = closed.tag = f"h{self._level}" if inline.content.strip() else "p"
        slug = _NO_SLUG.sub("", inline.content.lower()).strip().replace(" ", "-")[:_MAX_SLUG_CHARS]
        opened.attrSet("id", f"{self._prefix}-{self._unique(slug or 'part')}")

    def _unique(self, slug: str) -> str:
        name = slug
        while name in self._slugs:
            self._slugs[slug] += 1
            name = f"{slug}-{self._slugs[slug]}"
        self._slugs[name] = 0
        return name

    def _links(self, children: list[Token]) -> None:
        titles: list[str] = []
        for child in children:
            if child.type == "link_open":
                href = str(child.attrGet("href") or "")
                if href.startswith("#"):
                    child.attrSet("href", f"#{self._prefix}-{href[1:]}")
                titles.append(str(child.attrs.pop("title", "")))
            elif child.type == "link_close" and titles:
                child.meta["title"] = titles.pop()


def _align(tokens: list[Token], place: int) -> None:
    token = tokens[place]
    style = str(token.attrs.pop("style", ""))
    if style:
        token.attrSet("class", f"align-{style.partition(':')[2]}")
    if token.type == "th_open" and not tokens[place + 1].content.strip():
        token.tag = tokens[place + 2].tag = "td"  # a heading of nothing


def _make_task(item: Token, children: list[Token]) -> None:
    match = _TASK.match(children[0].content) if children[0].type == "text" else None
    if match:
        item.attrJoin("class", "task")
        children[0].content = children[0].content[match.end() :]
        children.insert(0, Token("task_box", "", 0, content=match[1].strip()))


# How tokens are drawn


def _text(_: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    _check_time()
    return visible_html(tokens[place].content)


def _code_inline(_: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    return f"<code>{visible_html(tokens[place].content)}</code>"


def _code(_: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    _check_time()
    return code_html(tokens[place].content, tokens[place].info)


def _math(_: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    _check_time()
    env["formulas"] = env.get("formulas", 0) + 1
    return math_html(tokens[place].content, tokens[place].type, env["formulas"])


def _definition(_: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    meta = tokens[place].meta
    title = f' "{meta["title"]}"' if meta["title"] else ""
    line = f"[{meta['label']}]: {meta['url']}{title}"
    return f'<p class="definition">{visible_html(line)}</p>\n'


def _unused_open(_: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    label = tokens[place].meta["label"]
    return f'<div class="definition"><p>{visible_html(f"[^{label}]:")}</p>'


def _unused_close(_: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    return "</div>\n"


def _extra_cells(_: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    return f'<td class="extra">{visible_html(tokens[place].content)}</td>\n'


def _table_open(_: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    return '<div class="scroll" tabindex="0"><table>\n'


def _table_close(_: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    return "</table></div>\n"


def _task_box(_: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    sign, name = ("☑", "[x]") if tokens[place].content else ("☐", "[ ]")
    return f'<span class="box" role="img" aria-label="{name}">{sign}</span> '


def _link_close(_: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    title = tokens[place].meta.get("title")
    return "</a>" + (f' <span class="link-title">({visible_html(title)})</span>' if title else "")


def _image(renderer: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: EnvType) -> str:
    token = tokens[place]
    words = renderer.renderInlineAsText(token.children, options, env) if token.children else ""
    source, title = str(token.attrGet("src") or ""), str(token.attrGet("title") or "")
    shown_title = f' <span class="link-title">({visible_html(title)})</span>' if title else ""
    if source.lower().startswith(("http://", "https://")):
        env["images"] += 1
        if env["shows_images"]:
            return (
                f'<img src="{escape(source)}" alt="{escape(visible_text(words))}" loading="lazy"'
                f' referrerpolicy="no-referrer">{shown_title}'
            )
    address = source if len(source) <= MAX_ADDRESS_CHARS else f"{source[:MAX_ADDRESS_CHARS]}… ({len(source):,})"
    label = f"{visible_html(words)} " if words else ""
    return f'<span class="image-away">▨ {label}<code>{visible_html(address)}</code></span>{shown_title}'


_RULES = {
    "text": _text,
    "long_text": _text,
    "code_inline": _code_inline,
    "fence": _code,
    "code_block": _code,
    "math_inline": _math,
    "math_inline_double": _math,
    "math_block": _math,
    "definition": _definition,
    "unused_footnote_open": _unused_open,
    "unused_footnote_close": _unused_close,
    "extra_cells": _extra_cells,
    "table_open": _table_open,
    "table_close": _table_close,
    "task_box": _task_box,
    "link_close": _link_close,
    "image": _image,
}
