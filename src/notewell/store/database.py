"""What the store's files ask of an engine: run a named statement, inside a reading or a writing transaction.

The engines (``sqlite.py``, ``postgres.py``) implement ``Database``. Time and ids come in with the transaction, so
tests set them. No network and no model is ever called while a ``Tx`` is open.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from notewell.domain import ids
from notewell.store.dialect import Dialect

Row = Mapping[str, Any]
"""A row by column name; its types are those of the statement, which the caller knows."""

Value = str | int | float | bytes | None
Clock = Callable[[], int]


def system_clock() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


class Reader(Protocol):
    """A consistent view of the store: what others commit meanwhile is not seen."""

    @property
    def dialect(self) -> Dialect:
        """What differs on this engine."""

    @property
    def now(self) -> int:
        """The moment of the transaction, in milliseconds since 1970."""

    def rows(self, name: str, /, **values: Value | Sequence[Value]) -> list[Row]:
        """The rows of the statement of that name in ``store/sql``; a sequence fills an ``IN (:name...)`` list."""

    def rows_of(self, sql: str, values: Mapping[str, Value | Sequence[Value]]) -> list[Row]:
        """The rows of a statement that was put together from checked parts (filters, full-text trees)."""


class Tx(Reader, Protocol):
    """A writing transaction: all of it is kept, or nothing."""

    def run(self, name: str, /, **values: Value | Sequence[Value]) -> int:
        """Runs the statement of that name; how many rows it changed."""

    def run_many(self, name: str, batch: Iterable[Mapping[str, Value]], /) -> None:
        """Runs the statement of that name once for each set of values."""

    def run_sql(self, sql: str, values: Mapping[str, Value | Sequence[Value]]) -> int:
        """Runs a statement that was put together from checked parts; how many rows it changed."""

    def new_id(self, prefix: str) -> str:
        """An id that nothing else has, its time that of the transaction."""

    def lock(self, space_id: str) -> None:
        """Lets no other writer into a space until this transaction ends: what is read of it from now on stays true.

        Where an engine has one writer at a time there is nothing to do. A transaction locks before it reads what its
        writes depend on, and locks several spaces only in the order of their ids.
        """


class Database(Protocol):
    """One store, shared by many threads and processes."""

    def read(self, *, may_lag: bool = False) -> AbstractContextManager[Reader]:
        """A reading transaction; where it ``may_lag``, perhaps by a server that does not know the last writes."""

    def write(self) -> AbstractContextManager[Tx]:
        """A writing transaction: committed at the end, undone by any exception.

        Raises ``unavailable`` where the store is busy, full, read-only or damaged: nothing was changed then, unless the
        error says that its outcome is not known.
        """

    def empty_log(self) -> None:
        """Lets the engine give up what deletions left behind, so that no deleted text stays in the store's files."""

    def close(self) -> None:
        """Ends every connection."""


def one(rows: list[Row]) -> Row | None:
    """The only row, or None."""
    return rows[0] if rows else None


_ids_lock = threading.Lock()
_last_id = (0, 0)


def random_id(prefix: str, now: int) -> str:
    """The default maker of ids: those of one process and millisecond come in the order they were made."""
    global _last_id
    with _ids_lock:
        last_now, last_low = _last_id
        low = last_low + 1 if now == last_now else secrets.randbits(31)
        _last_id = (now, low)
    return ids.new_id(prefix, now, low)
