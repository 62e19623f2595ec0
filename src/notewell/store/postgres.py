"""PostgreSQL through psycopg: connections, transactions, and the way from our statements to its own.

Any number of processes share one database. Readers see one moment (repeatable read); writers of one space wait for
each other (``lock``), others do not. A connection keeps no state between two transactions, so a pooler may stand
between. It must not know notes.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import psycopg
import psycopg.conninfo
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.rows import dict_row

from notewell.domain.ids import MAX_MILLISECONDS
from notewell.errors import Unavailable
from notewell.store.database import Clock, Row, Value, random_id, system_clock
from notewell.store.dialect import POSTGRES, Dialect
from notewell.store.postgres_errors import NOT_REPLICATED, SEARCH_SECONDS, is_passing, outcome_unknown, translated
from notewell.store.postgres_refusals import WAIT_SECONDS, address_of, refusal, wrong_encoding
from notewell.store.statements import statements

RETRY_SECONDS = 0.2
URL_SETTING = "NOTEWELL_DATABASE_URL"
READ_SETTING = "NOTEWELL_DATABASE_READ_URL"
_OPTIONS = f"-c lock_timeout={WAIT_SECONDS:.0f}s -c jit=off -c plan_cache_mode=force_custom_plan"
"""Plans are made for the words that are asked: one plan for all would take a rare word for a common one."""
_DEFAULTS = {
    "application_name": "notewell",
    "connect_timeout": "3",
    # So a machine that is away is noticed in seconds; TCP itself takes a quarter of an hour.
    "tcp_user_timeout": "4000",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "2",
}
"""What an address does not say itself."""
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_SEARCH = f"{_READ}; SET LOCAL statement_timeout = '{SEARCH_SECONDS}s'"
_VACUUMED = ("notes", "note_versions", "note_search", "space_words", "note_vectors", "note_embeddings", "note_index")
_LIST = re.compile(r"IN \(:(\w+)\.\.\.\)")
_NAME = re.compile(r"(?<![:\w]):(\w+)")

Connection = psycopg.Connection[dict[str, Any]]


class _NumberLoader(Loader):
    """Sums of whole numbers come as ``numeric``; they are whole numbers here as on the other engine."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return float(text) if "." in text else int(text)


class _Connections:
    """The connections of one process to one address; each is used by one thread at a time."""

    def __init__(self, url: str, *, is_pooled: bool, setting: str) -> None:
        chosen = {**_DEFAULTS, **({} if is_pooled else {"options": _OPTIONS}), **_parsed(url)}
        self._named = address_of(setting, chosen)
        self._address = psycopg.conninfo.make_conninfo(**chosen)
        # A pooler may hand the next transaction to another server process, which knows no prepared statement.
        self._prepare_threshold = None if is_pooled else 5
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._is_closed = False

    def name(self, setting: str) -> None:
        """Says where the address comes from."""
        self._named = replace(self._named, setting=setting)

    def begun(self, begin: str) -> Connection:
        """A connection on which a transaction has begun.

        Nothing was asked of it yet, so a lost connection is replaced, and a server that is away is waited for. Raises
        ``unavailable`` then, which nobody tries again: there was time enough.
        """
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            connection = self._taken()
            try:
                connection = connection or self._connected()
                connection.execute(begin, prepare=False)
            except psycopg.Error as error:
                if connection is not None:
                    connection.close()
                    continue  # one of the others, or a new one
                if not is_passing(error) or time.monotonic() > deadline:
                    raise refusal(error, self._named) from error
                time.sleep(RETRY_SECONDS)
            else:
                return connection

    def _taken(self) -> Connection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _connected(self) -> Connection:
        connection = psycopg.Connection.connect(
            self._address, autocommit=True, prepare_threshold=self._prepare_threshold, row_factory=dict_row
        )
        encoding = connection.info.parameter_status("server_encoding") or "UTF8"
        if encoding != "UTF8":
            connection.close()
            raise wrong_encoding(encoding, self._named)
        connection.adapters.register_loader("numeric", _NumberLoader)
        return connection

    def back(self, connection: Connection) -> None:
        """Takes a connection back, with no transaction on it; a broken one is closed."""
        with self._lock:
            is_idle = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
            if is_idle and not self._is_closed:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Closes the idle connections now and the busy ones when they come back."""
        with self._lock:
            self._is_closed = True
            while self._idle:
                self._idle.pop().close()


def _parsed(url: str) -> dict[str, Any]:
    try:
        return psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error as error:
        raise Unavailable(
            "This is no address of a PostgreSQL database (NOTEWELL_DATABASE_URL, or the one you gave). It looks like"
            " postgresql://NAME:PASSWORD@HOST:PORT/DATABASE; special characters in it are percent-encoded, and options"
            " behind ? are PostgreSQL's own."
        ) from error


class PostgresDatabase:
    """The store in a PostgreSQL database. ``read_url`` names servers that answer searches, which may lag behind.

    ``is_pooled`` says that a pooler hands a connection of the server to a new client at each transaction.
    """

    def __init__(
        self,
        url: str,
        *,
        read_url: str | None = None,
        is_pooled: bool = False,
        clock: Clock = system_clock,
        new_id: Callable[[str, int], str] = random_id,
    ) -> None:
        self._clock = clock
        self._new_id = new_id
        self._writers = self._readers = _Connections(url, is_pooled=is_pooled, setting=URL_SETTING)
        if read_url:
            self._readers = _Connections(read_url, is_pooled=is_pooled, setting=READ_SETTING)

    def named(self, setting: str) -> PostgresDatabase:
        """The same, whose errors name another setting as the place of the address."""
        self._writers.name(setting)
        return self

    @contextmanager
    def read(self, *, may_lag: bool = False) -> Iterator[PostgresTx]:
        """A consistent view of the database; of the read address where it may lag."""
        with _transaction(*((self._readers, _SEARCH) if may_lag else (self._writers, _READ))) as connection:
            yield PostgresTx(connection, self._clock(), self._new_id)

    @contextmanager
    def write(self) -> Iterator[PostgresTx]:
        """A writing transaction. Raises ``unavailable`` with ``outcomeUnknown`` where the commit itself broke off."""
        now = self._clock()
        if not 0 <= now <= MAX_MILLISECONDS:
            raise Unavailable("This machine's clock is outside the years 1970 to 2109. Set it right and try again.")
        with _transaction(self._writers, "BEGIN") as connection:
            yield PostgresTx(connection, self._clock(), self._new_id)

    @contextmanager
    def direct(self) -> Iterator[Connection]:
        """A connection outside a transaction, for what cannot run in one."""
        try:
            connection = self._writers.begun("SELECT")
            try:
                yield connection
            finally:
                self._writers.back(connection)
        except psycopg.Error as error:
            raise translated(error) from error

    def run_alone(self, sql: str) -> None:
        """Runs a statement outside any transaction."""
        with self.direct() as connection:
            connection.execute(sql.encode())

    def empty_log(self) -> None:
        """Vacuums the tables that hold text, so that rows of deleted notes are cleared from their pages."""
        with self.direct() as connection:
            rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = ANY (current_schemas(false))")
            there = {row["tablename"] for row in rows}
            for table in _VACUUMED:
                if table in there:  # an extension that is not there would have made it
                    connection.execute(f"VACUUM (SKIP_LOCKED, ANALYZE) {table}")

    def close(self) -> None:
        """Closes the connections."""
        self._writers.close()
        self._readers.close()


@contextmanager
def _transaction(connections: _Connections, begin: str) -> Iterator[Connection]:
    connection = connections.begun(begin)
    try:
        try:
            yield connection
        except BaseException:
            with suppress(psycopg.Error):
                connection.execute("ROLLBACK")
            raise
        _commit(connection)
    except psycopg.Error as error:
        raise translated(error) from error
    finally:
        connections.back(connection)


def _commit(connection: Connection) -> None:
    """Commits. An error of the statement itself says that nothing was kept; a lost connection says neither."""
    warnings: list[str] = []

    def heard(notice: psycopg.errors.Diagnostic) -> None:
        warnings.append(notice.sqlstate or "")

    connection.add_notice_handler(heard)
    try:
        connection.execute("COMMIT")
    except psycopg.Error as error:
        if connection.closed or connection.broken:
            raise outcome_unknown() from error
        raise
    finally:
        connection.remove_notice_handler(heard)
    if NOT_REPLICATED in warnings:
        raise outcome_unknown()


class PostgresTx:
    """A transaction on one connection: a ``Reader``, and a ``Tx`` where it came from ``write``."""

    dialect: Dialect = POSTGRES

    def __init__(self, connection: Connection, now: int, new_id: Callable[[str, int], str]) -> None:
        self._connection = connection
        self.now = now
        self._new_id = new_id

    def rows(self, name: str, /, **values: Value | Sequence[Value]) -> list[Row]:
        """The rows of a named statement."""
        return self.rows_of(_named(name), values)

    def rows_of(self, sql: str, values: Mapping[str, Value | Sequence[Value]]) -> list[Row]:
        """The rows of a statement."""
        return list(self._connection.execute(_translated_sql(sql), _bound(values)).fetchall())

    def run(self, name: str, /, **values: Value | Sequence[Value]) -> int:
        """Runs a named statement; how many rows it changed."""
        return self.run_sql(_named(name), values)

    def run_sql(self, sql: str, values: Mapping[str, Value | Sequence[Value]]) -> int:
        """Runs a statement; how many rows it changed."""
        return max(self._connection.execute(_translated_sql(sql), _bound(values)).rowcount, 0)

    def run_many(self, name: str, batch: Iterable[Mapping[str, Value]], /) -> None:
        """Runs a named statement once for each set of values."""
        values = list(batch)
        if values:
            self._connection.cursor().executemany(_translated_sql(_named(name)), values)

    def new_id(self, prefix: str) -> str:
        """A new id with the transaction's time."""
        return self._new_id(prefix, self.now)

    def lock(self, space_id: str) -> None:
        """Lets no other writer into a space until this transaction ends.

        With a row and not an advisory lock, since a row's lock is written to the log: a transaction that finds its work
        done already (a repeated request) then waits for the standby, too, before it says so.
        """
        if not self.rows("lock_space", space_id=space_id):
            self.run("make_space", space_id=space_id)
            self.rows("lock_space", space_id=space_id)


@cache
def _named(name: str) -> str:
    return POSTGRES.fill(statements()[name])


@lru_cache(maxsize=1_000)
def _translated_sql(sql: str) -> bytes:
    """The statement with psycopg's parameters. Bytes, since our own code alone puts statements together."""
    sql = _LIST.sub(r"= ANY(:\1)", sql.replace("%", "%%"))
    return _NAME.sub(r"%(\1)s", sql).encode()


def _bound(values: Mapping[str, Value | Sequence[Value]]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
