"""noteCreate through the service beside a bare insert of the very rows that it writes, in the same durability mode.

The bare side replays, through apsw alone, the statements and values that the service ran for the same notes: the same
tables, the same transaction per note, none of the work that led there (checks, analysis, reads).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from statistics import median

import apsw

from benchmarks.common.report import Figure
from benchmarks.common.stores import DATABASE_NAME, copy_store, temporary_folder
from benchmarks.speeds.natural_notes import NaturalNote, NoteMaker
from notewell.domain.access import Actor
from notewell.services import accounts, memory
from notewell.services.memory import Filing
from notewell.store import fts5
from notewell.store.sqlite import SqliteDatabase

NOTES_PER_BATCH = 25
BATCHES = 12
RATE_BAR = 0.5
"""DESIGN 13: at least half the rate of the bare insert."""
_SETTINGS = ("journal_mode = WAL", "secure_delete = ON", "foreign_keys = ON", "cache_size = -16000")
_WRITES = ("INSERT", "UPDATE", "DELETE")

Statement = tuple[str, list[dict[str, object]]]


@dataclass(slots=True)
class Recorder:
    """Keeps the writing statements of each transaction."""

    transactions: list[list[tuple[str, dict[str, object]]]] = field(default_factory=list)

    def watch(self, connection: apsw.Connection) -> None:
        """Keeps what a connection runs from now on."""
        connection.exec_trace = self._keep

    def _keep(self, _cursor: object, sql: str, values: object) -> bool:
        if sql.startswith("BEGIN IMMEDIATE"):
            self.transactions.append([])
        elif sql.startswith(_WRITES) and self.transactions:
            self.transactions[-1].append((sql, dict(values) if isinstance(values, dict) else {}))
        return True

    def statements(self) -> list[list[Statement]]:
        """The transactions, runs of one statement put together as the service ran them."""
        return [
            [(sql, [values for _, values in run]) for sql, run in groupby(rows, key=lambda row: row[0])]
            for rows in self.transactions
        ]


def write_figures(home: Path, disk: str | None) -> list[Figure]:
    """The rates on a copy of a filled store: on a disk with every commit flushed, and in memory, where CPU is all."""
    natural = list(NoteMaker(seed=23).notes(NOTES_PER_BATCH * BATCHES))
    transactions = _recorded(home, natural)
    figures = []
    for in_memory, name in ((False, "create, flushed to disk"), (True, "create, no flush (CPU)")):
        with temporary_folder(in_memory=in_memory, on=disk) as folder:
            figures.append(_compared(home, folder, (natural, transactions), name, in_cpu=in_memory))
    return figures


def _recorded(home: Path, natural: list[NaturalNote]) -> list[list[Statement]]:
    """What the service writes for each note, learned on a copy of the store."""
    recorder = Recorder()
    with temporary_folder(in_memory=True) as folder:
        store, actor = _opened(copy_store(home, folder))
        with store.connection() as connection:
            recorder.watch(connection)
        for note in natural:
            _create(store, actor, note)
        store.close()
    return recorder.statements()


def _opened(home: Path) -> tuple[SqliteDatabase, Actor]:
    store = SqliteDatabase(home / DATABASE_NAME, prepare=fts5.prepare)
    return store, accounts.local_actor(store, "benchmark")


def _create(store: SqliteDatabase, actor: Actor, note: NaturalNote) -> None:
    memory.create(store, actor, note.draft, Filing(note.collection, creates=note.collection is not None))


def _compared(
    home: Path,
    folder: Path,
    work_load: tuple[list[NaturalNote], list[list[Statement]]],
    name: str,
    *,
    in_cpu: bool,
) -> Figure:
    natural, transactions = work_load
    store, actor = _opened(copy_store(home, folder / "service"))
    bare = _bare_connection(copy_store(home, folder / "bare") / DATABASE_NAME)
    clock: Callable[[], int] = time.thread_time_ns if in_cpu else time.perf_counter_ns
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(BATCHES):
        batch = slice(number * NOTES_PER_BATCH, (number + 1) * NOTES_PER_BATCH)
        turns: list[tuple[list[float], Callable[[], None]]] = [
            (ours, partial(_create_all, store, actor, natural[batch])),
            (theirs, partial(_replay_all, bare, transactions[batch])),
        ]
        for rates, work in turns if number % 2 else reversed(turns):
            begun = clock()
            work()
            rates.append(NOTES_PER_BATCH * 1e9 / (clock() - begun))
    store.close()
    bare.close()
    return Figure(
        name,
        median(ours),
        "notes/s",
        reference=median(theirs),
        at_least=RATE_BAR,
        bar_on="ratio",
        remark=f"{'CPU' if in_cpu else 'wall'} {1000 / median(ours):.2f} / {1000 / median(theirs):.2f} ms a note",
    )


def _bare_connection(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), statementcachesize=200)
    for setting in (*_SETTINGS, "synchronous = FULL"):
        connection.execute(f"PRAGMA {setting}").fetchall()
    return connection


def _create_all(store: SqliteDatabase, actor: Actor, natural: list[NaturalNote]) -> None:
    for note in natural:
        _create(store, actor, note)


def _replay_all(connection: apsw.Connection, transactions: list[list[Statement]]) -> None:
    for statements in transactions:
        connection.execute("BEGIN IMMEDIATE")
        for sql, rows in statements:
            connection.executemany(sql, rows)
        connection.execute("COMMIT")
