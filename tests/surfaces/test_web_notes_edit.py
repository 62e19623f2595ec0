"""The editor of notes, their history, and the collections, on a real server."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from browsing import Person, Site, text_of
from note_pages import AGENT, add, agent, form_of, only_note, stored

from notewell.domain.notes import Edit
from notewell.services import memory, memory_search
from notewell.services.memory import Filing

pytest_plugins = ["note_fixtures"]


def test_a_new_note_is_made_once_however_often_it_is_sent(here: Site, person: Person) -> None:
    page = person.get("/notes/new")
    key = re.search(r'name="key" value="([^"]+)"', page.text)
    assert key is not None
    fields = {
        "title": " Bonds ",
        "summary": "Gain.",
        "body": "\r\nRates\r\nfall.\r\n",
        "tags": "a, b\r\nc",
        "key": key[1],
    }
    fields |= {"symbols": "nvda 700.HK", "new_collection": "Macro", "source": "my head"}

    first, second = (person.post("/notes/new", fields, page="/notes/new") for _ in range(2))
    changed = person.post("/notes/new", {**fields, "body": "other"}, page="/notes/new")

    view = only_note(here)
    assert first.headers["location"] == second.headers["location"] == f"/notes/{view.note.id}"
    assert (view.note.title, view.note.summary, view.note.body) == ("Bonds", "Gain.", "\nRates\nfall.\n")
    assert (view.note.tags, view.note.symbols, view.collection) == (("a", "b", "c"), ("NVDA", "0700.HK"), "Macro")
    assert (view.note.source, view.note.agent) == ("my head", "")
    assert changed.status_code == 400
    assert "made a note already" in text_of(changed)
    assert f'value="{key[1]}"' not in changed.text


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""),
        ("title", "x" * 201),
        ("summary", "x" * 1_001),
        ("body", "x" * 1_048_577),
        ("tags", "x" * 61),
        ("symbols", "§"),
        ("collection", "nope"),
        ("new_collection", "x" * 101),
        ("source", "x" * 201),
        ("body", "a\0b"),
    ],
)
def test_a_refused_form_comes_back_with_everything_typed(field: str, value: str, here: Site, person: Person) -> None:
    fields = {"title": "Kept title", "body": "kept body", "summary": "kept summary", "tags": "kept tag", field: value}

    page = person.post("/notes/new", fields, page="/notes/new")

    assert page.status_code in (400, 404, 413, 422)
    assert 'role="alert"' in page.text
    kept = {"title": "Kept title", "body": "kept body", "summary": "kept summary", "tags": "kept tag"}
    assert [text for name, text in kept.items() if name != field and text not in page.text] == []
    assert memory_search.find(here.app.store, agent(here), memory_search.NoteSearch()).cards == ()


def test_a_preview_shows_the_text_and_saves_nothing(here: Site, person: Person) -> None:
    note = add(here)
    changes = {"body": "**bold** new", "preview": "1"}

    new = person.post("/notes/new", {"title": "", **changes}, page="/notes/new")
    edited = person.post(f"/notes/{note.id}/edit", form_of(note, **changes), page=f"/notes/{note.id}/edit")

    for page in (new, edited):
        assert page.status_code == 200
        assert "<strong>bold</strong>" in page.text
        assert "**bold** new</textarea>" in page.text
    assert only_note(here).note == note


@pytest.mark.parametrize("body", ["a\r\nb\r\n", "a\nb", "\r\n\r\na\r\n", "a\r\nb\nc\rd", "", "\n", "a\n\n\n", "a\rb"])
def test_a_body_that_is_not_touched_keeps_every_byte(body: str, here: Site, person: Person) -> None:
    note = add(here, body=body)
    at = f"/notes/{note.id}/edit"

    same = person.post(at, form_of(note), page=at)
    titled = person.post(at, form_of(note, title="Other"), page=at)

    assert (same.status_code, titled.status_code) == (303, 303)
    found = stored(here, note.id).note
    assert (found.body, found.title, found.version) == (body, "Other", 2)


@pytest.mark.parametrize(
    ("body", "edited", "saved"),
    [
        ("a\r\nb\r\nc", "a\nB\nc", "a\r\nB\r\nc"),
        ("a\r\nb\r\n", "a\nb\nc\n", "a\r\nb\r\nc\r\n"),
        ("a\nb\r\nc\r\nd", "a\nb\nnew\nc\nd", "a\nb\r\nnew\r\nc\r\nd"),
        ("a\r\nb", "a\nb\n", "a\r\nb\r\n"),
        ("a\r\n", "", ""),
        ("a\nb", "a\nc", "a\nc"),
    ],
)
def test_an_edited_body_keeps_its_line_ends(body: str, edited: str, saved: str, here: Site, person: Person) -> None:
    note = add(here, body=body)
    at = f"/notes/{note.id}/edit"

    assert person.post(at, form_of(note, body=edited), page=at).status_code == 303

    assert stored(here, note.id).note.body == saved


def test_a_tag_with_a_comma_survives_the_editor(here: Site, person: Person) -> None:
    note = add(here, tags=("a, b", "c"))
    at = f"/notes/{note.id}/edit"

    person.post(at, form_of(note, tags="a, b\nc\nd, e"), page=at)

    assert stored(here, note.id).note.tags == ("a, b", "c", "d", "e")


@pytest.mark.report("E3")
def test_a_conflict_shows_both_texts_and_loses_neither(here: Site, person: Person) -> None:
    note = add(here, body="first\nsecond\n")
    at = f"/notes/{note.id}/edit"
    memory.update(here.app.store, agent(here), note.id, Edit(append="by the agent"))

    page = person.post(at, form_of(note, body="first\nmine\n"), page=at)

    assert page.status_code == 409
    assert "first\nmine\n</textarea>" in page.text
    assert "by the agent" in page.text.partition("</textarea>")[2]
    assert re.search(r"<ins>.*mine</ins>", page.text)
    assert stored(here, note.id).note.version == 2
    assert person.post(at, form_of(note, body="first\nmine\n", version="2"), page=at).status_code == 303
    assert stored(here, note.id).note.body == "first\nmine\n"


def test_the_text_of_a_note_that_was_deleted_meanwhile_becomes_a_new_one(here: Site, person: Person) -> None:
    note = add(here)
    token_page = "/notes/new"
    memory.delete(here.app.store, agent(here), note.id)

    page = person.post(f"/notes/{note.id}/edit", form_of(note, body="long work"), page=token_page)

    assert page.status_code == 404
    assert "long work</textarea>" in page.text
    assert 'action="/notes/new"' in page.text


def test_a_body_of_one_mebibyte_can_be_written_read_and_edited(here: Site, person: Person) -> None:
    body = ("字" * 20 + "\n") * 17_000
    body += "x" * (1_048_576 - len(body.encode()))
    made = person.post("/notes/new", {"title": "Long", "body": body.replace("\n", "\r\n")}, page="/notes/new")
    at = made.headers["location"]
    note = only_note(here).note
    assert note.body == body

    assert person.get(at).status_code == 200
    assert "Part 1 of" in text_of(person.get(f"{at}/raw"))
    assert body in person.get(f"{at}/edit").text
    edited = person.post(f"{at}/edit", form_of(note, body="short"), page=f"{at}/edit")
    assert edited.status_code == 303
    assert "Too much changed" in text_of(person.get(f"{at}/history"))


def test_the_history_tells_who_changed_what_and_restores(here: Site, person: Person) -> None:
    note = add(here, body="first\nsecond\n", tags=("old",))
    at = f"/notes/{note.id}"
    person.post(f"{at}/edit", form_of(note, body="first\nchanged\n", tags="new"), page=f"{at}/edit")

    page = person.get(f"{at}/history")
    asked = person.get(f"{at}/history/1/restore")
    done = person.post(f"{at}/history/1/restore", page=f"{at}/history/1/restore")

    assert re.search(r"<del>.*second</del>", page.text)
    assert re.search(r"<ins>.*changed</ins>", page.text)
    assert "+ new − old" in text_of(page)
    assert [each in text_of(page) for each in (f"agent {AGENT}", "local", "2 versions")] == [True] * 3
    assert "Restore version 1?" in text_of(asked)
    assert done.headers["location"] == at
    assert (stored(here, note.id).note.body, stored(here, note.id).note.tags) == ("first\nsecond\n", ("old",))
    assert "second" in text_of(person.get(f"{at}/history/1"))
    assert person.get(f"{at}/history/99").status_code == 404


def test_a_long_history_is_paged(here: Site, person: Person) -> None:
    note = add(here)
    for number in range(24):
        memory.update(here.app.store, agent(here), note.id, Edit(append=f"line {number}"))

    numbers = [
        re.findall(r'id="v(\d+)"', person.get(f"/notes/{note.id}/history?part={part}").text) for part in ("1", "2", "3")
    ]

    assert [int(number) for page in numbers for number in page] == list(range(25, 0, -1))


def test_a_change_of_line_ends_alone_is_seen(here: Site, person: Person) -> None:
    note = add(here, body="a\nb\n")
    memory.update(here.app.store, agent(here), note.id, Edit(body="a\r\nb\r\n", if_version=1))

    assert "U+000D" in person.get(f"/notes/{note.id}/history").text


def test_collections_are_made_renamed_and_deleted_after_a_question(here: Site, person: Person) -> None:
    at = "/notes/collections"
    person.post(at, {"name": "Macro & <more>/x"}, page=at)
    note = add(here, filing=Filing("Macro & <more>/x"))
    name = quote("Macro & <more>/x", safe="")

    assert f"{at}/delete?name=Macro%20%26" in person.get(at).text
    taken = person.post(at, {"name": "macro & <more>/X"}, page=at)
    person.post(f"{at}/rename", {"name": "Macro & <more>/x", "new_name": "Rates"}, page=f"{at}/rename?name={name}")
    assert stored(here, note.id).collection == "Rates"
    asked = person.get(f"{at}/delete?name=Rates")
    assert stored(here, note.id).collection == "Rates"
    person.post(f"{at}/delete", {"name": "Rates"}, page=f"{at}/delete?name=Rates")

    assert taken.status_code == 400
    assert "1 note in it becomes unfiled" in text_of(asked)
    assert stored(here, note.id).collection is None
    assert "No collections" in text_of(person.get(at))
    assert person.get(f"{at}/delete?name=Rates").status_code == 404


def test_a_refused_name_of_a_collection_is_kept(here: Site, person: Person) -> None:
    at = "/notes/collections"
    for name in ("One", "Two"):
        person.post(at, {"name": name}, page=at)

    page = person.post(f"{at}/rename", {"name": "One", "new_name": "two"}, page=f"{at}/rename?name=One")

    assert page.status_code == 400
    assert 'value="two"' in page.text
