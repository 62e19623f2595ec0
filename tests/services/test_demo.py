"""The demonstration fills a store once, with everything that pages show."""

from __future__ import annotations

from notewell.services import accounts, demo, memory_search, research, research_search
from notewell.services.memory_search import NoteSearch
from notewell.services.research_search import ResearchSearch
from notewell.store.database import Database


def test_a_filled_store_shows_both_kinds_of_notes(database: Database) -> None:
    owner = accounts.local_actor(database)

    report = demo.fill(database, owner)

    assert report.memory_notes > 20
    assert memory_search.find(database, owner, NoteSearch("降息")).total == 1
    assert memory_search.find(database, owner, NoteSearch(status="archived")).total == 2
    assert len(memory_search.overview(database, owner).collections) == 4
    _, problems = research.campaign(database, owner, report.campaign)
    assert len(problems) == report.problems
    digests = research_search.find(database, owner, ResearchSearch(kind="digest")).cards
    assert len(digests[0].row.builds_on) == 5
    with database.read() as reader:
        outcomes = {row["outcome"] for row in reader.rows_of("SELECT outcome FROM attempts", {})}
    assert outcomes == {None, "progress", "succeeded", "abandoned"}


def test_a_second_run_changes_nothing(database: Database) -> None:
    owner = accounts.local_actor(database)
    first = demo.fill(database, owner)

    again = demo.fill(database, owner)

    assert (again.memory_notes, again.research_notes, again.problems) == (0, 0, 0)
    assert again.campaign == first.campaign
