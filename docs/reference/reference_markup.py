"""What all generated pages share: the notice, tables, and a figure that two of them name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from notewell.surfaces.guard import HttpSettings

NOTICE = "<!-- Written by docs/reference/generate.py from the code. Do not edit. -->"


def table(heads: list[str], rows: Any) -> Iterator[str]:
    """The lines of a table."""
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield f"| {' | '.join(_cell(cell) for cell in row)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def page(lines: list[str]) -> str:
    """A page of some lines, with the notice that it is generated."""
    return "\n".join([NOTICE, "", *lines]) + "\n"


def rate() -> str:
    """How many requests a server takes from one caller."""
    return HttpSettings("").rate.replace("/", " a ")
