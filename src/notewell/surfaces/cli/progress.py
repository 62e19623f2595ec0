"""A bar on standard error for long work, where a person looks at it; nothing where a program reads."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from notewell.services.progress import Progress, no_progress


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """What long work tells its progress to."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    from rich.console import Console  # noqa: PLC0415 - only where a bar is drawn
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bars  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks = {}

        def tell(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield tell
