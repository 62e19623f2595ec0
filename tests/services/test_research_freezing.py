"""Frozen is frozen: a note changes only while its attempt runs, whoever comes between.

From the note-discovery spec: "a Note is still a Markdown body on an Attempt, public, editable while the Attempt runs
and frozen when it ends." The writers meet at a known moment: the second one begins inside the first one's transaction
and is seen to wait for it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import SettableClock
from research_record import People, Rival, attempt, people, person, problem, rows, write

from notewell.domain.research import Attempt, ResearchNote
from notewell.errors import Forbidden, Frozen, NotFound, VersionConflict
from notewell.services import research, research_notes
from notewell.store import notes
from notewell.store import research as research_rows
from notewell.store import research_notes as note_rows
from notewell.store.database import Database


@pytest.fixture
def who(database: Database) -> People:
    """Who looks at the record."""
    return people(database)


@pytest.fixture
def running(database: Database, who: People) -> Attempt:
    """A running attempt of the author's at the owner's public problem."""
    return attempt(database, who.author, problem(database, who.owner))


@pytest.fixture
def rival(clock: SettableClock, database: Database) -> Rival:
    """Another process on the same store."""
    return Rival(database, clock)


def end(store: Database, who: People, running: Attempt, outcome: str = "failed") -> ResearchNote:
    return research_notes.end_attempt(store, who.author, running.id, outcome, "What was found.").note


def texts(store: Database) -> list[str]:
    """The texts of all notes, in the order they were written."""
    return [row["body"] for row in rows(store, "SELECT body FROM notes ORDER BY row_no")]


# One after the other


def test_a_running_attempt_lets_its_author_add_edit_and_delete_notes(
    database: Database, who: People, running: Attempt
) -> None:
    first, second = (write(database, who.author, running, text) for text in ("first", "second"))

    research_notes.edit_note(database, who.author, first, "first, better")
    research_notes.delete_note(database, who.author, second)

    assert texts(database) == ["first, better"]


def test_an_ended_attempt_freezes_its_notes(database: Database, who: People, running: Attempt) -> None:
    note_id = write(database, who.author, running, "as it was")
    summary = end(database, who, running)
    changes: list[Callable[[], object]] = [
        lambda: write(database, who.author, running, "late"),
        lambda: research_notes.edit_note(database, who.author, note_id, "changed"),
        lambda: research_notes.edit_note(database, who.author, summary.id, "changed"),
        lambda: research_notes.delete_note(database, who.author, note_id),
        lambda: end(database, who, running, "succeeded"),
    ]

    for change in changes:
        with pytest.raises(Frozen):
            change()

    assert texts(database) == ["as it was", "What was found."]
    assert rows(database, "SELECT outcome FROM attempts")[0]["outcome"] == "failed"


@pytest.mark.parametrize("name", ["owner", "other", "admin"])
def test_nobody_writes_on_the_attempt_of_somebody_else(
    name: str, database: Database, who: People, running: Attempt
) -> None:
    note_id = write(database, who.author, running, "mine")
    stranger = getattr(who, name)

    with pytest.raises(Forbidden):
        write(database, stranger, running, "not mine")
    with pytest.raises(Forbidden):
        research_notes.edit_note(database, stranger, note_id, "not mine")
    with pytest.raises(Forbidden):
        research_notes.end_attempt(database, stranger, running.id, "failed", "not mine")

    assert texts(database) == ["mine"]


def test_a_stranger_deletes_no_note_but_an_administrator_does_even_after_the_end(
    database: Database, who: People, running: Attempt
) -> None:
    note_id = write(database, who.author, running, "spam")
    end(database, who, running)

    for stranger in (who.owner, who.other):
        with pytest.raises(Forbidden):
            research_notes.delete_note(database, stranger, note_id)
    research_notes.delete_note(database, who.admin, note_id)

    assert texts(database) == ["What was found."]
    with pytest.raises(NotFound):
        research_notes.get_note(database, who.admin, note_id)


def test_an_edit_keeps_the_earlier_text_and_refuses_a_stale_version(
    database: Database, who: People, running: Attempt
) -> None:
    note_id = write(database, who.author, running, "one")
    second = research_notes.edit_note(database, who.author, note_id, "two", if_version=1).note

    with pytest.raises(VersionConflict) as refused:
        research_notes.edit_note(database, who.author, note_id, "three", if_version=1)

    with database.read() as reader:
        assert [each.body_md for each in note_rows.history(reader, second)] == ["one"]
    assert (texts(database), refused.value.details["currentVersion"]) == (["two"], 2)


@pytest.mark.parametrize("outcome", ["succeeded", "progress", "failed", "abandoned"])
def test_ending_writes_a_summary_note_that_search_finds(
    outcome: str, database: Database, who: People, running: Attempt
) -> None:
    summary = end(database, who, running, outcome)

    view = research_notes.get_note(database, who.other, summary.id).view
    assert (view.note.note_kind, view.attempt.outcome, view.attempt.is_running) == ("summary", outcome, False)


# At the same moment


def test_a_note_added_while_another_process_ends_the_attempt_loses(
    database: Database, who: People, running: Attempt, rival: Rival
) -> None:
    rival.meet(
        database, lambda store: end(store, who, running), lambda store: write(store, who.author, running, "late")
    )

    assert isinstance(rival.error, Frozen)
    assert texts(database) == ["What was found."]


def test_an_edit_while_another_process_ends_the_attempt_loses(
    database: Database, who: People, running: Attempt, rival: Rival
) -> None:
    note_id = write(database, who.author, running, "as it was")

    rival.meet(
        database,
        lambda store: end(store, who, running),
        lambda store: research_notes.edit_note(store, who.author, note_id, "late"),
    )

    assert isinstance(rival.error, Frozen)
    assert texts(database) == ["as it was", "What was found."]
    assert rows(database, "SELECT count(*) AS kept FROM note_versions")[0]["kept"] == 0


def test_a_deletion_while_another_process_ends_the_attempt_loses(
    database: Database, who: People, running: Attempt, rival: Rival
) -> None:
    note_id = write(database, who.author, running, "as it was")

    rival.meet(
        database,
        lambda store: end(store, who, running),
        lambda store: research_notes.delete_note(store, who.author, note_id),
    )

    assert isinstance(rival.error, Frozen)
    assert texts(database) == ["as it was", "What was found."]


def test_of_two_endings_at_once_one_wins(database: Database, who: People, running: Attempt, rival: Rival) -> None:
    rival.meet(
        database,
        lambda store: end(store, who, running, "succeeded"),
        lambda store: end(store, who, running, "abandoned"),
    )

    assert isinstance(rival.error, Frozen)
    assert rows(database, "SELECT outcome FROM attempts")[0]["outcome"] == "succeeded"
    assert texts(database) == ["What was found."]


def test_an_ending_that_waits_for_a_note_freezes_it_too(
    database: Database, who: People, running: Attempt, rival: Rival
) -> None:
    made: list[str] = []
    rival.meet(
        database,
        lambda store: made.append(write(store, who.author, running, "in time")),
        lambda store: end(store, who, running),
    )

    assert rival.error is None
    assert texts(database) == ["in time", "What was found."]
    with pytest.raises(Frozen):
        research_notes.edit_note(database, who.author, made[0], "late")


def test_of_two_edits_of_one_version_at_once_one_is_told_of_the_other(
    database: Database, who: People, running: Attempt, rival: Rival
) -> None:
    note_id = write(database, who.author, running, "one")

    rival.meet(
        database,
        lambda store: research_notes.edit_note(store, who.author, note_id, "two", if_version=1),
        lambda store: research_notes.edit_note(store, who.author, note_id, "three", if_version=1),
    )

    assert isinstance(rival.error, VersionConflict)
    assert texts(database) == ["two"]


def test_two_revisions_at_once_both_count(database: Database, rival: Rival) -> None:
    olga = person(database, "olga")
    made = problem(database, olga)

    rival.meet(
        database,
        lambda store: research.revise_problem(store, olga, made.id, "Second."),
        lambda store: research.revise_problem(store, olga, made.id, "Third."),
    )

    assert rival.error is None
    found = rows(database, "SELECT number, statement_md FROM problem_revisions ORDER BY number")
    assert [(row["number"], row["statement_md"]) for row in found] == [
        (1, "Solve sat."),
        (2, "Second."),
        (3, "Third."),
    ]


# Inside the statements: what was read before no longer holds, and no service stands between


def stale_note(tx_now: int, running: Attempt, row_no: int) -> ResearchNote:
    """A note that somebody means to write on an attempt that they read while it ran."""
    return ResearchNote(
        id="nte_0000000001",
        problem_id=running.problem_id,
        attempt_id=running.id,
        row_no=row_no,
        version=1,
        note_kind="note",
        body_md="late",
        account_id=running.account_id,
        agent="",
        created_at=tx_now,
        updated_at=tx_now,
    )


def test_the_writing_statement_itself_refuses_a_note_on_an_ended_attempt(
    database: Database, who: People, running: Attempt
) -> None:
    end(database, who, running)
    before = rows(database, "SELECT * FROM note_index")

    with database.write() as tx:
        late = stale_note(tx.now, running, notes.next_row_no(tx, tx.now))
        assert not note_rows.insert(tx, late, running.revision)

    assert texts(database) == ["What was found."]
    assert rows(database, "SELECT * FROM note_index") == before


def test_the_writing_statement_itself_refuses_an_edit_on_an_ended_attempt(
    database: Database, who: People, running: Attempt
) -> None:
    note_id = write(database, who.author, running, "as it was")
    with database.read() as reader:
        old = note_rows.by_id(reader, note_id)
    assert old is not None
    end(database, who, running)

    with database.write() as tx:
        changed = stale_note(tx.now, running, old.row_no)
        assert note_rows.update(tx, old, changed, running.revision) is None

    assert texts(database) == ["as it was", "What was found."]


def test_the_ending_statement_itself_refuses_a_second_end(database: Database, who: People, running: Attempt) -> None:
    end(database, who, running)

    with database.write() as tx:
        assert not research_rows.end_attempt(tx, running, "succeeded")

    assert rows(database, "SELECT outcome FROM attempts")[0]["outcome"] == "failed"


def test_the_revising_statement_itself_refuses_a_number_that_is_taken(database: Database) -> None:
    olga = person(database, "olga")
    before = problem(database, olga)
    research.revise_problem(database, olga, before.id, "Second.")

    with database.write() as tx:
        assert research_rows.revise(tx, before, "T", "Also second.") is None

    assert [row["number"] for row in rows(database, "SELECT number FROM problem_revisions ORDER BY number")] == [1, 2]
