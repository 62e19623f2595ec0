"""What the tests of search by meaning share: an embedder that is watched, the rows of queue and vectors, whole walks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Note
from notewell.embedders.fake import FakeEmbedder
from notewell.services import memory
from notewell.services.embedding import StepReport, step
from notewell.store import vectors
from notewell.store.database import Database, Reader, Row, Tx
from notewell.store.dialect import Dialect

if TYPE_CHECKING:
    from notewell.services.ports import Embedder, Vectors

MAX_STEPS = 500
"""More than any test needs; a queue that does not empty is a failure, not a hang."""


def save(store: Database, actor: Actor, title: str = "Rates", body: str = "The Fed cuts.") -> Note:
    """A new memory note."""
    return memory.create(store, actor, Draft(title, body)).view.note


def drain(store: Database, embedder: Embedder, count: int = 16) -> StepReport:
    """Works until nothing is due; the sum of what was done."""
    stored = lost = failed = 0
    for _ in range(MAX_STEPS):
        report = step(store, embedder, count)
        if report.is_idle:
            return StepReport(stored, lost, failed)
        stored, lost, failed = stored + report.stored, lost + report.lost, failed + report.failed
    raise AssertionError("the queue does not empty")


def rows(store: Database, sql: str) -> list[Row]:
    """What a statement finds."""
    with store.read() as reader:
        return reader.rows_of(sql, {})


def jobs(store: Database) -> list[Row]:
    """The queue."""
    return rows(store, "SELECT * FROM jobs ORDER BY note_id")


def vector_rows(store: Database) -> list[Row]:
    """All vectors, in the order they were stored."""
    return rows(store, "SELECT * FROM note_vectors ORDER BY seq, note_id, chunk")


def stale_vectors(store: Database) -> list[str]:
    """The ids of notes with a vector of another text than theirs."""
    sql = "SELECT v.content_hash AS hash, notes.* FROM note_vectors AS v JOIN notes ON notes.id = v.note_id"
    return [row["id"] for row in rows(store, sql) if vectors.texts_of(row).content_hash != row["hash"]]


class DisturbedEmbedder(FakeEmbedder):
    """Calls a function while it embeds documents: what happens meanwhile, in a fixed place."""

    def __init__(self, disturb: Callable[[Sequence[str]], object]) -> None:
        super().__init__()
        self.disturb = disturb

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As the fake embedder, after the disturbance."""
        self.disturb(texts)
        return super().embed_documents(texts)


class WatchedStore:
    """A store that knows whether this thread has a transaction open."""

    def __init__(self, store: Database) -> None:
        self._store = store
        self._local = threading.local()

    @property
    def dialect(self) -> Dialect:
        """As the store's."""
        return self._store.dialect

    @property
    def is_open(self) -> bool:
        """Whether a transaction of this thread is open."""
        return bool(getattr(self._local, "open", 0))

    def read(self) -> AbstractContextManager[Reader]:
        """A reading transaction."""
        return self._counted(self._store.read())

    def write(self) -> AbstractContextManager[Tx]:
        """A writing transaction."""
        return self._counted(self._store.write())

    @contextmanager
    def _counted(self, transaction: AbstractContextManager[Reader]) -> Iterator[Tx]:
        with transaction as tx:
            self._local.open = getattr(self._local, "open", 0) + 1
            try:
                yield tx  # type: ignore[misc]  # of a reading one only what a Reader has is used
            finally:
                self._local.open -= 1

    def empty_log(self) -> None:
        """As the store's."""
        self._store.empty_log()

    def close(self) -> None:
        """As the store's."""
        self._store.close()
