"""The order and the scores of a keyword search, and what must never move them (DESIGN 5, ``scoring.md``)."""

from __future__ import annotations

import random

import pytest
from conftest import SettableClock, new_actor
from searching import Text, bm25_scores, page, shown, titles, write

from notewell.domain.access import Actor
from notewell.domain.filters import NoteFilters
from notewell.domain.query import Phrase, parse
from notewell.services.search import Found, SearchRequest
from notewell.store import fts5
from notewell.store.database import Database
from notewell.store.sqlite import SqliteDatabase

QUERIES = (
    "rate",
    "rate cut",
    "rate OR cut",
    "rate OR cut OR absent",
    '"rate cut"',
    "降息 rate",
    "rate -fed",
    "(rate cut) OR (rate fed)",
    "(rate OR fed) cut",
    "NEAR(rate cut, 3)",
    "rate OR (cut -fed)",
    "rate rate cut",
)


def corpus(seed: int, size: int) -> list[Text]:
    """Notes of random words from a small vocabulary, each with a title of its own."""
    chance = random.Random(seed)
    vocabulary = ["rate", "cut", "fed", "降息", "预期", "bank", "retrying", *(f"w{number}" for number in range(20))]

    def some(most: int) -> str:
        return " ".join(chance.choices(vocabulary, k=chance.randint(0, most)))

    return [
        Text(
            f"n{number} {some(3)}",
            some(30),
            some(5),
            tuple(chance.sample(["fed", "rate cut", "us"], chance.randint(0, 2))),
            tuple(chance.sample(["NVDA", "CUT"], chance.randint(0, 1))),
        )
        for number in range(size)
    ]


def scores(store: Database, actor: Actor, words: str) -> dict[str, float | None]:
    """The scores of all exact matches, by title, best first."""
    found = page(store, actor, SearchRequest(words, match="all", limit=50)).found
    return dict(zip(shown(store, actor, found), [each.score for each in found], strict=True))


def whole_reply(
    store: Database, actor: Actor, request: SearchRequest
) -> tuple[tuple[Found, ...], int | None, str | None]:
    """Everything of a page that a caller sees."""
    answer = page(store, actor, request)
    return answer.found, answer.total, answer.cursor_after(len(answer.found))


@pytest.mark.parametrize("words", QUERIES)
def test_scores_are_those_of_bm25_over_the_scope(database: Database, actor: Actor, words: str) -> None:
    made = write(database, actor, corpus(seed=1, size=40))
    write(database, new_actor("ben"), corpus(seed=2, size=60))
    phrases = [leaf.terms for leaf in parse(words).exact_leaves if isinstance(leaf, Phrase)]
    expected = bm25_scores(made, phrases)

    found = scores(database, actor, words)

    assert found
    for title, score in found.items():
        assert score == pytest.approx(expected[title], abs=2e-9), title
    assert list(found.values()) == sorted(found.values(), key=lambda score: -(score or 0))


@pytest.mark.parametrize("words", QUERIES)
def test_inexact_matches_are_scored_by_bm25_as_well(database: Database, actor: Actor, words: str) -> None:
    made = write(database, actor, corpus(seed=3, size=40))
    query = parse(f"{words} missingword")
    if query.rest is None:
        return
    expected = bm25_scores(made, [leaf.terms for leaf in query.rest_leaves if isinstance(leaf, Phrase)])

    found = page(database, actor, SearchRequest(f"{words} missingword", limit=50)).found

    assert {each.part for each in found} <= {"rest"}
    for title, each in zip(shown(database, actor, found), found, strict=True):
        assert each.score == pytest.approx(expected[title], abs=2e-9), title


@pytest.mark.parametrize("words", [*QUERIES, "ra*", "ra* cut", "cut OR w1*", "etry", "rate absent", "ra* OR fe* -us"])
def test_a_memory_in_tables_of_its_own_answers_as_one_in_the_shared_tables(
    sqlite_database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    small, large = new_actor("small"), new_actor("large")
    write(sqlite_database, small, corpus(seed=4, size=45))
    monkeypatch.setattr(fts5, "LARGE_MEMORY_NOTES", 30)
    write(sqlite_database, large, corpus(seed=4, size=45))

    replies = [whole_reply(sqlite_database, actor, SearchRequest(words, limit=50)) for actor in (small, large)]

    with sqlite_database.read() as reader:
        homes = [reader.rows("space_stats", space_id=each.account_id)[0]["home"] for each in (small, large)]
    shared, own = ([(each.score, each.part, each.missing, each.partial) for each in found] for found, _, _ in replies)
    order = [shown(sqlite_database, actor, reply[0]) for actor, reply in zip((small, large), replies, strict=True)]
    assert (homes[0], homes[1] > 0) == (0, True)
    assert shared == own != []
    assert order[0] == order[1]
    assert replies[0][1] == replies[1][1]


@pytest.mark.parametrize("is_large", [False, True])
def test_what_another_account_writes_changes_nothing_of_a_reply(
    database: Database, actor: Actor, clock: SettableClock, monkeypatch: pytest.MonkeyPatch, is_large: bool
) -> None:
    requests = [
        SearchRequest(words) for words in (None, "rate cut", "ra*", "etry", "rate absent", "-fed", '"rate cut"')
    ]
    write(database, actor, corpus(seed=5, size=40))
    before = [whole_reply(database, actor, request) for request in requests]
    monkeypatch.setattr(fts5, "LARGE_MEMORY_NOTES", 500 if is_large else 2_000)
    clock.advance(1)

    write(database, new_actor("ben"), corpus(seed=6, size=1_000))

    assert repr([whole_reply(database, actor, request) for request in requests]) == repr(before)


def test_a_word_counts_most_in_the_title_and_least_in_the_body(database: Database, actor: Actor) -> None:
    filler = [Text(f"filler {number}", "nothing") for number in range(9)]
    places = [
        Text("a body", "target", "word word"),
        Text("a summary", "word", "target word"),
        Text("a tag", "word word", tags=("target",)),
        Text("a target", "word word word"),
    ]
    write(database, actor, filler + places)

    found = titles(database, actor, "target")

    assert (found[0], set(found[1:3]), found[3]) == ("a target", {"a tag", "a summary"}, "a body")


def test_equal_notes_stand_newest_first(database: Database, actor: Actor, clock: SettableClock) -> None:
    for number in range(5):
        clock.advance(number % 2)
        write(database, actor, [Text(f"n{number}", "rate")])

    for words in ("rate", "rat*", "ate", "rate absent", "body:rate"):
        assert titles(database, actor, words) == ["n4", "n3", "n2", "n1", "n0"]


def test_archived_notes_stand_after_equal_active_ones(database: Database, actor: Actor) -> None:
    write(database, actor, [Text(f"n{number}", "rate", is_archived=number % 2 == 1) for number in range(6)])

    for words in ("rate", "rat*", "ate", "rate absent"):
        assert titles(database, actor, words) == ["n4", "n2", "n0", "n5", "n3", "n1"]


def test_a_better_archived_note_stands_before_a_worse_active_one(database: Database, actor: Actor) -> None:
    write(database, actor, [Text("rate", "rate", is_archived=True), Text("other", "rate"), Text("filler", "x")])

    assert titles(database, actor, "rate") == ["rate", "other"]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [("created", ["Zoo", "ant", "Bee"]), ("updated", ["Zoo", "ant", "Bee"]), ("title", ["ant", "Bee", "Zoo"])],
)
def test_a_sorted_search_lists_exact_matches_in_that_order(
    database: Database, actor: Actor, clock: SettableClock, sort: str, expected: list[str]
) -> None:
    for title in ("Bee", "ant", "Zoo", "other"):
        clock.advance(1)
        write(database, actor, [Text(title, "nothing" if title == "other" else "rate cut")])

    for words in ("rate cut", "rat* cut", "rate -fed"):
        answer = page(database, actor, SearchRequest(words, sort=sort))  # type: ignore[arg-type]  # one of its values
        assert (shown(database, actor, answer.found), answer.total) == (expected, 3)


def test_filters_do_not_move_scores(database: Database, actor: Actor) -> None:
    made = write(database, actor, corpus(seed=7, size=40))
    tagged = {note.title for note in made if "us" in note.tags}
    plain = scores(database, actor, "rate OR cut")

    filtered = page(database, actor, SearchRequest("rate OR cut", filters=NoteFilters(tags=("us",)), limit=50)).found

    found = dict(zip(shown(database, actor, filtered), [each.score for each in filtered], strict=True))
    assert found == {title: score for title, score in plain.items() if title in tagged} != {}
