"""Markdown as HTML for a page: safe, bounded, and with nothing of the note hidden from the person who reads it.

Raw HTML stays text, links lose what could run, images of other sites are placeholders until they are asked for, and a
second library looks at the result. Whatever the input is, something is shown and nothing is raised. It must not know
notes: a page hands it a text.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256

from markupsafe import Markup

from notewell.surfaces.web.markdown_html import clean, html_of
from notewell.surfaces.web.markdown_parts import parts_of
from notewell.surfaces.web.visible import visible_html

MAX_HTML_CHARS = 4_000_000
"""A rendering that is larger (tables can multiply) is given up for the text as it is."""
RAW_PAGE_CHARS = 100_000
"""How much of a long text stands on one page, as it is."""
CACHE_CHARS = 16_000_000
"""How much HTML is kept."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a text is rendered."""

    id_prefix: str = "n"
    """What the ids of its headings and footnotes begin with: each text of one page has its own."""
    shows_images: bool = False
    """Whether images of other sites are shown, or only where they are."""
    first_heading: int = 2
    """The level that a heading ``#`` gets on the page."""
    part: int = 1
    """Which part of a long text, from 1; a number outside becomes the nearest one."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text as HTML."""

    html: Markup
    images: int = 0
    """How many images of other sites it has: offer to show them."""
    number: int = 1
    """Which part of the text it is, from 1."""
    count: int = 1
    """How many parts the text has: offer the others, or the page that shows all as it is."""


@dataclass(frozen=True, slots=True)
class RawPage:
    """A part of a text as it is."""

    html: Markup
    """For a ``<pre>``."""
    number: int
    """From 1."""
    count: int


def render(text: str, options: Options | None = None) -> Rendered:
    """The text as HTML; the same text with the same options comes from a cache.

    The cache is found only with the text itself, so of a deleted note nobody can ask it for anything.
    """
    chosen = options or Options()
    key = (sha256(text.encode("utf-8", "surrogatepass")).digest(), chosen)
    found = _cache.get(key)
    if found is None:
        found = _rendered(text, chosen)
        _cache.put(key, found)
    return found


def raw_page(text: str, number: int = 1) -> RawPage:
    """One page of the text as it is, every hidden character marked; a number outside becomes the nearest one."""
    count = max(1, -(-len(text) // RAW_PAGE_CHARS))
    number = min(max(1, number), count)
    part = text[(number - 1) * RAW_PAGE_CHARS : number * RAW_PAGE_CHARS]
    return RawPage(Markup(visible_html(part)), number, count)


def _rendered(text: str, options: Options) -> Rendered:
    parts = parts_of(text)
    number = min(max(1, options.part), len(parts))
    shown = parts[number - 1]
    try:
        html, images = html_of(shown, options.id_prefix, options.first_heading, shows_images=options.shows_images)
        if len(html) <= MAX_HTML_CHARS:
            return Rendered(Markup(clean(html)), images, number, len(parts))
    except Exception:  # noqa: BLE001 - texts of others meet libraries of others: whatever breaks, the text is shown
        pass
    return Rendered(Markup(f'<pre class="raw">{visible_html(shown)}</pre>'), 0, number, len(parts))


class _Cache:
    """The renderings used last, up to a number of characters."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._kept: OrderedDict[tuple[bytes, Options], Rendered] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[bytes, Options]) -> Rendered | None:
        """A rendering that is kept, else None."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: tuple[bytes, Options], rendered: Rendered) -> None:
        """Keeps a rendering, and lets go of those not used for longest."""
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = rendered
            self._size += len(rendered.html)
            while self._size > self._limit:
                _, oldest = self._kept.popitem(last=False)
                self._size -= len(oldest.html)


_cache = _Cache(CACHE_CHARS)
