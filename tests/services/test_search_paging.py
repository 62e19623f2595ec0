"""Pages of one sequence: nothing twice, nothing lost, whatever is written meanwhile (DESIGN 5)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import SettableClock, new_actor
from searching import Text, page, shown, walked, write

from notewell.domain.access import Actor
from notewell.domain.filters import NoteFilters
from notewell.domain.notes import Edit
from notewell.errors import InvalidArgument
from notewell.services import memory
from notewell.services.search import SearchRequest
from notewell.store.database import Database

REQUESTS = {
    "listing": SearchRequest(),
    "listing by title": SearchRequest(sort="title"),
    "listing by creation": SearchRequest(sort="created"),
    "exclusion": SearchRequest("-absent"),
    "word": SearchRequest("rate", match="all"),
    "words": SearchRequest("rate cut", match="all"),
    "prefix": SearchRequest("ra*"),
    "prefixes": SearchRequest("ra* OR cu*"),
    "fragment": SearchRequest("nside"),
    "rest only": SearchRequest("rate cut absent"),
    "sorted words": SearchRequest("rate OR cut", sort="title"),
    "filtered": SearchRequest("rate OR cut", filters=NoteFilters(tags=("even",))),
    "archived": SearchRequest("rate", match="all", filters=NoteFilters(status="archived")),
}


def texts(count: int) -> list[Text]:
    """Notes of which many score alike."""
    return [
        Text(
            f"n{number:02} {'Rate' if number % 5 == 0 else 'note'}",
            f"rate {'cut ' * (number % 3)} insides",
            tags=("even",) if number % 2 == 0 else (),
            is_archived=number % 4 == 3,
        )
        for number in range(count)
    ]


def walked_titles(store: Database, actor: Actor, request: SearchRequest) -> list[str]:
    """The whole sequence, page by page."""
    return [title for each in walked(store, actor, request) for title in shown(store, actor, each.found)]


@pytest.mark.parametrize("name", REQUESTS)
def test_pages_of_any_size_make_the_same_sequence(database: Database, actor: Actor, name: str) -> None:
    request = REQUESTS[name]
    write(database, actor, texts(23))
    write(database, new_actor("ben"), texts(5))
    whole = shown(database, actor, page(database, actor, replace(request, limit=50)).found)

    for limit in range(1, 8):
        assert walked_titles(database, actor, replace(request, limit=limit)) == whole
    assert len(whole) == len(set(whole)) > 4


@pytest.mark.parametrize("limit", range(2, 8))
def test_the_walk_goes_from_exact_matches_into_the_rest(database: Database, actor: Actor, limit: int) -> None:
    exact = [Text("exact", "rate cut")]
    write(database, actor, [*texts(9)[::3], *exact, *[Text(f"some {number}", "cut off") for number in range(9)]])

    pages = walked(database, actor, SearchRequest("rate cut off", limit=limit))

    found = [each for answer in pages for each in answer.found]
    assert len(found) == len({each.row_no for each in found}) == 13
    assert {each.part for each in found} == {"rest"}


@pytest.mark.parametrize("limit", range(2, 8))
def test_the_rest_behind_exact_matches_is_walked_to_its_end(database: Database, actor: Actor, limit: int) -> None:
    write(database, actor, [Text("exact", "rate cut"), *[Text(f"some {number}", "rate") for number in range(9)]])

    found = [
        each for answer in walked(database, actor, SearchRequest("rate cut", limit=limit)) for each in answer.found
    ]

    assert [each.part for each in found] == ["exact", *["rest"] * 9]
    assert len({each.row_no for each in found}) == 10


@pytest.mark.parametrize("limit", range(2, 8))
def test_fragments_behind_whole_words_are_walked_to_their_end(database: Database, actor: Actor, limit: int) -> None:
    write(database, actor, [Text("whole", "side"), *[Text(f"inside {number}") for number in range(9)]])

    pages = walked(database, actor, SearchRequest("side", limit=limit))

    found = [each for answer in pages for each in answer.found]
    assert [each.part for each in found] == ["exact", *["partial"] * 9]
    assert len({each.row_no for each in found}) == 10
    assert {answer.total for answer in pages} == {10}


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("limit", [1, 5])
def test_notes_written_meanwhile_do_not_shift_pages(
    database: Database, actor: Actor, clock: SettableClock, name: str, limit: int
) -> None:
    request = replace(REQUESTS[name], limit=limit)
    write(database, actor, texts(17))
    expected = walked_titles(database, actor, request)
    first = page(database, actor, request)
    found, cursor = list(first.found), first.cursor_after(len(first.found))

    while cursor and len(found) <= 2 * len(expected):
        clock.advance(1)
        write(database, actor, [Text("Rate new", "rate cut rate insides outside", tags=("even",))])
        answer = page(database, actor, replace(request, cursor=cursor))
        found += answer.found
        cursor = answer.cursor_after(len(answer.found))

    assert shown(database, actor, found) == expected


@pytest.mark.parametrize("name", [name for name in REQUESTS if name not in ("archived", "filtered")])
def test_deleting_the_last_note_shown_does_not_end_the_walk(database: Database, actor: Actor, name: str) -> None:
    request = replace(REQUESTS[name], limit=3)
    write(database, actor, texts(17))
    expected = walked_titles(database, actor, request)
    first = page(database, actor, request)
    with database.read() as reader:
        rows = reader.rows("notes_by_row", space_id=actor.account_id, row_nos=[first.found[2].row_no])
    memory.delete(database, actor, rows[0]["id"])

    rest = walked_titles(database, actor, replace(request, cursor=first.cursor_after(3)))

    assert set(rest) == set(expected[3:])
    assert len(rest) == len(expected) - 3


def test_the_total_stays_the_same_from_page_to_page(database: Database, actor: Actor) -> None:
    write(database, actor, texts(23))

    for request in REQUESTS.values():
        totals = {answer.total for answer in walked(database, actor, replace(request, limit=4))}
        assert len(totals) == 1
        assert totals == {page(database, actor, replace(request, limit=50)).total}


def test_a_page_may_end_early_and_go_on_behind_the_last_note_that_fitted(database: Database, actor: Actor) -> None:
    write(database, actor, texts(9))
    for request in (SearchRequest("rate", match="all"), SearchRequest()):
        whole = page(database, actor, request)

        onward = page(database, actor, replace(request, cursor=whole.cursor_after(4)))

        assert onward.found == whole.found[4:]


@pytest.mark.parametrize(
    "other",
    [
        SearchRequest("rate"),
        SearchRequest("cut rate", match="all"),
        SearchRequest("rate cut", match="all", sort="created"),
        SearchRequest("rate cut", match="all", filters=NoteFilters(tags=("even",))),
        SearchRequest(),
    ],
)
def test_a_cursor_belongs_to_its_search(database: Database, actor: Actor, other: SearchRequest) -> None:
    write(database, actor, texts(9))
    cursor = page(database, actor, SearchRequest("rate cut", match="all", limit=2)).cursor_after(2)

    with pytest.raises(InvalidArgument, match="cursor"):
        page(database, actor, replace(other, cursor=cursor))


def test_a_cursor_belongs_to_its_account(database: Database, actor: Actor) -> None:
    ben = new_actor("ben")
    for who in (actor, ben):
        write(database, who, texts(9))
    cursor = page(database, actor, SearchRequest(limit=2)).cursor_after(2)

    with pytest.raises(InvalidArgument, match="cursor"):
        page(database, ben, SearchRequest(limit=2, cursor=cursor))


@pytest.mark.parametrize("key", ["text", ""])
def test_a_forged_key_in_the_cursor_of_a_ranking_is_refused(database: Database, actor: Actor, key: str) -> None:
    write(database, actor, texts(9))
    request = SearchRequest("rate", match="all", limit=2)
    first = page(database, actor, request)
    cursor = replace(first.place, part="exact", key=key, row_no=1).encode()

    with pytest.raises(InvalidArgument, match="cursor"):
        page(database, actor, replace(request, cursor=cursor))


def test_an_edited_note_stays_where_its_creation_put_it(database: Database, actor: Actor) -> None:
    made = write(database, actor, texts(9))
    request = SearchRequest(sort="created", limit=3)
    first = page(database, actor, request)
    memory.update(database, actor, made[0].id, Edit(append="more"))

    rest = walked_titles(database, actor, replace(request, cursor=first.cursor_after(3)))

    assert rest == [note.title for note in reversed(made)][3:]
