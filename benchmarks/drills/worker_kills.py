"""A worker killed between its steps, again and again, while notes are written, edited and deleted.

Half of the workers kill themselves at a chosen step (inside a transaction, before and after the model, after a commit),
the others are killed from outside. Each one lives an hour after the last, so that no lease holds the next one up.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.common.progress import progressing
from benchmarks.common.stores import DATABASE_NAME
from benchmarks.drills.drills import Outcome
from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit
from notewell.embedders.fake import FakeEmbedder
from notewell.services import accounts, memory
from notewell.services.embedding import step
from notewell.services.sweep import sweep
from notewell.store import fts5, vectors
from notewell.store.database import Database, Reader, Tx, system_clock
from notewell.store.migrate import migrate
from notewell.store.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from notewell.services.ports import Vectors

DIMENSION = 16
MODEL = FakeEmbedder(DIMENSION).model_id
HOUR = 3_600_000
CHANGES = 6
"""Writes while each worker lives."""
MAX_NOTES = 16
"""So few that many an edit meets a note that is being embedded."""
MODEL_SECONDS = 0.005
MAX_EVENT = 40
"""The latest step at which a worker kills itself: four rounds of claim, model and storing."""
MAX_IDLE = 100
"""A worker that finds nothing so often ends by itself."""
LIFE_SECONDS = 20


@dataclass(slots=True)
class Fuse:
    """Kills its process at the event of a number; never, where that is None."""

    event: int | None
    events: int = field(default=0)

    def burn(self) -> None:
        """One more event."""
        self.events += 1
        if self.events == self.event:
            os.kill(os.getpid(), signal.SIGKILL)


class MortalStore:
    """A store in whose transactions a process may die: at the begin, before the commit, and after it."""

    def __init__(self, store: Database, fuse: Fuse) -> None:
        self._store = store
        self._fuse = fuse

    def read(self, *, may_lag: bool = False) -> AbstractContextManager[Reader]:
        """A reading transaction."""
        return self._store.read(may_lag=may_lag)

    @contextmanager
    def write(self) -> Iterator[Tx]:
        """A writing transaction."""
        with self._store.write() as tx:
            self._fuse.burn()
            yield tx
            self._fuse.burn()
        self._fuse.burn()

    def empty_log(self) -> None:
        """As the store's."""
        self._store.empty_log()

    def close(self) -> None:
        """As the store's."""
        self._store.close()


class MortalEmbedder(FakeEmbedder):
    """A model in which a process may die: before and after it works."""

    def __init__(self, fuse: Fuse) -> None:
        super().__init__(DIMENSION)
        self._fuse = fuse

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As the fake embedder, while the process lives."""
        self._fuse.burn()
        time.sleep(MODEL_SECONDS)
        matrix = super().embed_documents(texts)
        self._fuse.burn()
        return matrix


def opened(home: Path, milliseconds: int) -> SqliteDatabase:
    """The store of a data folder, so much later than now."""
    return SqliteDatabase(home / DATABASE_NAME, clock=lambda: system_clock() + milliseconds, prepare=fts5.prepare)


def work(home: Path, milliseconds: int, event: int | None) -> None:
    """The life of one worker."""
    fuse = Fuse(event)
    store = MortalStore(opened(home, milliseconds), fuse)
    embedder = MortalEmbedder(fuse)
    idle = 0
    while idle < MAX_IDLE:
        if step(store, embedder, count=4).is_idle:
            idle += 1
            time.sleep(0.002)


def worker_kills(home: Path, kills: int, seed: int = 11) -> Outcome:
    """At no time a vector of an old text; after one sweep, every note has its vectors and no job is left."""
    chance = random.Random(seed)
    outcome = Outcome()
    first = opened(home, 0)
    migrate(first)
    actor = accounts.local_actor(first)
    first.close()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    died = 0
    begun = time.monotonic()
    for number in progressing(range(kills), "killing workers"):
        store = opened(home, number * HOUR)
        event = chance.randint(1, MAX_EVENT) if number % 2 else None
        worker = context.Process(target=work, args=(home, number * HOUR, event))
        worker.start()
        for _ in range(CHANGES):
            change(store, actor, chance)
            outcome.writes += 1
            time.sleep(chance.uniform(0, 0.01))
        if event is None:
            worker.kill()
        worker.join(LIFE_SECONDS)
        died += worker.exitcode == -signal.SIGKILL
        worker.kill()
        outcome.problems += [f"after kill {number}: {problem}" for problem in old_vectors(store)]
        store.close()
    last = opened(home, (kills + 1) * HOUR)
    sweep(last, MODEL)
    while not step(last, FakeEmbedder(DIMENSION)).is_idle:
        pass
    outcome.seconds = time.monotonic() - begun
    outcome.problems += [*old_vectors(last), *missing_vectors(last), *left_jobs(last)]
    last.close()
    if died < kills / 2:
        outcome.problems.append(f"only {died} of {kills} workers were killed: the drill shows nothing")
    return outcome


def change(store: Database, actor: Actor, chance: random.Random) -> None:
    """Makes, edits or deletes a note."""
    with store.read() as reader:
        rows = reader.rows_of(
            "SELECT id FROM notes WHERE space_id = :space ORDER BY row_no", {"space": actor.account_id}
        )
    kind = chance.random()
    if not rows or (kind < 0.5 and len(rows) < MAX_NOTES):
        size = chance.choice([10, 10, 10, 4_000])
        memory.create(store, actor, Draft(f"Note {chance.random()}", "word " * size))
    elif kind < 0.9:
        memory.update(store, actor, chance.choice(rows)["id"], Edit(append=f"more {chance.random()}"))
    else:
        memory.delete(store, actor, chance.choice(rows)["id"])


def old_vectors(store: Database) -> list[str]:
    """Vectors of another text than their note's, or of no note."""
    with store.read() as reader:
        rows = reader.rows_of(
            "SELECT v.note_id AS owner, v.content_hash, notes.* FROM note_vectors AS v"
            " LEFT JOIN notes ON notes.space_id = v.space_id AND notes.id = v.note_id",
            {},
        )
    old = {
        row["owner"] for row in rows if row["id"] is None or vectors.texts_of(row).content_hash != row["content_hash"]
    }
    return [f"{owner} has a vector of another text" for owner in sorted(old)]


def missing_vectors(store: Database) -> list[str]:
    """Notes without a vector for each of their texts."""
    with store.read() as reader:
        rows = reader.rows_of(
            "SELECT (SELECT count(*) FROM note_vectors AS v WHERE v.space_id = notes.space_id AND v.note_id = notes.id)"
            " AS vectors, notes.* FROM notes",
            {},
        )
    return [
        f"{row['id']} has {row['vectors']} of {len(vectors.texts_of(row).texts)} vectors"
        for row in rows
        if row["vectors"] != len(vectors.texts_of(row).texts)
    ]


def left_jobs(store: Database) -> list[str]:
    """Jobs that nobody did."""
    with store.read() as reader:
        return [f"{row['note_id']} has a job left: {row['reason']}" for row in reader.rows_of("SELECT * FROM jobs", {})]
