"""A progress bar where a terminal is there to show it; silence elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import track

Item = TypeVar("Item")


def progressing(items: Sequence[Item], what: str) -> Iterable[Item]:
    """The items one by one, with a bar on standard error."""
    return track(items, description=what, console=Console(stderr=True), disable=not sys.stderr.isatty())


def say(text: str) -> None:
    """Tells on standard error what goes on, so that standard output holds the report alone."""
    print(text, file=sys.stderr, flush=True)
