"""Search by meaning: the exact order with every filter, and what cannot be asked (DESIGN 5, 8, 11)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from conftest import SettableClock
from meaning import DIMENSION, WORDS, Meaning, brute_force, drain, fill, open_meaning, rows, save, write_record

from notewell.domain.notes import Note
from notewell.embedders.fake import FakeEmbedder
from notewell.errors import InvalidArgument, SemanticUnavailable
from notewell.services import memory_search, semantic
from notewell.services.memory_search import NoteSearch
from notewell.services.research_search import ResearchSearch
from notewell.services.search import Found
from notewell.services.semantic import SemanticSearch
from notewell.store.database import Database

TOLERANCE = 2e-6
"""Scores are rounded to six digits."""


@pytest.fixture
def meaning(database: Database) -> Meaning:
    return open_meaning(database)


def assert_exact(found: Sequence[Found], expected: dict[int, float]) -> None:
    """Every note once, with its score, best first, then newest."""
    assert len(found) == len(expected)
    assert {each.row_no for each in found} == set(expected)
    for each in found:
        assert each.score == pytest.approx(expected[each.row_no], abs=TOLERANCE)
    order = [(-float(each.score or 0), -each.row_no) for each in found]
    assert order == sorted(order)


BOTH_WAYS = (semantic.TESTED, 1)
"""Of filtering: testing the best notes, and asking for all that pass."""


MEMORY_FILTERS: dict[str, tuple[dict[str, Any], Callable[[Note], bool]]] = {
    "nothing": ({}, lambda _: True),
    "a tag": ({"tags": ("EVEN",)}, lambda note: "even" in note.tags),
    "two tags": ({"tags": ("odd", "third")}, lambda note: {"odd", "third"} <= set(note.tags)),
    "a symbol": ({"symbols": ("$nvda", "AMD")}, lambda note: "NVDA" in note.symbols),
    "a collection": ({"collection": "half"}, lambda note: note.collection_id is not None),
    "unfiled": ({"unfiled": True}, lambda note: note.collection_id is None),
    "active": ({"status": "active"}, lambda note: note.status == "active"),
    "archived": ({"status": "archived"}, lambda note: note.status == "archived"),
    "made from": ({"created_from": "2026-06-20"}, lambda note: note.created_at >= 1_781_913_600_000),
    "made to": ({"created_to": "2026-06-20"}, lambda note: note.created_at < 1_782_000_000_000),
    "changed from": ({"updated_from": "2026-06-20"}, lambda note: note.updated_at >= 1_781_913_600_000),
    "changed to": ({"updated_to": "2026-06-20"}, lambda note: note.updated_at < 1_782_000_000_000),
    "nobody's tag": ({"tags": ("absent",)}, lambda _: False),
    "all at once": (
        {
            "tags": ("even",),
            "collection": "Half",
            "status": "active",
            "created_from": "2026-06-01",
            "symbols": ("NVDA",),
        },
        lambda note: (
            {"even"} <= set(note.tags)
            and note.collection_id is not None
            and note.status == "active"
            and note.created_at >= 1_780_272_000_000
            and "NVDA" in note.symbols
        ),
    ),
}


@pytest.mark.parametrize("kind", MEMORY_FILTERS)
def test_the_order_is_that_of_all_cosines_with_every_filter(
    meaning: Meaning, clock: SettableClock, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = fill(meaning.store, meaning.actor, clock)
    save(meaning.store, meaning.ben, "rate cut")
    drain(meaning.store, FakeEmbedder(DIMENSION))
    arguments, passes = MEMORY_FILTERS[kind]
    expected = brute_force(meaning, "rate cut gold", [note.row_no for note in notes if passes(note)])
    assert len(expected) == sum(map(passes, notes))

    for tested in BOTH_WAYS:
        monkeypatch.setattr(semantic, "TESTED", tested)
        assert_exact(meaning.walk(NoteSearch(query="rate cut gold", limit=50, **arguments)), expected)


RESEARCH_FILTERS: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "1 = 1"),
    "a problem": ({"problem": "sat"}, "p.slug = 'sat'"),
    "a campaign": ({"campaign": "solvers"}, "p.slug = 'sat'"),
    "an attempt": ({"attempt_id": "attempt"}, "i.attempt_id = (SELECT min(id) FROM attempts)"),
    "a kind": ({"kind": "finding"}, "i.kind = 'finding'"),
    "summaries": ({"note_kind": "summary"}, "i.note_kind = 'summary'"),
    "a tag": ({"tags": ("T1",)}, "i.tags LIKE '%t1%'"),
    "builds on": ({"builds_on": "first"}, "i.builds_on LIKE '%nte%'"),
    "a model": ({"model": "m1"}, "i.model_key = 'm1'"),
    "an outcome": ({"outcome": "progress"}, "a.outcome = 'progress'"),
    "a revision": ({"revision": 2}, "1 = 0"),
    "since": ({"since": "2026-05-31"}, "n.created_at >= 1780185600000"),
    "until": ({"until": "2026-05-30"}, "n.created_at < 1780185600000"),
    "all at once": (
        {"problem": "sat", "kind": "finding", "tags": ("t1",), "outcome": "failed", "model": "M1"},
        "p.slug = 'sat' AND i.kind = 'finding' AND i.tags LIKE '%t1%' AND a.outcome = 'failed'",
    ),
}


@pytest.mark.parametrize("kind", RESEARCH_FILTERS)
def test_research_is_found_in_the_order_of_all_cosines_with_every_filter(
    meaning: Meaning, clock: SettableClock, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = write_record(meaning, clock)
    arguments, condition = RESEARCH_FILTERS[kind]
    named: dict[str, Any] = {
        name: ids.get(value, value) if isinstance(value, str) else value for name, value in arguments.items()
    }
    listed = rows(
        meaning.store,
        "SELECT n.row_no FROM notes AS n JOIN note_index AS i ON i.note_id = n.id"
        " JOIN problems AS p ON p.id = n.space_id JOIN attempts AS a ON a.id = i.attempt_id"
        f" WHERE p.is_public = 1 AND {condition}",
    )
    expected = brute_force(meaning, "rate cut gold", [row["row_no"] for row in listed])
    assert (kind == "a revision") == (not expected)

    for tested in BOTH_WAYS:
        monkeypatch.setattr(semantic, "TESTED", tested)
        assert_exact(meaning.walk(ResearchSearch(query="rate cut gold", limit=50, **named)), expected)


def test_the_best_chunk_of_a_note_counts_and_the_note_comes_once(meaning: Meaning) -> None:
    long = save(meaning.store, meaning.actor, "Long", "filler " * 700 + "zebra crossing")
    save(meaning.store, meaning.actor, "Short", "something else")
    drain(meaning.store, FakeEmbedder(DIMENSION))

    found = meaning.walk(NoteSearch(query="zebra crossing"))

    assert found[0].row_no == long.row_no
    assert len(found) == 2


def test_a_cosine_is_never_over_one(meaning: Meaning) -> None:
    for word in WORDS:
        save(meaning.store, meaning.actor, word, word)
    drain(meaning.store, FakeEmbedder(DIMENSION))

    scores = [meaning.walk(NoteSearch(query=word))[0].score or 0 for word in WORDS]

    assert max(scores) <= 1
    assert min(scores) > 0.999


# What cannot be asked


@pytest.mark.parametrize("query", [None, "", "  \n"])
def test_without_words_there_is_nothing_to_mean(meaning: Meaning, query: str | None) -> None:
    with pytest.raises(InvalidArgument, match="needs a query"):
        meaning.memory(NoteSearch(query=query))


@pytest.mark.parametrize("arguments", [{"sort": "updated"}, {"limit": 0}, {"limit": 51}, {"cursor": "abc"}])
def test_a_bad_argument_is_named(meaning: Meaning, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument) as error:
        meaning.memory(NoteSearch(query="rate", **arguments))
    assert error.value.details["argument"] in arguments


def test_a_cursor_belongs_to_its_way_of_searching(meaning: Meaning) -> None:
    for number in range(4):
        save(meaning.store, meaning.actor, f"rate {number}")
    drain(meaning.store, FakeEmbedder(DIMENSION))
    wanted = NoteSearch(query="rate", limit=1)
    by_words = memory_search.find(meaning.store, meaning.actor, wanted).cursor
    by_meaning = meaning.memory(wanted).cursor

    with pytest.raises(InvalidArgument, match="mode 'keyword'"):
        meaning.memory(replace(wanted, cursor=by_words))
    with pytest.raises(InvalidArgument, match="mode 'semantic'"):
        memory_search.find(meaning.store, meaning.actor, replace(wanted, cursor=by_meaning))


def test_a_model_that_is_away_is_told_with_its_reason(meaning: Meaning) -> None:
    embedder = FakeEmbedder(DIMENSION)
    embedder.fail(SemanticUnavailable("The model is away."))

    with pytest.raises(SemanticUnavailable, match="is away"):
        SemanticSearch(meaning.store, embedder).question("rate")
