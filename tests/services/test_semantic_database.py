"""Search by meaning inside PostgreSQL: the answers of SQLite's matrix, and an index where notes are many."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import postgres_stores
import pytest
from conftest import SettableClock, counted_ids, open_store
from meaning import DIMENSION, Meaning, drain, fill, open_meaning, rows, save, write_record
from test_semantic import MEMORY_FILTERS, RESEARCH_FILTERS, TOLERANCE
from vector_record import FIRST_ROW, HALF, SPACES, TWENTIETH, VectorRecord, problem, write_vectors

from notewell.domain.access import SearchScope
from notewell.domain.filters import ResearchFilters
from notewell.embedders.fake import FakeEmbedder
from notewell.services.memory_search import NoteSearch
from notewell.services.research_search import ResearchSearch
from notewell.services.search import Coverage, Found
from notewell.services.semantic import SemanticSearch
from notewell.store import pgvector, pgvector_search
from notewell.store.database import Row, Value
from notewell.store.postgres import PostgresTx

if TYPE_CHECKING:
    from notewell.services.ports import Vectors

pytestmark = pytest.mark.postgres

COUNT = 4_000
QUESTIONS = 20
EVERYTHING = ResearchFilters()
ONE_PROBLEM = SearchScope(problem(3), is_memory=False)
FILTERS = {"everything": EVERYTHING, "half": HALF, "one in twenty": TWENTIETH}
IN_ONE_SPACE = re.compile(r"space_id = :space_id|is_public = 1")
HNSW = "Index Scan using " + pgvector.INDEX_PREFIX


# The answers of SQLite


class Scattered(FakeEmbedder):
    """Gives each text a direction of its own, near no other."""

    def _sum(self, text: str) -> Vectors:
        return self._direction(text)


@pytest.fixture(params=[FakeEmbedder, Scattered])
def engines(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[Meaning]]:
    """The same notes on each engine."""
    embedder: FakeEmbedder = request.param(DIMENSION)
    opened = []
    for engine in ("sqlite", "postgres"):
        clock = SettableClock()
        store = open_store(engine, tmp_path, clock)
        meaning = replace(open_meaning(store), search=SemanticSearch(store, embedder))
        fill(meaning.store, meaning.actor, clock)
        for _ in range(3):
            save(meaning.store, meaning.actor, "Twins", "rate cut")
        drain(store, embedder)
        write_record(meaning, clock)
        opened.append(meaning)
    yield opened
    for meaning in opened:
        meaning.store.close()


def walk(meaning: Meaning, wanted: NoteSearch | ResearchSearch) -> list[Found]:
    """What all pages show, with the places of the notes in the order of creation, which every engine has."""
    places = {
        row["row_no"]: place for place, row in enumerate(rows(meaning.store, "SELECT row_no FROM notes ORDER BY 1"))
    }
    return [replace(each, row_no=places[each.row_no]) for each in meaning.walk(wanted)]


def assert_alike(engines: list[Meaning], wanted: NoteSearch | ResearchSearch) -> None:
    """The same notes with the same scores in the same order, but for notes whose scores rounding alone tells apart."""
    one, other = (walk(each, wanted) for each in engines)
    scores = {each.row_no: float(each.score or 0) for each in one}
    assert {each.row_no for each in other} == scores.keys()
    for mine, theirs in zip(one, other, strict=True):
        assert theirs.score == pytest.approx(scores[theirs.row_no], abs=TOLERANCE)
        assert mine.row_no == theirs.row_no or abs(scores[mine.row_no] - scores[theirs.row_no]) <= TOLERANCE
        assert theirs.z_score == (None if mine.z_score is None else pytest.approx(mine.z_score, abs=0.02))
    first, second = (each.page(wanted) for each in engines)
    assert (first.coverage, first.is_weak) == (second.coverage, second.is_weak)


@pytest.mark.parametrize("limit", [3, 50])
def test_both_engines_give_one_memory_in_one_order(engines: list[Meaning], limit: int) -> None:
    for arguments, _ in MEMORY_FILTERS.values():
        assert_alike(engines, NoteSearch(query="rate cut gold", limit=limit, **arguments))


@pytest.mark.parametrize("limit", [3, 50])
def test_both_engines_give_the_record_in_one_order(engines: list[Meaning], limit: int) -> None:
    for arguments, _ in RESEARCH_FILTERS.values():
        if not {"first", "attempt"} & {str(value) for value in arguments.values()}:
            assert_alike(engines, ResearchSearch(query="rate cut gold", limit=limit, **arguments))


# Many public notes


@pytest.fixture(scope="module")
def record() -> Iterator[VectorRecord]:
    """A record with an index."""
    store = postgres_stores.open_postgres(SettableClock(), counted_ids())
    made = write_vectors(store, COUNT, QUESTIONS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pgvector, "INDEX_LEAST", COUNT)
        pgvector.keep_indexes(store)
    yield made
    with store.write() as tx:
        tx.run_sql("DELETE FROM note_vectors", {})
    pgvector.keep_indexes(store)
    store.close()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Mapping[str, Value | Sequence[Value]]]]:
    """All statements that ask for vectors, with their values."""
    heard: list[tuple[str, Mapping[str, Value | Sequence[Value]]]] = []
    inner = PostgresTx.rows_of

    def rows_of(tx: PostgresTx, sql: str, values: Mapping[str, Value | Sequence[Value]]) -> list[Row]:
        if "FROM note_embeddings" in sql:
            heard.append((sql, values))
        return inner(tx, sql, values)

    monkeypatch.setattr(PostgresTx, "rows_of", rows_of)
    return heard


def plan(record: VectorRecord, sql: str, values: Mapping[str, Value | Sequence[Value]]) -> str:
    """How PostgreSQL answers a statement."""
    with record.store.read() as reader:
        return "\n".join(str(row["QUERY PLAN"]) for row in reader.rows_of(f"EXPLAIN {sql}", values))


@pytest.mark.parametrize("name", FILTERS)
def test_nearly_all_of_the_nearest_public_notes_are_found(record: VectorRecord, name: str) -> None:
    filters = FILTERS[name]
    shares = []
    for question in range(QUESTIONS):
        found = [each.row_no for each in record.page(question, filters).found]
        truth = record.true_order(question, filters)
        shares.append(len(set(found) & set(truth[:10])) / 10)
        assert found == [each for each in truth if each in set(found)], "in another order than that of the cosines"

    assert np.mean(shares) >= (1 if name == "one in twenty" else 0.95)


@pytest.mark.parametrize("name", FILTERS)
def test_the_index_finds_public_notes_unless_few_are_wanted(
    record: VectorRecord, asked: list[tuple[str, Mapping[str, Value]]], name: str
) -> None:
    record.page(0, FILTERS[name])

    plans = [plan(record, *each) for each in list(asked)]
    assert any(HNSW in each for each in plans) == (name != "one in twenty")


def test_one_problem_is_searched_exactly(record: VectorRecord, asked: list[tuple[str, Mapping[str, Value]]]) -> None:
    found = [each.row_no for each in record.page(0, EVERYTHING, limit=50, scope=ONE_PROBLEM).found]

    truth = [each for each in record.true_order(0, EVERYTHING) if (each - FIRST_ROW) % SPACES == 3]
    assert found == truth[:50]
    assert not any(HNSW in plan(record, *each) for each in list(asked))


def test_each_statement_on_vectors_names_a_space_or_the_public_record(
    record: VectorRecord, asked: list[tuple[str, Mapping[str, Value]]]
) -> None:
    for filters in FILTERS.values():
        first = record.page(1, filters)
        record.page(1, filters, cursor=first.cursor_after(10))
        record.page(1, filters, scope=ONE_PROBLEM)

    assert len(asked) > 9
    assert [sql for sql, _ in asked if not IN_ONE_SPACE.search(sql)] == []


@pytest.mark.parametrize("name", FILTERS)
def test_pages_go_on_to_the_last_note_and_show_none_twice(record: VectorRecord, name: str) -> None:
    filters = FILTERS[name]
    found: list[Found] = []
    page = record.page(2, filters, limit=50)
    is_weak = page.is_weak
    while True:
        found += page.found
        cursor = page.cursor_after(len(page.found))
        if cursor is None:
            break
        page = record.page(2, filters, limit=50, cursor=cursor)
        assert page.is_weak == is_weak

    shown = [each.row_no for each in found]
    truth = record.true_order(2, filters)
    assert len(shown) == len(set(shown))
    assert len(truth) * 0.99 <= len(shown)
    assert [(-float(each.score or 0), -each.row_no) for each in found] == sorted(
        (-float(each.score or 0), -each.row_no) for each in found
    )


def test_a_sample_says_nearly_what_all_scores_say(record: VectorRecord) -> None:
    for question in range(QUESTIONS):
        scores = record.numbers @ record.questions[question]
        best = record.page(question, EVERYTHING).found[0]
        assert best.z_score == pytest.approx((float(best.score or 0) - scores.mean()) / scores.std(), abs=0.3)


def test_what_is_embedded_is_counted_once_a_minute(record: VectorRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    search = SemanticSearch(record.store, record.search.embedder)
    fresh, clock = replace(record, search=search), SettableClock()
    monkeypatch.setattr(record.store, "_clock", clock)
    assert fresh.page(0, EVERYTHING).coverage == Coverage(COUNT, COUNT)
    with record.store.write() as tx:
        tx.run_sql("UPDATE note_embeddings SET is_public = 0 WHERE row_no % 400 = 0", {})
    try:
        assert fresh.page(0, EVERYTHING).coverage == Coverage(COUNT, COUNT)
        clock.advance(pgvector_search.RECOUNT_MILLISECONDS)
        assert fresh.page(0, EVERYTHING).coverage == Coverage(COUNT - 10, COUNT)
    finally:
        with record.store.write() as tx:
            tx.run_sql("UPDATE note_embeddings SET is_public = 1", {})
