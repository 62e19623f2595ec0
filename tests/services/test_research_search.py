"""Searching the record: where, by which words, and what a card shows; the note-discovery spec, by sentence.

- Use problem, campaign or attempt_id to choose where to search; omit all three to search public work.
- Search spans all revisions; without search words This problem shows recent Notes from the displayed revision.
- Campaign and global results include public work only and name the source Problem.
- A query FTS5 cannot parse even after quoting answers invalid_query rather than failing.
- Cards, not bodies: a hit is {id, attempt_id, problem_id, problem_slug, problem_title, author_handle, …, score}.
- Searches cover public work: published Problems in published Campaigns, never isolated validation copies. A search
  filtered to one Problem the caller can see (its owner, an administrator) covers that Problem too.
- get_note answers only when the viewer can see the Attempt.
- A deployment without an embedder keeps the keyword index.

Beyond it, DESIGN 5 and 7: paging, order without words, help where nothing is found, publishing as a move.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from conftest import SettableClock
from research_record import (
    People,
    StoppingStore,
    attempt,
    attempt_at_all,
    campaign,
    found,
    ids,
    people,
    problem,
    rows,
    write,
)

from notewell.domain.filters import ResearchFilters
from notewell.domain.research import Attempt, Problem
from notewell.errors import InvalidArgument, InvalidQuery, NotFound
from notewell.services import research, research_notes, research_search
from notewell.services.research_search import ResearchSearch
from notewell.store.database import Database


@pytest.fixture
def who(database: Database) -> People:
    """Who looks at the record."""
    return people(database)


@pytest.fixture
def sat(database: Database, who: People) -> Problem:
    """A public problem."""
    return problem(database, who.owner)


@pytest.fixture
def running(database: Database, who: People, sat: Problem) -> Attempt:
    """A running attempt of the author's at it."""
    return attempt(database, who.author, sat)


# Where


def test_the_scope_is_a_problem_a_campaign_an_attempt_or_all_public_work(database: Database, who: People) -> None:
    group = campaign(database, who.owner, "solvers")
    inside = problem(database, who.owner, "sat", campaign=group.slug)
    outside = problem(database, who.owner, "knots")
    tries = [attempt(database, who.author, of) for of in (inside, inside, outside)]
    first, second, third = (write(database, who.author, on, "zebra") for on in tries)

    for query in ("zebra", None):
        assert set(ids(found(database, who.other, query))) == {first, second, third}
        assert set(ids(found(database, who.other, query, problem="sat"))) == {first, second}
        assert set(ids(found(database, who.other, query, problem=inside.id))) == {first, second}
        assert set(ids(found(database, who.other, query, campaign="solvers"))) == {first, second}
        assert set(ids(found(database, who.other, query, campaign=group.id))) == {first, second}
        assert ids(found(database, who.other, query, attempt_id=tries[1].id)) == [second]


@pytest.mark.parametrize("pair", [("problem", "campaign"), ("problem", "attempt_id"), ("campaign", "attempt_id")])
def test_two_scopes_at_once_are_refused(pair: tuple[str, str], database: Database, who: People) -> None:
    with pytest.raises(InvalidArgument, match="exclude each other"):
        found(database, who.other, "zebra", **dict.fromkeys(pair, "att_0000000000"))


def test_a_search_spans_all_revisions_while_the_stream_shows_one(
    database: Database, who: People, sat: Problem, running: Attempt
) -> None:
    old = write(database, who.author, running, "zebra")
    research.revise_problem(database, who.owner, sat.id, "Again.")
    newer = attempt(database, who.author, sat)
    new = write(database, who.author, newer, "zebra")

    assert (running.revision, newer.revision) == (1, 2)
    assert set(ids(found(database, who.other, "zebra", problem="sat"))) == {old, new}
    assert ids(found(database, who.other, "zebra", revision=1)) == [old]
    shown, total = research_search.newest(database, who.other, sat, 10, ResearchFilters(revision=2))
    assert ([card.row.note.id for card in shown], total) == ([new], 1)


# What may be seen


@pytest.mark.parametrize("query", ["zebra", None])
def test_all_public_work_is_published_problems_in_published_campaigns_and_no_validation_copies(
    query: str | None, database: Database, who: People
) -> None:
    shown, hidden = campaign(database, who.owner, "shown"), campaign(database, who.owner, "hidden", publishes=False)
    kinds: dict[str, dict[str, Any]] = {
        "public": {},
        "in-campaign": {"campaign": shown.id},
        "draft": {"publishes": False},
        "draft-in-campaign": {"publishes": False, "campaign": shown.id},
        "in-hidden": {"campaign": hidden.id},
        "copy": {"is_validation_copy": True},
        "copy-in-campaign": {"is_validation_copy": True, "campaign": shown.id},
    }
    for slug, options in kinds.items():
        made = problem(database, who.owner, slug, **options)
        write(database, who.author, attempt_at_all(database, who.author, made), f"zebra in {slug}")

    for viewer in (who.owner, who.author, who.other, who.admin):
        slugs = {card.problem.slug for card in found(database, viewer, query).cards}
        assert slugs == {"public", "in-campaign"}
        assert {card.problem.slug for card in found(database, viewer, query, campaign="shown").cards} == {"in-campaign"}
    for viewer in (who.owner, who.admin):
        assert ids(found(database, viewer, query, campaign="hidden")) == []
        for slug in kinds:
            assert found(database, viewer, query, problem=slug).total == 1


def test_publishing_moves_notes_into_the_public_record_and_back(
    database: Database, who: People, sat: Problem, running: Attempt
) -> None:
    note_id = write(database, who.author, running, "zebra")
    for _ in range(2):
        research.publish_problem(database, who.owner, sat.id, is_published=False)
        assert ids(found(database, who.other, "zebra")) == []
        assert ids(found(database, who.owner, "zebra", problem="sat")) == [note_id]
        research.publish_problem(database, who.owner, sat.id, is_published=True)
        assert ids(found(database, who.other, "zebra")) == [note_id]
        assert ids(found(database, who.other, "zebra", problem="sat")) == [note_id]


def test_publishing_a_campaign_shows_and_hides_its_published_problems(database: Database, who: People) -> None:
    group = campaign(database, who.owner, "solvers", publishes=False)
    made = problem(database, who.owner, "sat", campaign=group.id)
    problem(database, who.owner, "draft", campaign=group.id, publishes=False)
    write(database, who.author, attempt_at_all(database, who.author, made), "zebra")
    for is_published in (True, False, True):
        research.publish_campaign(database, who.owner, group.id, is_published=is_published)
        assert found(database, who.other, "zebra").total == int(is_published)
        assert found(database, who.owner, "zebra", campaign="solvers").total == int(is_published)


def test_a_campaign_that_is_unpublished_while_it_is_published_ends_hidden(database: Database, who: People) -> None:
    group = campaign(database, who.owner, "solvers", publishes=False)
    made = problem(database, who.owner, "sat", campaign=group.id)
    write(database, who.author, attempt_at_all(database, who.author, made), "zebra")
    steps = iter(range(99))

    class Meanwhile(StoppingStore):
        """Right after the first step of publishing, somebody unpublishes the campaign."""

        def write(self):  # type: ignore[no-untyped-def]  # as the inner one's
            if next(steps) == 1:
                research.publish_campaign(database, who.owner, group.id, is_published=False)
            return super().write()

    research.publish_campaign(Meanwhile(database, lambda: None), who.owner, group.id, is_published=True)

    states = rows(database, "SELECT campaigns.is_published AS campaign, is_public FROM campaigns, problems")
    assert (states[0]["campaign"], states[0]["is_public"]) == (0, 0)
    assert found(database, who.other, "zebra").total == 0


def test_the_name_of_a_campaign_that_one_may_not_see_is_not_told_of_its_problem(
    database: Database, who: People
) -> None:
    campaign(database, who.owner, "hidden", publishes=False)
    problem(database, who.admin, "guest", campaign="hidden")
    without_its_scope = replace(who.admin, is_admin=False)

    for viewer, shown in ((who.admin, "hidden"), (without_its_scope, None)):
        (listed,) = research_search.list_problems(database, viewer)
        view = research.problem(database, viewer, "guest")
        assert listed.campaign_slug == shown
        assert (view.campaign.slug if view.campaign else None) == shown


def test_get_note_answers_whoever_sees_the_attempt(database: Database, who: People, sat: Problem) -> None:
    running = attempt(database, who.author, sat)
    note_id = write(database, who.author, running, "zebra")
    research.publish_problem(database, who.owner, sat.id, is_published=False)

    for viewer in (who.owner, who.author, who.admin):
        assert research_notes.get_note(database, viewer, note_id).body_md == "zebra"
    with pytest.raises(NotFound):
        research_notes.get_note(database, who.other, note_id)


# Words


@pytest.mark.parametrize("query", ["***", "()", '"', "…", "—", "-"])
def test_words_that_hold_nothing_to_search_for_are_an_invalid_query(
    query: str, database: Database, who: People
) -> None:
    with pytest.raises(InvalidQuery):
        found(database, who.other, query)


@pytest.mark.parametrize(
    "query",
    [
        '"open quote zebra',
        "zebra AND",
        "OR zebra",
        "(zebra",
        "NEAR(zebra",
        "zebra*)",
        "body:",
        "title:zebra)(",
        "zebra -",
    ],
)
def test_what_does_not_parse_is_read_word_by_word_and_never_fails(
    query: str, database: Database, who: People, running: Attempt
) -> None:
    write(database, who.author, running, "zebra open quote and or near body title")

    assert found(database, who.other, query).total in (0, 1)


def test_words_of_every_script_are_found(database: Database, who: People, running: Attempt) -> None:
    note_id = write(database, who.author, running, "降息预期升温 NVDA, C++ and blue-node-116; Müller 🎉")

    for query in ("降息", "息", "NVDA", "C++", "blue-node-116", "muller", "🎉", '"降息预期"', "预期 NVDA"):
        assert ids(found(database, who.other, query, match="all")) == [note_id]
    for query in ("息降", "C#", "blue-node-117"):
        assert ids(found(database, who.other, query, match="all")) == []


def test_notes_that_hold_some_of_the_words_follow_and_say_what_they_miss(
    database: Database, who: People, running: Attempt
) -> None:
    some = write(database, who.author, running, "zebra alone")
    every = write(database, who.author, running, "zebra and okapi")

    cards = found(database, who.other, "zebra okapi")

    assert [(card.row.note.id, card.found.missing) for card in cards.cards] == [(every, ()), (some, ("okapi",))]
    assert cards.total == 1
    assert ids(found(database, who.other, "zebra okapi", match="all")) == [every]


def test_what_a_private_problem_holds_moves_no_public_score(database: Database, who: People, running: Attempt) -> None:
    for text in ("zebra one", "zebra two okapi", "okapi three four"):
        write(database, who.author, running, text)
    before = [(card.row.note.id, card.found.score) for card in found(database, who.other, "zebra okapi").cards]
    private = problem(database, who.owner, "private", publishes=False)
    hidden = attempt_at_all(database, who.author, private)
    for _ in range(20):
        write(database, who.author, hidden, "zebra zebra zebra and a long text besides")

    after = [(card.row.note.id, card.found.score) for card in found(database, who.other, "zebra okapi").cards]

    assert after == before


# Cards and pages


def test_a_card_shows_what_the_spec_lists_and_no_body(
    database: Database, who: People, sat: Problem, running: Attempt
) -> None:
    body = (
        "---\ntitle: Stalls\nkind: finding\ntags: [sat]\nbuilds_on: [att_1q8w4e6r9t]\nmodel: opus\n---\n"
        + "zebra " * 999
    )
    note_id = write(database, who.author, running, body)
    ended = research_notes.end_attempt(database, who.author, running.id, "progress", "Summary of it.").attempt

    (card,) = found(database, who.other, "zebra").cards
    row = card.row

    assert (row.note.id, row.note.attempt_id, card.problem) == (note_id, running.id, sat)
    assert (row.author_handle, row.note.note_kind, row.title, row.kind) == ("ana", "note", "Stalls", "finding")
    assert (row.tags, row.builds_on, row.model) == (("sat",), ("att_1q8w4e6r9t",), "opus")
    assert (row.outcome, row.ended_at, row.body_bytes) == ("progress", ended.ended_at, len(body))
    assert len(card.snippet.text) <= 240
    assert card.snippet.text[slice(*card.snippet.highlights[0])] == "zebra"
    assert (card.found.score or 0) > 0


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# First heading\n\ntext", "First heading"),
        ("First words of it\n\n## Later heading", "Later heading"),
        ("---\nkind: plan\n---\nOnly a line.", "Only a line."),
        ("", ""),
    ],
)
def test_a_note_without_a_title_shows_its_first_heading_or_words(
    body: str, title: str, database: Database, who: People, running: Attempt
) -> None:
    write(database, who.author, running, body)

    assert [card.row.title for card in found(database, who.other).cards] == [title]


def walk(store: Database, viewer: People, wanted: ResearchSearch) -> list[list[str]]:
    """All pages of a search."""
    pages = []
    while True:
        page = research_search.find(store, viewer.other, wanted)
        pages.append(ids(page))
        if page.cursor is None:
            return pages
        wanted = replace(wanted, cursor=page.cursor)
        assert len(pages) < 60


@pytest.mark.parametrize(
    "options", [{}, {"query": "zebra"}, {"query": "zebra okapi"}, {"query": "zebra", "sort": "newest"}]
)
def test_pages_make_one_sequence_that_notes_written_meanwhile_do_not_shift(
    options: dict[str, str], database: Database, who: People, running: Attempt, clock: SettableClock
) -> None:
    made = []
    for number in range(23):
        clock.advance(number % 2)
        made.append(write(database, who.author, running, "zebra " * (number % 5 + 1) + "okapi" * (number % 7 == 0)))
    whole = ids(found(database, who.other, **options))

    first = found(database, who.other, **options, limit=5)
    clock.advance(1)
    write(database, who.author, running, "zebra okapi zebra")
    rest = walk(database, who, ResearchSearch(**options, limit=5, cursor=first.cursor))  # type: ignore[arg-type]  # named as its fields

    assert ids(first) + [note_id for page in rest for note_id in page] == whole
    assert len(whole) == len(set(whole)) == 23
    if not options or "sort" in options:
        assert whole == made[::-1]


def test_a_cursor_belongs_to_its_search(database: Database, who: People, running: Attempt) -> None:
    for _ in range(3):
        write(database, who.author, running, "zebra")
    cursor = found(database, who.other, "zebra", limit=1).cursor

    others: list[dict[str, Any]] = [
        {"query": "okapi"},
        {"query": "zebra", "kind": "plan"},
        {"query": "zebra", "problem": "sat"},
        {},
    ]
    for other in others:
        with pytest.raises(InvalidArgument, match="cursor"):
            found(database, who.other, **{"limit": 1, "cursor": cursor, **other})


# Nothing found


def test_nothing_found_comes_with_near_tags_and_what_public_work_has(
    database: Database, who: People, running: Attempt
) -> None:
    write(database, who.author, running, "---\ntags: [solver]\n---\nzebra")
    problem(database, who.owner, "empty")

    tags = found(database, who.other, tags=("solvr",)).help
    elsewhere = found(database, who.other, "zebra", problem="empty").help

    assert tags is not None
    assert tags.nearest_tags == ("solver",)
    assert elsewhere is not None
    assert elsewhere.in_public_work == 1


@pytest.mark.parametrize("tag", ["!!!", "🎉", "é"])
def test_a_tag_that_no_note_can_carry_finds_nothing_rather_than_everything(
    tag: str, database: Database, who: People, running: Attempt
) -> None:
    write(database, who.author, running, "zebra")

    assert found(database, who.other, tags=(tag,)).total == 0
    assert found(database, who.other, "zebra", tags=(tag,)).total == 0
    assert found(database, who.other, kind=tag).total == 0
