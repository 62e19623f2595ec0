"""Whole store files of SQLite: one copied while others write it, looked at without changing it, held for nobody else.

A file is read as of one moment, and its copy is one file without a log beside it. It must not know why somebody copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from notewell.errors import Unavailable
from notewell.store import copies
from notewell.store.database import random_id
from notewell.store.sqlite import BUSY_SECONDS, SqliteTx, translated, use_write_ahead_log

LOG_ENDINGS = ("-wal", "-shm")
"""What SQLite adds to a file's name for its log, and for the log's index."""
_STEP_PAGES = 1024
_MAX_DAMAGE_LINES = 5
_TAKE_SECONDS = 1
_SIGNS = frozenset(("migrations", "space_stats", "accounts", "notes"))
"""Tables of every store, of whatever schema."""
_SQL_NOTES = "SELECT count(*) AS notes FROM notes"


@dataclass(frozen=True, slots=True)
class FileState:
    """What a SQLite file holds."""

    is_store: bool
    """Whether it has the tables of a Notewell store; else the rest is 0."""
    schema: int = 0
    notes: int = 0
    """Memory and research notes together."""
    is_unfinished_copy: bool = False


def state_of(path: Path, *, is_still: bool = False) -> FileState:
    """What a file holds; an empty one or none is no store. Raises ``Damaged`` for what is no sound file of SQLite.

    ``is_still``: nobody writes it, so that nothing is made beside it to read it.
    """
    if not path.exists():
        return FileState(is_store=False)
    with _reading(path, is_still=is_still) as connection:
        reader = SqliteTx(connection, 0, random_id)
        names = copies.table_names(reader)
        if not names >= _SIGNS:
            return FileState(is_store=False)
        copied = copies.copy_of(reader) if "copies" in names else None
        return FileState(
            is_store=True,
            schema=reader.rows("last_migration")[0]["number"] or 0,
            notes=reader.rows_of(_SQL_NOTES, {})[0]["notes"],
            is_unfinished_copy=copied is not None and copied.finished_at is None,
        )


def damage_of(path: Path) -> list[str]:
    """What SQLite's own check finds wrong in a file, at most 5 lines; empty where it is sound."""
    with _reading(path, is_still=False) as connection:
        rows = connection.execute(f"PRAGMA quick_check({_MAX_DAMAGE_LINES})").fetchall()
    lines = [str(row[0]) for row in rows]
    return [] if lines == ["ok"] else lines


def copy_file(source: Path, target: Path, on_pages: Callable[[int, int], None], *, is_still: bool = False) -> None:
    """Copies a store, as it is at one moment, into an empty file, while others read and write it.

    ``on_pages`` is told how many pages are copied, of how many; ``is_still`` as for ``state_of``. Raises
    ``unavailable``, and ``Damaged`` for the source; the target may be half then.
    """
    with _reading(source, is_still=is_still) as reader, _opened(target, apsw.SQLITE_OPEN_READWRITE) as writer:
        # Whoever makes the file again when it fails needs no journal, and it is synced as a whole at the end.
        for setting in ("journal_mode = OFF", "synchronous = OFF"):
            writer.execute(f"PRAGMA {setting}").fetchall()
        if not is_still:
            # A store that was just restored has no log yet, and whoever wants to begin one would wait for this reader.
            use_write_ahead_log(reader)
        # With a transaction open all steps see the same moment; without one, each write of others begins them again.
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        with writer.backup("main", reader, "main") as backup:
            while not backup.done:
                backup.step(_STEP_PAGES)
                on_pages(backup.page_count - backup.remaining, backup.page_count)
        # Else the copy would ask for a log beside it, and could not be read where that cannot be made.
        writer.execute("PRAGMA journal_mode = DELETE").fetchall()


@contextmanager
def taken(path: Path) -> Iterator[Callable[[], None]]:
    """Holds a store so that nobody else opens it. Raises ``unavailable`` where somebody has it open.

    What comes is called before the file gets another name: it writes the log back into it, and nobody who waits for the
    old file can write there any more. A file too damaged for a lock is not held.
    """
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.Error as error:
        raise translated(error, path) from error
    try:
        connection.set_busy_timeout(_TAKE_SECONDS * 1000)
        is_held = _take(connection, path)
        yield lambda: _write_log_back(connection, path) if is_held else None
    finally:
        connection.close()


def _take(connection: apsw.Connection, path: Path) -> bool:
    """Locks a file until its connection is closed; False where it is too damaged for that."""
    try:
        # In this mode a log is used by one connection only, which needs the file alone; the lock outlives the commit.
        for sql in ("PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "COMMIT"):
            connection.execute(sql).fetchall()
    except (apsw.BusyError, apsw.LockedError) as error:
        raise Unavailable(
            f"{path} is in use. Stop every Notewell that uses it (servers, workers, and assistants that run 'notewell"
            " mcp') and try again; nothing was changed."
        ) from error
    except (apsw.CorruptError, apsw.NotADBError):
        return False
    except apsw.Error as error:
        raise translated(error, path) from error
    return True


def _write_log_back(connection: apsw.Connection, path: Path) -> None:
    try:
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    except (apsw.CorruptError, apsw.NotADBError):
        return  # the log is kept beside it
    except apsw.Error as error:
        raise translated(error, path) from error


@contextmanager
def _reading(path: Path, *, is_still: bool) -> Iterator[apsw.Connection]:
    """A connection to read with; of a file that is still, it leaves the folder as it is."""
    if not is_still:
        with _opened(path, apsw.SQLITE_OPEN_READWRITE) as connection:
            yield connection
        return
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    # With a log beside it somebody may have it open after all.
    has_log = path.with_name(f"{path.name}-wal").exists()
    with _opened(path.absolute().as_uri() + ("" if has_log else "?immutable=1"), flags, path) as connection:
        yield connection


@contextmanager
def _opened(place: Path | str, flags: int, path: Path | None = None) -> Iterator[apsw.Connection]:
    """A connection, closed at the end; engine errors come out translated."""
    try:
        connection = apsw.Connection(str(place), flags=flags)
        try:
            connection.set_busy_timeout(BUSY_SECONDS * 1000)
            yield connection
        finally:
            connection.close()
    except apsw.Error as error:
        raise translated(error, path or Path(place)) from error
