"""The list of notes and the view of one, on a real server."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from browsing import Person, Site, site, text_of
from note_pages import AGENT, CARD, add, agent, stored

from notewell.domain.notes import Edit, Note
from notewell.services import memory
from notewell.services.memory import Filing

pytest_plugins = ["note_fixtures"]


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    """Somebody whose memory has four notes that differ in what filters ask for."""
    with site(tmp_path_factory.mktemp("several")) as here, here.visit() as visitor:
        add(here, "one", "common", Filing("First-Folder", True), tags=("red",), symbols=("NVDA",))
        add(here, "two", "common", tags=("red", "blue"))
        add(here, "three", "common", symbols=("AMD",))
        gone = add(here, "four", "common")
        memory.update(here.app.store, agent(here), gone.id, Edit(status="archived"))
        yield visitor


def test_an_empty_memory_says_how_an_agent_is_connected(person: Person) -> None:
    shown = text_of(person.get("/notes"))

    assert "No notes yet" in shown
    assert '"mcpServers"' in shown
    assert f"{person.url}/mcp" in shown


def test_a_card_shows_what_the_note_is_and_never_its_whole_body(here: Site, person: Person) -> None:
    body = "Rates fall in March. " + "More of it. " * 100 + "The end."
    add(here, "Bonds", body, Filing("Macro", True), summary="Long bonds gain.", tags=("rates",), symbols=("nvda",))

    page = person.get("/notes")
    shown = text_of(page)

    for text in ("Bonds", "Long bonds gain.", "Rates fall in March", "#rates", "$NVDA", "Macro", AGENT, "1 note"):
        assert text in shown
    assert "The end." not in shown


def test_words_are_marked_and_what_is_missing_is_said(here: Site, person: Person) -> None:
    add(here, "Bonds", "Rates fall in March.")

    page = person.get("/notes?q=march+pineapple")

    assert "<mark>March</mark>" in page.text
    assert "Does not hold: pineapple" in text_of(page)
    assert "Holds only inside longer words: arch" in text_of(person.get("/notes?q=arch"))


@pytest.mark.parametrize(
    ("address", "titles"),
    [
        ("", {"one", "two", "three"}),
        ("tag=RED", {"one", "two"}),
        ("tag=red&tag=blue", {"two"}),
        ("symbol=NVDA&symbol=AMD", {"one", "three"}),
        ("collection=first+folder", {"one"}),
        ("unfiled=1", {"two", "three"}),
        ("status=archived", {"four"}),
        ("status=any", {"one", "two", "three", "four"}),
        ("q=common&match=all", {"one", "two", "three", "four"}),
        ("createdFrom=2100-01-01", set()),
        ("createdTo=2100-01-01&updatedFrom=2001-01-01", {"one", "two", "three"}),
    ],
)
def test_each_filter_stands_in_the_address(address: str, titles: set[str], several: Person) -> None:
    page = several.get(f"/notes?{address}")

    assert page.status_code == 200
    assert set(re.findall(r'<a href="/notes/nte_[^"]+">(\w+)</a></h3>', page.text)) == titles


def test_the_side_counts_and_its_links_add_filters(here: Site, person: Person) -> None:
    add(here, "one", filing=Filing("Macro", True), tags=("red",), symbols=("NVDA",))
    archived = add(here, "two", filing=Filing("Macro"))
    memory.update(here.app.store, agent(here), archived.id, Edit(status="archived"))

    page = person.get("/notes?q=rates&sort=title")
    side = page.text.partition('id="side"')[2]

    assert "Macro 1 + 1 archived" in text_of(page)
    assert 'href="/notes?q=rates&amp;sort=title&amp;tag=red"' in side
    assert 'href="/notes?q=rates&amp;sort=title&amp;symbol=NVDA"' in side
    assert 'href="/notes?q=rates&amp;collection=Macro&amp;sort=title"' in side
    assert 'href="/notes?q=rates&amp;sort=title&amp;unfiled=1"' in side


def test_several_hundred_notes_are_each_on_one_page(here: Site, person: Person) -> None:
    notes = {add(here, f"note {number}", "some words").id for number in range(250)}

    for start in ("/notes?sort=title", "/notes?q=words"):
        seen: list[str] = []
        path = start
        while path:
            page = person.get(path)
            seen += CARD.findall(page.text)
            found = re.search(r'<a href="([^"]+)" rel="next">', page.text)
            path = found[1].replace("&amp;", "&") if found else ""
        assert len(seen) == 250
        assert set(seen) == notes
    assert "250 notes" in text_of(person.get("/notes"))


def test_where_nothing_is_found_the_page_helps(here: Site, person: Person) -> None:
    add(here, "Bonds", "Rates fall.", tags=("monetary policy",))

    mistyped = person.get("/notes?tag=monetary+polcy")
    narrowed = person.get("/notes?q=rates&unfiled=1&status=archived")

    assert "Was one of these meant? #monetary policy" in text_of(mistyped)
    assert "1 note holds these words without the filters" in text_of(narrowed)
    assert "Search by meaning" in text_of(narrowed)


def test_a_missing_mode_is_told_and_never_replaced(here: Site, person: Person) -> None:
    add(here)

    alone, both = person.get("/notes?q=rates&mode=semantic"), person.get("/notes?q=rates&mode=both")

    assert (alone.status_code, both.status_code) == (503, 200)
    assert CARD.findall(alone.text) == []
    assert "Search by words instead" in text_of(alone)
    assert len(CARD.findall(both.text)) == 1
    assert re.findall(r"<h2 id=\"list-\w+\">([^<]+)", both.text) == ["By words", "By meaning"]
    assert "notice warn" in both.text
    assert "Without words" in text_of(person.get("/notes?mode=both"))


@pytest.mark.parametrize(
    "address",
    [
        "unfiled=1&collection=x",
        "sort=relevance",
        "createdFrom=2026-02-01&createdTo=2026-01-01",
        "mode=x",
        "match=x",
        "sort=x",
        "status=x",
        "createdFrom=x",
        "collection=nope",
        "symbol=%3Cb%3E",
        "cursor=x",
    ],
)
def test_a_bad_address_is_explained_above_the_form(address: str, filled: tuple[Site, Person, Note]) -> None:
    page = filled[1].get(f"/notes?{address}")

    assert page.status_code in (400, 404, 422)
    assert 'role="alert"' in page.text
    assert 'name="q"' in page.text


def test_a_long_vocabulary_has_a_page_of_its_own(here: Site, person: Person) -> None:
    for number in range(10):
        add(here, tags=tuple(f"tag {number} {each}" for each in range(10)))

    listed = person.get("/notes?q=rates")
    link = re.search(r'href="(/notes/labels[^"]+)"', listed.text)
    assert link is not None
    page = person.get(link[1].replace("&amp;", "&"))
    narrowed = person.get("/notes/labels?kind=tags&startsWith=tag+7")

    assert "100 in use" in text_of(page)
    assert 'href="/notes?q=rates&amp;tag=tag+7+3"' in page.text
    assert "10 in use" in text_of(narrowed)
    assert person.get("/notes/labels?kind=bodies").status_code == 400


def test_a_note_shows_everything_that_is_known_of_it(here: Site, person: Person) -> None:
    note = add(here, "Bonds", "# Why\n\n**Rates** fall.", Filing("Macro", True), summary="Gain.", source="chat 7")
    memory.update(here.app.store, agent(here), note.id, Edit(add_tags=("rates",)))

    page = person.get(f"/notes/{note.id}")
    shown = text_of(page)

    for text in ("Bonds", "Gain.", "Macro", "#rates", "chat 7", AGENT, "Version 2", note.id):
        assert text in shown
    assert "<strong>Rates</strong>" in page.text
    assert "**Rates**" in text_of(person.get(f"/notes/{note.id}/raw"))


@pytest.mark.parametrize("fields", [{}, {"status": ""}, {"status": "gone"}, {"status": "ACTIVE"}])
def test_a_status_that_is_none_is_refused_and_changes_nothing(
    fields: dict[str, str], here: Site, person: Person
) -> None:
    note = add(here)
    memory.update(here.app.store, agent(here), note.id, Edit(status="archived"))
    before = stored(here, note.id)

    answer = person.post(f"/notes/{note.id}/status", fields)

    assert answer.status_code == 400
    assert "nothing was changed" in text_of(answer)
    assert stored(here, note.id) == before
    assert person.post("/notes/nte_0123456789abcdef/status", fields).status_code == 404


def test_small_forms_file_tag_archive_and_undo(here: Site, person: Person) -> None:
    note = add(here, tags=("old",), symbols=("AMD",))
    at = f"/notes/{note.id}"

    def after(path: str, **fields: str) -> memory.NoteView:
        response = person.post(f"{at}/{path}", fields, page=at)
        assert (response.status_code, response.headers["location"]) == (303, at)
        return stored(here, note.id)

    assert after("file", new_collection="Macro").collection == "Macro"
    assert after("file", collection="").collection is None
    assert after("file", collection="Macro").collection == "Macro"
    assert after("labels", add_tags="new, 新", remove_tags="old", add_symbols="nvda").note.tags == ("new", "新")
    assert after("labels", remove_symbols="AMD").note.symbols == ("NVDA",)
    assert after("status", status="archived").note.status == "archived"
    assert "archived" in text_of(person.get(at))
    assert after("status", status="active").note.status == "active"
    assert stored(here, note.id).note.agent == ""


def test_a_refused_small_form_keeps_what_was_typed(here: Site, person: Person) -> None:
    note = add(here)

    page = person.post(f"/notes/{note.id}/labels", {"add_symbols": "no symbol §"}, page=f"/notes/{note.id}")

    assert page.status_code == 400
    assert 'value="no symbol §"' in page.text
    assert stored(here, note.id).note == note


def test_deleting_a_note_asks_first_and_is_for_good(here: Site, person: Person) -> None:
    note = add(here)

    asked = person.get(f"/notes/{note.id}/delete")
    assert stored(here, note.id).note == note
    done = person.post(f"/notes/{note.id}/delete", page=f"/notes/{note.id}/delete")

    assert "for good" in text_of(asked)
    assert done.headers["location"] == "/notes"
    assert "The note is deleted." in text_of(person.get("/notes"))
    assert person.get(f"/notes/{note.id}").status_code == 404


@pytest.mark.parametrize(
    "path", ["x", "nte_0000000000000000", "nte_x/edit", "nte_x/history", "%00", "x/delete", "x/raw"]
)
def test_what_is_no_note_is_not_found(path: str, filled: tuple[Site, Person, Note]) -> None:
    assert filled[1].get(f"/notes/{path}").status_code == 404
