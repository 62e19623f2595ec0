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
from serving import serving

from notewell.domain.access import Actor
from notewell.domain.notes import MAX_BODY_BYTES, Draft, Edit
from notewell.services import maintenance, memory
from notewell.services.memory_search import NoteSearch, find
from notewell.services.sweep import sweep
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
