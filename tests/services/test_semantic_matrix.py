"""The matrix of vectors in memory follows the store, whoever writes it, and never mixes models (DESIGN 8, 11)."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path

import pytest
from budget import examples
from conftest import SettableClock, new_actor, open_store
from hypothesis import given, settings
from hypothesis import strategies as st
from meaning import DIMENSION, Meaning, compare_in_memory, drain, open_meaning, save, vector_rows

from notewell.app import App
from notewell.config import Config
from notewell.domain.notes import Edit
from notewell.embedders.fake import FakeEmbedder
from notewell.services import memory, memory_search
from notewell.services.embedding import step
from notewell.services.memory_search import NoteSearch
from notewell.services.search import Coverage
from notewell.services.semantic import MAX_DEAD_SHARE, Matrix, SemanticSearch, Snapshot
from notewell.services.sweep import TOMBSTONE_MILLISECONDS, sweep
from notewell.store import vectors
from notewell.store.database import Database

MODEL = "fake;1"
ANA, BEN = new_actor("ana"), new_actor("ben")


@pytest.fixture
def meaning(database: Database, monkeypatch: pytest.MonkeyPatch) -> Meaning:
    """A store whose vectors nobody compares but we, on every engine."""
    compare_in_memory(monkeypatch)
    return open_meaning(database)


def content(snapshot: Snapshot) -> dict[tuple[str, int], list[bytes]]:
    """What a snapshot holds of each note, in no order."""
    names = {code: space for space, code in snapshot.codes.items()}
    found: dict[tuple[str, int], list[bytes]] = defaultdict(list)
    for place, space in enumerate(snapshot.spaces.tolist()):
        if space >= 0:
            found[names[space], int(snapshot.rows[place])].append(snapshot.numbers[place].tobytes())
    return {key: sorted(each) for key, each in found.items()}


def followed(store: Database, matrix: Matrix) -> dict[tuple[str, int], list[bytes]]:
    """What a matrix holds after it took in what changed."""
    with store.read() as reader:
        return content(matrix.follow(reader))


def loaded(store: Database) -> dict[tuple[str, int], list[bytes]]:
    """What a new matrix holds."""
    return followed(store, Matrix(MODEL))


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["save", "save long", "edit", "shorten", "delete", "drain", "step", "follow", "forget"]),
        st.integers(0, 30),
    ),
    max_size=40,
)


@settings(max_examples=examples(40), deadline=None)
@given(CHANGES)
def test_after_any_changes_the_matrix_equals_a_new_one(changes: list[tuple[str, int]]) -> None:
    clock = SettableClock()
    with tempfile.TemporaryDirectory() as folder:
        store = open_store("sqlite", Path(folder), clock)
        matrix = Matrix(MODEL)
        for kind, number in changes:
            clock.advance(1)
            change(store, matrix, clock, (kind, number))
        assert followed(store, matrix) == loaded(store)
        assert matrix.dead <= MAX_DEAD_SHARE * max(matrix.count, 1)
        assert sum(matrix.is_first[: matrix.count][matrix.spaces[: matrix.count] >= 0]) == len(loaded(store))
        store.close()


def change(store: Database, matrix: Matrix, clock: SettableClock, what: tuple[str, int]) -> None:
    """Does one of the changes; where there is no note for it, nothing."""
    kind, number = what
    actor = ANA if number % 2 else BEN
    with store.read() as reader:
        found = reader.rows_of("SELECT * FROM notes WHERE space_id = :space", {"space": actor.account_id})
    note = found[number % len(found)] if found else None
    if kind.startswith("save"):
        save(store, actor, f"Note {number}", "word " * (900 if kind == "save long" else 1))
    elif kind == "drain":
        drain(store, FakeEmbedder(8))
    elif kind == "step":
        step(store, FakeEmbedder(8), 2)
    elif kind == "follow":
        followed(store, matrix)
    elif kind == "forget":
        clock.advance(TOMBSTONE_MILLISECONDS)
        sweep(store, MODEL)
    elif note and kind == "delete":
        memory.delete(store, actor, note["id"])
    elif note and kind == "edit":
        memory.update(store, actor, note["id"], Edit(append=f"more {number}"))
    elif note:
        memory.update(store, actor, note["id"], Edit(body=f"{number}", if_version=note["version"]))


def test_a_second_app_on_the_file_sees_what_the_first_one_writes(tmp_path: Path) -> None:
    writing, searching = (App(Config(tmp_path), FakeEmbedder(DIMENSION)) for _ in range(2))
    actor = writing.default_actor()

    def titles() -> list[str]:
        cards = memory_search.find(
            searching.store, actor, NoteSearch(query="gold"), searching.semantic.question("gold")
        )
        return [card.note.title for card in cards.cards]

    assert titles() == []
    gold, oil = save(writing.store, actor, "gold", "gold"), save(writing.store, actor, "oil", "oil")
    drain(writing.store, FakeEmbedder(DIMENSION))
    assert titles() == ["gold", "oil"]
    memory.update(writing.store, actor, oil.id, Edit(title="new gold", body="gold", if_version=1))
    assert titles() == ["gold"]
    drain(writing.store, FakeEmbedder(DIMENSION))
    assert set(titles()) == {"gold", "new gold"}
    memory.delete(writing.store, actor, gold.id)
    assert titles() == ["new gold"]
    writing.close()
    searching.close()


def test_many_deletions_shrink_the_matrix(meaning: Meaning) -> None:
    notes = [save(meaning.store, meaning.actor, f"Note {number}") for number in range(40)]
    drain(meaning.store, FakeEmbedder(DIMENSION))
    matrix = Matrix(MODEL)
    followed(meaning.store, matrix)
    before = matrix.bytes

    for note in notes[:30]:
        memory.delete(meaning.store, meaning.actor, note.id)
    followed(meaning.store, matrix)

    assert (matrix.count, matrix.dead) == (10, 0)
    assert matrix.bytes < before / 2


def test_a_snapshot_keeps_its_numbers_while_the_matrix_goes_on(meaning: Meaning, clock: SettableClock) -> None:
    """Another thread searches in it while this one follows, compacts, or begins again."""
    notes = [save(meaning.store, meaning.actor, f"Note {number}") for number in range(8)]
    drain(meaning.store, FakeEmbedder(DIMENSION))
    matrix = Matrix(MODEL)
    with meaning.store.read() as reader:
        snapshot = matrix.follow(reader)
    before = snapshot.numbers.tobytes(), snapshot.rows.tobytes(), snapshot.scales.tobytes()

    for note in notes[:4]:
        memory.delete(meaning.store, meaning.actor, note.id)
    for number in range(3):  # so few that they fit into the arrays that there are
        save(meaning.store, meaning.actor, f"Later {number}")
    drain(meaning.store, FakeEmbedder(DIMENSION))
    clock.advance(2 * TOMBSTONE_MILLISECONDS)
    sweep(meaning.store, MODEL)
    followed(meaning.store, matrix)

    assert (snapshot.numbers.tobytes(), snapshot.rows.tobytes(), snapshot.scales.tobytes()) == before


def test_a_matrix_that_missed_forgotten_tombstones_begins_again(meaning: Meaning, clock: SettableClock) -> None:
    note = save(meaning.store, meaning.actor)
    drain(meaning.store, FakeEmbedder(DIMENSION))
    matrix = Matrix(MODEL)
    assert len(followed(meaning.store, matrix)) == 1
    memory.delete(meaning.store, meaning.actor, note.id)
    clock.advance(TOMBSTONE_MILLISECONDS + 1)
    sweep(meaning.store, MODEL)

    assert followed(meaning.store, matrix) == {}


def test_vectors_that_were_stored_without_a_number_are_there(meaning: Meaning) -> None:
    """As they come from a store whose database compares vectors."""
    notes = [save(meaning.store, meaning.actor, f"Note {number}") for number in range(3)]
    drain(meaning.store, FakeEmbedder(DIMENSION))
    with meaning.store.write() as tx:
        tx.run_sql("UPDATE note_vectors SET seq = :seq", {"seq": vectors.UNNUMBERED})
        tx.run_sql("UPDATE vector_clock SET seq = 0", {})
    matrix = Matrix(MODEL)
    assert len(followed(meaning.store, matrix)) == 3

    memory.delete(meaning.store, meaning.actor, notes[0].id)
    assert followed(meaning.store, matrix) == loaded(meaning.store)
    assert len(loaded(meaning.store)) == 2


# Models


def found_by(meaning: Meaning, embedder: FakeEmbedder) -> tuple[int, Coverage | None]:
    """How many notes a model's search finds, and what it says that it could search."""
    search = SemanticSearch(meaning.store, embedder)
    cards = memory_search.find(meaning.store, meaning.actor, NoteSearch(query="x", limit=50), search.question("x"))
    return len(cards.cards), cards.coverage


def test_from_one_model_to_another_and_back_no_vector_is_mixed(meaning: Meaning) -> None:
    first, second = FakeEmbedder(16, model_id="first"), FakeEmbedder(32, model_id="second")
    notes = [save(meaning.store, meaning.actor, f"Note {number}") for number in range(20)]
    drain(meaning.store, first)
    assert found_by(meaning, first) == (20, Coverage(20, 20))
    assert found_by(meaning, second) == (0, Coverage(0, 20))

    assert sweep(meaning.store, "second").jobs_enqueued == 20
    step(meaning.store, second, 6)
    assert found_by(meaning, second) == (6, Coverage(6, 20))
    assert found_by(meaning, first) == (20, Coverage(20, 20))

    sweep(meaning.store, "second")
    assert found_by(meaning, first)[0] == 20, "dropped while notes wait"
    memory.update(meaning.store, meaning.actor, notes[-1].id, Edit(append="a new text"))
    drain(meaning.store, second)
    assert found_by(meaning, first) == (19, Coverage(19, 20))

    # Back again before the sweep: only what was edited meanwhile is embedded.
    assert sweep(meaning.store, "first").jobs_enqueued == 1
    assert drain(meaning.store, first).stored == 1
    assert found_by(meaning, first) == (20, Coverage(20, 20))
    assert {row["model_id"] for row in vector_rows(meaning.store)} == {"first", "second"}

    sweep(meaning.store, "first")
    assert {row["model_id"] for row in vector_rows(meaning.store)} == {"first"}
    assert found_by(meaning, second) == (0, Coverage(0, 20))
