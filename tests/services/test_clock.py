"""A clock that goes backwards, by a second or by a day: nothing is lost, mixed up or found twice."""

from __future__ import annotations

import pytest
from conftest import SettableClock

from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit
from notewell.services import accounts, memory, memory_search, research, research_notes, research_search, sessions
from notewell.services.memory_search import NoteSearch
from notewell.services.research import ProblemDraft
from notewell.services.research_search import ResearchSearch
from notewell.store.database import Database

BACK = [1, 1_000, 3_600_000, 86_400_000]


@pytest.mark.parametrize("back", BACK)
def test_notes_written_before_and_after_are_all_there_once(
    back: int, database: Database, actor: Actor, clock: SettableClock
) -> None:
    made = []
    for number in range(5):
        made.append(memory.create(database, actor, Draft(f"Note {number}", "zebra")).view.note.id)
        clock.advance(-back if number == 2 else 10)
    for note_id in made:
        memory.update(database, actor, note_id, Edit(append="okapi"))

    listed: list[str] = []
    cursor = None
    while True:
        page = memory_search.find(database, actor, NoteSearch(limit=2, cursor=cursor))
        listed += [card.note.id for card in page.cards]
        cursor = page.cursor
        if cursor is None:
            break

    assert sorted(listed) == sorted(made)
    for word in ("zebra", "okapi"):
        assert sorted(card.note.id for card in memory_search.find(database, actor, NoteSearch(word)).cards) == sorted(
            made
        )
    found, _ = memory.read(database, actor, made)
    assert [each.view.note.version for each in found] == [2] * len(made)
    assert all(each.view.note.updated_at >= each.view.note.created_at for each in found)


@pytest.mark.parametrize("back", BACK)
def test_attempts_and_their_notes_survive_it(back: int, database: Database, clock: SettableClock) -> None:
    owner = accounts.local_actor(database)
    problem = research.create_problem(database, owner, ProblemDraft("sat", "SAT", "Solve.", publishes=True))
    attempt, _ = research.start_attempt(database, owner, problem.id, "m")
    first = research_notes.add_note(database, owner, attempt.id, "zebra one").note.id
    clock.advance(-back)
    second = research_notes.add_note(database, owner, attempt.id, "zebra two").note.id
    ended = research_notes.end_attempt(database, owner, attempt.id, "progress", "zebra, in short").note.id

    search = ResearchSearch("zebra", problem="sat")
    assert {card.row.note.id for card in research_search.find(database, owner, search).cards} == {first, second, ended}


@pytest.mark.parametrize("back", BACK)
def test_tokens_and_sessions_stay_good(back: int, database: Database, clock: SettableClock) -> None:
    accounts.create_account(database, "ana")
    _, secret = accounts.create_token(database, "ana", "program")
    sessions.set_password(database, "ana", "correct horse battery")
    _, cookie = sessions.sign_in(database, "ana", "correct horse battery")
    clock.advance(-back)

    assert accounts.token_actor(database, secret).handle == "ana"
    signed_in = sessions.session_actor(database, cookie)
    assert signed_in is not None
    assert signed_in[0].handle == "ana"
