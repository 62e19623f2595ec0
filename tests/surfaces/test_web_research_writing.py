"""What people do on the research pages: make, publish and revise problems, write on their attempts, end them."""

from __future__ import annotations

import html as html_module
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import httpx2
import pytest
from browsing import Person, Site, site, text_of

from notewell.services import lineage, research, research_notes
from notewell.services.research import CampaignDraft, ProblemDraft

_numbers = count(1)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site that needs no login."""
    with site(tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture
def person(opened: Site) -> Iterator[Person]:
    """The owner of the machine, with a browser of their own."""
    with opened.visit() as made:
        yield made


def new_problem(opened: Site, *, publishes: bool = False) -> str:
    """The slug of a new problem of the owner's."""
    draft = ProblemDraft(f"p-{next(_numbers)}", "A problem", "First.\r\nSecond.\r\n", publishes=publishes)
    return research.create_problem(opened.app.store, opened.app.default_actor(), draft).slug


def new_attempt(opened: Site) -> str:
    """The id of a running attempt of the owner's, on a problem of its own."""
    actor = replace(opened.app.default_actor(), agent="codex")
    return research.start_attempt(opened.app.store, actor, new_problem(opened))[0].id


def bodies(opened: Site, attempt_id: str) -> list[str]:
    """The texts of an attempt's notes."""
    found = research_notes.get_attempt(opened.app.store, opened.app.default_actor(), attempt_id)
    return [each.note.body_md for each in found.notes]


def typed(response: httpx2.Response, name: str) -> str:
    """What stands in a text area or an input of a page, as its reader would send it."""
    found = re.search(rf'<textarea[^>]* name="{name}"[^>]*>\n(.*?)</textarea>', response.text, re.DOTALL)
    found = found or re.search(rf'<input[^>]* name="{name}"[^>]* value="(.*?)"', response.text, re.DOTALL)
    assert found is not None, name
    return html_module.unescape(found[1])


def fields_of(response: httpx2.Response) -> dict[str, str]:
    """The hidden fields of the form in the middle of a page."""
    main = response.text[response.text.index('<main id="main"') : response.text.index("</main>")]
    pairs = re.findall(r'<input type="hidden" name="([^"]+)" value="(.*?)">', main, re.DOTALL)
    return {name: html_module.unescape(value) for name, value in pairs}


def test_a_campaign_and_a_problem_in_it_are_made(person: Person, opened: Site) -> None:
    made = person.post("/research/new/campaign", {"slug": "group", "title": "A group", "description": "Why.\r\nHow."})
    form = person.get("/research/new/problem?campaign=group")
    fields = {"slug": "thing", "title": "A thing", "statement_md": "\r\nSolve *it*.\r\n", "campaign": "group"}
    problem = person.post("/research/new/problem", {**fields, "publish": "1"})

    assert (made.status_code, made.headers["location"]) == (303, "/campaigns/group")
    assert '<option value="group" selected>' in form.text
    assert problem.headers["location"] == "/problems/thing"
    shown = person.get("/problems/thing")
    assert "The problem is made." in shown.text
    assert "<em>it</em>" in shown.text
    assert "hidden: its campaign is not published" in text_of(shown)
    assert "/problems/thing" in person.get("/campaigns/group").text
    view = research.problem(opened.app.store, opened.app.default_actor(), "thing")
    assert view.shown.statement_md == "\nSolve *it*.\n"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/research/new/campaign", {"slug": "No Slug", "title": "Kept", "description": "Kept, too"}),
        ("/research/new/problem", {"slug": "No Slug", "title": "Kept", "statement_md": "\n  Kept, too"}),
        ("/research/new/problem", {"slug": "a", "title": " ", "statement_md": "Kept"}),
        ("/research/new/problem", {"slug": "a", "title": "Kept", "statement_md": " "}),
        ("/research/new/problem", {"slug": "a", "title": "Kept", "statement_md": "Kept", "campaign": "nothing"}),
        ("/research/new/problem", {"slug": "a", "title": "t" * 201, "statement_md": "Kept"}),
    ],
)
def test_a_form_that_cannot_be_taken_keeps_what_was_typed(path: str, fields: dict[str, str], person: Person) -> None:
    response = person.post(path, fields)

    assert response.status_code in (400, 404)
    assert {name: typed(response, name) for name in fields if name != "campaign"} == {
        name: value for name, value in fields.items() if name != "campaign"
    }
    assert 'class="error"' in response.text


def test_a_taken_slug_is_said_at_its_field(person: Person, opened: Site) -> None:
    slug = new_problem(opened)
    response = person.post("/research/new/problem", {"slug": slug, "title": "Again", "statement_md": "Text"})

    assert response.status_code == 400
    assert 'id="slug-error"' in response.text


@pytest.mark.parametrize("thing", ["problems", "campaigns"])
def test_publishing_and_unpublishing_ask_first(thing: str, person: Person, opened: Site) -> None:
    slug = new_problem(opened)
    if thing == "campaigns":
        draft = CampaignDraft(slug, "A group")
        research.create_campaign(opened.app.store, opened.app.default_actor(), draft)
    path = f"/{thing}/{slug}"
    for button, notice in (("Publish", "It is published."), ("Unpublish", "It is no longer published.")):
        asked = person.get(f"{path}/publish")
        assert f'<button class="danger">{button}</button>' in asked.text
        done = person.send(f"{path}/publish", fields_of(asked))
        assert (done.status_code, done.headers["location"]) == (303, path)
        shown = person.get(path)
        assert notice in shown.text
        assert ("not published" in text_of(shown)) == (button == "Unpublish")


def test_a_revision_is_made_after_a_question_that_carries_the_text(person: Person, opened: Site) -> None:
    slug = new_problem(opened)
    form = person.get(f"/problems/{slug}/revise")
    fields = {**fields_of(form), "title": "A new title", "statement_md": "First & last.\r\n\r\n<b>Second</b>.\r\n"}
    asked = person.send(f"/problems/{slug}/revise", fields)

    assert asked.status_code == 200
    assert "revision 2" in text_of(asked)
    assert research.problem(opened.app.store, opened.app.default_actor(), slug).problem.revision == 1
    sent = {name: value.replace("\n", "\r\n") for name, value in fields_of(asked).items()}
    assert person.send(f"/problems/{slug}/revise", sent).status_code == 303
    view = research.problem(opened.app.store, opened.app.default_actor(), slug)
    assert (view.problem.revision, view.problem.title) == (2, "A new title")
    # The statement before it had CRLF line ends, which a form does not tell from others.
    assert view.shown.statement_md == "First & last.\r\n\r\n<b>Second</b>.\r\n"


def test_a_revision_of_a_problem_that_was_revised_meanwhile_is_refused(person: Person, opened: Site) -> None:
    slug = new_problem(opened)
    fields = {**fields_of(person.get(f"/problems/{slug}/revise")), "title": "Mine", "statement_md": "My text"}
    research.revise_problem(opened.app.store, opened.app.default_actor(), slug, "Another text")
    for more in ({}, {"confirmed": "1"}):
        response = person.send(f"/problems/{slug}/revise", {**fields, **more})
        assert response.status_code == 409
        assert typed(response, "statement_md") == "My text"
    assert research.problem(opened.app.store, opened.app.default_actor(), slug).problem.revision == 2


def test_an_empty_revision_is_refused(person: Person, opened: Site) -> None:
    slug = new_problem(opened)
    fields = fields_of(person.get(f"/problems/{slug}/revise"))

    assert person.send(f"/problems/{slug}/revise", {**fields, "title": "T", "statement_md": " "}).status_code == 400


def test_an_attempt_is_started_written_on_and_ended(person: Person, opened: Site) -> None:
    slug = new_problem(opened)
    started = person.post(f"/problems/{slug}/attempts")
    path = started.headers["location"]
    added = person.post(f"{path}/notes", {"body_md": "\r\n---\r\nkind: plan\r\n---\r\nGo on.\r\n"})
    assert added.headers["location"].startswith(f"{path}#nte_")
    ended = person.post(f"{path}/end", {"outcome": "failed", "summary_md": "Nothing came of it."})
    shown = person.get(path)

    assert bodies(opened, path.removeprefix("/attempts/")) == [
        "\n---\nkind: plan\n---\nGo on.\n",
        "Nothing came of it.",
    ]
    assert ended.headers["location"].startswith(f"{path}#nte_")
    assert "The attempt has ended." in shown.text
    assert "Add a note" not in shown.text
    assert person.get(f"{path}/end").status_code == 409


@pytest.mark.parametrize("fields", [{"outcome": "", "summary_md": "Kept"}, {"outcome": "failed", "summary_md": " "}])
def test_an_end_without_an_outcome_or_a_summary_is_refused(
    fields: dict[str, str], person: Person, opened: Site
) -> None:
    attempt_id = new_attempt(opened)
    response = person.post(f"/attempts/{attempt_id}/end", fields)

    assert response.status_code == 400
    assert typed(response, "summary_md") == fields["summary_md"]
    assert bodies(opened, attempt_id) == []


def test_a_note_for_an_attempt_that_ended_meanwhile_is_not_lost(person: Person, opened: Site) -> None:
    attempt_id = new_attempt(opened)
    research_notes.end_attempt(opened.app.store, opened.app.default_actor(), attempt_id, "failed", "Ended.")
    response = person.post(f"/attempts/{attempt_id}/notes", {"body_md": "My long text"})

    assert response.status_code == 409
    assert typed(response, "body_md") == "My long text"


def test_a_preview_saves_nothing(person: Person, opened: Site) -> None:
    attempt_id = new_attempt(opened)
    response = person.post(f"/attempts/{attempt_id}/notes", {"body_md": "A *new* one", "preview": "1"})

    assert "<em>new</em>" in response.text
    assert typed(response, "body_md") == "A *new* one"
    assert bodies(opened, attempt_id) == []


@pytest.mark.parametrize(
    ("old", "sent", "new"),
    [
        ("one\r\ntwo\r\n", "one\r\ntwo\r\n", "one\r\ntwo\r\n"),
        ("one\r\ntwo\r\n", "one\r\nthree\r\n", "one\r\nthree\r\n"),
        ("one\ntwo\n", "one\r\nthree\r\n", "one\nthree\n"),
        ("one\r\ntwo\n", "one\r\ntwo\r\n", "one\r\ntwo\n"),
        ("\n\n one", "\r\n\r\n one", "\n\n one"),
        ("one\rtwo", "one\r\ntwo", "one\rtwo"),
    ],
)
def test_an_edit_keeps_the_line_ends(old: str, sent: str, new: str, person: Person, opened: Site) -> None:
    attempt_id = new_attempt(opened)
    note = research_notes.add_note(opened.app.store, opened.app.default_actor(), attempt_id, old).note
    form = person.get(f"/research/notes/{note.id}/edit")
    fields = {**fields_of(form), "body_md": sent}

    assert person.send(f"/research/notes/{note.id}/edit", fields).status_code == 303
    assert bodies(opened, attempt_id) == [new]


def test_an_edit_of_what_changed_meanwhile_shows_both_texts(person: Person, opened: Site) -> None:
    attempt_id = new_attempt(opened)
    store, actor = opened.app.store, opened.app.default_actor()
    note = research_notes.add_note(store, actor, attempt_id, "Old").note
    fields = {**fields_of(person.get(f"/research/notes/{note.id}/edit")), "body_md": "Mine"}
    research_notes.edit_note(store, actor, note.id, "Theirs")
    refused = person.send(f"/research/notes/{note.id}/edit", fields)

    assert refused.status_code == 409
    assert typed(refused, "body_md") == "Mine"
    assert '<pre class="raw" tabindex="0" dir="auto">Theirs</pre>' in refused.text
    assert person.send(f"/research/notes/{note.id}/edit", {**fields_of(refused), "body_md": "Both"}).status_code == 303
    assert bodies(opened, attempt_id) == ["Both"]


def test_a_note_is_deleted_after_a_question(person: Person, opened: Site) -> None:
    attempt_id = new_attempt(opened)
    note = research_notes.add_note(opened.app.store, opened.app.default_actor(), attempt_id, "Gone soon").note
    asked = person.get(f"/research/notes/{note.id}/delete")

    assert "Gone soon" in text_of(asked)
    assert bodies(opened, attempt_id) == ["Gone soon"]
    assert person.send(f"/research/notes/{note.id}/delete", fields_of(asked)).status_code == 303
    assert bodies(opened, attempt_id) == []


def test_an_attempt_shows_its_author_what_it_read_and_searched(person: Person, opened: Site) -> None:
    attempt_id = new_attempt(opened)
    store, actor = opened.app.store, opened.app.default_actor()
    note = research_notes.add_note(store, actor, attempt_id, "Read by itself").note
    research_notes.record_read(store, actor, attempt_id, note.id)
    trail = lineage.trail(store, actor, attempt_id)

    assert trail is not None
    assert "What it read and searched" in text_of(person.get(f"/attempts/{attempt_id}"))
    assert f'href="/research/notes/{note.id}">Read by itself</a> <span' in person.get(f"/attempts/{attempt_id}").text


def test_a_form_of_another_page_does_nothing(person: Person, opened: Site) -> None:
    attempt_id = new_attempt(opened)

    assert person.send(f"/attempts/{attempt_id}/notes", {"body_md": "x"}).status_code == 403
    assert bodies(opened, attempt_id) == []
