"""The templates: strict, escaping, and with the filters that every page needs."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from notewell import __version__
from notewell.domain.times import format_time
from notewell.surfaces.web.said import said
from notewell.surfaces.web.static_files import static_url
from notewell.surfaces.web.visible import visible, visible_text

KINDS = frozenset(("finding", "dead_end", "decision", "question", "plan", "blocker", "digest", "summary"))
"""The kinds of research note that have a colour."""


def html_of(template: str, values: dict[str, Any]) -> str:
    """A page from a template."""
    return _environment.get_template(template).render(values)


def load_all() -> None:
    """Reads and compiles every template, which else the first reader of each page waits for."""
    for name in _environment.list_templates():
        _environment.get_template(name)


def time_html(milliseconds: int | None) -> Markup:
    """A moment for people, in UTC and to the minute, with the exact one for programs."""
    if milliseconds is None:
        return Markup("")
    exact = format_time(milliseconds)
    return Markup('<time datetime="{}" title="{} UTC">{} {}</time>').format(
        exact, exact[:19].replace("T", " "), exact[:10], exact[11:16]
    )


def day_html(milliseconds: int | None) -> Markup:
    """The day of a moment, in UTC."""
    if milliseconds is None:
        return Markup("")
    exact = format_time(milliseconds)
    return Markup('<time datetime="{}" title="{} UTC">{}</time>').format(
        exact, exact[:19].replace("T", " "), exact[:10]
    )


def code_html(text: object) -> Markup:
    """A name, a path or a command as code, every character of it visible."""
    return Markup("<code>{}</code>").format(visible(text))


def plain_text(text: str) -> str:
    """A text for the title of a page: one with marks in it loses their elements, not their words."""
    return text.striptags() if isinstance(text, Markup) else visible_text(text)


def bytes_text(size: int) -> str:
    """A size for people: ``812 B``, ``12 kB``, ``1.0 MB``."""
    if size < 1_000:
        return f"{size} B"
    return f"{size / 1_000:,.0f} kB" if size < 1_000_000 else f"{size / 1_000_000:,.1f} MB"


def number_text(number: int) -> str:
    """A whole number with its thousands apart."""
    return f"{number:,}"


def _environment_of_pages() -> Environment:
    environment = Environment(
        loader=PackageLoader("notewell.surfaces.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(version=__version__, static=static_url, known_kinds=KINDS)
    environment.filters.update(
        visible=visible,
        visible_text=visible_text,
        plain=plain_text,
        code=code_html,
        time=time_html,
        day=day_html,
        bytes=bytes_text,
        said=said,
        number=number_text,
    )
    return environment


_environment = _environment_of_pages()
