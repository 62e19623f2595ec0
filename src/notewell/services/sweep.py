"""The repair pass that runs every hour: what was left undone is done, what is stale is made again.

Each step is a transaction of its own, so a stop in between loses nothing; running it twice does no harm.
Rules: DESIGN 8.
"""

from __future__ import annotations

from dataclasses import dataclass

from notewell.domain.embedding import version_prefix
from notewell.domain.header import HEADER_VERSION
from notewell.domain.terms import ANALYZER_VERSION
from notewell.services.research import sync_problem
from notewell.store import fulltext, index, pgvector, vectors
from notewell.store.database import Database, Row


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep did."""

    spaces_reindexed: int
    notes_reindexed: int
    problems_put_in_step: int
    homes_cleaned: int
    """Full-text tables from which the bytes of deleted text were removed."""
    jobs_enqueued: int = 0
    """Notes that had no vector of the model in use, and no job."""
    vectors_drifted: int = 0
    """Of the sampled vectors, those of another text than their note's: a defect, which ``doctor`` reports."""


SWEEP_MILLISECONDS = 3_600_000
TOMBSTONE_MILLISECONDS = 7 * 86_400_000
DRIFT_SAMPLE = 200


def sweep_is_due(store: Database) -> bool:
    """Whether nobody has swept in the last hour; then the caller is the one who is to."""
    with store.read() as reader:
        before = reader.now - SWEEP_MILLISECONDS
        if reader.rows("last_sweep")[0]["last_at"] > before:
            return False
    with store.write() as tx:
        return bool(tx.run("begin_sweep", now=tx.now, before=before))


def sweep(store: Database, model_id: str | None = None) -> SweepReport:
    """Indexes what predates the index or is stale, puts public flags in step, removes deleted text from the file.

    With a model, notes without a vector of it get jobs, and a sample of vectors is held against their texts.
    """
    with store.read() as reader:
        versions = {"analyzer_version": ANALYZER_VERSION, "header_version": HEADER_VERSION}
        stale = [row["space_id"] for row in reader.rows("stale_spaces", **versions)]
        out_of_step = reader.rows("problems_out_of_step")
    notes = 0
    for space_id in stale:
        with store.write() as tx:
            notes += index.rebuild(tx, space_id)
    for row in out_of_step:
        with store.write() as tx:
            sync_problem(tx, row["id"], campaign_is_published=bool(row["campaign_is_published"]))
    enqueued, drifted = (0, 0) if model_id is None else _sweep_vectors(store, model_id)
    with store.write() as tx:
        pgvector.take_up(tx)
    pgvector.keep_indexes(store)
    return SweepReport(len(stale), notes, len(out_of_step), _clean(store), enqueued, drifted)


def _sweep_vectors(store: Database, model_id: str) -> tuple[int, int]:
    """The backlog of a model: how many jobs were made, and how many sampled vectors are of another text."""
    with store.write() as tx:
        tx.run("return_expired_leases", now=tx.now)
        drifted = [row for row in tx.rows("vector_sample", model_id=model_id, count=DRIFT_SAMPLE) if has_drifted(row)]
        for row in drifted:
            vectors.forget(tx, row["space_id"], row["id"], row["row_no"])
    enqueued = _enqueue_backlog(store, model_id)
    with store.write() as tx:
        before = tx.now - TOMBSTONE_MILLISECONDS
        seq = tx.rows("last_forgotten", before=before)[0]["seq"]
        if tx.run("forget_tombstones", before=before):
            tx.run("note_forgotten", seq=seq)
        if not enqueued and not vectors.queue_state(tx).waiting:
            tx.run("delete_other_models", model_id=model_id)
    return enqueued, len(drifted)


def _enqueue_backlog(store: Database, model_id: str) -> int:
    """Makes the jobs that are missing, each space in a transaction of its own, in which no note of it is deleted."""
    version = version_prefix()
    end = version[:-1] + chr(ord(version[-1]) + 1)
    wanted = {"model_id": model_id, "version_start": version, "version_end": end}
    with store.read() as reader:
        spaces = [row["space_id"] for row in reader.rows("spaces_with_backlog", **wanted)]
    enqueued = 0
    for space_id in spaces:
        with store.write() as tx:
            tx.lock(space_id)
            enqueued += tx.run("enqueue_backlog", space_id=space_id, now=tx.now, **wanted)
    return enqueued


def has_drifted(row: Row) -> bool:
    """Whether a vector is of another text than its note's; one of another way of chunking waits for its turn."""
    made: str = row["content_hash"]
    return made.startswith(version_prefix()) and made != vectors.texts_of(row).content_hash


def _clean(store: Database) -> int:
    """Rewrites the full-text tables that something was taken out of, and empties the log of the file."""
    with store.read() as reader:
        homes = [row["home"] for row in reader.rows("uncleaned_homes")]
    for home in homes:
        with store.write() as tx:
            fulltext.of(tx).optimize(tx, home)
            tx.run("forget_uncleaned", home=home)
    store.empty_log()
    return len(homes)
