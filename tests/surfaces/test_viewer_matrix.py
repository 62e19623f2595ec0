"""Private is private: who sees what of the research record, each cell on MCP and REST of one real server.

The tables say what the note-discovery spec says: "Searches cover public work: published Problems in published
Campaigns, never isolated validation copies. A search filtered to one Problem the caller can see (including its owner or
a platform administrator) covers that Problem too. get_note answers only when the viewer can see the Attempt." An
attempt is seen by who sees its problem, and by its author (DESIGN 7). The server is one that is open for reading.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from clients import Json, operation_named
from research_server import SURFACES, WORD, Place, Record, filled_in, open_record

from notewell.services import accounts, research

VIEWERS = ("anonymous", "other", "owner", "admin", "author")

FOUND, EMPTY, HIDDEN = "found", "empty", "not_found"
EXPECTED: dict[str, dict[str, tuple[str, str, str, str, str]]] = {
    # By call: what anonymous, another account, the owner, an administrator and the attempt's author get.
    "published": {
        "search": (FOUND, FOUND, FOUND, FOUND, FOUND),
        "search-problem": (FOUND, FOUND, FOUND, FOUND, FOUND),
        "search-campaign": (FOUND, FOUND, FOUND, FOUND, FOUND),
        "search-attempt": (FOUND, FOUND, FOUND, FOUND, FOUND),
        "get_note": (FOUND, FOUND, FOUND, FOUND, FOUND),
        "get_problem": (FOUND, FOUND, FOUND, FOUND, FOUND),
    },
    "draft": {
        "search": (EMPTY, EMPTY, EMPTY, EMPTY, EMPTY),
        "search-problem": (HIDDEN, HIDDEN, FOUND, FOUND, HIDDEN),
        "search-campaign": (EMPTY, EMPTY, EMPTY, EMPTY, EMPTY),
        "search-attempt": (HIDDEN, HIDDEN, FOUND, FOUND, FOUND),
        "get_note": (HIDDEN, HIDDEN, FOUND, FOUND, FOUND),
        "get_problem": (HIDDEN, HIDDEN, FOUND, FOUND, HIDDEN),
    },
    "unpublished": {
        "search": (EMPTY, EMPTY, EMPTY, EMPTY, EMPTY),
        "search-problem": (HIDDEN, HIDDEN, FOUND, FOUND, HIDDEN),
        "search-campaign": (HIDDEN, HIDDEN, EMPTY, EMPTY, HIDDEN),
        "search-attempt": (HIDDEN, HIDDEN, FOUND, FOUND, FOUND),
        "get_note": (HIDDEN, HIDDEN, FOUND, FOUND, FOUND),
        "get_problem": (HIDDEN, HIDDEN, FOUND, FOUND, HIDDEN),
    },
    "validation": {
        "search": (EMPTY, EMPTY, EMPTY, EMPTY, EMPTY),
        "search-problem": (HIDDEN, HIDDEN, FOUND, FOUND, HIDDEN),
        "search-campaign": (EMPTY, EMPTY, EMPTY, EMPTY, EMPTY),
        "search-attempt": (HIDDEN, HIDDEN, FOUND, FOUND, FOUND),
        "get_note": (HIDDEN, HIDDEN, FOUND, FOUND, FOUND),
        "get_problem": (HIDDEN, HIDDEN, FOUND, FOUND, HIDDEN),
    },
}
CELLS = [
    pytest.param(state, call, (viewer, expected), id=f"{state}-{call}-{viewer}")
    for state, calls in EXPECTED.items()
    for call, row in calls.items()
    for viewer, expected in zip(VIEWERS, row, strict=True)
]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Record]:
    """The record of all states, on a server that is open for reading."""
    with open_record(tmp_path_factory.mktemp("record")) as opened:
        yield opened


def request_of(call: str, place: Place) -> tuple[str, Json]:
    """The operation of a cell and its arguments."""
    if call == "get_note":
        return "research.get", {"id": place.note_id}
    if call == "get_problem":
        return "problem.get", {"problem": place.slug}
    scope = {
        "search": {},
        "search-problem": {"problem": place.slug},
        "search-campaign": {"campaign": place.campaign},
        "search-attempt": {"attempt_id": place.attempt_id},
    }[call]
    return "research.search", {"query": WORD, "limit": 50, **scope}


def outcome_of(answer: Json, place: Place) -> str:
    """What a viewer got: the note or problem, a list without it, or nothing at all."""
    if "error" in answer:
        code: str = answer["error"]["code"]
        return code
    if "cards" not in answer:
        return FOUND if answer["id"] in (place.note_id, place.problem_id) else "something else"
    shown = [card["id"] for card in answer["cards"]]
    assert answer["total"] == len(shown)
    return FOUND if place.note_id in shown else EMPTY


@pytest.mark.parametrize(("state", "call", "cell"), CELLS)
@pytest.mark.parametrize("surface", SURFACES)
def test_each_viewer_gets_what_the_spec_says(
    surface: str, state: str, call: str, cell: tuple[str, str], record: Record
) -> None:
    viewer, expected = cell
    place = record.places[state]

    answer = record.ask(surface, viewer, *request_of(call, place))

    assert outcome_of(answer, place) == expected


# Nothing leaks: what may not be seen is as if it were not there


PRIVATE = ("draft", "unpublished", "validation")
STRANGERS = ("anonymous", "other")


def same(answer: Json, name: str) -> str:
    """An error without the name that was asked for."""
    return json.dumps(answer).replace(name, "<name>")


@pytest.mark.parametrize("call", ["search-problem", "search-campaign", "search-attempt", "get_note", "get_problem"])
@pytest.mark.parametrize("viewer", STRANGERS)
@pytest.mark.parametrize("surface", SURFACES)
def test_what_is_hidden_is_answered_as_what_is_not_there(surface: str, viewer: str, call: str, record: Record) -> None:
    absent = Place("prb_0000000000", "slug-absent", "group-absent", "att_0000000000", "nte_0000000000")
    operation, asked = request_of(call, absent)
    expected = record.ask(surface, viewer, operation, asked)
    assert expected["error"]["code"] == HIDDEN
    names = {"search-problem": "slug", "search-campaign": "campaign", "search-attempt": "attempt_id"}
    name = names.get(call, "note_id" if call == "get_note" else "slug")

    for state in ("unpublished",) if call == "search-campaign" else PRIVATE:
        place = record.places[state]
        answer = record.ask(surface, viewer, *request_of(call, place))
        assert same(answer, getattr(place, name)) == same(expected, getattr(absent, name))


def test_a_problem_that_may_not_be_seen_is_hidden_by_its_id_as_by_its_slug(record: Record) -> None:
    for state in PRIVATE:
        place = record.places[state]
        by_id = record.ask("rest", "other", "problem.get", {"problem": place.problem_id})
        by_slug = record.ask("rest", "other", "problem.get", {"problem": place.slug})

        assert same(by_id, place.problem_id) == same(by_slug, place.slug)


READS: list[tuple[str, Json]] = [
    ("problem.list", {}),
    ("problem.list", {"query": "slug"}),
    ("problem.list", {"campaign": "group-shown"}),
    ("problem.get", {"problem": "slug-published"}),
    ("campaign.list", {}),
    ("campaign.get", {"campaign": "group-shown"}),
    ("research.search", {}),
    ("research.search", {"query": WORD, "limit": 50}),
    ("research.search", {"campaign": "group-shown"}),
    ("research.search", {"problem": "slug-published", "query": "nothing"}),
    ("research.search", {"query": "word", "match": "best"}),
    ("research.search", {"query": "title:title"}),
    ("research.search", {"tags": ["tag-drift"]}),
    ("research.search", {"tags": ["tag-unpublish"], "query": WORD}),
    ("research.search", {"query": "word*"}),
    ("research.search", {"author": "ana"}),
    ("research.search", {"builds_on": "<note>"}),
    ("research.get", {"id": "<note>"}),
    ("attempt.get", {"attempt_id": "<attempt>"}),
]


@pytest.mark.parametrize(("operation", "asked"), READS)
@pytest.mark.parametrize("viewer", [*STRANGERS, "author"])
@pytest.mark.parametrize("surface", SURFACES)
def test_no_title_slug_tag_word_or_id_of_what_is_hidden_is_in_any_answer(
    surface: str, viewer: str, operation: str, asked: Json, record: Record
) -> None:
    if surface in operation_named(operation).left_out:
        return
    arguments = filled_in(asked, record.places["published"])

    answer = record.ask(surface, viewer, operation, arguments)

    assert "error" not in answer
    text = json.dumps(answer)
    hidden = ["group-closed"]
    for state in PRIVATE:
        place = record.places[state]
        hidden += [place.problem_id, place.slug, f"Title of {state}", f"tag-{state}", f"word{state}"]
        # What its author wrote, the author may see where it cites a note that is read.
        hidden += [] if viewer == "author" else [place.attempt_id, place.note_id]
    if (operation, viewer) == ("research.get", "author"):
        hidden = [each for each in hidden if not each.startswith(("Title", "slug", "prb_"))]
    assert [each for each in hidden if each in text] == []


@pytest.mark.parametrize("viewer", STRANGERS)
@pytest.mark.parametrize("surface", SURFACES)
def test_no_count_tells_of_what_is_hidden(surface: str, viewer: str, record: Record) -> None:
    place = record.places["published"]

    def ask(operation: str, **arguments: Any) -> Json:
        return record.ask(surface, viewer, operation, arguments)

    problems = ask("problem.list")
    assert (problems["total"], len(problems["problems"])) == (1, 1)
    assert ask("research.search")["total"] == 1
    assert ask("research.search", query=WORD)["total"] == 1
    assert ask("research.search", author="ana")["total"] == 1
    assert ask("research.search", builds_on=place.note_id)["total"] == 0
    assert ask("research.get", id=place.note_id)["built_on_by"] == []
    elsewhere = ask("research.search", query="worddraft", problem=place.slug)
    assert "in_public_work" not in elsewhere["help"] or elsewhere["help"]["in_public_work"] == 0


@pytest.mark.parametrize("surface", SURFACES)
def test_the_owner_sees_who_builds_on_a_note_from_what_is_not_public(surface: str, record: Record) -> None:
    place = record.places["published"]

    for viewer in ("owner", "admin"):
        citing = record.ask(surface, viewer, "research.get", {"id": place.note_id})["built_on_by"]
        assert {each["id"] for each in citing} == {record.places[state].note_id for state in PRIVATE}


def test_what_an_attempt_has_read_names_no_note_that_its_viewer_may_not_see(record: Record) -> None:
    private, public = record.places["draft"], record.places["published"]
    owner = accounts.account_actor(record.app.store, "olga")
    working = research.start_attempt(record.app.store, owner, public.slug)[0].id
    for place in (private, public):
        asked = {"id": place.note_id, "working_attempt_id": working}
        assert record.ask("rest", "owner", "research.get", asked)["read_recorded"]

    def reads(viewer: str) -> list[str]:
        found: list[str] = record.ask("rest", viewer, "attempt.get", {"attempt_id": working})["reads"]
        return found

    assert sorted(reads("owner")) == sorted([private.note_id, public.note_id])
    assert sorted(reads("author")) == sorted([private.note_id, public.note_id])
    for viewer in STRANGERS:
        assert reads(viewer) == [public.note_id]
