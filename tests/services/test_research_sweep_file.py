"""Deleted is gone, bytes and all: what a sweep leaves of deleted text in a store's file (DESIGN 1, promise 9)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from research_record import People, attempt, attempt_at_all, found, people, problem, rows, write

from notewell.domain.research import Attempt
from notewell.services import research, research_notes
from notewell.services.sweep import sweep
from notewell.store.database import Database
from notewell.store.sqlite import SqliteDatabase

RARE = "xylophagous"
RARER = "quixotically"


@pytest.fixture
def database(sqlite_database: SqliteDatabase) -> Database:
    """Only SQLite has a file that can be looked into."""
    return sqlite_database


@pytest.fixture
def who(database: Database) -> People:
    """Who looks at the record."""
    return people(database)


@pytest.fixture
def running(database: Database, who: People) -> Attempt:
    """A running attempt of the author's at a public problem."""
    return attempt(database, who.author, problem(database, who.owner))


def body(text: str) -> str:
    """A note with a header that has something of everything."""
    return f"---\ntitle: {text}\nkind: finding\ntags: [sat]\nbuilds_on: [nte_0h3k9x2c7m]\n---\n{text}"


def change(store: Database, sql: str) -> None:
    """Changes a table by hand."""
    with store.write() as tx:
        tx.run_sql(sql, {})


def file_holds(store_file: Path, text: str) -> bool:
    """Whether the bytes of a text stand anywhere in the files of the store."""
    return any(text.encode() in each.read_bytes() for each in store_file.parent.glob(f"{store_file.name}*"))


@pytest.fixture
def store_file(tmp_path: Path) -> Path:
    """The file of the test's store."""
    return tmp_path / "notewell.db"


def many_notes(store: Database, who: People, on: Attempt) -> None:
    """Enough of them that the index has more than one page."""
    for number in range(60):
        write(store, who.author, on, body(f"zebra {number} " + "filler words for a page or two " * 20))


def test_the_bytes_of_a_deleted_note_are_gone_after_a_sweep(
    database: Database, who: People, running: Attempt, store_file: Path
) -> None:
    many_notes(database, who, running)
    note_id = write(database, who.author, running, body(RARE))
    research_notes.edit_note(database, who.author, note_id, body(RARER))
    database.empty_log()
    assert file_holds(store_file, RARE)
    assert file_holds(store_file, RARER)

    research_notes.delete_note(database, who.author, note_id)
    assert found(database, who.other, RARE).total == 0
    report = sweep(database)

    assert report.homes_cleaned == 1
    assert not file_holds(store_file, RARE)
    assert not file_holds(store_file, RARER)


def test_words_that_an_edit_took_out_stay_in_the_history_alone(
    database: Database, who: People, running: Attempt, store_file: Path
) -> None:
    note_id = write(database, who.author, running, body(RARE))
    research_notes.edit_note(database, who.author, note_id, body("zebra"))
    sweep(database)

    assert file_holds(store_file, RARE)
    assert [row["body"] for row in rows(database, "SELECT body FROM note_versions")] == [body(RARE)]
    change(database, "DELETE FROM note_versions")
    database.empty_log()
    assert not file_holds(store_file, RARE)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_the_bytes_are_gone_even_where_the_problem_was_published_in_between(
    moment: str, database: Database, who: People, store_file: Path
) -> None:
    # Somebody else's draft stays behind in the tables that the notes move out of.
    many_notes(
        database,
        who,
        attempt_at_all(database, who.author, problem(database, who.owner, "t", publishes=False)),
    )
    made = problem(database, who.owner, publishes=False)
    on = attempt_at_all(database, who.author, made)
    note_id = write(database, who.author, on, body(RARE))
    research.publish_problem(database, who.owner, made.id, is_published=moment == "before")

    research_notes.delete_note(database, who.author, note_id)
    research.publish_problem(database, who.owner, made.id, is_published=moment == "after")
    sweep(database)

    assert not file_holds(store_file, RARE)


def test_the_bytes_of_a_note_deleted_by_an_administrator_are_gone_as_well(
    database: Database, who: People, running: Attempt, store_file: Path
) -> None:
    note_id = write(database, who.author, running, body(RARE))
    research_notes.end_attempt(database, who.author, running.id, "failed", "The end.")
    research_notes.delete_note(database, replace(who.admin), note_id)
    sweep(database)

    assert not file_holds(store_file, RARE)
