"""Which note is meant: names, moves, links and edits from elsewhere, rows D2 to D13."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import site, text_of
from clients import ONE_OF_EACH, CliSurface, Surface, open_surface
from report_notes import UNKNOWN, code_of, count_all, found_by, noted, read_one

pytest_plugins = ["report_fixtures"]


def test_d2_a_note_that_was_moved_is_edited_where_it_is(every_surface: Surface) -> None:
    given = {"title": "Plan", "body": "one", "collection": "Inbox", "createCollection": True, "idempotencyKey": "d2"}
    with noted(every_surface, given) as (note_id,):
        every_surface.call("memory.update", {"id": note_id, "collection": "Done", "createCollection": True})

        edited = every_surface.call("memory.update", {"id": note_id, "body": "two", "ifVersion": 2})
        again = every_surface.call("memory.create", {**given, "summary": "s"})

        assert (edited["id"], edited["collection"], edited["changed"]) == (note_id, "Done", ["body"])
        assert (again["id"], again["repeated"], again["collection"]) == (note_id, True, "Done")
        assert count_all(every_surface) == 1
        assert found_by(every_surface, collection="Inbox") == []


@pytest.mark.parametrize(
    "title", ["Enable/Disable", "../../etc/passwd", "a\\b", "50% & more?#x", ".", "con", "/", "x" * 200]
)
def test_d3_a_title_makes_neither_folders_nor_addresses(title: str, each_kind: Surface) -> None:
    with noted(each_kind, {"title": title, "body": "text"}) as (note_id,):
        assert read_one(each_kind, note_id)["title"] == title
        assert count_all(each_kind) == 1
        assert title not in note_id


def test_d3_the_link_of_a_note_stays_when_its_title_changes(tmp_path: Path) -> None:
    with site(tmp_path) as here, here.visit() as person:
        made = person.post("/notes/new", {"title": "Enable/Disable", "body": "text"}, page="/notes/new")
        link = made.headers["location"]
        before = person.get(link)
        person.post(f"{link}/edit", {"title": "../..", "body": "text", "version": "1"}, page=f"{link}/edit")
        after = person.get(link)

    assert (before.status_code, after.status_code) == (200, 200)
    assert "Enable/Disable" in text_of(before)
    assert "../.." in text_of(after)


NEAR = [
    "Fed outlook",
    "Fed outlok",
    "fed",
    "{upper}",
    "{short}",
    "{longer}",
    "{zero}",
    "*",
    " {id} x",
    "prb_0000000000",
]


@pytest.mark.parametrize("near", NEAR)
@pytest.mark.parametrize("operation", ["memory.update", "memory.delete"])
def test_d5_only_an_exact_id_names_a_note(operation: str, near: str, each_kind: Surface) -> None:
    with noted(each_kind, {"title": "Fed outlook"}, {"title": "Fed outlooks"}) as (note_id, other):
        forms = {"upper": note_id.upper(), "short": note_id[:-1], "longer": f"{note_id}0", "id": note_id}
        given = near.format(**forms, zero=f"nte_{note_id[4:-1]}!")
        arguments = {"id": given, **({"append": "x"} if operation == "memory.update" else {})}

        assert code_of(each_kind.call(operation, arguments)) in ("invalid_argument", "not_found")

        assert count_all(each_kind) == 2
        assert [read_one(each_kind, note_id)["version"], read_one(each_kind, other)["version"]] == [1, 1]


@pytest.mark.parametrize(
    "change", [{"append": "x"}, {"title": "x"}, {"body": "x", "ifVersion": 1}, {"status": "archived"}]
)
def test_d6_an_edit_of_what_is_not_there_makes_nothing(change: dict[str, object], every_surface: Surface) -> None:
    answer = every_surface.call("memory.update", {"id": UNKNOWN, **change})

    assert code_of(answer) == "not_found"
    assert UNKNOWN in answer["error"]["message"]
    assert count_all(every_surface) == 0


def test_d6_a_page_of_what_is_not_there_saves_nothing(tmp_path: Path) -> None:
    fields = {"title": "Phantom", "body": "x", "version": "1", "add_tags": "x", "status": "archived"}
    with site(tmp_path) as here, here.visit() as person:
        paths = [f"/notes/{UNKNOWN}{path}" for path in ("/file", "/labels", "/status", "/delete")]
        pages = [person.post(path, fields, page="/notes/new") for path in paths]
        # The editor offers the text of a note that is gone as a new one; it saves nothing unasked.
        pages.append(person.post(f"/notes/{UNKNOWN}/edit", fields, page="/notes/new"))
        listed = person.get("/notes?status=any")

    assert [page.status_code for page in pages[:-1]] == [404] * 4
    assert pages[-1].status_code in (404, 409)
    assert "Phantom" not in listed.text


NAMES = ["a b", "a_b", "A b", "a-b", "ab", "a  b", "ａ b", "á b", "a b."]


def test_d7_titles_that_differ_in_little_are_notes_of_their_own(every_surface: Surface) -> None:
    with noted(every_surface, *({"title": name, "body": name} for name in NAMES)) as made:
        assert len(set(made)) == len(NAMES)
        shown = [read_one(every_surface, note_id) for note_id in made]

    assert [note["body"] for note in shown] == NAMES
    assert [note["title"] for note in shown] == [" ".join(name.split()) for name in NAMES]


@pytest.mark.parametrize("name", ["Tianda", "TIANDA", " tianda ", "ｔｉａｎｄａ", "tian-da", "tian_da", "Tian Da"])
def test_d9_another_spelling_of_a_collection_is_the_same_one(name: str, each_kind: Surface) -> None:
    first = "tian da" if len(name.strip()) > 6 else "tianda"
    with noted(each_kind, {"collection": first, "createCollection": True}) as made:
        assert found_by(each_kind, collection=name) == made
        filed = each_kind.call(
            "memory.create", {"title": "T", "body": "", "collection": name, "createCollection": True}
        )
        each_kind.call("memory.delete", {"id": filed["id"]})
        assert filed["collection"] == first


@pytest.mark.parametrize("name", ["tianda-wc", "tiand", "天达", "other"])
def test_d9_an_unknown_collection_is_answered_with_the_nearest_ones(name: str, each_kind: Surface) -> None:
    with noted(each_kind, {"collection": "tianda", "createCollection": True}):
        answers = [
            each_kind.call("memory.search", {"collection": name}),
            each_kind.call("memory.search", {"query": "entry", "collection": name}),
            each_kind.call("memory.create", {"title": "T", "body": "", "collection": name}),
        ]

    for answer in answers:
        assert code_of(answer) == "unknown_collection"
        assert "tianda" in answer["error"]["collections"]
        assert "'tianda'" in answer["error"]["message"]


def test_d12_two_notes_of_one_title_are_told_apart_everywhere(every_surface: Surface) -> None:
    with noted(every_surface, {"title": "Same", "body": "first"}, {"title": "Same", "body": "second"}) as made:
        assert sorted(found_by(every_surface, query="title:Same")) == sorted(made)
        assert [read_one(every_surface, note_id)["body"] for note_id in made] == ["first", "second"]
        every_surface.call("memory.update", {"id": made[1], "append": "more"})
        assert [read_one(every_surface, note_id)["body"] for note_id in made] == ["first", "second\nmore"]


def test_d12_pages_link_to_notes_by_their_ids(tmp_path: Path) -> None:
    with site(tmp_path) as here, here.visit() as person:
        links = [
            person.post("/notes/new", {"title": "Same", "body": text}, page="/notes/new").headers["location"]
            for text in ("first", "second")
        ]
        listed = person.get("/notes").text
        bodies = [text_of(person.get(link)) for link in links]

    assert [listed.count(f'href="{link}"') > 0 for link in links] == [True, True]
    assert ["first" in bodies[0], "second" in bodies[1], "second" in bodies[0]] == [True, True, False]


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_d13_what_another_process_changed_is_read_and_found(name: str, tmp_path: Path) -> None:
    with open_surface(name, tmp_path) as surface, noted(surface, "before the walnut") as (note_id,):
        assert found_by(surface, query="walnut") == [note_id]
        other = CliSurface(tmp_path)  # opens the store itself, as another process does
        other.call("memory.update", {"id": note_id, "body": "after the almond", "ifVersion": 1, "addTags": ["nuts"]})

        assert read_one(surface, note_id)["body"] == "after the almond"
        assert (found_by(surface, query="almond"), found_by(surface, query="walnut")) == ([note_id], [])
        assert found_by(surface, tags=["nuts"]) == [note_id]

        other.call("memory.delete", {"id": note_id})
        assert (found_by(surface, query="almond"), count_all(surface)) == ([], 0)
