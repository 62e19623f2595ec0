"""How long work tells its caller how far it is: a callback that a surface may draw a bar with."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with the name of the stage, how much of it is done, and how much there is in all."""


def no_progress(_stage: str, _done: int, _total: int) -> None:
    """Tells nobody."""
