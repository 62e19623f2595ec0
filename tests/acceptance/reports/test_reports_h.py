"""What was deleted is gone, and what was not is kept: rows H2 to H7."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from clients import ONE_OF_EACH, CliSurface, Json, Surface, open_surface
from meaning import drain, open_meaning, save
from report_notes import EVERY, code_of, count_all, found_by, read_one

from notewell.embedders.fake import FakeEmbedder
from notewell.services import memory
from notewell.services.memory_search import NoteSearch
from notewell.store.database import Database

pytest_plugins = ["report_fixtures"]

NOTE: Json = {"title": "Walnut", "body": "walnut bread", "summary": "s", "tags": ["nuts"], "symbols": ["NVDA"]}


@pytest.mark.parametrize("more", [{}, {"idempotencyKey": "again"}, {"collection": "Food", "createCollection": True}])
def test_h2_the_same_text_can_be_kept_again_after_it_was_deleted(more: Json, every_surface: Surface) -> None:
    ids = []
    for _ in range(3):
        made = every_surface.call("memory.create", {**NOTE, **more})
        assert made["repeated"] is False
        assert found_by(every_surface, query="walnut") == [made["id"]]
        ids.append(made["id"])
        every_surface.call("memory.delete", {"id": made["id"]})

    assert len(set(ids)) == 3
    assert count_all(every_surface) == 0


def test_h3_a_deleted_note_is_gone_for_whoever_asks_again(every_surface: Surface) -> None:
    note_id = every_surface.call("memory.create", NOTE)["id"]
    asked: list[Json] = [{"query": "walnut"}, {"tags": ["nuts"]}, {"symbols": ["NVDA"]}, {"status": "any"}]
    assert [found_by(every_surface, **each) for each in asked] == [[note_id]] * 4

    every_surface.call("memory.delete", {"id": note_id})

    assert [found_by(every_surface, **each) for each in asked] == [[]] * 4
    assert every_surface.call("memory.read", {"ids": [note_id]}) == {"notes": [], "notFound": [note_id]}
    listed = every_surface.call("memory.collections", {})
    assert (listed["tags"], listed["symbols"], listed["unfiled"]["active"]) == ([], [], 0)
    for operation, more in (("memory.update", {"append": "x"}), ("memory.delete", {})):
        assert code_of(every_surface.call(operation, {"id": note_id, **more})) == "not_found"


def test_h3_a_deleted_note_is_gone_from_search_by_meaning(database: Database) -> None:
    meaning = open_meaning(database)
    kept, gone = (save(database, meaning.actor, title, "The Fed cuts.") for title in ("Kept", "Gone"))
    drain(database, FakeEmbedder(48))
    wanted = NoteSearch(query="fed cuts")
    assert {card.note.id for card in meaning.memory(wanted).cards} == {kept.id, gone.id}

    memory.delete(database, meaning.actor, gone.id)

    assert [card.note.id for card in meaning.memory(wanted).cards] == [kept.id]


@pytest.mark.parametrize("name", EVERY)
def test_h4_after_all_notes_are_deleted_none_is_found(name: str, tmp_path: Path) -> None:
    lines = [{**NOTE, "title": f"Walnut {number}", "collection": f"C{number % 3}"} for number in range(30)]
    CliSurface(tmp_path).run(["import", "-"], "\n".join(map(json.dumps, lines)).encode())
    with open_surface(name, tmp_path) as surface:
        assert count_all(surface) == 30
        while found := found_by_page(surface):
            for note_id in found:
                surface.call("memory.delete", {"id": note_id})

        searches: list[Json] = [{"query": "walnut"}, {"query": "bre*"}, {"tags": ["nuts"]}, {"collection": "C1"}]
        assert [found_by(surface, **each) for each in searches] == [[]] * 4
        assert [each["active"] for each in surface.call("memory.collections", {})["collections"]] == [0] * 3
    assert json.loads(CliSurface(tmp_path).run(["doctor", "--json"])[1])["healthy"] is True
    assert CliSurface(tmp_path).run(["export"])[1] == ""


def found_by_page(surface: Surface) -> list[str]:
    """The ids of one page of the listing."""
    return [card["id"] for card in surface.call("memory.search", {"status": "any", "limit": 50})["cards"]]


def test_h4_a_collection_that_is_deleted_leaves_its_notes_to_be_found(tmp_path: Path) -> None:
    cli = CliSurface(tmp_path)
    note_id = cli.call("memory.create", {**NOTE, "collection": "Food", "createCollection": True})["id"]

    code, output = cli.run(["collection", "rm", "Food", "--yes", "--json"])

    assert code == 0, output
    assert "collection" not in read_one(cli, note_id)
    assert found_by(cli, unfiled=True) == found_by(cli, query="walnut") == [note_id]
    assert code_of(cli.call("memory.search", {"collection": "Food"})) == "unknown_collection"


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_h5_an_export_holds_archived_notes_their_history_and_where_they_lie(name: str, tmp_path: Path) -> None:
    with open_surface(name, tmp_path / "one") as surface:
        made = [
            surface.call(
                "memory.create", {**NOTE, "body": f"{number}", "collection": f"C{number}", "createCollection": True}
            )
            for number in range(4)
        ]
        for note in made[:2]:
            surface.call("memory.update", {"id": note["id"], "status": "archived", "append": "more"})
        before = [read_one(surface, note["id"]) for note in made]
    _, exported = CliSurface(tmp_path / "one").run(["export"])
    assert len(exported.splitlines()) == 4

    CliSurface(tmp_path / "two").run(["import", "-"], exported.encode())

    with open_surface(name, tmp_path / "two") as surface:
        assert [read_one(surface, note["id"]) for note in made] == before
        assert (len(found_by(surface, status="archived")), len(found_by(surface))) == (2, 2)
        assert [each["name"] for each in surface.call("memory.collections", {})["collections"]] == [
            "C0",
            "C1",
            "C2",
            "C3",
        ]
    assert [len(json.loads(line)["history"]) for line in exported.splitlines()] == [1, 1, 0, 0]


BROKEN = {
    "no JSON": b"{",
    "no object": b"[]",
    "no title": b'{"body": "x"}',
    "bad UTF-8": b'{"title": "\xff", "body": "x"}',
    "bad time": b'{"title": "x", "body": "x", "createdAt": "yesterday"}',
    "too large": b'{"title": "x", "body": "' + b"x" * 1_048_577 + b'"}',
    "bad symbol": '{"title": "x", "body": "x", "symbols": ["美股"]}'.encode(),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_h7_a_broken_record_in_an_import_changes_nothing(kind: str, tmp_path: Path) -> None:
    cli = CliSurface(tmp_path)
    note_id = cli.call("memory.create", NOTE)["id"]
    _, before = cli.run(["export"])
    lines = [json.dumps({"title": f"New {number}", "body": "x"}).encode() for number in range(60)]
    lines[0] = before.replace("walnut bread", "another text").encode().strip()
    lines[49] = BROKEN[kind]

    code, output = cli.run(["import", "-", "--json"], b"\n".join(lines))

    error = json.loads(output)["error"]
    assert (code, [line["line"] for line in error["lines"]]) == (1, [50])
    assert cli.run(["export"])[1] == before
    assert read_one(cli, note_id)["body"] == "walnut bread"


SERVERS = [each for each in EVERY if "http" not in str(each.values) and each.values != ("cli",)]
"""What goes on running and tells of a store that is gone by its own errors: over HTTP the guard answers before MCP
does, as to REST. Each command of the command line opens the store anew."""


@pytest.mark.parametrize("what", ["the folder", "the files", "the folder, moved"])
@pytest.mark.parametrize("name", SERVERS)
def test_h8_a_data_folder_that_was_removed_is_told_and_not_made_again(name: str, what: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_surface(name, home) as surface:
        surface.call("memory.create", NOTE)
        if what == "the files":
            for file in home.glob("notewell.db*"):
                file.unlink()
        elif what == "the folder":
            shutil.rmtree(home)
        else:
            home.rename(tmp_path / "elsewhere")

        answers = [
            surface.call("memory.create", NOTE),
            surface.call("memory.search", {}),
            surface.call("memory.create", NOTE),
        ]

        assert [code_of(answer) for answer in answers] == ["unavailable"] * 3
        assert "removed or moved" in answers[0]["error"]["message"]
    assert not (home / "notewell.db").exists()
    assert home.exists() == (what == "the files")


@pytest.mark.parametrize("name", SERVERS)
def test_h8_a_folder_that_was_put_back_is_served_again(name: str, tmp_path: Path) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    with open_surface(name, home) as surface:
        first = surface.call("memory.create", NOTE)["id"]
        home.rename(away)
        assert code_of(surface.call("memory.search", {})) == "unavailable"

        shutil.copytree(away, home)
        second = surface.call("memory.create", NOTE)["id"]

        assert sorted(found_by(surface, query="walnut")) == sorted([first, second])
    assert count_all(CliSurface(home)) == 2
