"""``notewell demo``: fills a store with believable notes, to look around in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from notewell.surfaces.cli.progress import progress_bar
from notewell.surfaces.cli.session import open_memory
from notewell.surfaces.cli.streams import camel, show, with_json


@click.command()
@with_json
def demo() -> None:
    """Fill this store with believable notes: a memory, and a campaign with problems, attempts and notes.

    Notes that are there stay as they are, and a second run changes nothing. To look around without touching your own
    notes, name another folder: NOTEWELL_HOME=./demo notewell demo
    """
    from notewell.services.demo import fill  # noqa: PLC0415 - a help text needs no store

    with open_memory() as (app, actor), progress_bar() as progress:
        report = fill(app.store, actor, progress)
    show(camel(asdict(report)), _lines)


def _lines(report: dict[str, Any]) -> Iterator[str]:
    if not report["memoryNotes"] and not report["researchNotes"]:
        yield "The demonstration is there already. Nothing was changed."
    else:
        made, on_problems = report["memoryNotes"], report["researchNotes"]
        yield f"Made {made} memory notes, and {on_problems} notes on {report['problems']} problems."
    yield "Look around: notewell serve, or notewell note search rates, or notewell research search clause."
