"""The queue of notes to embed: no old vector, no note twice, no model inside a transaction (DESIGN 8)."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from conftest import SettableClock, is_postgres, new_actor
from meaning import DisturbedEmbedder, WatchedStore, drain, jobs, rows, save, stale_vectors, vector_rows

from benchmarks.drills.embedders import EmbeddingProcess
from notewell.app import App
from notewell.config import Config
from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit
from notewell.embedders.fake import FakeEmbedder
from notewell.errors import InvalidArgument, SemanticUnavailable
from notewell.services import memory, research, research_notes
from notewell.services.embedding import (
    BROKEN,
    FIRST_WAIT_MILLISECONDS,
    LEASE_MILLISECONDS,
    MAX_ATTEMPTS,
    StepReport,
    quantized,
    step,
)
from notewell.services.memory import Filing
from notewell.services.research import ProblemDraft
from notewell.store import vectors
from notewell.store.database import Database

BEN = new_actor("ben")
DOWN = SemanticUnavailable("The model is away.")


def add(store: Database, actor: Actor, note_id: str, text: str) -> None:
    memory.update(store, actor, note_id, Edit(append=text))


# The job is the note's


def test_a_write_makes_the_job_in_its_own_transaction(database: Database, actor: Actor) -> None:
    note = save(database, actor)

    (job,) = jobs(database)
    assert (job["space_id"], job["note_id"], job["due_at"]) == (actor.account_id, note.id, note.created_at)
    assert (job["lease"], job["attempts"]) == (None, 0)


def test_a_write_that_fails_after_the_job_was_made_leaves_no_job(
    database: Database, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise InvalidArgument("the last statement of the write")

    monkeypatch.setattr("notewell.store.notes.remember_request", fail)

    with pytest.raises(InvalidArgument):
        memory.create(database, actor, Draft("Rates", "text"), idempotency_key="one")

    assert jobs(database) == []
    assert rows(database, "SELECT id FROM notes") == []


def test_edits_of_a_note_coalesce_into_one_job_for_the_last_text(database: Database, actor: Actor) -> None:
    embedder = FakeEmbedder()
    note = save(database, actor)
    for text in ("one", "two", "three"):
        add(database, actor, note.id, text)

    assert drain(database, embedder) == StepReport(stored=1)
    assert embedder.embedded == ["Rates\nThe Fed cuts.\none\ntwo\nthree"]


def test_a_new_text_takes_the_old_ones_vectors_away_at_once(database: Database, actor: Actor) -> None:
    note = save(database, actor)
    drain(database, FakeEmbedder())

    add(database, actor, note.id, "more")

    assert vector_rows(database) == []
    assert len(jobs(database)) == 1


UNCHANGED = {
    "status": Edit(status="archived"),
    "tags": Edit(add_tags=("macro",)),
    "symbols": Edit(add_symbols=("NVDA",)),
    "nothing": Edit(title="Rates"),
}


@pytest.mark.parametrize("kind", UNCHANGED)
def test_what_leaves_the_text_as_it_is_leaves_its_vector(database: Database, actor: Actor, kind: str) -> None:
    note = save(database, actor)
    drain(database, FakeEmbedder())
    before = vector_rows(database)

    memory.update(database, actor, note.id, UNCHANGED[kind])

    assert (vector_rows(database), jobs(database)) == (before, [])


def test_filing_a_note_leaves_its_vector(database: Database, actor: Actor) -> None:
    note = save(database, actor)
    drain(database, FakeEmbedder())
    before = vector_rows(database)

    memory.update(database, actor, note.id, Edit(), Filing("Fed", creates=True))

    assert (vector_rows(database), jobs(database)) == (before, [])


@pytest.mark.parametrize("edit", [Edit(title="Yields"), Edit(summary="What is expected"), Edit(append="more")])
def test_title_summary_and_body_are_the_text(database: Database, actor: Actor, edit: Edit) -> None:
    note = save(database, actor)
    drain(database, FakeEmbedder())
    (old,) = vector_rows(database)

    memory.update(database, actor, note.id, edit)
    drain(database, FakeEmbedder())

    (new,) = vector_rows(database)
    assert new["content_hash"] != old["content_hash"]
    assert stale_vectors(database) == []


def test_a_deleted_note_leaves_no_job_and_no_vector_but_a_tombstone(database: Database, actor: Actor) -> None:
    waiting, embedded = save(database, actor, "Waiting"), save(database, actor, "Embedded")
    with database.write() as tx:
        vectors.drop_job(tx, actor.account_id, waiting.id)
    drain(database, FakeEmbedder())
    add(database, actor, waiting.id, "again")

    memory.delete(database, actor, waiting.id)
    memory.delete(database, actor, embedded.id)

    assert (jobs(database), vector_rows(database)) == ([], [])
    tombstones = [row["row_no"] for row in rows(database, "SELECT row_no FROM vector_tombstones")]
    assert tombstones == ([] if is_postgres(database) else [embedded.row_no])  # where the database searches, none


def test_publishing_and_unpublishing_a_problem_keeps_its_vectors(database: Database, actor: Actor) -> None:
    problem = research.create_problem(database, actor, ProblemDraft("sat", "SAT", "Is it?"))
    attempt, _ = research.start_attempt(database, actor, problem.id)
    research_notes.add_note(database, actor, attempt.id, "---\ntitle: Cuts\nkind: finding\n---\nA clause falls.")
    embedder = FakeEmbedder()
    drain(database, embedder)
    before = vector_rows(database)
    assert embedder.embedded == ["Cuts\nA clause falls."]

    for is_published in (True, False):
        research.publish_problem(database, actor, problem.id, is_published=is_published)
        assert (vector_rows(database), jobs(database)) == (before, [])


# The lease


def test_an_edit_while_the_old_text_is_embedded_takes_the_lease_away(database: Database, actor: Actor) -> None:
    note = save(database, actor)
    embedder = DisturbedEmbedder(lambda _texts: add(database, actor, note.id, "meanwhile"))

    assert step(database, embedder) == StepReport(lost=1)

    assert vector_rows(database) == []
    embedder.disturb = lambda _texts: None
    assert drain(database, embedder) == StepReport(stored=1)
    assert stale_vectors(database) == []


def test_a_note_deleted_while_it_is_embedded_stays_gone(database: Database, actor: Actor) -> None:
    note = save(database, actor)
    embedder = DisturbedEmbedder(lambda _texts: memory.delete(database, actor, note.id))

    assert step(database, embedder) == StepReport(lost=1)

    assert (vector_rows(database), jobs(database)) == ([], [])


def test_the_neighbours_of_a_lost_lease_are_stored(database: Database, actor: Actor) -> None:
    note, _other = save(database, actor, "Edited"), save(database, actor, "Left alone")
    embedder = DisturbedEmbedder(lambda _texts: add(database, actor, note.id, "meanwhile"))

    assert step(database, embedder) == StepReport(stored=1, lost=1)

    assert stale_vectors(database) == []


def test_a_lease_keeps_others_away_until_it_runs_out(database: Database, actor: Actor, clock: SettableClock) -> None:
    save(database, actor)
    with database.write() as tx:
        assert len(vectors.claim(tx, actor.account_id, "tok_killed", LEASE_MILLISECONDS, 16)) == 1

    clock.advance(LEASE_MILLISECONDS - 1)
    assert step(database, FakeEmbedder()).is_idle

    clock.advance(1)
    assert step(database, FakeEmbedder()) == StepReport(stored=1)


def test_who_was_too_slow_stores_nothing_once_somebody_else_has_claimed(
    database: Database, actor: Actor, clock: SettableClock
) -> None:
    save(database, actor)
    fast = FakeEmbedder()

    def overtaken(_texts: object) -> None:
        clock.advance(LEASE_MILLISECONDS)
        assert step(database, fast) == StepReport(stored=1)

    assert step(database, DisturbedEmbedder(overtaken)) == StepReport(lost=1)

    assert len(vector_rows(database)) == 1


# Failure


def test_a_model_that_fails_gives_the_job_back_with_growing_waits_until_it_has_failed(
    database: Database, actor: Actor, clock: SettableClock
) -> None:
    save(database, actor)
    embedder = FakeEmbedder()
    embedder.fail(DOWN, MAX_ATTEMPTS)

    waits = []
    for attempt in range(1, MAX_ATTEMPTS):
        assert step(database, embedder) == StepReport(failed=1, reason=DOWN.message)
        (job,) = jobs(database)
        assert (job["lease"], job["attempts"], job["reason"]) == (None, attempt, DOWN.message)
        waits.append(job["due_at"] - clock.now)
        assert step(database, embedder).is_idle
        clock.advance(waits[-1])
    assert waits == [FIRST_WAIT_MILLISECONDS * 2**number for number in range(MAX_ATTEMPTS - 1)]

    assert step(database, embedder).failed == 1
    with database.read() as reader:
        state = vectors.queue_state(reader)
    assert (state.waiting, state.failed, state.reasons) == (0, 1, ((DOWN.message, 1),))


def test_an_edit_gives_a_failed_note_new_attempts(database: Database, actor: Actor, clock: SettableClock) -> None:
    note = save(database, actor)
    embedder = FakeEmbedder()
    embedder.fail(DOWN, MAX_ATTEMPTS)
    for _ in range(MAX_ATTEMPTS):
        step(database, embedder)
        clock.advance(3_600_000)
    assert step(database, embedder).is_idle

    add(database, actor, note.id, "new text")

    assert drain(database, embedder) == StepReport(stored=1)


def test_a_note_that_brings_its_worker_down_fails_at_last_and_harms_no_neighbour(
    database: Database, actor: Actor, clock: SettableClock
) -> None:
    for number in range(8):
        save(database, actor, "POISON" if number == 3 else f"Sound {number}")

    def crash(texts: object) -> None:
        if "POISON" in str(texts):
            raise SystemError("what no embedder promises to raise")

    embedder = DisturbedEmbedder(crash)
    for _ in range(100):
        try:
            if step(database, embedder).is_idle and not [job for job in jobs(database) if job["due_at"]]:
                break
        except SystemError:
            pass
        clock.advance(LEASE_MILLISECONDS)

    with database.read() as reader:
        state = vectors.queue_state(reader)
    assert len(vector_rows(database)) == 7
    assert (state.waiting, state.failed) == (0, 1)
    assert state.reasons != ()


# Transactions


def test_the_store_can_be_written_by_others_while_the_model_works(database: Database, actor: Actor) -> None:
    save(database, actor)

    def others() -> None:
        with database.write() as tx:
            tx.run_sql("UPDATE sweeps SET last_at = 7", {})

    def write(_texts: object) -> None:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(others).result(5)

    assert step(database, DisturbedEmbedder(write)) == StepReport(stored=1)
    assert rows(database, "SELECT last_at FROM sweeps")[0]["last_at"] == 7


def test_no_transaction_is_open_while_the_model_works(database: Database, actor: Actor) -> None:
    store = WatchedStore(database)
    seen: list[bool] = []
    embedder = DisturbedEmbedder(lambda _texts: seen.append(store.is_open))
    save(database, actor)

    assert step(store, embedder) == StepReport(stored=1)

    assert seen == [False]


# Many at once


def test_no_note_is_embedded_twice_by_threads_that_work_together(database: Database, actor: Actor) -> None:
    for number in range(60):
        save(database, actor if number % 3 else BEN, f"Note {number}")
    embedder = FakeEmbedder(8)
    together = threading.Barrier(4)

    def work(_number: int) -> int:
        together.wait(10)
        return drain(database, embedder, count=4).stored

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) == 60

    assert Counter(embedder.embedded).most_common(1)[0][1] == 1
    assert len(vector_rows(database)) == 60
    assert jobs(database) == []


def test_no_note_is_embedded_twice_by_processes_that_work_together(tmp_path: Path) -> None:
    app = App(Config(tmp_path))
    writer = app.default_actor()
    for number in range(40):
        save(app.store, writer, f"Note {number}")
    workers = [EmbeddingProcess(tmp_path, "--count", "2") for _ in range(2)]
    for worker in workers:
        worker.wait_ready()
    for worker in workers:
        worker.go()

    assert sum(worker.embedded() for worker in workers) == 40
    assert len(vector_rows(app.store)) == 40
    assert jobs(app.store) == []
    app.close()


def test_a_claim_takes_the_jobs_of_one_space_only(database: Database, actor: Actor) -> None:
    for number in range(3):
        save(database, actor, f"Ana {number}")
        save(database, BEN, f"Ben {number}")
    embedder = FakeEmbedder()

    assert step(database, embedder) == StepReport(stored=3)

    assert len({text.split()[0] for text in embedder.embedded}) == 1


def test_one_step_embeds_no_more_texts_than_fit_into_its_lease(database: Database, actor: Actor) -> None:
    """16 notes of 40 chunks each would take a slow machine longer than the lease holds."""
    for number in range(16):
        save(database, actor, f"Long {number}", f"{number} word " * 9_000)
    sizes: list[int] = []
    drain(database, DisturbedEmbedder(lambda texts: sizes.append(len(texts))))

    assert max(sizes) <= 100
    assert len({row["note_id"] for row in vector_rows(database)}) == 16


def test_stored_numbers_stay_near_the_models(database: Database) -> None:
    matrix = FakeEmbedder(384).embed_documents([f"text {number}" for number in range(50)])

    stored = quantized(matrix)

    back = np.stack([np.frombuffer(each.numbers, np.int8) * np.float32(each.scale) for each in stored])
    assert (back * matrix).sum(axis=1).min() > 0.9995
    assert np.linalg.norm(back, axis=1) == pytest.approx(1, abs=1e-6)
    assert quantized(np.zeros((1, 4), np.float32))[0].numbers == bytes(4)


def test_a_defect_of_the_model_is_an_attempt_with_a_reason(database: Database, actor: Actor) -> None:
    save(database, actor)

    def defect(_texts: object) -> None:
        raise IndexError

    with pytest.raises(IndexError):
        step(database, DisturbedEmbedder(defect))

    (job,) = jobs(database)
    assert job["lease"] is None
    assert job["reason"] == BROKEN
