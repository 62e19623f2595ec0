"""Never stale (DESIGN 1): after any edits the derived rows are those of a fresh store with the same notes."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from budget import examples
from conftest import SLOW_POSTGRES, SettableClock, new_actor, open_store
from derived_rows import DerivedRows, derived_rows, spaces
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit, Note, Status
from notewell.services import memory
from notewell.services.memory import Filing
from notewell.store import fts5, index, notes
from notewell.store.database import Database
from notewell.store.note_rows import walk
from notewell.store.sqlite import SqliteDatabase

SMALL_MEMORY_NOTES = 4
"""So that a memory outgrows the shared tables within one run."""
ACTORS = (new_actor("ana"), new_actor("ben"))

WORDS = ["rate", "Rates", "retrying", "C++", "降息预期", "息", "é", "🎉", "|", " ", "\n", "a-b", '"', "x" * 70]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
TITLES = TEXTS.map(lambda text: f"T {text[:190]}")
TAGS = st.lists(st.sampled_from(["rate", "RATES", "降息", "a b", "c++"]), max_size=3).map(tuple)
SYMBOLS = st.lists(st.sampled_from(["NVDA", "BRK.B", "000834"]), max_size=2).map(tuple)


def all_notes(store: Database) -> list[Note]:
    """Every note of every space, in the order of creation."""
    with store.read() as reader:
        found = [note for space in spaces(reader) for note in walk(reader, space)]
    return sorted(found, key=lambda note: note.row_no)


def rows_of(store: Database) -> DerivedRows:
    """The derived rows as they stand."""
    with store.write() as tx:
        return derived_rows(tx)


def rows_of_fresh_store(engine: str, folder: Path, kept: list[Note]) -> DerivedRows:
    """The derived rows of a new store into which the same notes were put, in another order."""
    store = open_store(engine, folder, SettableClock())
    with store.write() as tx:
        for note in reversed(kept):
            notes.insert(tx, note)
    found = rows_of(store)
    store.close()
    return found


class Undo(Exception):
    """Ends a transaction without a trace."""


def rows_after_rebuild(store: Database) -> DerivedRows:
    """The derived rows as a rebuild makes them; the store stays as it was."""

    found: list[DerivedRows] = []
    with contextlib.suppress(Undo), store.write() as tx:
        for space in spaces(tx):
            index.rebuild(tx, space)
        found.append(derived_rows(tx))
        raise Undo
    return found[0]


class Edits(RuleBasedStateMachine):
    """Two people who write, change, file and delete notes."""

    engine: str
    folder: Path
    made: Bundle[tuple[Actor, str]] = Bundle("made")

    @initialize()
    def open(self) -> None:
        """An empty store."""
        (self.folder / "fresh").mkdir(parents=True)
        self.clock = SettableClock()
        self.store = open_store(self.engine, self.folder, self.clock)
        self.gone: set[str] = set()

    @rule(target=made, actor=st.sampled_from(ACTORS), title=TITLES, body=TEXTS, tags=TAGS, symbols=SYMBOLS)
    def create(
        self, actor: Actor, title: str, body: str, tags: tuple[str, ...], symbols: tuple[str, ...]
    ) -> tuple[Actor, str]:
        """A new note, sometimes in the same millisecond as the one before."""
        self.clock.advance(len(title) % 2)
        created = memory.create(self.store, actor, Draft(title, body, summary=body[:9], tags=tags, symbols=symbols))
        return actor, created.view.note.id

    def change(self, place: tuple[Actor, str], edit: Edit, filing: Filing = memory.NO_FILING) -> None:
        """Edits a note that is still there."""
        actor, note_id = place
        if note_id in self.gone:
            return
        version = memory.history(self.store, actor, note_id)[0].note.version
        memory.update(self.store, actor, note_id, replace(edit, if_version=version), filing)

    @rule(place=made, title=TITLES, body=TEXTS, tags=TAGS)
    def rewrite(self, place: tuple[Actor, str], title: str, body: str, tags: tuple[str, ...]) -> None:
        """Everything new but the symbols."""
        self.change(place, Edit(title=title, body=body, tags=tags))

    @rule(place=made, text=TEXTS, tags=TAGS, symbols=SYMBOLS)
    def extend(self, place: tuple[Actor, str], text: str, tags: tuple[str, ...], symbols: tuple[str, ...]) -> None:
        """Text, tags and symbols added."""
        self.change(place, Edit(append=text, add_tags=tags, add_symbols=symbols))

    @rule(place=made, tags=TAGS, symbols=SYMBOLS)
    def unlabel(self, place: tuple[Actor, str], tags: tuple[str, ...], symbols: tuple[str, ...]) -> None:
        """Tags removed, symbols replaced."""
        self.change(place, Edit(remove_tags=tags, symbols=symbols, summary=""))

    @rule(place=made, status=st.sampled_from(["active", "archived"]), name=st.sampled_from(["Work", "Home"]))
    def file(self, place: tuple[Actor, str], status: Status, name: str) -> None:
        """Another status and another collection: nothing of the text changes."""
        self.change(place, Edit(status=status), Filing(name, creates=True))

    @rule(place=made)
    def delete(self, place: tuple[Actor, str]) -> None:
        """One note less."""
        actor, note_id = place
        if note_id not in self.gone:
            memory.delete(self.store, actor, note_id)
            self.gone.add(note_id)

    @invariant()
    def rebuilding_changes_nothing(self) -> None:
        """What was kept up to date equals what is made again in place."""
        assert rows_of(self.store) == rows_after_rebuild(self.store)

    def teardown(self) -> None:
        """What was kept up to date equals what a fresh store derives, whose memories grow in another order."""
        kept = all_notes(self.store)
        fresh = rows_of_fresh_store(self.engine, self.folder / "fresh", kept)
        found = rows_of(self.store)
        self.store.close()
        shutil.rmtree(self.folder)

        assert found == fresh
        assert found.terms.keys() == {note.row_no for note in kept}


@pytest.mark.hypothesis
@pytest.mark.parametrize("engine", SLOW_POSTGRES)
def test_derived_rows_equal_a_rebuild_after_any_edits(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fts5, "LARGE_MEMORY_NOTES", SMALL_MEMORY_NOTES)
    monkeypatch.setattr(Edits, "engine", engine, raising=False)
    monkeypatch.setattr(Edits, "folder", tmp_path / "edits", raising=False)

    run_state_machine_as_test(
        Edits,
        settings=settings(
            max_examples=examples(15),
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )


def test_a_memory_that_grows_large_leaves_nothing_in_the_shared_tables(
    sqlite_database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fts5, "LARGE_MEMORY_NOTES", SMALL_MEMORY_NOTES)
    for number in range(SMALL_MEMORY_NOTES + 1):
        for actor in ACTORS[: 2 if number < 2 else 1]:
            memory.create(sqlite_database, actor, Draft(f"T{number}", "body"))

    with sqlite_database.read() as reader:
        homes = {space: reader.rows("space_stats", space_id=space)[0]["home"] for space in spaces(reader)}
        shared = reader.rows_of("SELECT count(*) AS notes FROM fts_0", {})[0]["notes"]

    assert homes[ACTORS[0].account_id] > 0
    assert homes[ACTORS[1].account_id] == 0
    assert shared == 2


def test_a_rebuild_mends_what_was_damaged(database: Database) -> None:
    for number in range(3):
        memory.create(database, ACTORS[0], Draft(f"Rates {number}", "body", tags=("a",), symbols=("NVDA",)))
    sound = rows_of(database)

    with database.write() as tx:
        for table in ("note_index", "note_tags", "note_symbols", "space_words"):
            tx.run_sql(f"DELETE FROM {table}", {})
        tx.run_sql("UPDATE space_stats SET notes = 7, tokens = 7", {})
    assert rows_of(database) != sound
    with database.write() as tx:
        index.rebuild(tx, ACTORS[0].account_id)

    assert rows_of(database) == sound


def test_notes_of_one_moment_keep_the_order_they_came_in(database: Database) -> None:
    made = [memory.create(database, ACTORS[number % 2], Draft(f"T{number}", "")).view.note for number in range(4)]

    rows = [note.row_no for note in made]

    assert rows == list(range(rows[0], rows[0] + 4))
    assert all_notes(database) == made
