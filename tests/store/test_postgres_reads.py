"""Searches may go to a standby, which may lag; everything else reads what was written last."""

from __future__ import annotations

import postgres_stores
import pytest
from conftest import SettableClock, counted_ids, new_actor

from notewell.domain.notes import Draft
from notewell.errors import Unavailable
from notewell.services import memory, memory_search
from notewell.services.memory_search import NoteSearch
from notewell.store import postgres
from notewell.store.migrate import migrate
from notewell.store.postgres import PostgresDatabase

pytestmark = pytest.mark.postgres


def test_only_searches_are_answered_at_the_read_address() -> None:
    first, second = postgres_stores.new_database(), postgres_stores.new_database()
    lagging = PostgresDatabase(second)
    migrate(lagging)
    store, direct = PostgresDatabase(first, read_url=second), PostgresDatabase(first)
    migrate(store)
    actor = new_actor("ana")

    note = memory.create(store, actor, Draft("Rates", "cuts")).view.note

    assert memory_search.find(store, actor, NoteSearch("rates")).total == 0
    assert memory.read(store, actor, [note.id])[0][0].body == "cuts"
    assert memory_search.find(direct, actor, NoteSearch("rates")).total == 1
    for each in (store, lagging, direct):
        each.close()


def test_a_search_that_takes_too_long_is_stopped_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "_SEARCH", f"{postgres._READ}; SET LOCAL statement_timeout = '20ms'")
    store = postgres_stores.open_postgres(SettableClock(), counted_ids())
    with pytest.raises(Unavailable, match="Use fewer or rarer words"), store.read(may_lag=True) as reader:
        reader.rows_of("SELECT pg_sleep(5)", {})

    with store.read() as reader:
        assert reader.rows_of("SELECT count(*) AS n FROM notes, (SELECT pg_sleep(0.1)) AS slow", {}) == [{"n": 0}]
    store.close()
