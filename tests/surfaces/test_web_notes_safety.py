"""What holds for every page of notes: whose they are, who may send forms, that texts stay texts, both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest
from browsing import Person, Site, site, text_of
from clients import LOCAL
from note_pages import GETS, POSTS, form_of, only_note, stored
from note_vectors import HOSTILE, SHORT

from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit, Note
from notewell.services import accounts, memory
from notewell.services.memory import Filing
from notewell.surfaces.web.language import texts

pytest_plugins = ["note_fixtures"]


@pytest.mark.parametrize("path", POSTS)
def test_a_form_of_another_site_does_nothing(path: str, filled: tuple[Site, Person, Note]) -> None:
    here, person, note = filled
    before = stored(here, note.id)
    fields = {**form_of(note, title="Stolen"), "status": "archived", "name": "Macro", "new_name": "x", "add_tags": "x"}
    token, target = person.token("/notes/new"), f"/notes/{path.format(id=note.id)}"

    foreign = person.client.post(
        target, data={**fields, "form_token": token}, headers={"origin": "https://evil.example"}
    )
    bare = person.send(target, fields)

    assert (foreign.status_code, bare.status_code) == (403, 403)
    assert only_note(here) == before


@pytest.fixture(scope="module")
def two_people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Person, Actor, Note, Site]]:
    """Somebody who is signed in, and a note of somebody else."""
    settings = replace(LOCAL, is_token_required=True)
    with site(tmp_path_factory.mktemp("people"), settings) as here, here.visit() as visitor:
        for handle in ("ana", "ben"):
            here.add_person(handle)
        ben = accounts.account_actor(here.app.store, "ben")
        made = memory.create(here.app.store, ben, Draft("Hidden", "secret"), Filing("Macro", True)).view.note
        visitor.sign_in("ana")
        yield visitor, ben, memory.update(here.app.store, ben, made.id, Edit(append="secret")).view.note, here


@pytest.mark.parametrize("path", ["", *GETS, *POSTS])
def test_the_note_of_another_account_is_not_there(path: str, two_people: tuple[Person, Actor, Note, Site]) -> None:
    person, ben, note, here = two_people
    target = f"/notes/{path.format(id=note.id)}".rstrip("/")
    fields = {"title": "Mine", "body": "mine", "version": "2", "name": "Macro", "new_name": "x"}

    page = person.get(target) if path in ("", *GETS) else person.post(target, fields, page="/notes/new")

    names_another = "{id}" in path or "name=" in path or path in ("collections/rename", "collections/delete")
    assert page.status_code == (404 if names_another else 303 if path in POSTS and page.is_redirect else 200)
    assert "secret" not in page.text
    assert "Hidden" not in page.text
    (found,), _ = memory.read(here.app.store, ben, [note.id])
    assert (found.view.note, found.view.collection) == (note, "Macro")


def test_without_a_session_every_page_leads_to_the_login(tmp_path: Path) -> None:
    with site(tmp_path, replace(LOCAL, is_token_required=True)) as here, here.visit() as person:
        places = [person.get(f"/notes{path}") for path in ("", "/new", "/x", "/collections", "/labels")]

    assert {(page.status_code, page.headers["location"].partition("?")[0]) for page in places} == {(303, "/login")}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Person, list[Note]]]:
    """A store whose every text is an attack."""
    with site(tmp_path_factory.mktemp("hostile")) as here, here.visit() as visitor:
        notes = []
        attacker = here.app.default_actor(SHORT)
        for number, text in enumerate(HOSTILE):
            draft = Draft(text, f"{text}\n\n{text}", text, (f"{SHORT}{number}",), (), text)
            made = memory.create(here.app.store, attacker, draft, Filing(SHORT, True)).view.note
            edit = Edit(append=text, title=f"{text} again", summary=f"{text} {text}")
            notes.append(memory.update(here.app.store, attacker, made.id, edit).view.note)
        yield here, visitor, notes


def assert_harmless(page: httpx2.Response) -> None:
    """Nothing of a hostile text became an element, an attribute or a script's address."""
    assert page.status_code < 500
    assert re.search(r"<script(?! type=\"module\" src=\"/static/)|<svg|<b onx|<!-- -->", page.text) is None
    assert re.search(r"<[a-z][^<>]*\son\w+\s*=", re.sub(r'"[^"]*"', '""', page.text)) is None
    assert re.search(r"<[a-z][^<>]*=\"\s*javascript:", page.text) is None
    assert "7777777" not in page.text


@pytest.mark.report("I6")
@pytest.mark.parametrize("path", ["", *GETS, "?q=window", "?q=window&mode=both"])
def test_hostile_texts_stay_texts(path: str, hostile: tuple[Site, Person, list[Note]]) -> None:
    _, person, notes = hostile
    name = quote(SHORT, safe="")
    for note in notes if "{id}" in path else notes[:1]:
        target = path.format(id=note.id).replace("name=Macro", f"name={name}")
        page = person.get(f"/notes{'' if target[:1] in ('', '?') else '/'}{target}")
        assert page.status_code == 200
        assert_harmless(page)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_addresses_and_forms_stay_texts(text: str, hostile: tuple[Site, Person, list[Note]]) -> None:
    _, person, notes = hostile
    given = quote(text, safe="")
    fields = dict.fromkeys(
        ("title", "summary", "body", "tags", "symbols", "collection", "new_collection", "source"), text
    )
    at = f"/notes/{notes[0].id}"

    for name in ("q", "tag", "symbol", "collection", "mode", "status", "sort", "createdFrom", "cursor"):
        assert_harmless(person.get(f"/notes?{name}={given}"))
    assert_harmless(person.get(f"/notes/labels?kind=tags&q={given}&startsWith={given}"))
    assert_harmless(person.get(f"/notes/new?collection={given}"))
    assert_harmless(person.get(f"/notes/{given}"))
    assert_harmless(person.post("/notes/new", fields, page="/notes/new"))
    assert_harmless(person.post("/notes/new", {**fields, "preview": "1"}, page="/notes/new"))
    assert_harmless(person.post(f"{at}/edit", {**fields, "version": "1"}, page=f"{at}/edit"))
    assert_harmless(person.post(f"{at}/labels", {"add_symbols": text}, page=at))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_speaks_the_chosen_language(language: str, filled: tuple[Site, Person, Note]) -> None:
    _, person, note = filled
    person.client.cookies.set("notewell_language", language)
    words = texts("notes")[language]
    known = {"": "search", "new": "preview", "collections": "collection_make", "{id}": "archive", "{id}/edit": "save"}
    known |= {"{id}/history": "first_version", "{id}/raw": "raw_lead", "labels?kind=tags": "narrow"}

    for path, key in known.items():
        page = person.get(f"/notes{'/' if path else ''}{path.format(id=note.id)}")
        assert words[key] in text_of(page), path
    assert f'lang="{"zh-Hans" if language == "zh" else "en"}"' in person.get("/notes").text


@pytest.mark.parametrize("path", ["", *GETS])
def test_a_page_has_one_main_heading_and_no_gap_below_it(path: str, filled: tuple[Site, Person, Note]) -> None:
    _, person, note = filled

    page = person.get(f"/notes{'/' if path else ''}{path.format(id=note.id)}")
    shell = re.sub(r'(?s)<div class="note-text".*?</div>', "", page.text)
    levels = [int(level) for level in re.findall(r"<h([1-6])\b", shell)]

    assert page.status_code == 200
    assert levels.count(1) == 1
    ordered = levels[levels.index(1) :]
    assert all(after - before <= 1 for before, after in pairwise(ordered))
    assert re.search(r"\sstyle=|\son\w+=", shell) is None
