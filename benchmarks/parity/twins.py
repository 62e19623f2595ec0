"""Two stores that hold the same: one in a file, one in PostgreSQL, with the same times and the same ids.

Each has a clock of its own that moves only when told, and counts its ids, so whoever does the same with both gets the
same notes. Row numbers alone differ: each engine finds its own within a millisecond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from benchmarks.common.postgres import start_server
from benchmarks.common.stores import DATABASE_NAME, temporary_folder
from notewell.domain import ids
from notewell.store import fts5
from notewell.store.database import Database
from notewell.store.migrate import migrate
from notewell.store.postgres import PostgresDatabase
from notewell.store.sqlite import SqliteDatabase

START_MILLISECONDS = 1_780_000_000_000
"""The moment at which every store begins: in May 2026."""


class SettableClock:
    """Milliseconds since 1970 that stand still until they are moved on."""

    def __init__(self) -> None:
        self.now = START_MILLISECONDS

    def __call__(self) -> int:
        """The moment."""
        return self.now

    def advance(self, milliseconds: int) -> None:
        """Moves on."""
        self.now += milliseconds


@dataclass(frozen=True, slots=True)
class Twin:
    """One of the two stores, with its clock."""

    store: Database
    clock: SettableClock


@dataclass(frozen=True, slots=True)
class Twins:
    """The same store on both engines."""

    sqlite: Twin
    postgres: Twin


def _counted_ids() -> Callable[[str, int], str]:
    numbers = count(1)
    return lambda prefix, now: ids.new_id(prefix, now, random_bits=next(numbers))


def open_sqlite(file: Path) -> Twin:
    """The twin in a file."""
    clock = SettableClock()
    store = SqliteDatabase(file, clock=clock, new_id=_counted_ids(), prepare=fts5.prepare)
    migrate(store)
    return Twin(store, clock)


def open_postgres(url: str) -> Twin:
    """The twin in a database."""
    clock = SettableClock()
    store = PostgresDatabase(url, clock=clock, new_id=_counted_ids())
    migrate(store)
    return Twin(store, clock)


@contextmanager
def twins() -> Iterator[Twins]:
    """Two empty stores, gone at the end."""
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder(in_memory=True))
        server = stack.enter_context(start_server())
        server.execute("CREATE DATABASE notewell")
        both = Twins(open_sqlite(folder / DATABASE_NAME), open_postgres(server.url("notewell")))
        for twin in (both.sqlite, both.postgres):
            stack.callback(twin.store.close)
        yield both
