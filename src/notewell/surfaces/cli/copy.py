"""``notewell copy``: a whole store into another place, from one engine to the other or to the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from notewell import config
from notewell.errors import Interrupted
from notewell.surfaces.cli.progress import progress_bar
from notewell.surfaces.cli.streams import show, with_json

if TYPE_CHECKING:
    from notewell.services.copying import CopyReport
    from notewell.store.database import Database

COUNTED = {
    "notes": "notes",
    "note_versions": "earlier states of notes",
    "collections": "collections",
    "accounts": "accounts",
    "tokens": "tokens",
    "campaigns": "campaigns",
    "problems": "problems",
    "attempts": "attempts",
    "note_vectors": "vectors",
    "jobs": "notes that wait to be embedded",
}
"""What the report tells people of, by table."""


@click.command()
@click.option("--from", "source", metavar="PLACE", required=True, help="The store to copy; it is not changed.")
@click.option("--to", "target", metavar="PLACE", required=True, help="An empty place, or one where a copy stopped.")
@with_json
def copy(source: str, target: str) -> None:
    """Copy a whole store to another place: from a file to PostgreSQL, back, or to another of the same.

    A PLACE is a data folder, a store's file, or a PostgreSQL address (postgresql://USER@HOST:5432/DATABASE). All is
    kept as it is: accounts, tokens, notes with ids, versions, times and history, the research record, vectors. The
    search index is made again. At the end both stores are read in full and compared.

    Stop every Notewell that uses the source first: what is written meanwhile is not in the copy, and the command then
    says so and exits with 1. If it stops before its end, for whatever reason, the same command goes on where it was; a
    copy that is complete is left as it is.

    \b
    Example:
      notewell copy --from ~/.local/share/notewell --to postgresql://notewell@db.example.org/notewell
    """
    from notewell.services import copy_places, copying  # noqa: PLC0415 - a help text needs no store

    start, end = copy_places.parse_places(source, target)
    try:
        with copy_places.opened_source(start, _open) as store:
            _require_admin(store)
            with copy_places.opened_target(end, _open) as made, progress_bar() as progress:
                report = copying.copy(store, made, progress)
    except KeyboardInterrupt:
        raise Interrupted(f"Stopped before the end; nothing is lost. {copying.AGAIN}") from None
    shown = {"from": start.shown, "to": end.shown, **_as_json(report), "howToUse": copy_places.how_to_use(end)}
    show(shown, _lines)


def _open(place: str) -> Database:
    """The store at a place; a server for reads that the settings name is one of another store."""
    from notewell.app import open_store  # noqa: PLC0415 - a help text needs no store

    return open_store(place, replace(config.from_environment(), database_read_url=None), "--from or --to")


def _require_admin(store: Database) -> None:
    """Raises ``forbidden`` where a token acts that may not act for others; without one, the store's owner does."""
    from notewell.services import accounts  # noqa: PLC0415 - a help text needs no store

    if (token := config.from_environment().token) is not None:
        accounts.token_actor(store, token).require("admin")


def _as_json(report: CopyReport) -> dict[str, Any]:
    from notewell.domain.times import format_time  # noqa: PLC0415 - a help text needs no store

    outcome = "unchanged" if not report.is_new else "resumed" if report.went_on else "copied"
    return {"outcome": outcome, "finishedAt": format_time(report.finished_at), "rows": report.rows}


def _lines(report: dict[str, Any]) -> Iterator[str]:
    if report["outcome"] == "unchanged":
        yield f"{report['to']} is a complete copy already, since {report['finishedAt']}. Nothing was changed."
    else:
        yield f"Copied {report['from']} to {report['to']}. Both were read again in full and hold the same:"
    yield from (f"  {report['rows'][name]:>9,} {word}" for name, word in COUNTED.items() if report["rows"][name])
    yield report["howToUse"]
