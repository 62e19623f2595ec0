"""Memory notes through their service: making, reading, changing, filing, history and removal (DESIGN 6)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import SettableClock, new_actor, table_names

from notewell.domain.access import Actor
from notewell.domain.notes import MAX_BODY_BYTES, Draft, Edit, Note
from notewell.errors import (
    Forbidden,
    InvalidArgument,
    NotewellError,
    NotFound,
    TooLarge,
    UnknownCollection,
    VersionConflict,
)
from notewell.services import memory
from notewell.services.memory import Filing
from notewell.store.database import Database

BEN = new_actor("ben")
UNKNOWN_ID = "nte_0000000000"


def made(store: Database, actor: Actor, title: str = "Rates", body: str = "line one") -> Note:
    """A new note."""
    return memory.create(store, actor, Draft(title, body)).view.note


def current(store: Database, actor: Actor, note: Note) -> Note:
    """A note as it stands now."""
    return memory.history(store, actor, note.id)[0].note


def everything(store: Database) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, but for the statistics of spaces without notes and the tables' own bookkeeping."""
    with store.read() as reader:
        names = [name for name in table_names(reader) if "_" not in name or name[0] == "n"]
        rows = {name: reader.rows_of(f"SELECT * FROM {name}", {}) for name in names}
    return {name: [tuple(row.values()) for row in found] for name, found in rows.items()}


# Making


def test_a_new_note_has_what_was_sent_and_the_moment_and_agent_of_its_making(
    database: Database, actor: Actor, clock: SettableClock
) -> None:
    draft = Draft("Rates", "a\r\nb\n", "Sum", ("Fed", "降息"), ("brk.b",), "chat 7")

    created = memory.create(database, actor, draft)

    note = current(database, actor, created.view.note)
    assert note == created.view.note
    assert (note.title, note.body, note.summary, note.source) == ("Rates", "a\r\nb\n", "Sum", "chat 7")
    assert (note.tags, note.symbols, note.status, note.version) == (("Fed", "降息"), ("BRK-B",), "active", 1)
    assert (note.created_at, note.updated_at, note.agent) == (clock.now, clock.now, "agent-of-ana")
    assert created.view.account == "ana"


def test_a_note_without_a_summary_comes_with_advice(database: Database, actor: Actor) -> None:
    assert "summary" in (memory.create(database, actor, Draft("T", "b")).advice or "")
    assert memory.create(database, actor, Draft("T", "b", summary="s")).advice is None


def test_a_refused_note_writes_nothing(database: Database, actor: Actor) -> None:
    before = everything(database)

    for draft in (Draft("", "b"), Draft("T", "b\0"), Draft("T", "b", symbols=("not one",))):
        with pytest.raises(InvalidArgument):
            memory.create(database, actor, draft, Filing("New", creates=True), "key")
    with pytest.raises(TooLarge):
        memory.create(database, actor, Draft("T", "x" * (MAX_BODY_BYTES + 1)))

    assert everything(database) == before


@pytest.mark.parametrize("scopes", [frozenset(), frozenset({"memory:read"}), frozenset({"research:write"})])
def test_writing_needs_its_scope(database: Database, actor: Actor, scopes: frozenset[str]) -> None:
    note = made(database, actor)
    reader = replace(actor, scopes=scopes)  # type: ignore[arg-type]  # names of scopes

    for write in (
        lambda: memory.create(database, reader, Draft("T", "b")),
        lambda: memory.update(database, reader, note.id, Edit(title="x")),
        lambda: memory.delete(database, reader, note.id),
        lambda: memory.restore(database, reader, note.id, 1),
    ):
        with pytest.raises(Forbidden, match="memory:write"):
            write()


def test_reading_needs_its_scope(database: Database, actor: Actor) -> None:
    writer = replace(actor, scopes=frozenset({"memory:write"}))

    for read in (
        lambda: memory.read(database, writer, [UNKNOWN_ID]),
        lambda: memory.history(database, writer, UNKNOWN_ID),
    ):
        with pytest.raises(Forbidden, match="memory:read"):
            read()


# Idempotency


def test_a_repeated_request_with_the_same_key_makes_one_note(database: Database, actor: Actor) -> None:
    first, again = (memory.create(database, actor, Draft("T", "b"), idempotency_key="k") for _ in range(2))

    assert (first.is_repeated, again.is_repeated) == (False, True)
    assert again.view == first.view


def test_a_repeated_request_returns_the_note_as_it_stands_now(database: Database, actor: Actor) -> None:
    first = memory.create(database, actor, Draft("T", "b"), idempotency_key="k")
    memory.update(database, actor, first.view.note.id, Edit(append="more"))

    assert memory.create(database, actor, Draft("T", "b"), idempotency_key="k").view.note.body == "b\nmore"


@pytest.mark.parametrize(
    ("draft", "filing"), [(Draft("T", "other"), memory.NO_FILING), (Draft("T", "b"), Filing("C", True))]
)
def test_a_key_of_another_request_is_refused(database: Database, actor: Actor, draft: Draft, filing: Filing) -> None:
    note = memory.create(database, actor, Draft("T", "b"), idempotency_key="k").view.note

    with pytest.raises(InvalidArgument, match=note.id) as caught:
        memory.create(database, actor, draft, filing, "k")

    assert caught.value.details["argument"] == "idempotencyKey"


def test_a_key_belongs_to_one_account(database: Database, actor: Actor) -> None:
    memory.create(database, actor, Draft("T", "b"), idempotency_key="k")

    assert not memory.create(database, BEN, Draft("T", "b"), idempotency_key="k").is_repeated


def test_the_same_request_may_be_made_again_after_its_note_was_deleted(database: Database, actor: Actor) -> None:
    note = memory.create(database, actor, Draft("T", "b"), idempotency_key="k").view.note
    memory.delete(database, actor, note.id)

    assert not memory.create(database, actor, Draft("T", "b"), idempotency_key="k").is_repeated


@pytest.mark.parametrize("key", ["x" * 201, "a\0", "\ud800"])
def test_a_bad_key_is_refused(database: Database, actor: Actor, key: str) -> None:
    with pytest.raises(InvalidArgument):
        memory.create(database, actor, Draft("T", "b"), idempotency_key=key)


# Reading


def test_notes_come_in_the_order_asked_with_the_ids_that_are_not_there(database: Database, actor: Actor) -> None:
    one, two = made(database, actor, "One"), made(database, actor, "Two")

    answers, not_found = memory.read(database, actor, [two.id, UNKNOWN_ID, one.id, two.id])

    assert [answer.view.note for answer in answers] == [two, one]
    assert not_found == [UNKNOWN_ID]


def test_another_accounts_note_is_not_there(database: Database, actor: Actor) -> None:
    note = made(database, actor)

    assert memory.read(database, BEN, [note.id]) == ([], [note.id])
    for request in (
        lambda: memory.update(database, BEN, note.id, Edit(title="x")),
        lambda: memory.delete(database, BEN, note.id),
        lambda: memory.history(database, BEN, note.id),
        lambda: memory.restore(database, BEN, note.id, 1),
    ):
        with pytest.raises(NotFound):
            request()
    assert current(database, actor, note) == note


def test_a_long_body_is_read_in_parts_that_make_it_whole_again(database: Database, actor: Actor) -> None:
    body = "降息 rate\r\n" * 20
    note = made(database, actor, body=body)
    read, start = "", 0

    while start < len(body):
        part = memory.read(database, actor, [note.id], start, 7)[0][0]
        assert (part.start, part.length) == (start, len(body))
        read, start = read + part.body, part.end

    assert read == body


def test_the_bodies_of_one_reply_share_its_limit(database: Database, actor: Actor) -> None:
    ids = [made(database, actor, body="x" * 10).id for _ in range(3)]

    answers = memory.read(database, actor, ids, max_chars=15)[0]

    assert [(answer.start, answer.end, answer.length) for answer in answers] == [(0, 10, 10), (0, 5, 10), (0, 0, 10)]


@pytest.mark.parametrize(
    ("asked", "argument"),
    [
        (([], 0, 10), "ids"),
        (([f"nte_{number:0>10}" for number in range(6)], 0, 10), "ids"),
        ((["bad"], 0, 10), "ids"),
        (([UNKNOWN_ID], -1, 10), "from"),
        (([UNKNOWN_ID], 0, 0), "maxChars"),
        (([UNKNOWN_ID, "nte_0000000001"], 5, 10), "from"),
    ],
)
def test_a_bad_request_to_read_names_its_argument(
    database: Database, actor: Actor, asked: tuple[list[str], int, int], argument: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        memory.read(database, actor, *asked)

    assert caught.value.details["argument"] == argument


def test_reading_beyond_the_end_gives_an_empty_part(database: Database, actor: Actor) -> None:
    note = made(database, actor, body="abc")

    answer = memory.read(database, actor, [note.id], start=10)[0][0]

    assert (answer.body, answer.start, answer.end, answer.length) == ("", 3, 3, 3)


# Changing


def test_an_edit_adds_one_to_the_version_and_says_what_changed(
    database: Database, actor: Actor, clock: SettableClock
) -> None:
    note = made(database, actor)
    clock.advance(1_000)

    updated = memory.update(database, replace(actor, agent="other"), note.id, Edit(title="New", add_tags=("t",)))

    expected = replace(note, title="New", tags=("t",), version=2, updated_at=clock.now, agent="other")
    assert updated.view.note == current(database, actor, note) == expected
    assert updated.changed == ("title", "tags")


def test_an_edit_that_changes_nothing_makes_no_version(database: Database, actor: Actor, clock: SettableClock) -> None:
    note = made(database, actor)
    clock.advance(1_000)

    assert memory.update(database, actor, note.id, Edit(title=" Rates ")).changed == ()
    assert current(database, actor, note) == note


def test_a_stale_version_is_refused_with_the_current_one(database: Database, actor: Actor) -> None:
    note = made(database, actor)
    memory.update(database, actor, note.id, Edit(body="theirs", if_version=1))

    with pytest.raises(VersionConflict) as caught:
        memory.update(database, actor, note.id, Edit(body="mine", if_version=1))

    assert caught.value.details["currentVersion"] == 2
    assert current(database, actor, note).body == "theirs"


def test_replacing_the_body_needs_the_version(database: Database, actor: Actor) -> None:
    note = made(database, actor)

    with pytest.raises(InvalidArgument) as caught:
        memory.update(database, actor, note.id, Edit(body="new"))

    assert caught.value.details["argument"] == "ifVersion"
    assert current(database, actor, note) == note


def test_appending_tags_filing_and_status_need_no_version(database: Database, actor: Actor) -> None:
    note = made(database, actor)
    edits = [Edit(append=str(number)) for number in range(5)]

    for edit in [*edits, Edit(add_tags=("t",)), Edit(status="archived"), Edit(title="New"), Edit(summary="s")]:
        memory.update(database, actor, note.id, edit)
    memory.update(database, actor, note.id, Edit(), Filing("C", creates=True))

    assert current(database, actor, note).body == "line one\n0\n1\n2\n3\n4"
    assert current(database, actor, note).version == 11


def test_a_request_for_no_change_is_refused(database: Database, actor: Actor) -> None:
    with pytest.raises(InvalidArgument, match="Nothing to change"):
        memory.update(database, actor, made(database, actor).id, Edit())


@pytest.mark.parametrize("note_id", ["", "bad", "att_0000000000", "nte_\ud800"])
def test_what_is_no_id_is_refused(database: Database, actor: Actor, note_id: str) -> None:
    for request in (
        lambda: memory.update(database, actor, note_id, Edit(title="x")),
        lambda: memory.delete(database, actor, note_id),
        lambda: memory.history(database, actor, note_id),
    ):
        with pytest.raises(InvalidArgument):
            request()


def test_time_never_runs_backwards_for_a_note(database: Database, actor: Actor, clock: SettableClock) -> None:
    note = made(database, actor)
    clock.advance(-5_000)

    assert memory.update(database, actor, note.id, Edit(title="New")).view.note.updated_at == note.updated_at


# Collections


def test_an_unknown_collection_lists_the_real_ones_nearest_first(database: Database, actor: Actor) -> None:
    for name in ("Travel", "Recipes", "Money"):
        memory.create(database, actor, Draft("T", "b"), Filing(name, creates=True))

    with pytest.raises(UnknownCollection) as caught:
        memory.create(database, actor, Draft("T", "b"), Filing("recipies"))

    names = caught.value.details["collections"]
    assert isinstance(names, list)
    assert (names[0], sorted(names)) == ("Recipes", ["Money", "Recipes", "Travel"])


def test_another_accounts_collections_are_neither_used_nor_named(database: Database, actor: Actor) -> None:
    memory.create(database, BEN, Draft("T", "b"), Filing("Secret", creates=True))

    with pytest.raises(UnknownCollection) as caught:
        memory.create(database, actor, Draft("T", "b"), Filing("Secret"))

    assert caught.value.details["collections"] == []


@pytest.mark.parametrize("name", ["trade notes", "Trade-Notes", "TRADE_NOTES", " ｔrade  notes "])
def test_a_near_miss_of_a_name_is_that_collection(database: Database, actor: Actor, name: str) -> None:
    memory.create(database, actor, Draft("T", "b"), Filing("Trade notes", creates=True))

    assert memory.create(database, actor, Draft("T", "b"), Filing(name, creates=True)).view.collection == "Trade notes"


def test_moving_and_unfiling_are_changes_of_the_collection(database: Database, actor: Actor) -> None:
    note = made(database, actor)

    moved = memory.update(database, actor, note.id, Edit(), Filing("C", creates=True))
    unfiled = memory.update(database, actor, note.id, Edit(), Filing(unfiles=True))

    assert (moved.changed, moved.view.collection) == (("collection",), "C")
    assert (unfiled.changed, unfiled.view.collection) == (("collection",), None)


def test_unfiling_and_a_collection_exclude_each_other(database: Database, actor: Actor) -> None:
    with pytest.raises(InvalidArgument, match="exclude each other"):
        memory.update(database, actor, made(database, actor).id, Edit(), Filing("C", creates=True, unfiles=True))


def test_a_refused_edit_makes_no_collection(database: Database, actor: Actor) -> None:
    note = made(database, actor)
    before = everything(database)

    for edit in (Edit(title=""), Edit(append="\0"), Edit(tags=("x" * 61,))):
        with pytest.raises(NotewellError):
            memory.update(database, actor, note.id, edit, Filing("New", creates=True))

    assert everything(database) == before
