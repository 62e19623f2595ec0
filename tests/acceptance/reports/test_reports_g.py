"""Days and times, rows G2 and G6."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from clients import ONE_OF_EACH, CliSurface, Json, RestSurface, Surface, open_surface
from conftest import SettableClock, new_actor
from report_notes import found_by, read_one

from notewell.domain.notes import Draft
from notewell.domain.times import format_time
from notewell.services import maintenance, memory, transfer
from notewell.services.memory_search import NoteSearch, find
from notewell.services.sweep import sweep
from notewell.store.database import Database

CREATED, UPDATED = "2025-11-30T16:19:00.000Z", "2025-12-02T03:00:00.000Z"
"""The first is 00:19 on 1 December at GMT+8, and half past nine in the evening of 30 November in India."""


def note_line(**more: object) -> bytes:
    """An old note as a line of an import."""
    note = {"title": "Old", "body": "walnut", "createdAt": CREATED, "updatedAt": UPDATED, **more}
    return json.dumps(note).encode() + b"\n"


DAYS = [
    ("2025-12-01T00:00:00+08:00", "2025-12-01T23:59:59.999+08:00", True),
    ("2025-11-30T00:00:00+08:00", "2025-11-30T23:59:59.999+08:00", False),
    ("2025-11-30T00:00:00+05:30", "2025-11-30T23:59:59.999+05:30", True),
    ("2025-11-30T00:00:00-08:00", "2025-11-30T23:59:59.999-08:00", True),
    ("2025-11-30", "2025-11-30", True),
    ("2025-12-01", "2025-12-01", False),
    ("2025-11-30T16:19:00Z", "2025-11-30T16:19:00Z", True),
    ("2025-11-30T16:19:00.001Z", "2025-12-31", False),
]


@pytest.fixture(scope="module", params=ONE_OF_EACH)
def old_note(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surface]:
    """Each surface on a memory with one old note."""
    home = tmp_path_factory.mktemp("home")
    CliSurface(home).run(["import", "-"], note_line())
    with open_surface(request.param, home) as surface:
        yield surface


@pytest.mark.parametrize(("begin", "end", "is_in"), DAYS)
@pytest.mark.parametrize("words", [{}, {"query": "walnut"}])
def test_g2_a_day_is_that_of_the_readers_offset(
    words: Json, begin: str, end: str, is_in: bool, old_note: Surface
) -> None:
    assert len(found_by(old_note, createdFrom=begin, createdTo=end, **words)) == is_in


def test_g2_the_same_holds_for_the_time_of_change(old_note: Surface) -> None:
    assert len(found_by(old_note, updatedFrom="2025-12-02T00:00:00+08:00", updatedTo="2025-12-02T23:59:59+08:00")) == 1
    assert found_by(old_note, updatedFrom="2025-12-02T00:00:00-08:00") == []


def test_g2_a_plus_that_an_address_turned_into_a_blank_is_not_read_as_another_time(tmp_path: Path) -> None:
    CliSurface(tmp_path).run(["import", "-"], note_line())
    with open_surface("rest", tmp_path) as surface:
        assert isinstance(surface, RestSurface)
        answer = surface.client.get("/api/memory/notes?createdFrom=2025-12-01T00:00:00+08:00").json()

    # Whoever forgets to write %2B is told, and never given the notes of another day.
    assert answer["error"]["argument"] == "createdFrom"
    assert "00:00 08:00" in answer["error"]["message"]


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_g6_an_imported_note_keeps_its_times_through_every_repair(name: str, tmp_path: Path) -> None:
    history = [{"title": "Older", "body": "", "version": 1, "updatedAt": CREATED}]
    cli = CliSurface(tmp_path)
    cli.run(["import", "-"], note_line(history=history, version=2))
    for command in (["reindex"], ["sweep"], ["doctor"], ["import", "-"]):
        code, output = cli.run(command, note_line(history=history, version=2))
        assert code == 0, output

    with open_surface(name, tmp_path) as surface:
        (note_id,) = found_by(surface, query="walnut")
        note = read_one(surface, note_id)
        assert (note["createdAt"], note["updatedAt"], note["version"]) == (CREATED, UPDATED, 2)
        edited = surface.call("memory.update", {"id": note_id, "append": "more"})
        assert edited["createdAt"] == CREATED
        assert edited["updatedAt"] > UPDATED


def test_g6_times_stay_on_both_engines(database: Database, clock: SettableClock) -> None:
    actor = new_actor("ana")
    transfer.import_notes(database, actor, BytesIO(note_line()))
    memory.create(database, actor, Draft("New", "walnut"))
    clock.advance(86_400_000)

    maintenance.reindex(database)
    sweep(database)

    (card,) = find(database, actor, NoteSearch(query="walnut", created_to="2025-12-31")).cards
    assert (format_time(card.note.created_at), format_time(card.note.updated_at)) == (CREATED, UPDATED)
