"""The vectors that PostgreSQL compares itself: always those of the notes; without the extension nothing is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import numpy as np
import postgres_stores
import psycopg
import pytest
from conftest import SettableClock, counted_ids, new_actor
from meaning import DIMENSION, Meaning, drain, open_meaning, rows, save, write_record

from benchmarks.common.postgres import wait_until
from notewell.domain.access import Actor
from notewell.domain.notes import Edit
from notewell.embedders.fake import FakeEmbedder
from notewell.services import memory, research
from notewell.services.embedding import LEASE_MILLISECONDS
from notewell.services.memory_search import NoteSearch
from notewell.services.research_search import ResearchSearch
from notewell.services.search import Coverage
from notewell.services.sweep import sweep
from notewell.store import index, pgvector, vectors
from notewell.store.database import Database, Tx
from notewell.store.migrate import migrate, migrations
from notewell.store.postgres import PostgresDatabase
from notewell.store.vectors import StoredVector

pytestmark = pytest.mark.postgres

MODEL = "fake;1"
ROLE = "notewell_test_plain"
EMBEDDER = FakeEmbedder(DIMENSION)
VECTOR = [StoredVector(1.0, bytes([1] + [0] * (DIMENSION - 1)))]


@pytest.fixture
def store(clock: SettableClock) -> Iterator[PostgresDatabase]:
    """An empty store with the extension."""
    made = postgres_stores.open_postgres(clock, counted_ids())
    yield made
    with made.write() as tx:
        tx.run_sql("DELETE FROM note_vectors", {})
    pgvector.keep_indexes(made)
    made.close()


@pytest.fixture
def bare_url() -> str:
    """An empty database of somebody who may make no extension, as many operators leave it."""
    url = postgres_stores.new_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION btree_gin")
        if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [ROLE]).fetchall():
            connection.execute(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{ROLE}'".encode())
        connection.execute(f"GRANT CREATE ON SCHEMA public TO {ROLE}".encode())
    return url


@pytest.fixture
def bare(bare_url: str, clock: SettableClock) -> Iterator[PostgresDatabase]:
    """A store without the extension."""
    parts = urlsplit(bare_url)
    place = f"{ROLE}:{ROLE}@{parts.netloc.rpartition('@')[2]}"
    made = PostgresDatabase(urlunsplit(parts._replace(netloc=place)), clock=clock, new_id=counted_ids())
    migrate(made)
    yield made
    made.close()


def embeddings(store: Database, condition: str = "true") -> list[tuple[str, int]]:
    """Note and flag of each vector that the database compares."""
    sql = f"SELECT note_id, is_public FROM note_embeddings WHERE {condition} ORDER BY note_id, chunk"
    return [(row["note_id"], row["is_public"]) for row in rows(store, sql)]


def stored(store: Database) -> list[str]:
    """The notes of all stored vectors."""
    return [row["note_id"] for row in rows(store, "SELECT note_id FROM note_vectors ORDER BY note_id, chunk")]


def is_there(store: Database) -> bool:
    """Whether the database compares vectors."""
    with store.read() as reader:
        return pgvector.is_there(reader)


def put(tx: Tx, actor: Actor) -> bool:
    """Stores a vector for a waiting note of an account."""
    tx.lock(actor.account_id)
    (job,) = vectors.claim(tx, actor.account_id, f"tok_{actor.handle}", LEASE_MILLISECONDS, 1)
    return vectors.put(tx, job, MODEL, VECTOR)


# What follows a note


def test_the_database_compares_the_very_numbers_that_are_stored(store: PostgresDatabase, actor: Actor) -> None:
    save(store, actor, "Long", "rate cut " * 900)
    drain(store, EMBEDDER)

    found = rows(
        store,
        "SELECT v.scale, v.numbers, CAST(e.embedding AS TEXT) AS embedding FROM note_vectors AS v"
        " JOIN note_embeddings AS e ON e.note_id = v.note_id AND e.model_id = v.model_id AND e.chunk = v.chunk"
        " AND e.space_id = v.space_id AND e.row_no = v.row_no",
    )
    assert len(found) > 3
    for row in found:
        numbers = np.frombuffer(row["numbers"], np.int8) * row["scale"]
        assert (
            np.fromstring(row["embedding"][1:-1], np.float32, sep=",").tolist() == numbers.astype(np.float32).tolist()
        )


def test_vectors_go_with_their_notes_texts_and_models(store: PostgresDatabase, actor: Actor) -> None:
    edited, deleted, kept = (save(store, actor, title) for title in ("Edited", "Deleted", "Kept"))
    drain(store, EMBEDDER)
    memory.update(store, actor, edited.id, Edit(append="more"))
    memory.delete(store, actor, deleted.id)
    assert embeddings(store) == [(kept.id, 0)]

    drain(store, EMBEDDER)
    assert [note_id for note_id, _ in embeddings(store)] == stored(store) == [edited.id, kept.id]

    sweep(store, "another")
    drain(store, FakeEmbedder(8, model_id="another"))
    assert len(embeddings(store)) == 4
    sweep(store, "another")
    assert len(embeddings(store, "model_id = 'another'")) == len(embeddings(store)) == 2


def test_publishing_shows_and_hides_the_vectors_of_a_problem(store: PostgresDatabase, clock: SettableClock) -> None:
    meaning = open_meaning(store)
    write_record(meaning, clock)

    def public() -> int:
        return len(embeddings(store, "is_public = 1"))

    everything = public()
    assert 0 < everything < len(embeddings(store))
    research.publish_problem(store, meaning.actor, "tsp", is_published=False)
    assert public() == everything // 2
    research.publish_campaign(store, meaning.actor, "solvers", is_published=False)
    assert public() == 0
    assert meaning.research(ResearchSearch(query="rate")).coverage == Coverage(0, 0)
    research.publish_problem(store, meaning.actor, "tsp", is_published=True)
    research.publish_campaign(store, meaning.actor, "solvers", is_published=True)
    assert public() == everything


def test_who_stores_vectors_waits_for_nobody_in_another_space(store: PostgresDatabase, actor: Actor) -> None:
    ben = new_actor("ben")
    first, second = (save(store, each, "Embedded") for each in (actor, ben))
    drain(store, EMBEDDER)
    for each in (actor, ben):
        save(store, each, "Waiting")

    with store.write() as one:
        assert put(one, actor)
        with store.write() as other:
            assert put(other, ben)
    with store.write() as one:
        vectors.forget(one, actor.account_id, first.id, first.row_no)
        memory.delete(store, ben, second.id)

    assert len(embeddings(store)) == 2
    with store.read() as reader:
        assert vectors.seq(reader) == (0, 0)


def test_what_is_missing_or_wrongly_shown_is_mended(store: PostgresDatabase, clock: SettableClock) -> None:
    write_record(open_meaning(store), clock)
    sound = embeddings(store)
    with store.write() as tx:
        tx.run_sql("DELETE FROM note_embeddings WHERE row_no % 2 = 0", {})
    sweep(store, MODEL)
    assert embeddings(store) == sound

    with store.write() as tx:
        tx.run_sql("DELETE FROM note_embeddings WHERE row_no % 3 = 0", {})
        tx.run_sql("UPDATE note_embeddings SET is_public = 1 - is_public", {})
        for row in tx.rows("memory_spaces"):
            index.rebuild(tx, row["space_id"])
    assert embeddings(store) == sound


def test_vectors_of_another_length_are_left_out(store: PostgresDatabase) -> None:
    meaning = open_meaning(store)
    for title in ("Short", "Wide"):
        save(store, meaning.actor, title)
    drain(store, FakeEmbedder(8))
    save(store, meaning.actor, "Rates")
    drain(store, EMBEDDER)

    page = meaning.memory(NoteSearch(query="rates"))

    assert [card.note.title for card in page.cards] == ["Rates"]
    assert page.coverage == Coverage(1, 3)


# The index


def indexes(store: Database) -> list[str]:
    """The names of the indexes over public vectors."""
    sql = "SELECT c.relname AS name FROM pg_index JOIN pg_class AS c ON c.oid = indexrelid WHERE indisvalid"
    return [row["name"] for row in rows(store, sql) if row["name"].startswith(pgvector.INDEX_PREFIX)]


def test_a_model_has_an_index_from_many_public_vectors_on_until_it_goes(
    store: PostgresDatabase, clock: SettableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    meaning = open_meaning(store)
    write_record(meaning, clock)
    count = len(embeddings(store, "is_public = 1"))
    monkeypatch.setattr(pgvector, "INDEX_LEAST", count + 1)
    sweep(store, MODEL)
    assert indexes(store) == []

    monkeypatch.setattr(pgvector, "INDEX_LEAST", count)
    for _ in range(2):
        sweep(store, MODEL)
        assert indexes(store) == [pgvector.index_name(MODEL, DIMENSION)]

    quoted = "it's 100 %; \\ :model"
    for _ in range(3):
        sweep(store, quoted)
        drain(store, FakeEmbedder(8, model_id=quoted))
    assert indexes(store) == [pgvector.index_name(quoted, 8)]
    sweep(store, MODEL)
    drain(store, EMBEDDER)
    assert len(meaning.walk(ResearchSearch(query="rate"))) == count


def test_an_index_that_was_left_half_made_is_made_again(
    store: PostgresDatabase, clock: SettableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_record(open_meaning(store), clock)
    monkeypatch.setattr(pgvector, "INDEX_LEAST", 1)
    name = pgvector.index_name(MODEL, DIMENSION)
    # As a builder that was killed leaves it: there, and not valid.
    store.run_alone(f"CREATE INDEX {name} ON note_embeddings (row_no)")
    with psycopg.connect(store.url, autocommit=True) as connection:  # type: ignore[attr-defined]  # a test's store
        connection.execute("SET allow_system_table_mods = on")
        connection.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)", [name])
    assert indexes(store) == []

    sweep(store, MODEL)

    (row,) = rows(store, f"SELECT indexdef FROM pg_indexes WHERE indexname = '{name}'")
    assert "USING hnsw" in row["indexdef"]
    assert indexes(store) == [name]


# Without the extension


def found(meaning: Meaning) -> list[tuple[int, float | None]]:
    """What a memory and the record hold about a question."""
    pages = meaning.walk(NoteSearch(query="rate cut")), meaning.walk(ResearchSearch(query="rate cut"))
    return [(each.row_no, each.score) for page in pages for each in page]


def test_without_the_extension_vectors_are_compared_in_memory(bare: PostgresDatabase, clock: SettableClock) -> None:
    assert not is_there(bare)
    meaning = open_meaning(bare)
    note = save(bare, meaning.actor, "Rates", "rate cut")
    write_record(meaning, clock)
    sweep(bare, MODEL)

    assert not is_there(bare)
    assert len(found(meaning)) > 9
    memory.delete(bare, meaning.actor, note.id)
    assert note.row_no not in dict(found(meaning))
    assert len(rows(bare, "SELECT row_no FROM vector_tombstones")) == 1
    with bare.read() as reader:
        assert reader.rows("last_migration")[0]["number"] == migrations()[-1].number


def test_an_extension_that_comes_later_is_taken_up(bare: PostgresDatabase, bare_url: str, clock: SettableClock) -> None:
    meaning = open_meaning(bare)
    save(bare, meaning.actor, "Rates", "rate cut " * 600)
    write_record(meaning, clock)
    before = found(meaning)
    with psycopg.connect(bare_url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")

    assert sweep(bare, MODEL).jobs_enqueued == 0

    assert [note_id for note_id, _ in embeddings(bare)] == stored(bare)
    after = found(meaning)
    assert [row_no for row_no, _ in after] == [row_no for row_no, _ in before]
    assert [score for _, score in after] == pytest.approx([score for _, score in before], abs=2e-6)
    note = save(bare, meaning.actor, "Later", "rate cut")
    drain(bare, EMBEDDER)
    assert note.row_no in dict(found(meaning))


def test_a_vector_that_is_stored_while_the_table_is_made_is_not_lost(
    bare: PostgresDatabase, bare_url: str, actor: Actor
) -> None:
    save(bare, actor)
    with psycopg.connect(bare_url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    sweeping = threading.Thread(target=sweep, args=(bare, MODEL))

    with bare.write() as tx:
        assert put(tx, actor)
        sweeping.start()
        wait_until(lambda: rows(bare, "SELECT 1 FROM pg_locks WHERE NOT granted") != [], "the sweep waits")
    sweeping.join()

    assert [note_id for note_id, _ in embeddings(bare)] == stored(bare) != []


def test_an_extension_that_is_too_old_is_not_used(clock: SettableClock) -> None:
    url = postgres_stores.new_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute("SET allow_system_table_mods = on")
        connection.execute("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
    store = PostgresDatabase(url, clock=clock, new_id=counted_ids())
    migrate(store)

    assert not is_there(store)
    store.close()
