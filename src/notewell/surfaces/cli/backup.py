"""``notewell backup`` and ``notewell restore``: the whole store as one file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from notewell import config
from notewell.errors import Forbidden
from notewell.surfaces.cli.progress import progress_bar
from notewell.surfaces.cli.streams import show, with_json


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@with_json
def backup(file: str, *, force: bool) -> None:
    """Write the whole store to FILE, as it is at this moment, while servers and assistants go on.

    All is in it: every account's notes, history, the research record, accounts and tokens. FILE is for its owner alone,
    is checked, and appears when it is whole; put it on another disk. For notes as text see 'notewell export'.

    \b
    Example:
      notewell backup notes.db
    """
    from notewell.services import backup as backups  # noqa: PLC0415 - a help text needs no store

    settings = config.from_environment()
    _require_admin(settings)
    with progress_bar() as progress:
        report = backups.backup(settings.file, Path(file), replaces=force, progress=progress)
    show(asdict(report), _backup_lines)


def _require_admin(settings: config.Config) -> None:
    """Raises ``forbidden`` where a token acts that may not act for others; without one, the machine's owner does."""
    if settings.token is None or settings.file is None or not settings.file.exists():
        return
    from notewell.app import open_store  # noqa: PLC0415 - a help text needs no store
    from notewell.services import accounts  # noqa: PLC0415 - as above

    store = open_store(str(settings.file), replace(settings, database_read_url=None))
    try:
        accounts.token_actor(store, settings.token).require("admin")
    finally:
        store.close()


def _backup_lines(report: dict[str, Any]) -> Iterator[str]:
    yield f"{report['notes']:,} notes ({report['bytes']:,} bytes) written to {report['file']}."


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Replace a store that holds notes; it is kept beside the new one.")
@with_json
def restore(file: str, *, force: bool) -> None:
    """Put a backup in the place of this store. Stop servers and assistants first.

    FILE is checked first and stays as it is. A store that holds notes is replaced only with --force, and kept as
    notewell.db.before-restore-TIME in the data folder. Where anything is wrong, nothing is changed.

    \b
    Example:
      NOTEWELL_HOME=~/restored notewell restore notes.db
    """
    from notewell.services import backup as backups  # noqa: PLC0415 - a help text needs no store

    settings = config.from_environment()
    if settings.token is not None:
        raise Forbidden("A token cannot restore: it belongs to the store that goes. Unset NOTEWELL_TOKEN.")
    with progress_bar() as progress:
        report = backups.restore(Path(file), settings.file, replaces=force, progress=progress)
    show(asdict(report), _restore_lines)


def _restore_lines(report: dict[str, Any]) -> Iterator[str]:
    yield f"{report['notes']:,} notes restored to {report['store']}."
    if report["kept"] is not None:
        yield f"The store that was there is kept as {report['kept']}."
