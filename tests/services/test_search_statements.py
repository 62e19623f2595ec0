"""Statements that are put together for a search name the space they ask, or ask the public record alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest
from conftest import new_actor
from research_record import attempt, found, people, problem, write

from notewell.domain.notes import Draft
from notewell.services import memory, memory_search
from notewell.services.memory_search import NoteSearch
from notewell.store.database import Database, Row, Value
from notewell.store.postgres import PostgresTx
from notewell.store.sqlite import SqliteTx
from notewell.store.statements import statements

NOTE_TABLES = re.compile(r"\b(notes|note_index|note_tags|note_symbols|note_links|note_search|space_words)\b")
IN_ONE_SPACE = re.compile(r"space_id = :space_id|is_public = 1|is_public = CAST")
QUERIES = ("rate", "rate cut", "rate OR cut", "rate -cut", "ra*", "ra* cut", '"rate cut"', "NEAR(rate cut, 3)", "etry")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of all statements that were put together and asked."""
    heard: list[str] = []
    for kind in (SqliteTx, PostgresTx):
        inner = kind.rows_of

        def rows_of(
            tx: object, sql: str, values: Mapping[str, Value | Sequence[Value]], inner: object = inner
        ) -> list[Row]:
            heard.append(sql)
            return inner(tx, sql, values)  # type: ignore[operator,no-any-return]  # the method that stands behind

        monkeypatch.setattr(kind, "rows_of", rows_of)
    return heard


def test_a_search_asks_one_space_or_the_public_record(database: Database, asked: list[str]) -> None:
    ana, who = new_actor("ana"), people(database)
    memory.create(database, ana, Draft("Rate cut", "retry", tags=("a",), symbols=("NVDA",)))
    on = attempt(database, who.author, problem(database, who.owner))
    write(database, who.author, on, "---\ntitle: Rate cut\ntags: [a]\nkind: finding\n---\nretry")
    asked.clear()

    for query in (None, *QUERIES):
        memory_search.find(database, ana, NoteSearch(query, tags=("a",), symbols=("NVDA",), status="active"))
        memory_search.find(database, ana, NoteSearch(query, sort="title", unfiled=True))
        for place in ({}, {"problem": "sat"}, {"tags": ("a",), "kind": "finding"}):
            found(database, who.other, query, **place)

    named = {re.sub(r"\{.*?\}", "", sql) for sql in statements().values()}
    made = [sql for sql in asked if NOTE_TABLES.search(sql) and not any(sql.strip()[:40] in each for each in named)]
    assert len(made) > 20
    assert [sql for sql in made if not IN_ONE_SPACE.search(sql) and "_fts" not in sql and not _is_fulltext(sql)] == []


def _is_fulltext(sql: str) -> bool:
    """Whether a statement asks SQLite's full-text tables, which hold the term of a space instead of a column."""
    return re.search(r"\b(fts|words)_\d", sql) is not None
