"""Export and import: what goes out comes back the same, twice is once, and a bad line writes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import pytest
from budget import examples
from conftest import SettableClock, new_actor, open_store
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notewell.domain.access import Actor
from notewell.domain.ids import row_no_time
from notewell.domain.notes import MAX_BODY_BYTES, Draft, Edit
from notewell.errors import Forbidden, InvalidArgument
from notewell.services import maintenance, memory, memory_search, transfer
from notewell.services.memory import Filing
from notewell.services.memory_search import NoteSearch
from notewell.store import collections, notes
from notewell.store.database import Database
from notewell.store.note_rows import walk

BODIES = (
    "",
    "plain",
    "ends\n",
    "\r\nwindows\r\n",
    "  \n\ttabs\n\n",
    "---\ntitle: x\n---\n",
    "降息预期 🏦",
    "\ufeffbom",
    "a\u2028b",
)


@pytest.fixture
def elsewhere(tmp_path: Path, clock: SettableClock) -> Iterator[Database]:
    """A second, empty store."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    store = open_store("sqlite", folder, clock)
    yield store
    store.close()


def exported(store: Database, actor: Actor) -> bytes:
    out = BytesIO()
    transfer.export_notes(store, actor, out)
    return out.getvalue()


def imported(store: Database, actor: Actor, *lines: dict[str, Any] | bytes) -> transfer.ImportReport:
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines]
    return transfer.import_notes(store, actor, BytesIO(b"".join(raw)))


def bad_lines(error: InvalidArgument) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], error.details["lines"])


def titles(store: Database, actor: Actor) -> list[str]:
    with store.read() as reader:
        return [note.title for note in walk(reader, actor.account_id)]


def fill(store: Database, actor: Actor, clock: SettableClock) -> None:
    """A memory with everything that a note can have."""
    for number, body in enumerate(BODIES):
        draft = Draft(f"Note {number}", body, "What it says.", ("Macro", "利率"), ("NVDA", "700.HK"), "chat 7")
        made = memory.create(store, actor, draft, Filing("Rates", creates=True) if number % 2 else Filing())
        clock.advance(1_234)
        if number % 3 == 0:
            other = replace(actor, agent="another")
            edit = Edit(append="more", add_tags=("new",))
            memory.update(store, other, made.view.note.id, edit, Filing("Old ideas", creates=True))
            clock.advance(1)
            memory.update(store, actor, made.view.note.id, Edit(status="archived"))


def test_an_import_of_an_export_holds_the_same_notes(
    database: Database, elsewhere: Database, actor: Actor, clock: SettableClock
) -> None:
    fill(database, actor, clock)
    out = exported(database, actor)
    clock.advance(9_999_999)

    report = transfer.import_notes(elsewhere, new_actor("ben"), BytesIO(out))

    assert (report.read, report.created, report.not_kept) == (len(BODIES), len(BODIES), {})
    assert exported(elsewhere, new_actor("ben")) == out
    lines = [json.loads(line) for line in out.splitlines()]
    assert sorted(line["status"] for line in lines) == ["active"] * 6 + ["archived"] * 3
    assert [state["version"] for state in lines[0]["history"]] == [1, 2]
    assert lines[0]["history"][1]["agent"] == "another"


def test_bodies_come_back_byte_for_byte(database: Database, elsewhere: Database, actor: Actor) -> None:
    for number, body in enumerate(BODIES):
        memory.create(database, actor, Draft(f"Note {number}", body))

    transfer.import_notes(elsewhere, actor, BytesIO(exported(database, actor)))

    with elsewhere.read() as reader:
        assert tuple(note.body for note in walk(reader, actor.account_id)) == BODIES


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), title=st.text(max_size=30))
def test_any_text_survives_a_line(elsewhere: Database, actor: Actor, body: str, title: str) -> None:
    shown = " ".join(f"{title} a".replace("\0", "").split())

    report = imported(elsewhere, actor, json.dumps({"title": shown, "body": body}, ensure_ascii=False).encode())

    assert report.read == 1
    last = [json.loads(line) for line in exported(elsewhere, actor).split(b"\n") if line]
    assert (shown, body) in [(line["title"], line["body"]) for line in last]


def test_a_second_import_changes_nothing(database: Database, actor: Actor, clock: SettableClock) -> None:
    fill(database, actor, clock)
    out = exported(database, actor)

    report = transfer.import_notes(database, actor, BytesIO(out))

    assert (report.created, report.unchanged, report.kept) == (0, len(BODIES), 0)
    assert exported(database, actor) == out


def test_equal_lines_without_ids_make_a_note_each_once(database: Database, actor: Actor, clock: SettableClock) -> None:
    lines = [{"title": "Same", "body": "text"}, {"body": "text", "title": "Same"}, {"title": "Other", "body": ""}]
    first = imported(database, actor, *lines)
    clock.advance(1000)

    second = imported(database, actor, *(dict(reversed(line.items())) for line in lines))

    assert (first.created, second.created, second.unchanged) == (3, 0, 3)
    assert titles(database, actor) == ["Same", "Same", "Other"]


def test_a_note_that_is_here_with_other_content_is_kept_and_reported(database: Database, actor: Actor) -> None:
    note = memory.create(database, actor, Draft("Mine", "my text")).view.note

    report = imported(database, actor, {"title": "New", "body": ""}, {"id": note.id, "title": "Mine", "body": "theirs"})

    assert (report.created, report.kept) == (1, 1)
    assert report.kept_notes == (transfer.KeptNote(2, note.id),)
    assert memory.read(database, actor, [note.id])[0][0].body == "my text"


@pytest.mark.parametrize(
    "change",
    [
        {"summary": "else"},
        {"tags": ["else"]},
        {"collection": "Else"},
        {"status": "archived"},
        {"source": "else"},
        {"agent": "else"},
        {"version": 7},
        {"createdAt": "2020-01-01"},
        {"history": []},
    ],
)
def test_a_difference_in_any_field_is_no_repetition(database: Database, actor: Actor, change: dict[str, Any]) -> None:
    made = memory.create(database, actor, Draft("Mine", "text")).view.note
    memory.update(database, actor, made.id, Edit(append="more"))
    line = {**json.loads(exported(database, actor)), **change}

    report = imported(database, actor, line)

    # A line without a history says nothing about it.
    assert (report.kept, report.unchanged) == ((0, 1) if change == {"history": []} else (1, 0))


def test_an_id_that_another_account_has_becomes_a_new_one(database: Database, actor: Actor) -> None:
    theirs = memory.create(database, new_actor("ben"), Draft("Theirs", "secret")).view.note
    line = {"id": theirs.id, "title": "Mine", "body": "text"}

    report = imported(database, actor, line)
    again = imported(database, actor, line)

    new_id = report.new_id_notes[0].id
    assert (report.new_ids, report.new_id_notes[0].given) == (1, theirs.id)
    assert (again.created, again.unchanged, again.new_ids) == (0, 1, 0)
    assert memory.read(database, actor, [new_id])[0][0].body == "text"
    assert memory.read(database, new_actor("ben"), [theirs.id])[0][0].body == "secret"


BAD_LINES: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"{title: 1}", "no JSON"),
    "no object": (b'["a"]', "no JSON object"),
    "no title": (b'{"body": "x"}', "title is missing"),
    "no body": (b'{"title": "x"}', "body is missing"),
    "empty title": (b'{"title": " ", "body": ""}', "title is empty"),
    "long title": (b'{"title": "%s", "body": ""}' % (b"x" * 201), "201 characters"),
    "title of a wrong type": (b'{"title": 5, "body": ""}', "title: 5 is not text"),
    "tags of a wrong type": (b'{"title": "x", "body": "", "tags": "a"}', "list of texts"),
    "a tag that is no text": (b'{"title": "x", "body": "", "tags": [1]}', "list of texts"),
    "bad symbol": (b'{"title": "x", "body": "", "symbols": ["no symbol!"]}', "cannot be a symbol"),
    "bad status": (b'{"title": "x", "body": "", "status": "gone"}', "neither 'active' nor"),
    "bad id": (b'{"id": "42", "title": "x", "body": ""}', "is no id"),
    "id of something else": (b'{"id": "prb_0123456789", "title": "x", "body": ""}', "is no id"),
    "bad time": (b'{"title": "x", "body": "", "createdAt": "yesterday"}', "is no time"),
    "time of a wrong type": (b'{"title": "x", "body": "", "createdAt": 1700000000}', "is not text"),
    "times the wrong way round": (
        b'{"title": "x", "body": "", "createdAt": "2026-02-01", "updatedAt": "2026-01-01"}',
        "before createdAt",
    ),
    "version zero": (b'{"title": "x", "body": "", "version": 0}', "whole number"),
    "true as version": (b'{"title": "x", "body": "", "version": true}', "whole number"),
    "history out of order": (
        b'{"title": "x", "body": "", "version": 3, "history": [{"title": "b", "body": "", "version": 2},'
        b' {"title": "a", "body": "", "version": 1}]}',
        "history[1]",
    ),
    "history after the present": (
        b'{"title": "x", "body": "", "version": 1, "history": [{"title": "b", "body": "", "version": 1}]}',
        "not after version 1",
    ),
    "bad earlier state": (b'{"title": "x", "body": "", "history": [{"title": ""}]}', "history[0]"),
    "NUL": (b'{"title": "x", "body": "a\\u0000"}', "NUL"),
    "half a surrogate pair": (b'{"title": "x", "body": "\\ud83d"}', "surrogate"),
    "raw control character": (b'{"title": "x", "body": "a\0"}', "no JSON"),
    "bad UTF-8": (b'{"title": "x", "body": "\xff"}', "no UTF-8"),
    "a name twice": (b'{"title": "x", "title": "y", "body": ""}', "stands twice"),
    "too deep": (b"[" * 200_000, "too long to read"),
    "a huge number": (b'{"title": "x", "body": "", "version": %s}' % (b"9" * 5_000), "too long to read"),
    "a body over the limit": (b'{"title": "x", "body": "%s"}' % (b"x" * (MAX_BODY_BYTES + 1)), "1 MiB"),
    "a long agent": (b'{"title": "x", "body": "", "agent": "%s"}' % (b"x" * 101), "101 characters"),
    "an empty collection": (b'{"title": "x", "body": "", "collection": " "}', "empty name"),
}


@pytest.mark.parametrize("kind", BAD_LINES)
def test_one_bad_line_is_named_and_nothing_is_written(database: Database, actor: Actor, kind: str) -> None:
    raw, words = BAD_LINES[kind]

    with pytest.raises(InvalidArgument) as caught:
        imported(database, actor, {"title": "Good", "body": "", "collection": "New"}, b"\n", raw + b"\n")

    assert caught.value.details["badLines"] == 1
    (bad,) = bad_lines(caught.value)
    assert bad["line"] == 3
    assert words in bad["message"]
    assert words in caught.value.message
    assert titles(database, actor) == []
    with database.read() as reader:
        assert collections.of_space(reader, actor.account_id) == []


def test_all_bad_lines_are_counted_and_the_first_twenty_shown(database: Database, actor: Actor) -> None:
    with pytest.raises(InvalidArgument) as caught:
        imported(database, actor, *[b"x\n"] * 25)

    assert caught.value.details["badLines"] == 25
    assert [line["line"] for line in bad_lines(caught.value)] == list(range(1, 21))
    assert "and 5 more lines" in caught.value.message


def test_a_byte_order_mark_windows_line_ends_and_blank_lines_are_fine(database: Database, actor: Actor) -> None:
    raw = b'\xef\xbb\xbf{"title": "a", "body": "x\\r\\n"}\r\n\r\n   \n{"title": "b", "body": ""}'

    report = imported(database, actor, raw)

    assert (report.read, report.created) == (2, 2)
    assert titles(database, actor) == ["a", "b"]


def test_fields_that_a_note_does_not_have_are_reported(database: Database, actor: Actor) -> None:
    line = {"title": "a", "body": "", "importance": 9, "history": [{"title": "a", "body": "", "mood": "good"}]}

    report = imported(database, actor, line, {"title": "b", "body": "", "importance": 1, "\ud800": 1})

    assert report.not_kept == {"importance": 2, "history.mood": 1, "\\ud800": 1}


def test_near_names_of_a_collection_meet(database: Database, actor: Actor) -> None:
    memory.create(database, actor, Draft("a", ""), Filing("Fed Policy", creates=True))

    report = imported(
        database,
        actor,
        {"title": "b", "body": "", "collection": "fed-policy"},
        {"title": "c", "body": "", "collection": "New Ideas"},
        {"title": "d", "body": "", "collection": "new_ideas"},
    )

    assert report.new_collections == ("New Ideas",)
    found = memory_search.find(database, actor, NoteSearch(collection="FED POLICY"))
    assert {card.note.title for card in found.cards} == {"a", "b"}


def test_a_line_with_only_a_title_and_a_body_is_a_note_of_now(
    database: Database, actor: Actor, clock: SettableClock
) -> None:
    imported(database, actor, {"title": "a", "body": "b", "tags": None, "collection": None})

    with database.read() as reader:
        (note,) = walk(reader, actor.account_id)
    assert (note.version, note.status, note.collection_id, note.agent) == (1, "active", None, actor.agent)
    assert (note.created_at, note.updated_at) == (clock.now, clock.now)


def test_the_time_of_creation_decides_the_order(database: Database, actor: Actor) -> None:
    imported(
        database,
        actor,
        {"title": "new", "body": "", "createdAt": "2026-01-02T00:00:00Z"},
        {"title": "old", "body": "", "createdAt": "1969-07-20"},
        {"title": "same moment", "body": "", "createdAt": "2026-01-02T08:00:00+08:00", "updatedAt": "2026-03-01"},
    )

    assert titles(database, actor) == ["old", "new", "same moment"]
    with database.read() as reader:
        numbers = [note.row_no for note in walk(reader, actor.account_id)]
    assert numbers == sorted(numbers)
    assert row_no_time(numbers[1]) == row_no_time(numbers[2]) == 1_767_312_000_000


def test_imported_notes_are_found_and_indexed_as_a_rebuild_would(
    database: Database, actor: Actor, tmp_path: Path
) -> None:
    imported(database, actor, *[{"title": f"n{number}", "body": "降息预期 rate cuts"} for number in range(30)])

    found = memory_search.find(database, actor, NoteSearch(query="息预"))

    assert found.total == 30
    assert maintenance.doctor(database, tmp_path / "notewell.db").is_healthy


class ChangingFile(BytesIO):
    """A file that somebody writes to between the two passes."""

    passes = 0

    def __iter__(self) -> Iterator[bytes]:
        self.passes += 1
        yield b'{"title": "a", "body": ""}\n'
        if self.passes == 2:
            yield b'{"title": "b", "body": ""}\n'


def test_a_file_that_changes_meanwhile_writes_nothing(database: Database, actor: Actor) -> None:
    with pytest.raises(InvalidArgument, match="changed while it was read"):
        transfer.import_notes(database, actor, ChangingFile(b"x"))

    assert titles(database, actor) == []


def test_each_way_needs_its_scope(database: Database, actor: Actor) -> None:
    with pytest.raises(Forbidden):
        exported(database, replace(actor, scopes=frozenset(["memory:write"])))
    with pytest.raises(Forbidden):
        imported(database, replace(actor, scopes=frozenset(["memory:read"])), {"title": "a", "body": ""})


def test_progress_reaches_its_end(database: Database, actor: Actor) -> None:
    told: list[tuple[str, int, int]] = []
    raw = b"".join(json.dumps({"title": f"n{number}", "body": ""}).encode() + b"\n" for number in range(120))

    transfer.import_notes(database, actor, BytesIO(raw), lambda *told_now: told.append(told_now))
    transfer.export_notes(database, actor, BytesIO(), lambda *told_now: told.append(told_now))

    assert ("check", len(raw), len(raw)) in told
    assert ("write", len(raw), len(raw)) in told
    assert told[-1] == ("write", 120, 120)


def test_an_export_sees_one_account_only(database: Database, actor: Actor) -> None:
    memory.create(database, new_actor("ben"), Draft("Theirs", "secret"))
    mine = memory.create(database, actor, Draft("Mine", "")).view.note

    out = exported(database, actor)

    assert [json.loads(line)["id"] for line in out.splitlines()] == [mine.id]
    with database.read() as reader:
        assert notes.by_ids(reader, actor.account_id, [mine.id])
