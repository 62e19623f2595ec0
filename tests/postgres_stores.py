"""Databases for the tests that run on PostgreSQL: one server for each process of a run, its databases used again.

The server comes from a pip package, or ``NOTEWELL_TEST_POSTGRES_URL`` names one whose role may create databases.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg

from benchmarks.common.postgres import start_server
from notewell.store.database import Clock
from notewell.store.migrate import migrate
from notewell.store.postgres import PostgresDatabase

_stack = ExitStack()
MANY_ROWS = 300
_RESET = """
UPDATE sweeps SET last_at = 0; UPDATE vector_clock SET seq = 0, forgotten_seq = 0; ALTER SEQUENCE row_numbers RESTART;
"""


@cache
def server_url() -> str:
    """The address of a database of the server, which is started when first asked for and ends with this process."""
    given = os.environ.get("NOTEWELL_TEST_POSTGRES_URL")
    if given:
        return given
    server = _stack.enter_context(start_server())
    atexit.register(_stack.close)
    return server.url("postgres")


def address(name: str) -> str:
    """The address of another database of the server."""
    return urlunsplit(urlsplit(server_url())._replace(path=f"/{name}"))


def new_database() -> str:
    """The address of a new, empty database; it goes with the server, or at the end of this process."""
    name = f"notewell_test_{uuid4().hex[:12]}"
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    if os.environ.get("NOTEWELL_TEST_POSTGRES_URL"):
        atexit.register(_drop, name)
    return address(name)


def _drop(name: str) -> None:
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())


class TestDatabase(PostgresDatabase):
    """A store that the next test takes, emptied, with its open connections: new ones take ten times as long."""

    __test__ = False

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url
        self._is_in_use = True
        migrate(self)

    def taken(self, clock: Clock, new_id: Callable[[str, int], str]) -> TestDatabase:
        """The store, empty."""
        self._clock, self._new_id = clock, new_id
        self._is_in_use = True
        with self.direct() as connection:
            [row] = connection.execute("SELECT count(*) AS rows FROM note_search").fetchall()
            connection.execute(_emptying(self.url))
            if row["rows"] > MANY_ROWS:  # dead rows by the thousand would slow the next test's plans down
                connection.execute("VACUUM ANALYZE")
        return self

    def close(self) -> None:
        """Gives the database back."""
        if self._is_in_use:
            self._is_in_use = False
            _idle.append(self)


_idle: list[TestDatabase] = []


def open_postgres(clock: Clock, new_id: Callable[[str, int], str]) -> PostgresDatabase:
    """An empty, migrated store."""
    store = _idle.pop() if _idle else TestDatabase(new_database())
    return store.taken(clock, new_id)


@cache
def _emptying(url: str) -> bytes:
    """Takes everything out of a store but its schema."""
    with psycopg.connect(url, autocommit=True) as connection:
        rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    kept = {"migrations", "store_identity", "sweeps", "vector_clock"}
    names = sorted({name for (name,) in rows} - kept, reverse=True)
    return ("".join(f"DELETE FROM {name}; " for name in names) + _RESET).encode()
