"""The hourly sweep's half for search by meaning: what was left undone is done, and no vector of an old text stays."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from conftest import SettableClock
from meaning import Meaning, compare_in_memory, drain, jobs, open_meaning, rows, save, stale_vectors, vector_rows

from notewell.app import App
from notewell.config import Config
from notewell.domain import embedding
from notewell.domain.notes import Edit
from notewell.embedders.fake import FakeEmbedder
from notewell.errors import SemanticUnavailable
from notewell.services import memory, sweep
from notewell.services.embedding import LEASE_MILLISECONDS, MAX_ATTEMPTS, step
from notewell.services.ports import EmbedderUnavailable
from notewell.services.sweep import SWEEP_MILLISECONDS, TOMBSTONE_MILLISECONDS, SweepReport, sweep_is_due
from notewell.store import vectors
from notewell.store.database import Database
from notewell.worker import Worker

MODEL = "fake;1"
NOTHING = SweepReport(0, 0, 0, 0)


@pytest.fixture
def meaning(database: Database) -> Meaning:
    return open_meaning(database)


def change(store: Database, sql: str) -> None:
    """Does what no service would."""
    with store.write() as tx:
        assert tx.run_sql(sql, {}) > 0


@pytest.mark.report("E18")
def test_notes_without_vector_and_job_get_a_job(meaning: Meaning) -> None:
    notes = [save(meaning.store, meaning.actor, f"Note {number}") for number in range(5)]
    drain(meaning.store, FakeEmbedder())
    change(meaning.store, f"DELETE FROM note_vectors WHERE note_id = '{notes[1].id}'")
    save(meaning.store, meaning.actor, "Waiting already")

    assert sweep.sweep(meaning.store, MODEL).jobs_enqueued == 1

    assert drain(meaning.store, FakeEmbedder()).stored == 2
    assert len(vector_rows(meaning.store)) == 6


def test_a_second_sweep_finds_nothing_to_do(meaning: Meaning) -> None:
    save(meaning.store, meaning.actor)
    sweep.sweep(meaning.store, MODEL)
    drain(meaning.store, FakeEmbedder())

    assert sweep.sweep(meaning.store, MODEL) == NOTHING


def test_a_job_that_is_worked_on_is_left_alone(meaning: Meaning) -> None:
    save(meaning.store, meaning.actor)
    with meaning.store.write() as tx:
        (job,) = vectors.claim(tx, meaning.actor.account_id, "tok_busy", LEASE_MILLISECONDS, 16)
    before = jobs(meaning.store)

    assert sweep.sweep(meaning.store, MODEL).jobs_enqueued == 0

    assert jobs(meaning.store) == before
    with meaning.store.write() as tx:
        assert vectors.put(tx, job, MODEL, [])


def test_a_claim_takes_no_more_jobs_than_it_asks_for(meaning: Meaning) -> None:
    with meaning.store.write() as tx:
        tx.run_sql("ANALYZE jobs", {})  # an engine that believes the queue to be empty reads it in another way
    for number in range(20):
        save(meaning.store, meaning.actor, f"Note {number}")

    with meaning.store.write() as tx:
        assert len(vectors.claim(tx, meaning.actor.account_id, "tok_some", LEASE_MILLISECONDS, 6)) == 6
        assert len(vectors.claim(tx, meaning.actor.account_id, "tok_rest", LEASE_MILLISECONDS, 16)) == 14


def test_an_expired_lease_is_taken_away(meaning: Meaning, clock: SettableClock) -> None:
    save(meaning.store, meaning.actor)
    with meaning.store.write() as tx:
        (job,) = vectors.claim(tx, meaning.actor.account_id, "tok_killed", LEASE_MILLISECONDS, 16)
    clock.advance(LEASE_MILLISECONDS)

    sweep.sweep(meaning.store, MODEL)

    assert [row["lease"] for row in jobs(meaning.store)] == [None]
    with meaning.store.write() as tx:
        assert not vectors.put(tx, job, MODEL, [])


def test_what_failed_for_good_is_tried_again(meaning: Meaning, clock: SettableClock) -> None:
    save(meaning.store, meaning.actor)
    embedder = FakeEmbedder()
    embedder.fail(SemanticUnavailable("away"), MAX_ATTEMPTS)
    for _ in range(MAX_ATTEMPTS):
        step(meaning.store, embedder)
        clock.advance(SWEEP_MILLISECONDS)
    assert step(meaning.store, embedder).is_idle

    assert sweep.sweep(meaning.store, MODEL).jobs_enqueued == 1

    assert drain(meaning.store, embedder).stored == 1


def test_a_vector_of_another_text_is_counted_wherever_it_lies_and_embedded_again(meaning: Meaning) -> None:
    notes = [save(meaning.store, meaning.actor, f"Note {number}") for number in range(3 * sweep.DRIFT_SAMPLE // 2)]
    drain(meaning.store, FakeEmbedder(4))
    ids = ", ".join(f"'{note.id}'" for note in notes[: len(notes) // 2])
    change(
        meaning.store,
        f"UPDATE note_vectors SET content_hash = '{embedding.version_prefix()}other' WHERE note_id IN ({ids})",
    )

    assert sweep.sweep(meaning.store, MODEL).vectors_drifted > 0

    for _ in range(20):
        drain(meaning.store, FakeEmbedder(4))
        if not sweep.sweep(meaning.store, MODEL).vectors_drifted and not stale_vectors(meaning.store):
            return
    raise AssertionError(f"{len(stale_vectors(meaning.store))} vectors of other texts stay for ever")


def test_another_way_of_chunking_has_every_note_embedded_again(
    meaning: Meaning, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        save(meaning.store, meaning.actor, f"Note {number}")
    drain(meaning.store, FakeEmbedder())
    monkeypatch.setattr(embedding, "CHUNKING_VERSION", embedding.CHUNKING_VERSION + 1)

    sweep.sweep(meaning.store, MODEL)
    drain(meaning.store, FakeEmbedder())

    assert stale_vectors(meaning.store) == []


def test_tombstones_are_forgotten_after_a_week(
    meaning: Meaning, clock: SettableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare_in_memory(monkeypatch)
    old, new = save(meaning.store, meaning.actor, "Old"), save(meaning.store, meaning.actor, "New")
    drain(meaning.store, FakeEmbedder())
    memory.delete(meaning.store, meaning.actor, old.id)
    clock.advance(TOMBSTONE_MILLISECONDS)
    memory.delete(meaning.store, meaning.actor, new.id)

    sweep.sweep(meaning.store, MODEL)
    assert len(rows(meaning.store, "SELECT row_no FROM vector_tombstones")) == 2
    clock.advance(1)
    sweep.sweep(meaning.store, MODEL)

    assert [row["row_no"] for row in rows(meaning.store, "SELECT row_no FROM vector_tombstones")] == [new.row_no]
    with meaning.store.read() as reader:
        seq, forgotten = vectors.seq(reader)
    assert 0 < forgotten < seq


@pytest.mark.parametrize("waiting", ["a new note", "a claimed note", "a failed note"])
def test_other_models_vectors_go_only_when_nothing_waits(meaning: Meaning, clock: SettableClock, waiting: str) -> None:
    save(meaning.store, meaning.actor, "Embedded")
    drain(meaning.store, FakeEmbedder(model_id="old"))
    sweep.sweep(meaning.store, MODEL)
    drain(meaning.store, FakeEmbedder())
    late = save(meaning.store, meaning.actor, "Waiting")
    if waiting == "a claimed note":
        with meaning.store.write() as tx:
            vectors.claim(tx, meaning.actor.account_id, "tok_busy", 2 * SWEEP_MILLISECONDS, 16)
    if waiting == "a failed note":
        change(meaning.store, f"UPDATE jobs SET due_at = NULL, reason = 'away' WHERE note_id = '{late.id}'")

    sweep.sweep(meaning.store, MODEL)
    assert {row["model_id"] for row in vector_rows(meaning.store)} == {"old", MODEL}

    clock.advance(3 * SWEEP_MILLISECONDS)
    drain(meaning.store, FakeEmbedder())
    sweep.sweep(meaning.store, MODEL)
    assert {row["model_id"] for row in vector_rows(meaning.store)} == {MODEL}


def test_without_a_model_the_queue_and_the_vectors_stay_as_they_are(meaning: Meaning) -> None:
    note = save(meaning.store, meaning.actor)
    drain(meaning.store, FakeEmbedder())
    memory.update(meaning.store, meaning.actor, note.id, Edit(append="more"))
    before = jobs(meaning.store)

    assert sweep.sweep(meaning.store).jobs_enqueued == 0

    assert jobs(meaning.store) == before


# Once an hour


def test_of_many_who_ask_one_sweeps_and_again_after_an_hour(meaning: Meaning, clock: SettableClock) -> None:
    for _ in range(2):
        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(lambda _: sweep_is_due(meaning.store), range(8))) == 1
        clock.advance(SWEEP_MILLISECONDS)


SWEEPER = """
import sys
from pathlib import Path
from notewell.app import App
from notewell.config import Config
app = App(Config(Path(sys.argv[1]), embedder="none"))
print("ready", flush=True)
sys.stdin.readline()
print(sum(app.sweep_if_due() is not None for _ in range(20)))
"""


def test_of_several_processes_one_sweeps(tmp_path: Path) -> None:
    App(Config(tmp_path)).close()
    command = [sys.executable, "-c", SWEEPER, str(tmp_path)]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

    counts = [int(process.communicate("go\n", timeout=60)[0]) for process in processes]

    assert sum(counts) == 1


def test_a_server_without_a_model_sweeps_the_rest(tmp_path: Path) -> None:
    app = App(Config(tmp_path), EmbedderUnavailable("switched off"))
    save(app.store, app.default_actor())

    assert app.sweep() == NOTHING
    assert not app.embed_step()
    assert len(jobs(app.store)) == 1
    app.close()


class BusyApp:
    """Has always something to embed; stops its worker at the third sweep."""

    def __init__(self) -> None:
        self.worker = Worker(cast("App", self))
        self.sweeps = self.steps = 0

    def sweep_if_due(self) -> SweepReport:
        """Counts, and reports a vector of an older text."""
        self.sweeps += 1
        if self.sweeps == 3:
            self.worker.stop()
        return replace(NOTHING, vectors_drifted=1)

    def embed_step(self) -> bool:
        """There was something to do; a queue without an end is a failure, not a hang."""
        self.steps += 1
        if self.steps == 1_000:
            self.worker.stop()
        return True


def test_a_worker_that_is_never_idle_sweeps_all_the_same_and_logs_drift(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("notewell.worker.SWEEP_CHECK_SECONDS", 0.0)
    app = BusyApp()

    app.worker.run()

    assert app.sweeps == 3
    assert [(each.levelname, "older text" in each.message) for each in caplog.records] == [("ERROR", True)] * 3
