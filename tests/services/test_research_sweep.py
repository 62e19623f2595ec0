"""The sweep's index half: what predates the index, what is stale, what is out of step, what is to be gone.

From the note-discovery spec: "The hourly sweep parses rows the migration backfilled or an edit left stale, indexes
Notes that predate the index". DESIGN 1, promise 9: the bytes of deleted text leave the file with the next sweep.
"""

from __future__ import annotations

import pytest
from conftest import is_postgres
from derived_rows import DerivedRows, derived_rows
from research_record import People, attempt, attempt_at_all, campaign, found, ids, people, problem, rows, write

from notewell.domain.notes import Draft
from notewell.domain.research import Attempt, Problem
from notewell.services import memory, research_notes
from notewell.services.sweep import SweepReport, sweep
from notewell.store.database import Database

DERIVED = ("note_index", "note_tags", "note_links", "note_symbols", "space_words")


@pytest.fixture
def who(database: Database) -> People:
    """Who looks at the record."""
    return people(database)


@pytest.fixture
def sat(database: Database, who: People) -> Problem:
    """A public problem."""
    return problem(database, who.owner)


@pytest.fixture
def running(database: Database, who: People, sat: Problem) -> Attempt:
    """A running attempt of the author's at it."""
    return attempt(database, who.author, sat)


def body(text: str) -> str:
    """A note with a header that has something of everything."""
    return f"---\ntitle: {text}\nkind: finding\ntags: [sat]\nbuilds_on: [nte_0h3k9x2c7m]\n---\n{text}"


def derived(store: Database) -> DerivedRows:
    """The derived rows as they stand."""
    with store.write() as tx:
        return derived_rows(tx)


def change(store: Database, *statements: str) -> None:
    """Changes tables by hand."""
    with store.write() as tx:
        for sql in statements:
            tx.run_sql(sql, {})


def forget_index(store: Database, home: int) -> None:
    """Takes everything away that is derived of the notes of a home, as if the index had not been there."""
    fulltext = [f"INSERT INTO {table}_{home} ({table}_{home}) VALUES ('delete-all')" for table in ("fts", "words")]
    change(
        store,
        *(f"DELETE FROM {table}" for table in DERIVED),
        *(["DELETE FROM note_search"] if is_postgres(store) else fulltext),
        "UPDATE space_stats SET notes = 0, tokens = 0",
    )


def did_nothing(report: SweepReport) -> bool:
    """Whether a sweep found nothing to do in the index."""
    return not (report.spaces_reindexed or report.notes_reindexed or report.problems_put_in_step)


def test_a_sweep_of_what_is_in_order_changes_nothing(database: Database, who: People, running: Attempt) -> None:
    write(database, who.author, running, body("zebra"))
    before = derived(database)

    assert did_nothing(sweep(database))
    assert derived(database) == before


# Before the index


@pytest.mark.parametrize("is_public", [True, False])
def test_notes_that_predate_the_index_are_indexed(is_public: bool, database: Database, who: People) -> None:
    made = problem(database, who.owner, publishes=is_public)
    on = attempt_at_all(database, who.author, made)
    for number in range(3):
        write(database, who.author, on, body(f"zebra {number}"))
    research_notes.end_attempt(database, who.author, on.id, "failed", body("the end"))
    before = derived(database)

    forget_index(database, int(is_public))
    assert found(database, who.owner, "zebra", problem="sat").total == 0
    report = sweep(database)

    assert (report.spaces_reindexed, report.notes_reindexed) == (1, 4)
    assert derived(database) == before
    assert found(database, who.owner, "zebra", problem="sat", tags=("sat",)).total == 3
    assert found(database, who.other, "zebra").total == 3 * is_public
    assert did_nothing(sweep(database))


def test_one_note_that_predates_the_index_is_enough(database: Database, who: People, running: Attempt) -> None:
    first, second = (write(database, who.author, running, body(text)) for text in ("zebra", "okapi"))
    before = derived(database)
    (row,) = rows(database, "SELECT row_no, tokens FROM note_index WHERE note_id = :id", id=first)
    fulltext = [("note_search", "row_no")] if is_postgres(database) else [("fts_1", "rowid"), ("words_1", "rowid")]

    change(
        database,
        f"DELETE FROM note_index WHERE note_id = '{first}'",
        *(f"DELETE FROM {table} WHERE row_no = {row['row_no']}" for table in ("note_tags", "note_links")),
        *(f"DELETE FROM {table} WHERE {name} = {row['row_no']}" for table, name in fulltext),
        f"UPDATE space_stats SET notes = notes - 1, tokens = tokens - {row['tokens']}",
    )
    assert ids(found(database, who.other)) == [second]
    sweep(database)

    assert derived(database) == before
    assert set(ids(found(database, who.other))) == {first, second}


@pytest.mark.parametrize("deed", ["edit", "delete"])
def test_a_note_that_predates_the_index_may_be_changed_before_the_sweep_comes(
    deed: str, database: Database, who: People, running: Attempt
) -> None:
    note_id = write(database, who.author, running, body("zebra"))
    forget_index(database, 1)

    if deed == "edit":
        research_notes.edit_note(database, who.author, note_id, body("okapi"))
    else:
        research_notes.delete_note(database, who.author, note_id)
    sweep(database)
    after = derived(database)
    forget_index(database, 1)
    sweep(database)

    assert after == derived(database)
    assert found(database, who.other, "okapi").total == int(deed == "edit")


# Stale


@pytest.mark.parametrize("column", ["analyzer_version", "header_version"])
def test_rows_of_an_older_version_are_made_again(
    column: str, database: Database, who: People, running: Attempt
) -> None:
    stale, fresh = (write(database, who.author, running, body(text)) for text in ("zebra", "okapi"))
    other = problem(database, who.owner, "other")
    write(database, who.author, attempt(database, who.author, other), body("quagga"))
    before = derived(database)

    change(database, f"UPDATE note_index SET {column} = 0, title = 'old', kind = NULL WHERE note_id = '{stale}'")
    report = sweep(database)

    assert (report.spaces_reindexed, report.notes_reindexed) == (1, 2)
    assert derived(database) == before
    assert set(ids(found(database, who.other, kind="finding", problem="sat"))) == {stale, fresh}


@pytest.mark.parametrize("deed", ["edit", "delete"])
def test_a_stale_note_may_be_changed_before_the_sweep_comes(
    deed: str, database: Database, who: People, running: Attempt
) -> None:
    note_id = write(database, who.author, running, body("zebra"))
    # An older analyzer counted other terms than today's.
    change(
        database,
        "UPDATE note_index SET analyzer_version = 0, tokens = tokens + 7",
        "UPDATE space_stats SET tokens = tokens + 7 WHERE notes > 0",
    )

    if deed == "edit":
        research_notes.edit_note(database, who.author, note_id, body("okapi"))
    else:
        research_notes.delete_note(database, who.author, note_id)
    sweep(database)
    after = derived(database)
    forget_index(database, 1)
    sweep(database)

    assert after == derived(database)


def test_a_stale_memory_is_made_again_too(database: Database, who: People) -> None:
    memory.create(database, who.author, Draft("Zebra", "okapi", tags=("a",), symbols=("NVDA",)))
    before = derived(database)

    change(database, "UPDATE note_index SET analyzer_version = 0", "DELETE FROM space_words")
    report = sweep(database)

    assert report.notes_reindexed == 1
    assert derived(database) == before


# Out of step


@pytest.mark.parametrize("is_published", [True, False])
def test_a_change_of_a_campaign_that_stopped_half_way_is_done(
    is_published: bool, database: Database, who: People
) -> None:
    group = campaign(database, who.owner, "solvers", publishes=not is_published)
    slugs = ("sat", "smt", "draft", "copy")
    for slug in slugs:
        options = {"publishes": slug != "draft", "is_validation_copy": slug == "copy"}
        made = problem(database, who.owner, slug, campaign=group.id, **options)
        write(database, who.author, attempt_at_all(database, who.author, made), body(f"zebra {slug}"))
    change(database, f"UPDATE campaigns SET is_published = {int(is_published)}")

    report = sweep(database)

    assert report.problems_put_in_step == 2
    assert {card.problem.slug for card in found(database, who.other, "zebra").cards} == (
        {"sat", "smt"} if is_published else set()
    )
    for slug in slugs:
        assert found(database, who.owner, "zebra", problem=slug).total == 1
    assert did_nothing(sweep(database))
