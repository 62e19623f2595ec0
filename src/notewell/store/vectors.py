"""Embedding jobs and vectors as rows.

A job is made in its note's transaction and finished in the one that stores the vectors. A claim takes two steps, spaces
first and then inside one space, so that the same statements work where spaces lie on different machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from notewell.domain.embedding import EmbeddedTexts, memory_texts, research_texts
from notewell.store import pgvector
from notewell.store.database import Reader, Row, Tx
from notewell.store.note_rows import note_of, research_note_of

UNNUMBERED = 0
"""Of a vector that no cache needs to follow: where the database compares vectors, writers do not wait for a number."""


@dataclass(frozen=True, slots=True)
class Job:
    """A note whose text is to be embedded by who holds the lease."""

    space_id: str
    note_id: str
    row_no: int
    lease: str
    attempts: int
    """Counting this one."""
    texts: EmbeddedTexts


@dataclass(frozen=True, slots=True)
class StoredVector:
    """A vector as it is kept: 8-bit numbers and what to multiply them by."""

    scale: float
    numbers: bytes


@dataclass(frozen=True, slots=True)
class QueueState:
    """How the queue stands."""

    waiting: int
    failed: int
    oldest_due_at: int | None
    reasons: tuple[tuple[str, int], ...]
    """Why jobs had to wait or failed, with how many, most first."""


def texts_of(row: Row) -> EmbeddedTexts:
    """The texts to embed of a row of ``notes``."""
    return memory_texts(note_of(row)) if row["attempt_id"] is None else research_texts(research_note_of(row))


def enqueue(tx: Tx, space_id: str, note_id: str) -> None:
    """Makes the job of a note with a new or changed text."""
    tx.run("enqueue_job", space_id=space_id, note_id=note_id, now=tx.now)


def forget(tx: Tx, space_id: str, note_id: str, row_no: int) -> None:
    """Removes a note's vectors, of every model: its text is another one now, or gone."""
    if tx.run("delete_vectors", space_id=space_id, note_id=note_id) and not pgvector.is_there(tx):
        tx.run("bury_vectors", space_id=space_id, row_no=row_no, seq=_next_seq(tx), now=tx.now)


def drop_job(tx: Tx, space_id: str, note_id: str) -> None:
    """Removes the job of a note that is deleted."""
    tx.run("delete_job", space_id=space_id, note_id=note_id)


def show(tx: Tx, space_id: str, *, is_public: bool) -> None:
    """Lets the vectors of a space be found in the public record, or not any more."""
    if pgvector.is_there(tx):
        pgvector.show(tx, space_id, is_public=is_public)


def complete(tx: Tx, space_id: str, *, is_public: bool) -> None:
    """Makes what follows from a space's vectors whole, wherever it was not."""
    if pgvector.is_there(tx):
        pgvector.complete(tx, space_id)
        pgvector.show(tx, space_id, is_public=is_public)


def _next_seq(tx: Tx) -> int:
    """The next number in the order in which vectors change: every writer of vectors waits for the one before."""
    tx.run("next_vector_seq")
    return int(tx.rows("vector_seq")[0]["seq"])


def spaces_with_due_jobs(reader: Reader, count: int) -> list[str]:
    """Some spaces in which something is to be done now."""
    return [row["space_id"] for row in reader.rows("spaces_with_due_jobs", now=reader.now, count=count)]


def claim(tx: Tx, space_id: str, lease: str, lease_milliseconds: int, count: int) -> list[Job]:
    """Takes at most ``count`` due jobs of a space under a lease."""
    tx.run(
        "claim_jobs",
        space_id=space_id,
        lease=lease,
        lease_until=tx.now + lease_milliseconds,
        now=tx.now,
        count=count,
    )
    return [
        Job(space_id, row["id"], row["row_no"], lease, row["attempts"], texts_of(row))
        for row in tx.rows("claimed_notes", space_id=space_id, lease=lease)
    ]


def put(tx: Tx, job: Job, model_id: str, vectors: Sequence[StoredVector]) -> bool:
    """Stores the vectors of a job and finishes it; False, and nothing stored, where the lease was lost."""
    if not tx.run("finish_job", space_id=job.space_id, note_id=job.note_id, lease=job.lease):
        return False
    tx.run("delete_model_vectors", space_id=job.space_id, note_id=job.note_id, model_id=model_id)
    # Asked for after the first statement on the vectors, which waits for who just now makes the table and fills it.
    is_in_database = pgvector.is_there(tx)
    seq = UNNUMBERED if is_in_database else _next_seq(tx)
    tx.run_many(
        "insert_vector",
        [
            {
                "space_id": job.space_id,
                "note_id": job.note_id,
                "model_id": model_id,
                "chunk": chunk,
                "row_no": job.row_no,
                "seq": seq,
                "content_hash": job.texts.content_hash,
                "scale": vector.scale,
                "numbers": vector.numbers,
            }
            for chunk, vector in enumerate(vectors)
        ],
    )
    if is_in_database:
        pgvector.add(tx, job.space_id, job.note_id, model_id)
    return True


def postpone(tx: Tx, job: Job, due_at: int | None, reason: str) -> None:
    """Gives a job back to be tried again later; with no ``due_at`` it has failed for good."""
    tx.run("postpone_job", space_id=job.space_id, note_id=job.note_id, lease=job.lease, due_at=due_at, reason=reason)


def release(tx: Tx, job: Job) -> None:
    """Gives all jobs of a claim back as they were."""
    tx.run("release_jobs", space_id=job.space_id, lease=job.lease, now=tx.now)


def queue_state(reader: Reader) -> QueueState:
    """How the queue stands."""
    counts = reader.rows("job_counts")[0]
    reasons = tuple((row["reason"], row["jobs"]) for row in reader.rows("failure_reasons", count=5))
    return QueueState(counts["jobs"] - counts["failed"], counts["failed"], counts["oldest"], reasons)


def seq(reader: Reader) -> tuple[int, int]:
    """How far changes of vectors have come, and up to where tombstones were forgotten."""
    row = reader.rows("vector_seq")[0]
    return row["seq"], row["forgotten_seq"]
