"""``notewell sweep``: the hourly repair pass, run now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from notewell.surfaces.cli.session import open_app, require_admin
from notewell.surfaces.cli.streams import camel, show, with_json


@click.command()
@with_json
def sweep() -> None:
    """Do what was left undone: index what is stale, remove deleted text from the file, queue what was never embedded.

    Running it twice does no harm; searches work meanwhile.
    """
    with open_app() as app:
        require_admin(app)
        report = app.sweep()
    show(camel(asdict(report)), _sweep_lines)


def _sweep_lines(report: dict[str, Any]) -> Iterator[str]:
    yield f"Indexed {report['notesReindexed']:,} notes of {report['spacesReindexed']:,} stale spaces again."
    if report["problemsPutInStep"]:
        yield f"Put {report['problemsPutInStep']:,} problems in step with their campaigns."
    if report["jobsEnqueued"]:
        yield f"Queued {report['jobsEnqueued']:,} notes for search by meaning."
    if report["vectorsDrifted"]:
        yield click.style(f"{report['vectorsDrifted']:,} vectors are of another text than their note's.", fg="red")
    yield f"Removed deleted text from {report['homesCleaned']:,} full-text tables."
