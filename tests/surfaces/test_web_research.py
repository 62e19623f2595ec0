"""The research pages as somebody reads them: lists, problems, the Notes tab, attempts, notes and their lineage."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import pytest
from browsing import Person, Site, site, text_of
from research_record import attempt, campaign, people, problem, write

from notewell.embedders.fake import FakeEmbedder
from notewell.services import research, research_notes
from notewell.surfaces.web import research as research_page
from notewell.surfaces.web import research_attempt, research_problem, research_search_page


@dataclass(frozen=True)
class Shown:
    """A site with a problem of two revisions in a campaign, and another problem elsewhere."""

    site: Site
    person: Person
    first: str
    """An ended attempt on revision 1, with a finding and a summary."""
    second: str
    """A running one on revision 2, with a digest and a note that cites the digest, itself and nothing."""
    finding: str
    digest: str
    late: str
    elsewhere: str


def _fill(opened: Site) -> tuple[str, ...]:
    store = opened.app.store
    who = people(store)
    group = campaign(store, who.owner, "solvers")
    of = problem(store, who.owner, "sat", campaign=group.id)
    first = attempt(store, who.author, of, "model-one")
    finding = write(
        store,
        who.author,
        first,
        "---\ntitle: Restarts matter\nkind: finding\ntags: [sat, luby]\nmodel: model-one\nbudget: 3 h # of CPU\n---\n"
        "# Heading\n\nLuby **restarts** halve it.\n",
    )
    research_notes.end_attempt(store, who.author, first.id, "progress", "The summary says quagga.\n")
    research.revise_problem(store, who.owner, of.id, "Solve it *twice*.\n")
    second = attempt(store, who.other, of)
    digest = write(store, who.other, second, f"---\nkind: digest\nbuilds_on: [{finding}]\n---\nAll of restarts.\n")
    late = write(
        store, who.other, second, f"---\ntitle: Late\nbuilds_on: [{digest}, nte_nowhere00000, {of.id}]\n---\nVivid.\n"
    )
    other = problem(store, who.other, "rates")
    elsewhere = write(store, who.other, attempt(store, who.other, other), "Restarts elsewhere.\n")
    return first.id, second.id, finding, digest, late, elsewhere


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """The site, visited by the owner of the machine."""
    with site(tmp_path_factory.mktemp("home")) as opened, opened.visit() as person:
        yield Shown(opened, person, *_fill(opened))


def hits(html: str) -> list[str]:
    """The ids of the notes that the cards of a page lead to."""
    return re.findall(r'<h4 dir="auto"><a href="/attempts/att_\w+#(nte_\w+)"', html)


PAGES = (
    "/research",
    "/research?query=sat",
    "/research/new/problem",
    "/research/new/campaign",
    "/campaigns/solvers",
    "/problems/sat",
    "/problems/sat?revision=1",
    "/problems/sat/revisions/1/raw",
    "/problems/sat/notes",
    "/problems/sat/notes?query=restarts&scope=campaign&mode=both",
    "/problems/sat/notes?scope=all",
    "/problems/sat/attempts",
    "/attempts/{first}",
    "/attempts/{second}",
    "/research/notes/{finding}",
    "/research/notes/{finding}/raw",
    "/research/notes/{late}/lineage",
)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_whole_in_both_languages(path: str, language: str, shown: Shown) -> None:
    path = path.format(first=shown.first, second=shown.second, finding=shown.finding, late=shown.late)
    response = shown.person.client.get(path, headers={"accept-language": language})

    assert response.status_code == 200
    assert f'<html lang="{"zh-Hans" if language == "zh" else "en"}">' in response.text
    assert response.text.count("<h1") == 1
    levels = [int(each) for each in re.findall(r"<h([1-6])", response.text)]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), levels
    ids = re.findall(r'\sid="([^"]+)"', response.text)
    assert len(ids) == len(set(ids))
    assert re.search(r"<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=", response.text) is None
    assert ("研究" in text_of(response)) == (language == "zh")


def test_the_list_finds_problems_by_words_and_pages_them(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(research_page, "PROBLEMS_SHOWN", 1)

    first = shown.person.get("/research").text
    second = shown.person.get("/research?page=2").text
    searched = shown.person.get("/research?query=SAT").text

    assert ("/problems/rates" in first, "/problems/sat" in first, "page=2" in first) == (True, False, True)
    assert ("/problems/rates" in second, "/problems/sat" in second, "page=3" in second) == (False, True, False)
    assert ("/problems/rates" in searched, "/problems/sat" in searched) == (False, True)
    assert "No problem has these words" in shown.person.get("/research?query=zebra").text
    assert "/campaigns/solvers" in first
    assert [shown.person.get(f"/research?page={page}").status_code for page in ("0", "-1", "x", "99999999999")] == [
        200
    ] * 4


def test_a_problem_shows_the_current_statement_or_the_revision_asked_for(shown: Shown) -> None:
    current = shown.person.get("/problems/sat").text
    older = shown.person.get("/problems/sat?revision=1")

    assert "<em>twice</em>" in current
    assert "You see revision" not in current
    assert "Solve sat." in older.text
    assert "You see revision 1; the current one is 2." in text_of(older)
    assert 'href="/problems/sat/notes?revision=1"' in older.text
    assert shown.person.get("/problems/sat?revision=3").status_code == 404


def test_an_id_names_a_problem_and_a_campaign_too(shown: Shown) -> None:
    links = shown.person.get(f"/research/notes/{shown.late}").text
    (problem_id,) = set(re.findall(r"/problems/(prb_\w+)", links))

    assert shown.person.get(f"/problems/{problem_id}").status_code == 200
    assert shown.person.get("/problems/nothing").status_code == 404
    assert shown.person.get("/campaigns/nothing").status_code == 404


def test_the_attempts_of_a_problem_have_their_outcomes(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(shown.person.get("/problems/sat/attempts"))
    monkeypatch.setattr(research_problem, "ATTEMPTS_SHOWN", 1)
    page = shown.person.get("/problems/sat/attempts").text

    assert "progress ana agent-of-ana model-one 1" in text
    assert "running cy agent-of-cy 2" in text
    assert (shown.second in page, shown.first in page) == (True, False)
    assert shown.first in shown.person.get("/problems/sat/attempts?page=2").text


# The Notes tab


def test_without_words_digests_come_first_and_then_recent_notes_of_the_revision(shown: Shown) -> None:
    current = shown.person.get("/problems/sat/notes").text
    older = shown.person.get("/problems/sat/notes?revision=1").text

    assert hits(current) == [shown.digest, shown.late]
    assert current.index('id="digests-head"') < current.index('id="recent-head"')
    assert hits(older)[0] == shown.digest
    assert set(hits(older)) > {shown.digest, shown.finding}
    assert shown.late not in hits(older)


def test_the_count_of_recent_notes_is_that_of_their_list(shown: Shown) -> None:
    def count(query: str) -> int:
        html = shown.person.get(f"/problems/sat/notes?{query}").text
        found = re.search(r'id="recent-head">[^<]*<span[^>]*>(\d+)<', html)
        assert found is not None
        assert len(hits(html[html.index('id="recent-head"') :])) == int(found[1])
        return int(found[1])

    # On revision 1 the digest that is listed above belongs to another revision, and with a filter nothing is above.
    assert [count(query) for query in ("", "revision=1", "kind=digest")] == [1, 2, 1]


def test_a_search_spans_all_revisions_whichever_is_shown(shown: Shown) -> None:
    for revision in ("", "&revision=1", "&revision=2"):
        html = shown.person.get(f"/problems/sat/notes?query=restarts{revision}").text
        assert set(hits(html)) == {shown.finding, shown.digest}
        assert "<mark>restarts</mark>" in html


def test_this_problem_is_the_place_unless_another_is_chosen(shown: Shown) -> None:
    html = {scope: shown.person.get(f"/problems/sat/notes?query=restarts&scope={scope}").text for scope in ("", "all")}

    assert 'value="problem" checked' in html[""]
    assert shown.elsewhere not in html[""]
    assert 'value="all" checked' in html["all"]
    assert set(hits(html["all"])) == {shown.finding, shown.digest, shown.elsewhere}


@pytest.mark.parametrize("scope", ["campaign", "all"])
def test_a_wider_search_names_the_problem_and_leads_to_the_exact_note(scope: str, shown: Shown) -> None:
    html = shown.person.get(f"/problems/sat/notes?query=Luby&scope={scope}").text

    assert hits(html) == [shown.finding]
    assert 'Problem: <a href="/problems/sat">Problem sat</a>' in html
    anchor = shown.person.get(f"/attempts/{shown.first}").text
    assert f'id="{shown.finding}"' in anchor


@pytest.mark.parametrize("scope", ["campaign", "all"])
def test_a_wider_scope_asks_for_a_query(scope: str, shown: Shown) -> None:
    response = shown.person.get(f"/problems/sat/notes?scope={scope}&query=+")

    assert "Enter search words" in text_of(response)
    assert hits(response.text) == []


def test_the_campaign_is_offered_only_where_there_is_one(shown: Shown) -> None:
    assert 'value="campaign"' in shown.person.get("/problems/sat/notes").text
    assert 'value="campaign"' not in shown.person.get("/problems/rates/notes").text
    assert shown.person.get("/problems/rates/notes?scope=campaign&query=x").status_code == 400


def test_both_modes_are_two_labelled_lists_and_say_why_one_is_missing(shown: Shown) -> None:
    both = shown.person.get("/problems/sat/notes?query=restarts&mode=both")
    alone = shown.person.get("/problems/sat/notes?query=restarts&mode=semantic")

    assert both.text.index('id="keyword-head"') < both.text.index('id="semantic-head"')
    assert (both.status_code, alone.status_code) == (200, 503)
    assert "NOTEWELL_EMBEDDER" in text_of(both)
    assert re.search(r"score \d+\.\d\d", text_of(both))
    assert "NOTEWELL_EMBEDDER" in text_of(alone)
    assert hits(alone.text) == []


def test_with_a_model_both_lists_are_shown_apart(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notewell.app._embedder", lambda _config: FakeEmbedder(64, synonyms={"feline": "cat"}))
    monkeypatch.setattr(research_search_page, "CARDS_SHOWN", 1)
    with site(tmp_path_factory.mktemp("home")) as opened, opened.visit() as person:
        store, me = opened.app.store, opened.app.default_actor()
        on = attempt(store, me, problem(store, me, "sat"))
        by_word, by_meaning = write(store, me, on, "A feline.\n"), write(store, me, on, "A cat.\n")
        while opened.app.embed_step():
            pass
        html = person.get("/problems/sat/notes?query=feline&mode=both").text
        keyword, semantic = html.split('id="semantic-head"')
        more = re.findall(r'href="([^"]+)" rel="next"', semantic)[0].replace("&amp;", "&")

        assert hits(keyword) == [by_word]
        assert {*hits(semantic), *hits(person.get(more).text)} == {by_word, by_meaning}
        assert "mode=semantic" in more


def test_the_state_of_a_search_is_in_the_address_and_in_the_form(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(research_search_page, "CARDS_SHOWN", 1)
    path = "/problems/sat/notes?query=restarts&scope=all&mode=keyword&author=cy&revision=1"
    html = shown.person.get(path).text
    (more,) = re.findall(r'href="([^"]+)" rel="next"', html)
    asked = parse_qs(urlsplit(more.replace("&amp;", "&")).query)

    assert 'name="query" type="search" value="restarts"' in html
    assert 'name="author" type="text" value="cy"' in html
    assert '<input type="hidden" name="revision" value="1">' in html
    assert {name: asked[name] for name in ("query", "scope", "author", "revision")} == {
        "query": ["restarts"],
        "scope": ["all"],
        "author": ["cy"],
        "revision": ["1"],
    }
    next_page = shown.person.get(more.replace("&amp;", "&")).text
    assert len({*hits(html), *hits(next_page)}) == 2


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("kind=finding&query=restarts", ["finding"]),
        ("tags=luby,+sat&query=restarts", ["finding"]),
        ("tags=luby,+nope&query=restarts", []),
        ("outcome=progress&query=restarts", ["finding"]),
        ("author=cy&query=restarts", ["digest"]),
        ("since=2999-01-01&query=restarts", []),
        ("until=2000-01-01&query=restarts", []),
        ("kind=digest", ["digest"]),
    ],
)
def test_filters_narrow_a_search(query: str, found: list[str], shown: Shown) -> None:
    html = shown.person.get(f"/problems/sat/notes?{query}").text

    assert hits(html) == [getattr(shown, name) for name in found]
    assert '<details class="disclosure" open>' in html


@pytest.mark.parametrize(
    "query", ["since=soon", "outcome=great", "mode=magic&query=x", "scope=moon", "query=x&cursor=y", "query=%00"]
)
def test_what_cannot_be_searched_is_said_and_kept(query: str, shown: Shown) -> None:
    response = shown.person.get(f"/problems/sat/notes?{query}")

    assert response.status_code in (200, 400)
    assert 'role="search"' in response.text
    if response.status_code == 400:
        assert 'role="alert"' in response.text
    if query.startswith("since"):
        assert 'value="soon"' in response.text


def test_nothing_found_offers_what_is_elsewhere(shown: Shown) -> None:
    html = shown.person.get("/problems/rates/notes?query=quagga").text

    assert "All public work has a note with these words" in html
    assert "scope=all" in html


# Attempts and notes


def test_an_attempt_shows_its_notes_with_an_anchor_each_and_the_summary_first(shown: Shown) -> None:
    html = shown.person.get(f"/attempts/{shown.first}").text
    anchors = re.findall(r'<article class="research-note( is-summary)?" id="(nte_\w+)"', html)

    assert [bool(each) for each, _ in anchors] == [True, False]
    assert anchors[1][1] == shown.finding
    assert "notes are frozen" in html
    assert 'class="chip chip-finding"' in html
    assert "budget: 3 h # of CPU" in html
    assert "<strong>restarts</strong>" in html
    assert "this attempt is running" in shown.person.get(f"/attempts/{shown.second}").text.lower()


def test_an_attempt_of_very_much_text_still_has_every_anchor(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(research_attempt, "MAX_TEXT_CHARS", 5)
    html = shown.person.get(f"/attempts/{shown.first}").text

    assert f'id="{shown.finding}"' in html
    assert "<strong>restarts</strong>" not in html
    assert f'<a href="/research/notes/{shown.finding}">Read this note on its own page</a>' in html


def test_a_note_shows_its_header_its_text_and_who_builds_on_it(shown: Shown) -> None:
    response = shown.person.get(f"/research/notes/{shown.finding}")
    text = text_of(response)

    for part in ("Restarts matter", "Kind finding", "tag luby", "Model model-one", "budget: 3 h # of CPU"):
        assert part in text
    assert "by ana through agent-of-ana" in text
    assert "frozen" in text
    assert "tags: [" not in text
    assert "<h2" in response.text
    assert f"#{shown.digest}" in response.text
    assert f'href="/research/notes/{shown.finding}"' in shown.person.get(f"/research/notes/{shown.digest}").text
    raw = shown.person.get(f"/research/notes/{shown.finding}/raw")
    assert "tags: [sat, luby]" in raw.text


@pytest.mark.parametrize(
    "path", ["/research/notes/x", "/research/notes/nte_nowhere00000", "/attempts/x", "/research/notes/x/lineage"]
)
def test_what_is_not_there_is_not_found(path: str, shown: Shown) -> None:
    assert shown.person.get(path).status_code == 404


def test_a_lineage_is_a_picture_of_links_and_a_list(shown: Shown) -> None:
    html = shown.person.get(f"/research/notes/{shown.late}/lineage").text
    svg = html[html.index("<svg") : html.index("</svg>")]
    points = re.findall(r"<(a|g) class=\"lineage-point[^>]*>\s*<title>([^<]+)</title>", svg)

    assert ("a", "Restarts matter (finding · ana · sat)") in points
    assert ("g", "not visible (nte_nowhere00000)") in points
    assert sum("Problem (prb_" in title for _, title in points) == 1
    assert len(points) == 5
    assert svg.count('<path class="lineage-line') == 4
    rest = html[html.index("</svg>") :]
    assert rest.index("All of restarts.") < rest.index("Restarts matter")
    assert "nte_nowhere00000" in rest
