"""What pages say of errors: words for people, in their language, where the message has words for agents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browsing import Person, Site, site, text_of
from clients import with_settings
from note_pages import add
from research_record import attempt, problem, write

from notewell.services import research_notes
from notewell.services.memory import Filing

pytest_plugins = ["note_fixtures"]
FOR_AGENTS = re.compile(r"createCollection|unfile\b|ifVersion|startsWith|token does not|\b[a-z]+_[a-z]+\b")
LANGUAGES = ("en", "zh")


@pytest.fixture(params=LANGUAGES)
def reader(request: pytest.FixtureRequest, person: Person) -> Person:
    """Somebody who reads one of the languages."""
    person.client.headers["accept-language"] = request.param
    return person


def check_words(person: Person, text: str) -> None:
    """Fails where a page has words for agents, or none of the person's language."""
    main = text[text.index("<main") :]
    errors = re.findall(
        r'(?s)role="alert">(.*?)</(?:div|p)>|class="error"[^>]*>(.*?)</span>|<h1>.*?</h1>\s*<p>(.*?)</p>', main
    )
    words = " ".join(" ".join(each) for each in errors)

    assert words.strip()
    assert FOR_AGENTS.findall(words) == []
    if person.client.headers["accept-language"] == "zh":
        assert re.search(r"[\u4e00-\u9fff]", words)
        assert re.search(r"\b(the|you|this)\b", words) is None


@pytest.mark.parametrize(
    "fields", [{"collection": "nope"}, {"new_collection": "---"}, {"new_collection": "x" * 101}], ids=str
)
@pytest.mark.parametrize("has_collection", [False, True])
def test_a_collection_that_cannot_be_is_told_in_words_for_people(
    fields: dict[str, str], has_collection: bool, here: Site, reader: Person
) -> None:
    note = add(here, filing=Filing("Macro", True) if has_collection else Filing())
    filed = reader.post(f"/notes/{note.id}/file", fields)
    made = reader.post("/notes/new", {"title": "One", "body": "x", **fields}, page="/notes/new")
    for answer in (filed, made):
        assert answer.status_code in (400, 413)
        check_words(reader, answer.text)


def test_a_list_of_what_is_not_there_is_told_in_words_for_people(reader: Person) -> None:
    for path in ("/notes?collection=nope", f"/notes/labels?kind=tags&startsWith={'x' * 200}", "/problems/nope"):
        answer = reader.get(path)
        assert answer.status_code in (400, 404)
        check_words(reader, answer.text)


def test_what_somebody_else_changed_is_told_in_words_for_people(here: Site, reader: Person) -> None:
    store, actor = here.app.store, here.app.default_actor()
    of = attempt(store, actor, problem(store, actor, "sat"))
    note_id = write(store, actor, of, "One.\n")
    research_notes.edit_note(store, actor, note_id, "Two.\n")
    path = f"/research/notes/{note_id}/edit"

    changed = reader.post(path, {"version": "1", "body_md": "Three.\n"}, page=path)
    research_notes.end_attempt(store, actor, of.id, "progress", "All.\n")
    frozen = reader.post(path, {"version": "2", "body_md": "Three.\n"})

    assert (changed.status_code, frozen.status_code) == (409, 409)
    check_words(reader, changed.text)
    check_words(reader, frozen.text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_is_no_administrator_is_told_so_and_nothing_of_tokens(language: str, tmp_path: Path) -> None:
    with site(tmp_path, with_settings(host="0.0.0.0")) as opened, opened.visit() as ann:
        opened.add_person("ann")
        ann.client.headers["accept-language"] = language
        ann.sign_in("ann")
        answer = ann.get("/admin")

    assert answer.status_code == 403
    assert {"en": "Only administrators", "zh": "只有管理员"}[language] in text_of(answer)
    check_words(ann, answer.text)
