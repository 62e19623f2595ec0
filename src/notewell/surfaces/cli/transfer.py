"""``notewell import`` and ``notewell export``."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import click

from notewell.errors import InvalidArgument
from notewell.surfaces.cli import text
from notewell.surfaces.cli.progress import progress_bar
from notewell.surfaces.cli.session import open_memory
from notewell.surfaces.cli.streams import as_account, camel, is_json, print_json, show, unreadable, with_json

_SPOOL_BYTES = 16 * 1024 * 1024


@click.command("import")
@click.argument("file", metavar="FILE")
@as_account
@with_json
def import_command(file: str) -> None:
    """Bring notes in from a file with one JSON object a line ('-' reads standard input).

    A line needs a title and a body; it may have id, summary, tags, symbols, collection, status, source, agent, version,
    createdAt, updatedAt and history, as export writes them. All lines are checked first; if one is wrong, nothing is
    imported. Importing the same file again changes nothing, and a note that is there with other content stays.

    \b
    Example of a line:
      {"title": "Fed outlook", "body": "Cuts are priced in.", "tags": ["macro"], "createdAt": "2026-12-01"}
    """
    from notewell.services import transfer  # noqa: PLC0415 - a help text needs no store

    with _source(file) as source, open_memory() as (app, actor), progress_bar() as progress:
        report = transfer.import_notes(app.store, actor, source, progress)
    show(camel(asdict(report)), _import_lines)


@contextmanager
def _source(file: str) -> Iterator[BinaryIO]:
    """A file that can be read twice."""
    if file != "-":
        try:
            opened = open(file, "rb")  # noqa: SIM115 - closed below; only its opening is guarded
        except OSError as error:
            raise unreadable(file, error) from None
        with opened:
            if opened.seekable():
                yield opened
            else:
                yield from _spooled(opened)
        return
    yield from _spooled(sys.stdin.buffer)


def _spooled(stream: BinaryIO) -> Iterator[BinaryIO]:
    with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES) as spool:
        shutil.copyfileobj(stream, spool)
        yield spool  # type: ignore[misc]  # it is one, though typeshed does not say so


def _import_lines(report: dict[str, Any]) -> Iterator[str]:
    yield f"{report['read']:,} lines read: {report['created']:,} notes made, {report['unchanged']:,} already there."
    if report["newCollections"]:
        yield f"New collections: {', '.join(map(text.line, report['newCollections']))}"
    if report["kept"]:
        yield f"{report['kept']:,} notes are here with other content and stayed as they are:"
        yield from (f"  line {each['line']}: {each['id']}" for each in report["keptNotes"])
    if report["newIds"]:
        yield f"{report['newIds']:,} notes got a new id, since another account's note has theirs:"
        yield from (f"  line {each['line']}: {each['given']} is {each['id']}" for each in report["newIdNotes"])
    if report["notKept"]:
        listed = ", ".join(f"{text.line(name)} ({count:,})" for name, count in report["notKept"].items())
        yield f"Fields that a note does not have were left out, with the number of lines: {listed}"


@click.command("export")
@click.argument("file", metavar="[FILE]", required=False, default="-")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@as_account
@with_json
def export_command(file: str, *, force: bool) -> None:
    """Write all notes, archived ones and earlier states too, to FILE or standard output, one JSON object a line.

    'notewell import' reads it back: the same texts byte for byte, with ids, times, status and history.
    """
    from notewell.services import transfer  # noqa: PLC0415 - a help text needs no store

    with open_memory() as (app, actor), progress_bar() as progress:
        if file == "-":
            report = transfer.export_notes(app.store, actor, sys.stdout.buffer, progress)
            sys.stdout.buffer.flush()
        else:
            with _replaced(Path(file), force=force) as target:
                report = transfer.export_notes(app.store, actor, target, progress)
    _tell_export(asdict(report), file)


def _tell_export(report: dict[str, Any], file: str) -> None:
    """The report: on standard error where the notes went to standard output."""
    is_stdout = file == "-"
    if is_json():
        print_json(report if is_stdout else {**report, "file": file}, err=is_stdout)
    else:
        where = "" if is_stdout else f" to {file}"
        click.echo(f"{report['notes']:,} notes ({report['bytes']:,} bytes) written{where}.", err=is_stdout)


@contextmanager
def _replaced(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    """A file beside the wanted one that takes its place when all is written; private to its owner, as notes are."""
    if path.exists() and not force:
        raise InvalidArgument(f"{path} is there already. Choose another name, or pass --force.", argument="file")
    path = path.resolve()  # a link stays, and what it leads to is replaced
    if path.exists() and not path.is_file():
        raise InvalidArgument(f"{path} is no file. Write to standard output instead: -", argument="file")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be written ({error.strerror}).", argument="file") from None
    try:
        with os.fdopen(handle, "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
