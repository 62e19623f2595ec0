"""The numbers of the overview and of the administrators' page: whose they are, and that they add up."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import research_record as record
from conftest import SettableClock, is_postgres, new_actor

from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit
from notewell.embedders.fake import FakeEmbedder
from notewell.errors import Forbidden
from notewell.services import accounts, administration, memory
from notewell.services.embedding import step
from notewell.services.memory import Filing
from notewell.services.overview import MOST, WEEK_MILLISECONDS, WEEKS, AgentNotes, Embedded, portrait
from notewell.store.collections import Count
from notewell.store.database import Database
from notewell.store.sqlite import SqliteDatabase

PATH = Path("notewell.db")
MONDAY = datetime(2026, 5, 25, tzinfo=UTC)
"""Of the week in which every test begins."""


def save(
    store: Database, actor: Actor, title: str = "t", tags: tuple[str, ...] = (), symbols: tuple[str, ...] = ()
) -> str:
    return memory.create(store, actor, Draft(title, "body", "", tags, symbols)).view.note.id


def milliseconds(moment: datetime) -> int:
    return int(moment.timestamp()) * 1_000


def test_an_empty_memory_has_nothing_to_draw(database: Database, actor: Actor) -> None:
    found = portrait(database, actor, "fake;1")

    assert found.is_empty
    assert (found.notes, found.archived, found.size_bytes, found.first_at, found.last_at) == (0, 0, 0, None, None)
    assert [week.notes for week in found.weeks] == [0] * WEEKS
    assert (found.tags, found.symbols, found.agents, found.research) == ((), (), (), None)
    assert found.embedded == Embedded(0, 0, 0)


def test_weeks_begin_on_monday_at_midnight_and_the_present_one_is_the_last(
    database: Database, actor: Actor, clock: SettableClock
) -> None:
    for moment in (
        MONDAY - timedelta(weeks=25, milliseconds=1),  # a week too old
        MONDAY - timedelta(weeks=25),
        MONDAY - timedelta(milliseconds=1),
        MONDAY,
        MONDAY + timedelta(days=7, milliseconds=-1),
    ):
        clock.now = milliseconds(moment) + moment.microsecond // 1_000
        save(database, actor)

    weeks = portrait(database, actor).weeks

    assert [week.start_at for week in weeks] == [
        milliseconds(MONDAY) - WEEK_MILLISECONDS * ago for ago in reversed(range(WEEKS))
    ]
    assert [(week.memory, week.research) for week in weeks] == [(1, 0), *[(0, 0)] * 23, (1, 0), (2, 0)]


def test_a_memory_is_counted_by_what_it_is_made_of(database: Database, actor: Actor, clock: SettableClock) -> None:
    first_at = clock.now
    ids = [save(database, actor, tags=("macro", "rates"), symbols=("NVDA",)), save(database, actor, tags=("Macro",))]
    clock.advance(1_000)
    memory.create(database, replace(actor, agent="codex"), Draft("t", "降息"), Filing("Rates", creates=True))
    clock.advance(1_000)
    memory.update(database, replace(actor, agent=""), ids[1], Edit(status="archived"))

    found = portrait(database, actor)

    assert (found.notes, found.archived, found.size_bytes) == (3, 1, 4 + 4 + 6)
    assert (found.first_at, found.last_at) == (first_at, first_at + 2_000)
    assert found.tags == (Count("macro", 2), Count("rates", 1))
    assert found.symbols == (Count("NVDA", 1),)
    assert [(each.name, each.active, each.archived) for each in (*found.collections, found.unfiled)] == [
        ("Rates", 1, 0),
        ("", 1, 1),
    ]
    assert set(found.agents) == {
        AgentNotes("", 1, first_at + 2_000),
        AgentNotes(actor.agent, 1, first_at),
        AgentNotes("codex", 1, first_at + 1_000),
    }
    assert found.embedded is None
    assert not found.is_empty


def test_a_long_list_is_cut_and_says_how_long_it_is(database: Database, actor: Actor) -> None:
    for number in range(MOST + 3):
        save(database, replace(actor, agent=f"agent-{number}"), tags=(f"tag-{number}",), symbols=(f"SYM{number}",))

    found = portrait(database, actor)

    assert [len(each) for each in (found.tags, found.symbols, found.agents)] == [MOST] * 3
    assert (found.tag_total, found.symbol_total, found.agent_total) == (MOST + 3,) * 3


def test_nothing_of_another_account_is_counted(database: Database, actor: Actor) -> None:
    other = new_actor("ben")
    for _ in range(3):
        save(database, other, tags=("theirs",), symbols=("TSM",))
    mine = portrait(database, actor, "fake;1")

    assert mine == portrait(database, new_actor("cy"), "fake;1")
    assert (mine.is_empty, mine.agents, mine.tags, mine.symbols, mine.last_at) == (True, (), (), (), None)
    assert (mine.weeks[-1].notes, mine.unfiled.active, mine.embedded) == (0, 0, Embedded(0, 0, 0))
    assert portrait(database, other, "fake;1").embedded == Embedded(0, 3, 0)


def test_coverage_counts_notes_with_a_vector_of_the_model_in_use(database: Database, actor: Actor) -> None:
    embedder = FakeEmbedder()
    save(database, actor)
    memory.create(database, actor, Draft("long", "a long text. " * 500))
    while not step(database, embedder).is_idle:
        pass
    save(database, actor, "later")

    assert portrait(database, actor, embedder.model_id).embedded == Embedded(2, 1, 0)
    assert portrait(database, actor, "another;1").embedded == Embedded(0, 1, 0)


def test_research_is_counted_for_its_author_alone(database: Database) -> None:
    people = record.people(database)
    problems = [record.problem(database, people.owner, slug) for slug in ("sat", "tsp")]
    for each in problems:
        on = record.attempt(database, people.author, each)
        record.write(database, people.author, on, "---\nkind: finding\n---\nx")
    record.write(database, people.author, on, "no header")

    found = portrait(database, people.author).research

    assert found is not None
    assert (found.notes, found.attempts, found.problems) == (3, 2, 2)
    assert found.kinds == (Count("finding", 2), Count("", 1))
    assert [(week.memory, week.research) for week in portrait(database, people.author).weeks][-1] == (0, 3)
    assert not portrait(database, people.author).is_empty
    assert portrait(database, people.owner).research is None
    unread = replace(people.author, scopes=frozenset(("memory:read",)))
    assert portrait(database, unread).research is None


def test_a_token_without_the_scope_sees_no_overview(database: Database, actor: Actor) -> None:
    with pytest.raises(Forbidden):
        portrait(database, replace(actor, scopes=frozenset(("research:read",))))


# The administrators' page


def test_the_state_of_a_store_counts_by_account(database: Database) -> None:
    people = record.people(database)
    on = record.attempt(database, people.author, record.problem(database, people.owner))
    record.write(database, people.author, on, "x")
    note_id = save(database, people.author)
    save(database, people.author)
    memory.update(database, people.author, note_id, Edit(status="archived"))

    found = administration.state(database, people.admin, None if is_postgres(database) else PATH)

    assert [(each.handle, each.active, each.archived, each.research) for each in found.accounts] == [
        ("ana", 1, 1, 1),
        ("cy", 0, 0, 0),
        ("olga", 0, 0, 0),
        ("root", 0, 0, 0),
    ]
    assert [each.handle for each in found.accounts if each.is_admin] == ["root"]
    assert (found.memory_notes, found.research_notes, found.problems, found.campaigns) == (2, 1, 1, 0)
    assert (found.queue.waiting, found.queue.failed) == (3, 0)
    assert found.schema == found.newest_schema
    assert found.last_sweep_at is None
    assert found.engine.startswith("PostgreSQL" if is_postgres(database) else "SQLite")


def test_only_administrators_see_the_state_or_begin_a_sweep(sqlite_database: SqliteDatabase) -> None:
    local = accounts.local_actor(sqlite_database)
    for actor in (
        record.person(sqlite_database, "ana"),
        replace(local, scopes=frozenset(("memory:read",))),
        replace(local, is_admin=False),
    ):
        with pytest.raises(Forbidden):
            administration.state(sqlite_database, actor, PATH)
        with pytest.raises(Forbidden):
            administration.begin_sweep(sqlite_database, actor)


def test_a_sweep_that_begins_is_noted_down(database: Database, clock: SettableClock) -> None:
    admin = accounts.local_actor(database)

    administration.begin_sweep(database, admin)
    clock.advance(5)
    administration.begin_sweep(database, admin)

    assert administration.state(database, admin, PATH).last_sweep_at == clock.now
