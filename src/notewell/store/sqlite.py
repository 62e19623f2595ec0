"""SQLite through apsw: connections, transactions, and the translation of the engine's errors.

One file, shared by threads and processes: WAL, ``BEGIN IMMEDIATE`` for every write, a busy timeout, and
``synchronous=FULL`` so that an acknowledged note survives a power cut. It must not know notes.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from notewell.domain.ids import MAX_MILLISECONDS
from notewell.errors import Damaged, Internal, NotewellError, Unavailable
from notewell.store.database import Clock, Row, Value, random_id, system_clock
from notewell.store.dialect import SQLITE, Dialect
from notewell.store.statements import statements

BUSY_SECONDS = 10
_LIST = re.compile(r":(\w+)\.\.\.")
_SETTINGS = (
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",  # deleted text leaves no bytes in the file
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -16000",
    "PRAGMA temp_store = MEMORY",
)


class SqliteDatabase:
    """The store in one file. ``prepare`` is called with each new connection (full-text functions)."""

    dialect: Dialect = SQLITE

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock = system_clock,
        new_id: Callable[[str, int], str] = random_id,
        prepare: Callable[[apsw.Connection], None] | None = None,
    ) -> None:
        self.path = path
        self._clock = clock
        self._new_id = new_id
        self._prepare = prepare
        self._idle: list[apsw.Connection] = []
        self._file: _FileIdentity | None = None
        self._lock = threading.Lock()
        # Writers of this process wait here in turn; only those of other processes wait inside SQLite.
        self._writer = threading.Lock()
        self._is_closed = False

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path), statementcachesize=200)
        connection.set_busy_timeout(BUSY_SECONDS * 1000)
        use_write_ahead_log(connection)
        for setting in _SETTINGS:
            connection.execute(setting).fetchall()
        if self._prepare:
            self._prepare(connection)
        return connection

    @contextmanager
    def connection(self) -> Iterator[apsw.Connection]:
        """A connection of the pool, for one thread at a time; engine errors come out translated."""
        try:
            with self._lock:
                file = self._checked_file()
                connection = self._idle.pop() if self._idle else None
            connection = connection or self._connect()
            try:
                yield connection
            finally:
                with self._lock:
                    self._file = self._file or _identity_of(self.path)
                    if self._is_closed or file not in (None, self._file):
                        connection.close()
                    else:
                        self._idle.append(connection)
        except apsw.Error as error:
            raise translated(error, self.path) from error

    def _checked_file(self) -> _FileIdentity | None:
        """Which file the idle connections are of; None before the first one. Raises ``unavailable`` where it is gone.

        The system lets who has a removed file open go on writing to it: what is acknowledged so is lost.
        """
        if self._file is None or (found := _identity_of(self.path)) == self._file:
            return self._file
        while self._idle:
            self._idle.pop().close()
        if found is None:
            raise Unavailable(
                f"The store's file {self.path.name} is missing: it or its folder was removed or moved. Nothing was"
                " changed. Put it back, or start Notewell again for a new one."
            )
        self._file = found  # another file was put in its place, a backup perhaps
        return found

    @contextmanager
    def read(self, *, may_lag: bool = False) -> Iterator[SqliteTx]:
        """A consistent view of the file."""
        with self.connection() as connection, _transaction(connection, "BEGIN"):
            yield SqliteTx(connection, self._clock(), self._new_id)

    @contextmanager
    def write(self) -> Iterator[SqliteTx]:
        """The one writing transaction of this moment."""
        now = self._clock()
        if not 0 <= now <= MAX_MILLISECONDS:
            raise Unavailable("This machine's clock is outside the years 1970 to 2109. Set it right and try again.")
        with self._writer, self.connection() as connection, _transaction(connection, "BEGIN IMMEDIATE"):
            yield SqliteTx(connection, self._clock(), self._new_id)

    def empty_log(self) -> None:
        """Checkpoints the write-ahead log and empties it, as far as readers allow now."""
        with self._writer, self.connection() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Closes the idle connections now and the busy ones when they come back."""
        with self._lock:
            self._is_closed = True
            while self._idle:
                self._idle.pop().close()


_FileIdentity = tuple[int, int]
"""The device and number of a file: two files of one name, one after the other, differ in it."""


def _identity_of(path: Path) -> _FileIdentity | None:
    """Which file lies there; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def use_write_ahead_log(connection: apsw.Connection) -> None:
    """Lets readers and the writer go on beside each other.

    Where two processes change a new file at once, SQLite refuses one of them without waiting, whatever the timeout
    says: two that both wait for the other would never end. So the one that was refused asks again.
    """
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
            return
        except apsw.BusyError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)


@contextmanager
def _transaction(connection: apsw.Connection, begin: str) -> Iterator[None]:
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # Some errors (a full disk) end the transaction by themselves.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


class SqliteTx:
    """A transaction on one connection: a ``Reader``, and a ``Tx`` where it came from ``write``."""

    def __init__(self, connection: apsw.Connection, now: int, new_id: Callable[[str, int], str]) -> None:
        self.connection = connection
        self.dialect = SQLITE
        self.now = now
        self._new_id = new_id

    def rows(self, name: str, /, **values: Value | Sequence[Value]) -> list[Row]:
        """The rows of a named statement."""
        return self.rows_of(_named(name), values)

    def rows_of(self, sql: str, values: Mapping[str, Value | Sequence[Value]]) -> list[Row]:
        """The rows of a statement."""
        cursor = self.connection.execute(*_bound(sql, values))
        names: tuple[str, ...] = ()
        found: list[Row] = []
        for row in cursor:
            names = names or tuple(column for column, _ in cursor.get_description())
            found.append(dict(zip(names, row, strict=True)))
        return found

    def run(self, name: str, /, **values: Value | Sequence[Value]) -> int:
        """Runs a named statement; how many rows it changed."""
        return self.run_sql(_named(name), values)

    def run_sql(self, sql: str, values: Mapping[str, Value | Sequence[Value]]) -> int:
        """Runs a statement; how many rows it changed."""
        self.connection.execute(*_bound(sql, values))
        return self.connection.changes()

    def run_many(self, name: str, batch: Iterable[Mapping[str, Value]], /) -> None:
        """Runs a named statement once for each set of values."""
        self.connection.executemany(_named(name), batch)

    def lock(self, space_id: str) -> None:
        """Nothing: ``BEGIN IMMEDIATE`` let no other writer in."""

    def new_id(self, prefix: str) -> str:
        """A new id with the transaction's time."""
        return self._new_id(prefix, self.now)


_filled: dict[str, str] = {}


def _named(name: str) -> str:
    sql = _filled.get(name)
    if sql is None:
        sql = _filled[name] = SQLITE.fill(statements()[name])
    return sql


def _bound(sql: str, values: Mapping[str, Value | Sequence[Value]]) -> tuple[str, dict[str, Value]]:
    """The statement with each ``:name...`` as a list of parameters, and the values of all parameters."""
    bindings: dict[str, Value] = {}
    for name, value in values.items():
        if isinstance(value, list | tuple):
            bindings.update({f"{name}_{index}": item for index, item in enumerate(value)})
            listed = ", ".join(f":{name}_{index}" for index in range(len(value)))
            sql = sql.replace(f":{name}...", listed or "NULL")
        else:
            bindings[name] = value  # type: ignore[assignment]  # a sequence other than list and tuple is text or bytes
    return sql, bindings


def translated(error: apsw.Error, path: Path) -> NotewellError:
    """What a caller is told of an engine's error: never its text, which may hold a note's."""
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return Unavailable(
            f"The store is busy: another process has been writing for {BUSY_SECONDS} seconds. Nothing was changed; try"
            " again."
        )
    if isinstance(error, apsw.FullError):
        return Unavailable("The disk is full, so nothing was saved. Free some space and try again.")
    if isinstance(error, apsw.ReadOnlyError | apsw.PermissionsError | apsw.CantOpenError):
        return Unavailable(
            f"The store cannot be written: {path.name} or its folder is read-only or missing. Nothing was changed."
        )
    if isinstance(error, apsw.CorruptError | apsw.NotADBError):
        return Damaged(
            "The store's file is damaged. Stop writing to it, keep a copy, and go back to a backup ('notewell restore')"
            " or an export; 'notewell doctor' says what is damaged."
        )
    if isinstance(error, apsw.IOError | apsw.NoLFSError | apsw.NoMemError):
        return Unavailable(
            "The store's file could not be read or written (an input/output error). Nothing was changed. See whether"
            " its disk is full or failing, and try again."
        )
    return Internal("The store met a defect of Notewell. Nothing was changed; please report it.")
