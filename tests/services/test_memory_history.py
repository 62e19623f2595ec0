"""The history of memory notes, and what is left of a deleted one: nothing (DESIGN 1, 6)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import new_actor, table_names

from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit
from notewell.errors import NotFound
from notewell.services import memory
from notewell.services.memory import Filing
from notewell.store.database import Database

DRAFT = Draft("Zanzibar", "zebra 斑马", "zesty", ("zoo",), ("ZM",), "zine")


def all_values(store: Database) -> list[str]:
    """Every value of every table, the words of the full-text tables included, as text.

    Their blocks keep the bytes of deleted words until the next sweep, so they are read through their vocabulary.
    """
    with store.write() as tx:
        names = [name for name in table_names(tx) if not name.endswith("_data")]
        rows = [row for name in names for row in tx.rows_of(f"SELECT * FROM {name}", {})]
        for table in ("fts_0", "words_0") if tx.dialect.engine == "sqlite" else ():
            tx.run_sql(f"CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, {table}, row)", {})
            rows += tx.rows_of("SELECT term FROM temp.vocabulary", {})
            tx.run_sql("DROP TABLE temp.vocabulary", {})
    values = [value for row in rows for value in row.values()]
    return [value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in values]


def test_each_earlier_state_is_kept_newest_first(database: Database, actor: Actor) -> None:
    note = memory.create(database, actor, Draft("One", "first")).view.note
    memory.update(database, actor, note.id, Edit(title="Two"))
    memory.update(database, actor, note.id, Edit(body="third", if_version=2))

    current, earlier = memory.history(database, actor, note.id)

    assert (current.note.title, current.note.body, current.note.version) == ("Two", "third", 3)
    assert [(view.note.version, view.note.title, view.note.body) for view in earlier] == [
        (2, "Two", "first"),
        (1, "One", "first"),
    ]
    assert earlier[1].note == note


def test_restoring_brings_the_text_back_as_a_new_version(database: Database, actor: Actor) -> None:
    note = memory.create(database, actor, DRAFT).view.note
    edit = Edit(title="New", body="b", summary="", tags=(), symbols=(), status="archived")
    memory.update(database, actor, note.id, replace(edit, if_version=1), Filing("C", creates=True))

    restored = memory.restore(database, actor, note.id, 1).view

    assert (restored.note.title, restored.note.body, restored.note.summary) == (note.title, note.body, note.summary)
    assert (restored.note.tags, restored.note.symbols, restored.note.version) == (note.tags, note.symbols, 3)
    assert (restored.note.status, restored.collection) == ("archived", "C")


@pytest.mark.parametrize("version", [0, 2, 99])
def test_restoring_a_version_that_is_not_in_the_history_is_not_found(
    database: Database, actor: Actor, version: int
) -> None:
    note = memory.create(database, actor, Draft("One", "b")).view.note
    memory.update(database, actor, note.id, Edit(title="Two"))

    with pytest.raises(NotFound, match=r"there are: 1\)"):
        memory.restore(database, actor, note.id, version)


def test_a_deleted_note_leaves_nothing_in_any_table(database: Database, actor: Actor) -> None:
    note = memory.create(database, actor, DRAFT, idempotency_key="zkey").view.note
    memory.update(database, actor, note.id, Edit(append="zephyr", add_tags=("zinc",), title="Zulu"))
    memory.create(database, actor, Draft("Other", "stays"))
    words = "zebra 斑马 zanzibar zulu zephyr zesti zesty zinc zine zkey zm zoo"
    traces = [note.id, str(note.row_no), *words.split()]
    before = "\n".join(all_values(database)).lower()

    gone = memory.delete(database, actor, note.id)

    after = "\n".join(all_values(database)).lower()
    assert (gone.id, gone.title) == (note.id, "Zulu")
    assert [trace for trace in traces if trace not in before] == []
    assert [trace for trace in traces if trace in after] == []


def test_a_deleted_note_is_gone_for_every_request(database: Database, actor: Actor) -> None:
    note = memory.create(database, actor, Draft("One", "b")).view.note
    memory.delete(database, actor, note.id)

    assert memory.read(database, actor, [note.id]) == ([], [note.id])
    for request in (
        lambda: memory.delete(database, actor, note.id),
        lambda: memory.update(database, actor, note.id, Edit(title="x")),
        lambda: memory.history(database, actor, note.id),
        lambda: memory.restore(database, actor, note.id, 1),
    ):
        with pytest.raises(NotFound):
            request()


def test_deleting_one_note_leaves_every_other_one(database: Database, actor: Actor) -> None:
    kept = [memory.create(database, who, DRAFT).view.note for who in (actor, new_actor("ben"))]
    memory.delete(database, actor, memory.create(database, actor, DRAFT).view.note.id)

    assert memory.history(database, actor, kept[0].id)[0].note == kept[0]
    assert memory.history(database, new_actor("ben"), kept[1].id)[0].note == kept[1]
