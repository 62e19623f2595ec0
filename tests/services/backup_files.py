"""What the tests of backups share: looks into files, and the ways in which a file is no backup."""

from __future__ import annotations

import os
from pathlib import Path

import apsw

from notewell.domain.notes import Draft
from notewell.services import accounts, memory
from notewell.store import copies, sqlite
from notewell.store.database import Database


def write(store: Database, title: str) -> None:
    """Makes a note of the local account."""
    memory.create(store, accounts.local_actor(store), Draft(title, "rates"))


def titles(file: Path) -> list[str]:
    """The titles of all notes in a file, in their order."""
    connection = apsw.Connection(f"{file.as_uri()}?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        return [str(title) for (title,) in connection.execute("SELECT title FROM notes ORDER BY row_no")]
    finally:
        connection.close()


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder by name."""
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


def damage(file: Path) -> None:
    """Overwrites pages in the middle of a file."""
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2 : len(raw) // 2 + 40_000] = b"\xff" * 40_000
    file.write_bytes(raw)


def damage_one_table(file: Path) -> None:
    """Overwrites a page that nothing but a check of the whole file reads."""
    connection = apsw.Connection(str(file))
    ((page,),) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'tokens'").fetchall()
    connection.close()
    assert isinstance(page, int)
    with file.open("r+b") as opened:
        opened.seek((page - 1) * 4096)
        opened.write(b"\xff" * 4096)


def truncate(file: Path) -> None:
    os.truncate(file, file.stat().st_size * 2 // 3 // 4096 * 4096)


def cut_in_a_page(file: Path) -> None:
    os.truncate(file, 6_000)


def empty(file: Path) -> None:
    file.write_bytes(b"")


def text(file: Path) -> None:
    file.write_text("notes " * 10_000)


def foreign(file: Path) -> None:
    file.unlink()
    connection = apsw.Connection(str(file))
    connection.execute("CREATE TABLE notes (title)")
    connection.close()


def newer(file: Path) -> None:
    connection = apsw.Connection(str(file))
    connection.execute("INSERT INTO migrations (number, name, applied_at) VALUES (9999, 'later', 0)")
    connection.close()


def unfinished(file: Path) -> None:
    connection = apsw.Connection(str(file))
    reader = sqlite.SqliteTx(connection, 0, lambda prefix, now: prefix)
    assert copies.begin(reader, "another", "run")
    connection.close()


def gone(file: Path) -> None:
    file.unlink()
