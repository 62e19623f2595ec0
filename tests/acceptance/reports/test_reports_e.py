"""Many at once, faults and repeats: rows E2 to E16, with those that other tests mark."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import apsw
import pytest
from clients import LOCAL, ONE_OF_EACH, CliSurface, Json, Surface, open_app, open_surface, rest_at
from conftest import ENGINES, SettableClock, new_actor, open_store
from report_notes import EVERY, code_of, count_all, found_by, noted, read_one
from research_record import attempt, found, people, problem, write
from research_record import ids as found_ids
from serving import serving

from notewell.domain.access import Actor
from notewell.domain.notes import MAX_BODY_BYTES, Draft, Edit
from notewell.services import maintenance, memory
from notewell.services.memory_search import NoteSearch, find
from notewell.services.sweep import sweep
from notewell.store import fts5
from notewell.store.database import Database
from notewell.surfaces.server import make_asgi

pytest_plugins = ["report_fixtures"]

Got = TypeVar("Got")
NOTE: Json = {"title": "Walnut", "body": "bread", "summary": "s"}


def together(count: int, work: Callable[[int], Got]) -> list[Got]:
    """What each of several threads got, that began at the same moment."""
    begin = threading.Barrier(count)

    def run(number: int) -> Got:
        begin.wait(20)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def errors_of(store: Database) -> list[str]:
    """What the doctor finds wrong."""
    return [each.check for each in maintenance.doctor(store, Path("x")).findings if each.severity == "error"]


DAMAGE = {
    "a body that is no UTF-8": "UPDATE notes SET body = CAST(X'FF41' AS TEXT) WHERE id = :id",
    "a title that is no UTF-8": "UPDATE notes SET title = CAST(X'41FF' AS TEXT) WHERE id = :id",
    "tags that are no JSON": "UPDATE notes SET tags = '[' WHERE id = :id",
    "tags that are no list": "UPDATE notes SET tags = 'null' WHERE id = :id",
    "symbols that are bytes": "UPDATE notes SET symbols = X'FF' WHERE id = :id",
}


def damage(home: Path, sql: str, **values: str) -> None:
    """Spoils one row of a store behind its back."""
    connection = apsw.Connection(str(home / "notewell.db"))
    fts5.prepare(connection)
    connection.execute(sql, values)
    connection.close()


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_e2_a_damaged_note_keeps_nobody_from_the_others_and_is_told(name: str, kind: str, tmp_path: Path) -> None:
    lines = [json.dumps({"title": f"Walnut {number}", "body": "bread"}).encode() for number in range(7)]
    cli = CliSurface(tmp_path)
    cli.run(["import", "-"], b"\n".join(lines))
    ids = found_by(cli)
    damage(tmp_path, DAMAGE[kind], id=ids[2])
    others = [note_id for note_id in ids if note_id != ids[2]]

    with open_surface(name, tmp_path) as surface:
        listed = surface.call("memory.search", {})
        found = surface.call("memory.search", {"query": "bread", "limit": 50})
        paged = [card["id"] for page in pages_of(surface, 2) for card in page["cards"]]
        alone = surface.call("memory.read", {"ids": [ids[2]]})
        assert [read_one(surface, note_id)["body"] for note_id in others] == ["bread"] * 6
        assert "id" in surface.call("memory.create", {**NOTE, "title": "Later"})

    assert [card["id"] for card in listed["cards"]] == paged == others
    assert sorted(card["id"] for card in found["cards"]) == sorted(others)
    assert "1 of the notes on this page cannot be shown" in found["cut"]
    assert (code_of(alone), "damaged" in alone["error"]["message"]) == ("unavailable", True)
    code, output = cli.run(["doctor", "--json"])
    assert (code, "damaged" in output) == (1, True)


def pages_of(surface: Surface, limit: int) -> list[Json]:
    """All pages of a listing."""
    pages = [surface.call("memory.search", {"limit": limit})]
    while "cursor" in pages[-1]:
        pages.append(surface.call("memory.search", {"limit": limit, "cursor": pages[-1]["cursor"]}))
        assert len(pages) < 20
    return pages


def test_e2_a_damaged_research_note_keeps_nobody_from_the_others(tmp_path: Path) -> None:
    with open_app(tmp_path) as app:
        who = people(app.store)
        on = attempt(app.store, who.author, problem(app.store, who.owner))
        notes = [write(app.store, who.author, on, f"bread {number}") for number in range(5)]
    damage(tmp_path, "UPDATE notes SET body = CAST(X'FF41' AS TEXT) WHERE id = :id", id=notes[1])

    with open_app(tmp_path) as app:
        for query in ("bread", None):
            cards = found(app.store, who.other, query, problem="sat")
            assert sorted(found_ids(cards)) == sorted(note for note in notes if note != notes[1])
            assert "1 of the notes" in (cards.cut or "")


@pytest.mark.parametrize("ending", [b"\n", b"", b"\n\n", b"\r\n"])
def test_e2_an_import_needs_no_last_line_end(ending: bytes, tmp_path: Path) -> None:
    cli = CliSurface(tmp_path)

    code, _ = cli.run(["import", "-"], b'{"title": "a", "body": ""}\n{"title": "b", "body": ""}' + ending)

    assert (code, count_all(cli)) == (0, 2)


def test_e6_edits_go_by_id_whatever_order_a_listing_has(every_surface: Surface) -> None:
    with noted(every_surface, "first", "second", "third") as made:
        before = [card["id"] for card in every_surface.call("memory.search", {})["cards"]]
        every_surface.call("memory.update", {"id": made[0], "append": "moved to the top"})
        after = [card["id"] for card in every_surface.call("memory.search", {})["cards"]]
        assert (before[-1], after[0]) == (made[0], made[0])

        every_surface.call("memory.update", {"id": before[0], "append": "meant"})

        assert read_one(every_surface, before[0])["body"] == "third\nmeant"
        assert read_one(every_surface, after[0])["body"] == "first\nmoved to the top"


def test_e6_an_edit_past_the_size_limit_is_refused_and_one_to_the_limit_taken(every_surface: Surface) -> None:
    with noted(every_surface, "x" * 10) as (note_id,):
        full = {"id": note_id, "append": "y" * (MAX_BODY_BYTES - 11)}
        assert every_surface.call("memory.update", full)["bodyBytes"] == MAX_BODY_BYTES

        refused = [
            every_surface.call("memory.update", {"id": note_id, "append": "z"}),
            every_surface.call("memory.update", {"id": note_id, "body": "z" * (MAX_BODY_BYTES + 1), "ifVersion": 2}),
        ]

        assert [code_of(answer) for answer in refused] == ["too_large"] * 2
        assert every_surface.call("memory.search", {})["cards"][0]["version"] == 2


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_e8_readers_open_and_read_a_store_that_somebody_is_writing(name: str, tmp_path: Path) -> None:
    with open_app(tmp_path) as app:
        memory.create(app.store, app.default_actor(), Draft("Walnut", "bread"))
    writer = apsw.Connection(str(tmp_path / "notewell.db"))
    writer.execute("BEGIN IMMEDIATE")
    try:
        with open_surface(name, tmp_path) as surface:
            assert len(found_by(surface, query="bread")) == 1
            assert count_all(surface) == 1
            assert "error" not in surface.call("memory.collections", {})
    finally:
        writer.execute("ROLLBACK")
        writer.close()


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_e8_eight_readers_and_a_writer_never_meet_a_lock(engine: str, tmp_path: Path, clock: SettableClock) -> None:
    store = open_store(engine, tmp_path, clock)
    actor = new_actor("ana")
    memory.create(store, actor, Draft("Walnut", "bread 0"))

    def work(number: int) -> object:
        if number == 0:
            return [memory.create(store, actor, Draft("Walnut", f"bread {each}")).is_repeated for each in range(20)]
        return [len(find(store, actor, NoteSearch(query="bread")).cards) > 0 for _ in range(20)]

    answers = together(9, work)

    store.close()
    assert answers == [[False] * 20] + [[True] * 20] * 8


def test_e11_a_sweep_deletes_no_note_that_is_written_meanwhile(database: Database, actor: Actor) -> None:
    def work(number: int) -> object:
        if number == 0:
            return [sweep(database) for _ in range(10)] and None
        return [memory.create(database, actor, Draft(f"{number} {each}", "bread")).view.note.id for each in range(10)]

    answers = together(3, work)

    made = [note_id for each in answers if isinstance(each, list) for note_id in each]
    found = [memory.read(database, actor, [note_id])[0][0].view.note.id for note_id in made]
    assert found == made
    assert find(database, actor, NoteSearch(query="bread", match="all")).total == 20
    assert errors_of(database) == []


def test_e11_a_store_that_cannot_be_read_is_an_error_and_not_an_empty_one(tmp_path: Path) -> None:
    cli = CliSurface(tmp_path / "home")
    cli.call("memory.create", NOTE)
    (tmp_path / "home").rename(tmp_path / "kept")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "notewell.db").mkdir()  # in the way, as a folder that may not be entered

    answers = [cli.call("memory.search", {}), cli.call("memory.create", NOTE)]
    codes = [cli.run(words)[0] for words in (["sweep"], ["reindex"], ["export"])]

    assert [code_of(answer) for answer in answers] == ["unavailable"] * 2
    assert codes == [1, 1, 1]
    assert count_all(CliSurface(tmp_path / "kept")) == 1


@pytest.mark.parametrize("name", EVERY)
def test_e15_a_request_sent_again_with_its_key_makes_one_note(name: str, tmp_path: Path) -> None:
    with open_surface(name, tmp_path) as surface:
        made = [surface.call("memory.create", {**NOTE, "idempotencyKey": "k"}) for _ in range(3)]
        other = surface.call("memory.create", {**NOTE, "body": "cake", "idempotencyKey": "k"})
        bare = [surface.call("memory.create", NOTE)["id"] for _ in range(2)]

        assert [(note["id"], note["repeated"]) for note in made] == [
            (made[0]["id"], False),
            (made[0]["id"], True),
            (made[0]["id"], True),
        ]
        assert (code_of(other), made[0]["id"] in other["error"]["message"]) == ("invalid_argument", True)
        assert len({*bare, made[0]["id"]}) == count_all(surface) == 3


def test_e15_of_eight_that_send_one_key_at_once_one_makes_the_note(database: Database, actor: Actor) -> None:
    def work(_number: int) -> memory.Created:
        return memory.create(database, actor, Draft("Walnut", "bread"), idempotency_key="k")

    answers = together(8, work)

    assert len({made.view.note.id for made in answers}) == 1
    assert sorted(made.is_repeated for made in answers) == [False] + [True] * 7


def test_e15_the_header_of_http_is_the_same_key(tmp_path: Path) -> None:
    with open_app(tmp_path) as app, serving(make_asgi(app, LOCAL)) as url, rest_at(url) as surface:
        sent = [
            surface.client.post("/api/memory/notes", content=json.dumps(NOTE), headers={"idempotency-key": "k"}).json()
            for _ in range(2)
        ]
        sent.append(surface.call("memory.create", {**NOTE, "idempotencyKey": "k"}))

    assert [(note["id"], note["repeated"]) for note in sent] == [
        (sent[0]["id"], False),
        (sent[0]["id"], True),
        (sent[0]["id"], True),
    ]


@pytest.mark.parametrize("job", ["sweep", "reindex"])
def test_e5_an_edit_during_a_repair_survives_it(job: str, database: Database, actor: Actor) -> None:
    note = memory.create(database, actor, Draft("Walnut", "bread")).view.note
    for number in range(30):
        memory.create(database, actor, Draft(f"Other {number}", "cake"))

    def work(number: int) -> object:
        if number == 0:
            return [sweep(database) if job == "sweep" else maintenance.reindex(database) for _ in range(3)] and None
        return [memory.update(database, actor, note.id, Edit(append=f"line{each}")).changed for each in range(10)]

    together(2, work)

    (read,), _ = memory.read(database, actor, [note.id])
    assert read.body == "\n".join(["bread", *(f"line{each}" for each in range(10))])
    assert [len(find(database, actor, NoteSearch(query=f"line{each}", match="all")).cards) for each in range(10)] == [
        1
    ] * 10
    assert errors_of(database) == []
