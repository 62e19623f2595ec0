"""What only SQLite can tell of a store: its file's health, and what its full-text tables really hold.

A contentless FTS5 table gives no text back, so its rows are read through ``fts5vocab``, which names every term with its
note, column and place. Each note's terms are summed into one number, the same for the rebuilt entry, so that a million
notes are compared in one pass without holding their terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from notewell.domain.index import COLUMNS, IndexEntry
from notewell.store.database import Reader, Tx
from notewell.store.health_types import HomeSums, StoreFile
from notewell.store.sqlite import SqliteTx

MAX_DAMAGE_LINES = 20
TABLES = ("fts", "words")
"""The two tables of a home: terms, and unstemmed words."""
_PROGRESS_ROWS = 20_000


def engine_version() -> str:
    """The engine and its version."""
    return f"SQLite {apsw.sqlite_lib_version()}"


def files(path: Path) -> tuple[StoreFile, ...]:
    """The files of a store that are there: the store itself, its log, and the log's index."""
    candidates = [path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm"))]
    return tuple(StoreFile(each.name, each.stat().st_size) for each in candidates if each.is_file())


def facts(reader: Reader) -> list[tuple[str, str]]:
    """None: the file says all."""
    return []


def file_of(reader: Reader) -> Path:
    """The store's file."""
    return Path(_connection(reader).db_filename("main"))


def damage(reader: Reader) -> list[str]:
    """What SQLite's own check finds wrong in the file, at most 20 lines; empty where it is sound."""
    rows = _connection(reader).execute(f"PRAGMA integrity_check({MAX_DAMAGE_LINES})").fetchall()
    lines = [str(row[0]) for row in rows]
    return [] if lines == ["ok"] else lines


def homes(reader: Reader) -> list[int]:
    """The numbers of the homes whose two tables are there."""
    rows = reader.rows_of("SELECT name FROM sqlite_schema WHERE type = 'table'", {})
    names = {row["name"] for row in rows}
    numbers = {int(name[4:]) for name in names if name.startswith("fts_") and name[4:].isdigit()}
    return sorted(number for number in numbers if f"words_{number}" in names)


def sums(reader: Reader, home: int, on_rows: Callable[[], None]) -> HomeSums:
    """What every row of a home holds; ``on_rows`` is called now and then."""
    found = HomeSums({}, {})
    for table, totals in zip(TABLES, (found.fts, found.words), strict=True):
        with _vocabulary(reader, table, home) as name:
            cursor = _connection(reader).execute(f"SELECT term, doc, col, offset FROM {name}")
            for number, (term, row_no, column, place) in enumerate(cursor):
                totals[row_no] = totals.get(row_no, 0) + _occurrence(term, column, place)
                if number % _PROGRESS_ROWS == 0:
                    on_rows()
    return found


def _occurrence(term: str, column: str, place: int | None) -> int:
    """One number for a term at a place. Of a text: hashes of tuples nearly add up, so two terms that changed places
    would have the same sum. They differ between processes; both sides of a comparison are made in one.
    """
    return hash(f"{term} {column} {place}")


def entry_sums(entry: IndexEntry) -> tuple[int, int]:
    """What the two tables should hold of a note, as ``sums`` adds it up."""
    terms = words = 0
    for column, text in zip((*COLUMNS, "f"), (*entry.texts, entry.filters), strict=True):
        terms += sum(_occurrence(term, column, place) for place, term in enumerate(filter(None, text.split(" "))))
    for column, text in zip((*COLUMNS, "f"), (*entry.words, entry.filters), strict=True):
        words += sum(_occurrence(word, column, None) for word in set(filter(None, text.split(" "))))
    return terms, words


def remove_strays(tx: Tx, home: int) -> int:
    """Takes out of a home what belongs to none of its notes; returns how many rows that were."""
    removed: set[int] = set()
    for table in TABLES:
        with _vocabulary(tx, table, home) as name:
            rows = tx.rows_of(
                f"SELECT DISTINCT doc FROM {name} WHERE doc NOT IN (SELECT notes.row_no FROM notes LEFT JOIN"
                " space_stats ON space_stats.space_id = notes.space_id WHERE coalesce(space_stats.home, 0) = :home)",
                {"home": home},
            )
        for row in rows:
            tx.run_sql(f"DELETE FROM {table}_{home} WHERE rowid = :row_no", {"row_no": row["doc"]})
        removed |= {row["doc"] for row in rows}
    return len(removed)


@contextmanager
def _vocabulary(reader: Reader, table: str, home: int) -> Iterator[str]:
    """The name of a temporary view of every term of a full-text table."""
    name = f"temp.vocabulary_{table}_{home}"
    connection = _connection(reader)
    connection.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {name} USING fts5vocab('main', '{table}_{home}', 'instance')"
    )
    yield name
    connection.execute(f"DROP TABLE {name}")


def _connection(reader: Reader) -> apsw.Connection:
    if not isinstance(reader, SqliteTx):
        raise TypeError("this check reads SQLite only")
    return reader.connection
