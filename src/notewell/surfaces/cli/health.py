"""``notewell doctor`` and ``notewell reindex``: for whoever owns the store, so they look at every account's notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from notewell import config
from notewell.errors import Unavailable
from notewell.surfaces.cli.progress import progress_bar
from notewell.surfaces.cli.session import open_app, require_admin
from notewell.surfaces.cli.streams import show, with_json
from notewell.surfaces.cli.text import clean

if TYPE_CHECKING:
    from notewell.app import App
    from notewell.services.maintenance import DoctorReport


@click.command()
@with_json
def doctor() -> None:
    """Check the store: the file itself, and the search index of every note against the note.

    Changes nothing. Exits with 1 if something is wrong, and says what to do about it.
    """
    report, embedder = _examined()
    show({**_as_json(report), "embedder": embedder}, _doctor_lines)
    if not report.is_healthy:
        click.get_current_context().exit(1)


def _examined() -> tuple[DoctorReport, dict[str, Any] | None]:
    """What the doctor found, and the embedder that is set, with the reason where it cannot work."""
    from notewell.services import maintenance  # noqa: PLC0415 - a help text needs no store

    path = config.from_environment().file
    try:
        with open_app() as app, progress_bar() as progress:
            require_admin(app)
            return maintenance.doctor(app.store, path, progress), _embedder_of(app)
    except Unavailable as error:
        return maintenance.unopened(path, error), None


def _embedder_of(app: App) -> dict[str, Any]:
    from notewell.services.ports import EmbedderUnavailable  # noqa: PLC0415 - a help text needs no store

    embedder = app.embedder
    reason = embedder.reason if isinstance(embedder, EmbedderUnavailable) else None
    return {"setting": app.config.embedder, "unavailable": reason}


def _as_json(report: DoctorReport) -> dict[str, Any]:
    return {
        "healthy": report.is_healthy,
        "engine": report.engine,
        "schema": report.schema,
        "newestSchema": report.newest_schema,
        "facts": [list(fact) for fact in report.facts],
        "files": [asdict(each) for each in report.files],
        "accounts": [asdict(each) for each in report.accounts],
        "compared": report.compared,
        "models": [asdict(each) for each in report.models],
        "queue": None if report.queue is None else asdict(report.queue),
        "findings": [asdict(each) for each in report.findings],
    }


def _doctor_lines(report: dict[str, Any]) -> Iterator[str]:
    schema = "unknown" if report["schema"] is None else report["schema"]
    yield f"Engine    {report['engine']}, schema {schema} of {report['newestSchema']}"
    yield f"Folder    {config.from_environment().home}"
    for name, value in report["facts"]:
        yield f"{name:<9} {clean(value)}"
    for each in report["files"]:
        yield f"File      {each['name']}, {each['bytes']:,} bytes"
    for each in report["accounts"]:
        yield f"Account   {each['handle'] or '(none)'}: {each['active']:,} active, {each['archived']:,} archived notes"
    yield f"Compared  {report['compared']:,} notes with a rebuild of their index"
    if (queue := report["queue"]) is not None:
        yield f"Queue     {queue['waiting']:,} notes wait to be embedded, {queue['failed']:,} failed"
    if (embedder := report["embedder"]) is not None:
        state = embedder["unavailable"] or "searches by meaning and embeds what waits"
        yield f"Embedder  {clean(embedder['setting'])}: {clean(state)}"
    for each in report["models"]:
        megabytes = each["memory_bytes"] / 1e6
        yield f"Vectors   {each['model_id']}: {each['notes']:,} notes, {each['vectors']:,} vectors, {megabytes:,.1f} MB"
    for finding in report["findings"]:
        yield ""
        style = {"error": "red", "warning": "yellow"}[finding["severity"]]
        label = click.style(f"{finding['severity']}:", fg=style, bold=True)
        count = f" ({finding['count']:,} times)" if finding["count"] > 1 else ""
        yield f"{label} {finding['check']}: {finding['message']}{count}"
        yield from (f"  {example}" for example in finding["examples"])
    yield ""
    yield "All is well." if report["healthy"] else "Something is wrong; see above."


@click.command()
@with_json
def reindex() -> None:
    """Make the search index of every memory again from its notes.

    Needed only if 'notewell doctor' says so. Notes themselves are not touched; searches work meanwhile.
    """
    from notewell.services import maintenance  # noqa: PLC0415 - a help text needs no store

    with open_app() as app, progress_bar() as progress:
        require_admin(app)
        report = maintenance.reindex(app.store, progress)
    show(asdict(report), _reindex_lines)


def _reindex_lines(report: dict[str, Any]) -> Iterator[str]:
    yield f"Indexed {report['notes']:,} notes of {report['memories']:,} memories again."
    if report["strays"]:
        yield f"Removed {report['strays']:,} rows that belonged to no note."
