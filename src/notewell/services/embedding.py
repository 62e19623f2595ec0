"""The consumer of the embedding queue: claims jobs, embeds their texts, stores the vectors.

No model is ever called inside a transaction: one transaction claims, the model works, another one stores, and only
while the lease still holds. A stop between two steps loses nothing: the lease runs out and somebody else claims.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from notewell.errors import NotewellError
from notewell.services.ports import Embedder, Vectors
from notewell.store import vectors
from notewell.store.database import Database, Tx
from notewell.store.vectors import Job, StoredVector

BATCH_JOBS = 16
BATCH_TEXTS = 64
"""Of all notes of a batch, unless one note alone has more: six seconds of the default model on an idle machine."""
LEASE_MILLISECONDS = 120_000
"""Longer than a batch takes on a slow machine; a worker that was killed delays its notes so long."""
MAX_ATTEMPTS = 6
ATTEMPTS_TOGETHER = 2
"""A note that failed so often is tried alone from then on: it may be what brings its neighbours down."""
WORN = "The worker ended or failed while it embedded this note, each time. 'notewell doctor' says more."
BROKEN = "The model failed on it in a way that nobody foresaw; the log of the worker says how."
FIRST_WAIT_MILLISECONDS = 5_000
"""Doubled at each further attempt."""
MAX_SPACES = 200


@dataclass(frozen=True, slots=True)
class StepReport:
    """What one step did."""

    stored: int = 0
    lost: int = 0
    """Notes whose text changed while the old one was embedded; their new job waits."""
    failed: int = 0
    reason: str = ""
    """Why jobs were given back, where they were."""

    @property
    def is_idle(self) -> bool:
        """Whether there was nothing to do."""
        return self == StepReport()


def quantized(matrix: Vectors) -> list[StoredVector]:
    """Each row as 8-bit numbers with one factor: a quarter of the size, nDCG within 0.001 (measured for e5).

    The factor brings the rounded row back to length 1, so that its product with a question is a cosine.
    """
    largest = np.maximum(np.abs(matrix).max(axis=1, keepdims=True), 1e-12)
    numbers = np.rint(matrix * (127.0 / largest)).astype(np.int8)
    lengths = np.linalg.norm(numbers.astype(np.float64), axis=1)
    return [
        StoredVector(1.0 / max(float(length), 1.0), row.tobytes()) for length, row in zip(lengths, numbers, strict=True)
    ]


def step(store: Database, embedder: Embedder, count: int = BATCH_JOBS) -> StepReport:
    """Embeds at most ``count`` due notes of one space. A model that fails gives the jobs back with the reason."""
    jobs = _claim(store, count)
    if not jobs:
        return StepReport()
    if jobs[0].attempts > MAX_ATTEMPTS:
        return _gave_up(store, jobs, WORN)
    texts = [text for job in jobs for text in job.texts.texts]
    try:
        matrix = embedder.embed_documents(texts)
    except NotewellError as error:
        return _gave_up(store, jobs, error.message)
    except Exception:
        _gave_up(store, jobs, BROKEN)
        raise
    return _stored(store, embedder.model_id, jobs, matrix)


def _claim(store: Database, count: int) -> list[Job]:
    with store.read() as reader:
        spaces = vectors.spaces_with_due_jobs(reader, MAX_SPACES)
    # Shuffled, so that several workers do not all want the same space.
    random.shuffle(spaces)
    for space_id in spaces:
        with store.write() as tx:
            jobs = _claimed(tx, space_id, count)
        if jobs:
            return jobs
    return []


def _claimed(tx: Tx, space_id: str, count: int) -> list[Job]:
    """Due jobs of a space that go together: fewer where their texts are many, one where it failed before."""
    while True:
        jobs = vectors.claim(tx, space_id, tx.new_id("tok"), LEASE_MILLISECONDS, count)
        is_fresh = all(job.attempts <= ATTEMPTS_TOGETHER for job in jobs)
        if len(jobs) <= 1 or (is_fresh and sum(len(job.texts.texts) for job in jobs) <= BATCH_TEXTS):
            return jobs
        vectors.release(tx, jobs[0])
        count = len(jobs) // 2


def _stored(store: Database, model_id: str, jobs: Sequence[Job], matrix: Vectors) -> StepReport:
    rows = quantized(matrix)
    stored = lost = place = 0
    with store.write() as tx:
        tx.lock(jobs[0].space_id)
        for job in jobs:
            size = len(job.texts.texts)
            is_put = vectors.put(tx, job, model_id, rows[place : place + size])
            stored += is_put
            lost += not is_put
            place += size
    return StepReport(stored, lost)


def _gave_up(store: Database, jobs: Sequence[Job], reason: str) -> StepReport:
    """Gives the jobs back: later each time, and at last for good."""
    with store.write() as tx:
        for job in jobs:
            wait = FIRST_WAIT_MILLISECONDS * 2 ** (job.attempts - 1)
            due_at = None if job.attempts >= MAX_ATTEMPTS else tx.now + wait
            vectors.postpone(tx, job, due_at, reason)
    return StepReport(failed=len(jobs), reason=reason)
