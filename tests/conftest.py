"""What the tests of every room share: a clock that stands still, a store in a folder of its own, somebody who acts.

Store and service tests run on every engine of ``ENGINES``; a second engine is one more entry there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import apsw
import pytest

from notewell.domain import ids
from notewell.domain.access import TOKEN_SCOPES, Actor
from notewell.store import fts5
from notewell.store.database import Clock, Database
from notewell.store.migrate import migrate
from notewell.store.sqlite import SqliteDatabase

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


def _open_sqlite(folder: Path, clock: Clock) -> Database:
    return SqliteDatabase(folder / "notewell.db", clock=clock, new_id=counted_ids(), prepare=_prepare)


ENGINES: dict[str, Callable[[Path, Clock], Database]] = {"sqlite": _open_sqlite}


def open_store(engine: str, folder: Path, clock: Clock) -> Database:
    """A new, migrated store of an engine; whoever opens it closes it."""
    store = ENGINES[engine](folder, clock)
    migrate(store)
    return store


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


def new_actor(name: str) -> Actor:
    """Somebody with an account of their own, whose token allows everything."""
    return Actor(f"acc_{name:0>10}", name, frozenset(TOKEN_SCOPES), agent=f"agent-of-{name}")


@pytest.fixture
def actor() -> Actor:
    """Somebody who may do everything."""
    return new_actor("ana")
