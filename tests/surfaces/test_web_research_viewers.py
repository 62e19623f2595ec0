"""Who sees what on the research pages, who may change what, and that no text of theirs becomes part of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlencode

import pytest
from browsing import PASSWORD, Person, Site, site, text_of
from clients import with_settings
from research_record import attempt, people, problem, write
from research_server import HANDLES, STATES, WORD, Place, fill

from notewell.services import research, research_notes, sessions
from notewell.services.research import CampaignDraft, ProblemDraft

VIEWERS = ("anonymous", *HANDLES)
SEES_ALL = {"owner", "admin"}
OPEN = with_settings(host="0.0.0.0", is_public_record_open=True)


@dataclass(frozen=True)
class Shown:
    """A site whose public record is open, a record of every kind of privacy, and a browser of each viewer."""

    site: Site
    places: dict[str, Place]
    viewers: dict[str, Person]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """Everybody is signed in who can be."""
    with ExitStack() as stack:
        opened = stack.enter_context(site(tmp_path_factory.mktemp("home"), OPEN))
        places = fill(opened.app)
        viewers = {"anonymous": stack.enter_context(opened.visit())}
        for viewer, handle in HANDLES.items():
            sessions.set_password(opened.app.store, handle, PASSWORD)
            viewers[viewer] = stack.enter_context(opened.visit())
            assert viewers[viewer].sign_in(handle).status_code == 303
        yield Shown(opened, places, viewers)


def sees_problem(viewer: str, state: str) -> bool:
    """Whether a viewer may see the problem of a state."""
    return state == "published" or viewer in SEES_ALL


def sees_note(viewer: str, state: str) -> bool:
    """Whether a viewer may see the note of a state."""
    return sees_problem(viewer, state) or viewer == "author"


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_viewer_sees_the_pages_that_they_may(viewer: str, state: str, shown: Shown) -> None:
    person, place = shown.viewers[viewer], shown.places[state]
    problem_pages = [f"/problems/{name}{part}" for name in (place.slug, place.problem_id) for part in ("", "/notes")]
    problem_pages += [f"/problems/{place.slug}/attempts", f"/problems/{place.slug}/revisions/1/raw"]
    note = f"/research/notes/{place.note_id}"
    note_pages = [f"/attempts/{place.attempt_id}", note, f"{note}/raw", f"{note}/lineage"]

    assert {person.get(path).status_code for path in problem_pages} == {200 if sees_problem(viewer, state) else 404}
    assert {person.get(path).status_code for path in note_pages} == {200 if sees_note(viewer, state) else 404}


@pytest.mark.parametrize("viewer", VIEWERS)
def test_lists_and_searches_hold_what_a_viewer_may_see(viewer: str, shown: Shown) -> None:
    person = shown.viewers[viewer]
    listed = person.get("/research").text
    group = person.get("/campaigns/group-shown").text
    closed = person.get("/campaigns/group-closed")
    searched = person.get(f"/problems/slug-published/notes?query={WORD}&scope=all").text
    in_group = person.get(f"/problems/slug-published/notes?query={WORD}&scope=campaign").text

    for state in STATES:
        place = shown.places[state]
        assert (f'"/problems/{place.slug}"' in listed) == sees_problem(viewer, state)
        assert (place.note_id in searched, place.note_id in in_group) == (state == "published",) * 2
        if state != "unpublished":
            assert (f'"/problems/{place.slug}"' in group) == sees_problem(viewer, state)
    assert closed.status_code == (200 if viewer in SEES_ALL else 404)
    assert ("group-closed" in listed) == (viewer in SEES_ALL)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_lineage_and_a_note_name_only_the_notes_that_a_viewer_may_see(viewer: str, shown: Shown) -> None:
    path = f"/research/notes/{shown.places['published'].note_id}"
    for page in (path, f"{path}/lineage"):
        html = shown.viewers[viewer].get(page).text
        for state in STATES[1:]:
            seen = sees_note(viewer, state)
            assert (f"Title of {state}" in html, shown.places[state].note_id in html) == (seen, seen)


@pytest.mark.parametrize("path", ["/research/notes/{note}", "/attempts/{attempt}"])
def test_what_a_note_builds_on_is_named_by_its_title_where_it_may_be_seen(path: str, tmp_path: Path) -> None:
    with site(tmp_path, OPEN) as opened, opened.visit() as stranger:
        store = opened.app.store
        who = people(store)
        secret = problem(store, who.author, "secret", publishes=False)
        hidden = write(store, who.author, attempt(store, who.author, secret), "---\ntitle: Hidden\n---\nx\n")
        running = attempt(store, who.author, problem(store, who.owner, "open"))
        known = write(store, who.author, running, "---\ntitle: Known <b>\n---\nx\n")
        note = write(store, who.author, running, f"---\nbuilds_on: [{known}, {hidden}, nte_nowhere00000]\n---\nx\n")
        page = stranger.get(path.format(note=note, attempt=running.id))

    chips = re.findall(r'<a class="chip" href="/research/notes/\w+"><span[^>]*>[^<]*</span> ([^\n]*?)</a>', page.text)
    assert chips == ["Known &lt;b&gt;", hidden, "nte_nowhere00000"]
    assert "Hidden" not in page.text


@pytest.mark.parametrize("state", STATES[1:])
def test_an_author_sees_no_more_of_a_hidden_problem_than_its_slug(state: str, shown: Shown) -> None:
    place = shown.places[state]
    for path in (f"/attempts/{place.attempt_id}", f"/research/notes/{place.note_id}"):
        html = shown.viewers["author"].get(path).text
        assert f"Problem {place.slug}" not in html
        assert f"/problems/{place.slug}" not in html
        assert place.slug in html


@pytest.mark.parametrize("viewer", VIEWERS)
def test_what_was_read_and_searched_is_for_the_author_and_the_owner(viewer: str, shown: Shown) -> None:
    html = shown.viewers[viewer].get(f"/attempts/{shown.places['published'].attempt_id}").text

    assert ("What it read and searched" in html) == (viewer in {"author", *SEES_ALL})
    assert ("Add a note" in html) == (viewer == "author")


@pytest.mark.parametrize("viewer", VIEWERS)
def test_an_owner_is_offered_what_only_an_owner_may_do(viewer: str, shown: Shown) -> None:
    problem = shown.viewers[viewer].get("/problems/slug-published").text
    campaign = shown.viewers[viewer].get("/campaigns/group-shown").text

    assert ("/publish" in problem, "/revise" in problem, "/publish" in campaign) == (viewer in SEES_ALL,) * 3
    assert ("Start an attempt" in problem) == (viewer != "anonymous")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("viewer", ["anonymous", "other", "owner", "author"])
def test_nobody_changes_what_is_not_theirs(viewer: str, state: str, shown: Shown) -> None:
    person, place = shown.viewers[viewer], shown.places[state]
    store, root = shown.site.app.store, people(shown.site.app.store).admin
    before = (research.problem(store, root, place.slug), research_notes.get_attempt(store, root, place.attempt_id))
    note, attempt_page = f"/research/notes/{place.note_id}", f"/attempts/{place.attempt_id}"
    of_owner = [f"/problems/{place.slug}/publish", f"/problems/{place.slug}/revise"]
    of_owner.append(f"/campaigns/{place.campaign}/publish")
    of_author = [f"{note}/edit", f"{note}/delete", f"{attempt_page}/notes", f"{attempt_page}/end"]
    theirs = {"owner": of_owner, "author": of_author}.get(viewer, [])
    fields = {"body_md": "x", "version": "1", "outcome": "failed", "summary_md": "x", "title": "x", "revision": "1"}
    fields |= {"statement_md": "x", "confirmed": "1"}

    for path in [each for each in of_owner + of_author if each not in theirs]:
        response = person.post(path, fields, page="/research")
        if viewer == "anonymous":
            assert response.headers["location"].startswith("/login")
        else:
            assert response.status_code in (403, 404), path
    assert before == (
        research.problem(store, root, place.slug),
        research_notes.get_attempt(store, root, place.attempt_id),
    )


def test_who_is_not_signed_in_is_sent_to_the_login_and_back(shown: Shown) -> None:
    response = shown.viewers["anonymous"].get("/research/new/problem")

    assert (response.status_code, response.headers["location"]) == (303, "/login?next=%2Fresearch%2Fnew%2Fproblem")


def test_without_an_open_record_every_page_asks_for_a_login(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = with_settings(host="0.0.0.0")
    with site(tmp_path_factory.mktemp("closed"), settings) as opened, opened.visit() as person:
        place = fill(opened.app)["published"]
        paths = ["/research", f"/problems/{place.slug}", f"/attempts/{place.attempt_id}"]
        paths += [f"/research/notes/{place.note_id}", f"/campaigns/{place.campaign}"]
        assert {person.get(path).headers["location"].partition("?")[0] for path in paths} == {"/login"}


# Hostile texts

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    "</title></textarea></pre></svg><script>alert(1)</script>",
    '" autofocus onfocus="alert(1)" x="',
    "javascript:alert(1)",
    "[x](javascript:alert(1)) ![y](x\"onerror=alert(1)) <b onclick='alert(1)'>",
    "{{ 7 * 191 }} {% raw %}",
    "\u202egnp.exe\u202c \u200b\u2066",
)
HIDDEN = ("\u202e", "\u202c", "\u2066", "\u200b")


class _Page(HTMLParser):
    """What a browser would find on a page that could run, or leave it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._is_typed = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Looks at one element."""
        given = {name: value or "" for name, value in attrs}
        self._is_typed = tag == "textarea"
        # What a person types stays as it is: a mark in a field would be saved.
        self._look("".join(value for name, value in given.items() if name != "value"))
        if tag == "script" and not given.get("src", "").startswith("/static/"):
            self.found.append("script")
        if tag in ("iframe", "object", "embed", "base", "animate", "set", "foreignobject"):
            self.found.append(tag)
        if tag == "img" and not given.get("src", "").startswith("/static/"):
            self.found.append(f"img {given.get('src')}")
        self.found += [name for name in given if name.startswith("on") or name in ("style", "autofocus", "srcdoc")]
        for name in ("href", "action", "src", "formaction", "xlink:href"):
            if given.get(name, "/").strip().lower().startswith(("javascript:", "data:", "vbscript:")):
                self.found.append(given[name])

    def handle_endtag(self, tag: str) -> None:
        """Looks at the end of an element."""
        self._is_typed = self._is_typed and tag != "textarea"

    def handle_data(self, data: str) -> None:
        """Looks at a text."""
        if not self._is_typed:
            self._look(data)

    def _look(self, text: str) -> None:
        self.found += [f"hidden {ord(each):04X}" for each in HIDDEN if each in text]


def assert_harmless(html: str) -> None:
    """Fails where something of a text became part of the page, or cannot be seen on it."""
    assert _Page(html).found == []
    assert "1337" not in html


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Person, list[str]]]:
    """A site on which every text is hostile, and the addresses of its pages."""
    with site(tmp_path_factory.mktemp("hostile")) as opened, opened.visit() as person:
        yield person, list(_pages(opened))


def _pages(opened: Site) -> Iterator[str]:
    store, me = opened.app.store, opened.app.default_actor()
    for number, text in enumerate(HOSTILE):
        group = CampaignDraft(f"group-{number}", text, text, publishes=True)
        research.create_campaign(store, me, group)
        problem = research.create_problem(
            store, me, ProblemDraft(f"thing-{number}", text, text, f"group-{number}", publishes=True)
        )
        on = attempt(store, me, problem, text)
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        header = f'---\ntitle: "{quoted}"\nkind: "{quoted}"\ntags: ["{quoted}", t]\nmodel: "{quoted}"\n'
        first = write(
            store, me, on, f'{header}builds_on: ["{quoted}", nte_nowhere00000]\nodd: {text}\n# {text}\n---\n{text}'
        )
        note = write(store, me, on, f"---\ntitle: {text}\nkind: digest\nbuilds_on: [{first}]\n---\n{text}\n")
        research_notes.record_read(store, me, on.id, first)
        yield from ("/research", f"/campaigns/group-{number}", f"/campaigns/group-{number}/publish")
        path = f"/problems/thing-{number}"
        yield from (path, f"{path}/notes", f"{path}/attempts", f"{path}/revise", f"{path}/publish")
        yield from (f"{path}/revisions/1/raw", f"/attempts/{on.id}", f"/attempts/{on.id}/end")
        for each in (first, note):
            yield from (f"/research/notes/{each}{part}" for part in ("", "/raw", "/lineage", "/delete"))
        asked = dict.fromkeys(("query", "kind", "tags", "author", "outcome", "since", "scope", "mode", "cursor"), text)
        yield from (f"{path}/notes?{urlencode({name: text, 'x': 1})}" for name in asked)
        yield f"{path}/notes?{urlencode({'query': text, 'scope': 'all', 'mode': 'both'})}"
        yield f"/research?{urlencode({'query': text, 'page': text})}"
        fields = dict.fromkeys(("title", "slug", "statement_md", "campaign"), text)
        yield f"/research/new/problem?{urlencode(fields)}"


def test_no_text_becomes_part_of_a_page(hostile: tuple[Person, list[str]]) -> None:
    person, paths = hostile
    for path in dict.fromkeys(paths):
        response = person.get(path)
        assert response.status_code in (200, 400), path
        assert_harmless(response.text)


def test_what_was_written_can_be_read(hostile: tuple[Person, list[str]]) -> None:
    person, paths = hostile
    notes = [path for path in paths if path.startswith("/research/notes/") and path.count("/") == 3]
    for path, text in zip(notes[::2], HOSTILE, strict=True):
        shown = text_of(person.get(path)).replace(" ", "")
        if "\u202e" not in text:
            assert f"odd:{text}".replace(" ", "") in shown
        else:
            assert "odd:U+202Egnp.exeU+202C" in shown


def test_a_form_with_hostile_texts_comes_back_harmless(hostile: tuple[Person, list[str]]) -> None:
    person, _ = hostile
    for text in HOSTILE:
        fields = dict.fromkeys(("slug", "title", "statement_md", "description", "campaign"), text)
        for path in ("/research/new/problem", "/research/new/campaign"):
            response = person.post(path, fields)
            assert response.status_code == 400
            assert_harmless(response.text)
