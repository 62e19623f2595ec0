"""What the tests of every room share: a clock that stands still, a store in a folder of its own, somebody who acts.

Store and service tests run on every engine of ``ENGINES``; a second engine is one more entry there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import ClassVar

import apsw
import postgres_stores
import pytest
from budget import FUZZ_MINUTES, USUAL_EXAMPLES
from hypothesis import HealthCheck, settings

from notewell.domain import ids
from notewell.domain.access import TOKEN_SCOPES, Actor
from notewell.store import fts5
from notewell.store.database import Clock, Database, Reader
from notewell.store.migrate import migrate
from notewell.store.sqlite import SqliteDatabase

settings.register_profile(
    "fuzz",
    max_examples=max(1, round(USUAL_EXAMPLES * FUZZ_MINUTES)),
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)

START_MILLISECONDS = 1_780_000_000_000
"""The moment at which every test begins: in May 2026."""


class SettableClock:
    """Milliseconds since 1970 that stand still until a test moves them."""

    def __init__(self, now: int = START_MILLISECONDS) -> None:
        self.now = now

    def __call__(self) -> int:
        """The moment that was set."""
        return self.now

    def advance(self, milliseconds: int) -> None:
        """Moves on."""
        self.now += milliseconds


def counted_ids() -> Callable[[str, int], str]:
    """A maker of ids that come out the same in every run: the time, then 1, 2, 3, …"""
    numbers = count(1)
    return lambda prefix, now: ids.new_id(prefix, now, random_bits=next(numbers))


def _prepare(connection: apsw.Connection) -> None:
    fts5.prepare(connection)
    # No test here cuts the power: not waiting for the disk makes them four times faster.
    connection.execute("PRAGMA synchronous = OFF")


def _open_sqlite(folder: Path, clock: Clock) -> SqliteDatabase:
    return SqliteDatabase(folder / "notewell.db", clock=clock, new_id=counted_ids(), prepare=_prepare)


def _open_postgres(folder: Path, clock: Clock) -> Database:
    return postgres_stores.open_postgres(clock, counted_ids())


ENGINES: dict[str, Callable[[Path, Clock], Database]] = {"sqlite": _open_sqlite, "postgres": _open_postgres}

OUTER_ROOMS = {"surfaces", "embedders", "acceptance", "conformance"}
"""Folders whose tests mostly start a server or a process: the quick part does without."""

SLOW_POSTGRES = ("sqlite", pytest.param("postgres", marks=pytest.mark.slow))
"""The engines for what takes long where a server has to be asked."""


def open_store(engine: str, folder: Path, clock: Clock) -> Database:
    """A new, migrated store of an engine; whoever opens it closes it."""
    store = ENGINES[engine](folder, clock)
    migrate(store)
    return store


def is_postgres(store: Database) -> bool:
    """Whether a store lies in PostgreSQL."""
    return not isinstance(store, SqliteDatabase)


def table_names(reader: Reader) -> list[str]:
    """Every table that holds rows of ours, but not what full-text tables are made of."""
    if reader.dialect.engine == "postgres":
        sql = "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"
    else:
        sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    return sorted(row["name"] for row in reader.rows_of(sql, {}))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what needs a PostgreSQL server, and what of the outer rooms is left out of the quick part."""
    for item in items:
        if "postgres" in getattr(item, "callspec", _NoCall).params.values():
            item.add_marker(pytest.mark.postgres)
        if OUTER_ROOMS & set(item.path.parts):
            item.add_marker(pytest.mark.outer)


class _NoCall:
    """Of a test that runs once."""

    params: ClassVar[dict[str, object]] = {}


@pytest.fixture
def clock() -> SettableClock:
    """The clock of the test's store."""
    return SettableClock()


@pytest.fixture(params=sorted(ENGINES))
def database(request: pytest.FixtureRequest, tmp_path: Path, clock: SettableClock) -> Iterator[Database]:
    """An empty, migrated store, once on each engine."""
    store = open_store(request.param, tmp_path, clock)
    yield store
    store.close()


@pytest.fixture
def sqlite_database(tmp_path: Path, clock: SettableClock) -> Iterator[SqliteDatabase]:
    """An empty, migrated store in a file, for what only a file or its full-text tables can show."""
    store = _open_sqlite(tmp_path, clock)
    migrate(store)
    yield store
    store.close()


def new_actor(name: str) -> Actor:
    """Somebody with an account of their own, whose token allows everything."""
    return Actor(f"acc_{name:0>10}", name, frozenset(TOKEN_SCOPES), agent=f"agent-of-{name}")


@pytest.fixture
def actor() -> Actor:
    """Somebody who may do everything."""
    return new_actor("ana")
