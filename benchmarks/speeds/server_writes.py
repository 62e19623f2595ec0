"""noteCreate through the service on PostgreSQL, by one thread and by four, beside a bare insert of the rows it writes.

What the service writes for other notes of the same kind is learned in transactions that are undone, and replayed
through psycopg alone: the same statements and values, the same tables, one transaction a note, each commit flushed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median
from typing import Any, Self

import psycopg

from benchmarks.common.report import Figure
from benchmarks.speeds.filled_server import WRITERS
from benchmarks.speeds.natural_notes import NaturalNote, NoteMaker
from benchmarks.speeds.server_cpu import cpu_nanoseconds
from notewell.domain.access import Actor
from notewell.services import accounts, memory
from notewell.store.postgres import PostgresDatabase

NOTES_PER_BATCH = 40
"""Of each thread."""
BATCHES = 8
_WRITES = (b"INSERT", b"UPDATE", b"DELETE")

Transaction = list[tuple[bytes, list[dict[str, Any]]]]
"""Statements, each with the values of its runs."""


class _WatchingCursor(psycopg.Cursor[Any]):
    """A cursor that keeps the writing statements of each transaction, and undoes what was to be committed."""

    kept: list[Transaction]

    def execute(self, query: Any, params: Any = None, **settings: Any) -> Self:
        """Runs and keeps a statement."""
        if query == "BEGIN":
            self.kept.append([])
        elif isinstance(query, bytes):
            self._keep(query, [params])
        return super().execute("ROLLBACK" if query == "COMMIT" else query, params, **settings)

    def executemany(self, query: Any, params_seq: Any, **settings: Any) -> None:
        """Runs and keeps a statement with all its values."""
        self._keep(query, params_seq)
        super().executemany(query, params_seq, **settings)

    def _keep(self, query: bytes, batch: list[dict[str, Any]]) -> None:
        lines = [line for line in query.splitlines() if not line.startswith(b"--")]
        if lines and lines[0].startswith(_WRITES):
            self.kept[-1].append((query, batch))


def write_figures(url: str) -> list[Figure]:
    """The rates by one thread, and by one for each of four memories."""
    store = PostgresDatabase(url)
    natural = NoteMaker(seed=23).notes(2 * BATCHES * NOTES_PER_BATCH * (1 + len(WRITERS)))
    writers = [accounts.account_actor(store, handle, "benchmark") for handle in WRITERS]
    figures = []
    for chosen in (writers[:1], writers):
        work = _Work(store, url, chosen)
        for number in range(BATCHES):
            ours, theirs = ([[next(natural) for _ in range(NOTES_PER_BATCH)] for _ in chosen] for _ in range(2))
            work.run(ours, [_learned(url, *pair) for pair in zip(chosen, theirs, strict=True)], number)
        figures.append(work.figure())
        work.close()
    store.close()
    return figures


def _learned(url: str, actor: Actor, natural: Sequence[NaturalNote]) -> list[Transaction]:
    """What the service would write for some notes."""
    kept: list[Transaction] = []
    store = PostgresDatabase(url)
    with store.direct() as connection:  # the store takes it again for each of its transactions
        connection.cursor_factory = type("_Cursor", (_WatchingCursor,), {"kept": kept})
    _create_all(store, actor, natural)
    store.close()
    return kept


def _create_all(store: PostgresDatabase, actor: Actor, natural: Sequence[NaturalNote]) -> None:
    for note in natural:
        memory.create(store, actor, note.draft)


def _replay_all(connection: psycopg.Connection[Any], transactions: Sequence[Transaction]) -> None:
    for statements in transactions:
        connection.execute("BEGIN")
        cursor = connection.cursor()
        for query, batch in statements:
            if len(batch) == 1:
                cursor.execute(query, batch[0])
            else:
                cursor.executemany(query, batch)
        connection.execute("COMMIT")


class _Work:
    """Batches of both kinds in turns, a thread for each memory."""

    def __init__(self, store: PostgresDatabase, url: str, writers: Sequence[Actor]) -> None:
        self._store = store
        self._writers = writers
        self._bare: list[psycopg.Connection[Any]] = [psycopg.connect(url, autocommit=True) for _ in writers]
        self._rates: tuple[list[float], list[float]] = ([], [])
        self._cpu: tuple[list[float], list[float]] = ([], [])

    def run(self, ours: Sequence[Sequence[NaturalNote]], theirs: Sequence[Sequence[Transaction]], number: int) -> None:
        """One batch of each; the kinds take turns at being first."""
        service = [partial(_create_all, self._store, *pair) for pair in zip(self._writers, ours, strict=True)]
        bare = [partial(_replay_all, *pair) for pair in zip(self._bare, theirs, strict=True)]
        turns: list[tuple[int, Sequence[Callable[[], None]]]] = [(0, service), (1, bare)]
        for kind, jobs in turns if number % 2 else reversed(turns):
            cpu, begun = self._server_cpu(), time.perf_counter()
            with ThreadPoolExecutor(len(jobs)) as pool:
                for done in [pool.submit(job) for job in jobs]:
                    done.result()
            notes = NOTES_PER_BATCH * len(jobs)
            self._rates[kind].append(notes / (time.perf_counter() - begun))
            self._cpu[kind].append((self._server_cpu() - cpu) / notes / 1e6)

    def _server_cpu(self) -> int:
        """Of all the database's connections, in nanoseconds; they live as long as this work."""
        rows = self._bare[0].execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()").fetchall()
        return sum(cpu_nanoseconds(pid) for (pid,) in rows)

    def figure(self) -> Figure:
        """The median rates."""
        threads = f"{len(self._writers)} thread{'s' if len(self._writers) > 1 else ''}"
        return Figure(
            f"create, {threads}, flushed",
            median(self._rates[0]),
            "notes/s",
            reference=median(self._rates[1]),
            remark=f"server's CPU {median(self._cpu[0]):.2f} / {median(self._cpu[1]):.2f} ms a note",
        )

    def close(self) -> None:
        """Closes the bare connections."""
        for connection in self._bare:
            connection.close()
