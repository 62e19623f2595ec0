"""Notes and their headers, the index kept over them, reading one, and digests: the note-discovery spec, by sentence.

"The optional header"
- Every field is optional, every field is advisory, and a Note is never refused for a missing or odd header.
- (the example block) · quoted values may hold # · a Note that opens with a horizontal rule is left alone
- Nothing written in a header disappears (comments, unknown keys, rejected values, a 21st tag, a second title, …).
- über-wichtig becomes ber-wichtig and is surfaced in full; only duplicates are not echoed.
- The header stays inside body_md (the canonical Note is unchanged).

"The index"
- Every Note write (add_note, an edit, the summary Note) updates the derived tables in the same transaction.
- note_index: one row per Note with the parsed header, the Problem and revision, the Attempt and author.
- note_tags: the header tags, one row each. · Full text over the title and the body without its header, the title
  weighted three times.

"Searching" and "Digests"
- get_note returns the canonical Note, its parsed header, body_md_without_header, and the Attempt it belongs to.
- working_attempt_id: the read is recorded on the Attempt, once; a search as a search.
- A digest is an ordinary Note of kind digest, found like any other Note (newest first), ahead of the stream.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from conftest import SettableClock
from research_record import People, StoppingStore, attempt, found, ids, people, problem, rows, write

from notewell.domain.header import ParsedHeader
from notewell.domain.research import Attempt, Problem
from notewell.services import research, research_notes, research_search
from notewell.services.research_notes import Reading
from notewell.store import research as research_rows
from notewell.store import research_notes as note_rows
from notewell.store.database import Database
from notewell.store.research_notes import SearchRecord

EXAMPLE = """\
---
title: Clause learning stalls above 40k variables
kind: dead_end
tags: [sat, cdcl, scaling]
builds_on: [nte_0h3k9x2c7m, att_1q8w4e6r9t]
model: claude-opus-5-5
---

Tried the CDCL branch with phase saving on the large fixture. …
"""


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


def read(store: Database, who: People, note_id: str) -> tuple[str, ParsedHeader]:
    """The text of a note as anybody reads it, and its header."""
    full = research_notes.get_note(store, who.other, note_id)
    return full.body_md, full.view.header


# The optional header


def test_the_header_of_the_spec_is_read_and_stays_in_the_note(
    database: Database, who: People, running: Attempt
) -> None:
    body, header = read(database, who, write(database, who.author, running, EXAMPLE))

    assert body == EXAMPLE
    assert header == ParsedHeader(
        title="Clause learning stalls above 40k variables",
        kind="dead_end",
        tags=("sat", "cdcl", "scaling"),
        builds_on=("nte_0h3k9x2c7m", "att_1q8w4e6r9t"),
        model="claude-opus-5-5",
        extra=(),
        has_header=True,
        body="\nTried the CDCL branch with phase saving on the large fixture. …\n",
    )


ODD = [
    "No header at all.",
    "",
    " \n",
    "---\n\nA horizontal rule opens this note.\n\n---\n\nMore.\n",
    "---\ntitle: never closed\n",
    "---\nname: somebody else's\n---\n",
    "---\ntitle:\nkind:\ntags:\nbuilds_on:\nmodel:\n---\n",
    "---\r\ntitle: CRLF\r\n---\r\n\r\nBody without a newline at its end",
    f"---\nkind: {'k' * 41}\ntitle: {'t' * 201}\nmodel: {'m' * 101}\n---\n",
]


@pytest.mark.parametrize("body", ODD)
def test_a_note_is_never_refused_for_its_header_and_kept_byte_for_byte(
    body: str, database: Database, who: People, running: Attempt
) -> None:
    note_id = write(database, who.author, running, body)

    assert read(database, who, note_id)[0] == body
    research_notes.edit_note(database, who.author, note_id, "between")
    research_notes.edit_note(database, who.author, note_id, body)
    assert read(database, who, note_id)[0] == body
    assert rows(database, "SELECT count(*) AS notes FROM note_index")[0]["notes"] == 1


class Written(NamedTuple):
    """The lines of a header, what its fields keep of them, and what ``extra`` keeps."""

    lines: str
    kept: dict[str, Any]
    extra: tuple[str, ...]


HEADERS = [
    Written("tags: [über-wichtig]", {"tags": ("ber-wichtig",)}, ("über-wichtig",)),
    Written("kind: Über-Plan", {"kind": "ber-plan"}, ("Über-Plan",)),
    Written("title: 'a # b' # trailing\n# whole line", {"title": "a # b"}, ("# trailing", "# whole line")),
    Written(f"tags: [{', '.join(f't{number}' for number in range(21))}]", {}, ("t20",)),
    Written("title: First\ntitle: Second", {"title": "First"}, ("title: Second",)),
    Written(f"title: T\nkind: {'k' * 41}", {"title": "T", "kind": None}, (f"kind: {'k' * 41}",)),
    Written("builds_on: [nte_0h3k9x2c7m, not an id]", {"builds_on": ("nte_0h3k9x2c7m",)}, ("not an id",)),
    Written("title: T\nlicence: MIT", {"title": "T"}, ("licence: MIT",)),
    Written("tags: [sat, SAT, sat]\nbuilds_on: [nte_0h3k9x2c7m, nte_0h3k9x2c7m]", {"tags": ("sat",)}, ()),
]


@pytest.mark.parametrize("written", HEADERS, ids=lambda written: written.lines[:20])
def test_nothing_written_in_a_header_disappears(
    written: Written, database: Database, who: People, running: Attempt
) -> None:
    _, header = read(database, who, write(database, who.author, running, f"---\n{written.lines}\n---\nBody.\n"))

    assert {name: getattr(header, name) for name in written.kept} == written.kept
    assert (header.extra, header.body) == (written.extra, "Body.\n")


# The index


def test_the_index_has_one_row_for_a_note_with_its_header_and_where_it_stands(
    database: Database, who: People, sat: Problem
) -> None:
    research.revise_problem(database, who.owner, sat.id, "Solve it again.")
    on = attempt(database, who.author, sat)
    note_id = write(database, who.author, on, EXAMPLE)

    (row,) = rows(database, "SELECT * FROM note_index")

    shown = {"space_id": sat.id, "note_id": note_id, "revision": 2, "attempt_id": on.id, "note_kind": "note"}
    header = {"title": "Clause learning stalls above 40k variables", "kind": "dead_end", "model": "claude-opus-5-5"}
    lists = {"tags": '["sat","cdcl","scaling"]', "builds_on": '["nte_0h3k9x2c7m","att_1q8w4e6r9t"]'}
    expected = {**shown, **header, **lists, "account_id": who.author.account_id}
    assert {name: row[name] for name in expected} == expected
    tags = rows(database, "SELECT tag_key FROM note_tags ORDER BY tag_key")
    assert [each["tag_key"] for each in tags] == ["cdcl", "sat", "scaling"]


def test_every_write_of_a_note_moves_its_index_along(database: Database, who: People, running: Attempt) -> None:
    note_id = write(database, who.author, running, "---\ntags: [old]\n---\nzebra")
    assert ids(found(database, who.other, "zebra")) == [note_id]

    research_notes.edit_note(database, who.author, note_id, "---\ntags: [new]\nkind: plan\n---\nquagga")
    summary = research_notes.end_attempt(database, who.author, running.id, "failed", "---\ntags: [end]\n---\nokapi")

    assert ids(found(database, who.other, "zebra")) == []
    assert ids(found(database, who.other, "quagga", kind="plan", tags=("new",))) == [note_id]
    assert ids(found(database, who.other, tags=("old",))) == []
    assert ids(found(database, who.other, "okapi", tags=("end",), note_kind="summary")) == [summary.note.id]


class Interrupted(Exception):
    """Somebody pulled the plug."""


def test_a_note_and_its_index_come_together_or_not_at_all(database: Database, who: People, running: Attempt) -> None:
    def stop() -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        write(StoppingStore(database, stop), who.author, running, "zebra")

    counts = "SELECT (SELECT count(*) FROM notes) + (SELECT count(*) FROM note_index) AS left_over"
    assert rows(database, counts)[0]["left_over"] == 0
    assert ids(found(database, who.other, "zebra")) == []


def test_words_of_the_header_are_not_searched_but_its_title_is(
    database: Database, who: People, running: Attempt
) -> None:
    note_id = write(database, who.author, running, "---\ntitle: Zebra\nmodel: quagga\ncolour: okapi\n---\nBody.")

    assert ids(found(database, who.other, "zebra")) == [note_id]
    for word in ("quagga", "okapi", "title", "colour"):
        assert ids(found(database, who.other, word)) == []


def test_a_word_in_the_title_counts_three_times_one_in_the_body(
    database: Database, who: People, running: Attempt
) -> None:
    title = write(database, who.author, running, "---\ntitle: zebra filler\n---\nfiller filler")
    body = write(database, who.author, running, "---\ntitle: filler filler\n---\nzebra filler")
    thrice = write(database, who.author, running, "---\ntitle: filler filler\n---\nzebra zebra zebra")
    for _ in range(9):
        write(database, who.author, running, "other words to make the first ones rare, and long enough")

    scores = {card.row.note.id: card.found.score or 0.0 for card in found(database, who.other, "zebra").cards}

    assert scores[title] > scores[body]
    # Three in the body make the note one term longer, so it scores a little less than one in the title.
    assert scores[title] == pytest.approx(scores[thrice], rel=0.1)


def test_words_are_stemmed(database: Database, who: People, running: Attempt) -> None:
    note_id = write(database, who.author, running, "Solvers were stalling on clauses.")

    assert ids(found(database, who.other, "stalls clause solver")) == [note_id]


# Reading one


def test_get_note_returns_the_note_its_attempt_and_who_builds_on_it(
    database: Database, who: People, sat: Problem, clock: SettableClock
) -> None:
    on = attempt(database, who.author, sat, model="opus")
    base = write(database, who.author, on, EXAMPLE)
    citing = []
    for number in range(3):
        clock.advance(1)
        citing.append(write(database, who.author, on, f"---\nbuilds_on: [{base}]\n---\nmore {number}"))
    write(database, who.author, on, f"It mentions {base} without citing it.")

    full = research_notes.get_note(database, who.other, base)

    assert (full.body_md, full.view.header.body) == (EXAMPLE, EXAMPLE.rpartition("---\n")[2])
    assert (full.view.attempt, full.view.problem.slug, full.view.author_handle) == (on, "sat", "ana")
    assert [each.note_id for each in full.built_on_by] == citing[::-1]


def test_a_note_may_cite_itself_a_ring_and_what_is_not_there(database: Database, who: People, running: Attempt) -> None:
    first = write(database, who.author, running, "to be changed")
    second = write(database, who.author, running, f"---\nbuilds_on: [{first}, nte_0000000000]\n---\n")
    research_notes.edit_note(database, who.author, first, f"---\nbuilds_on: [{second}, {first}]\n---\n")

    full = research_notes.get_note(database, who.other, first)

    assert {each.note_id for each in full.built_on_by} == {first, second}
    assert ids(found(database, who.other, builds_on="nte_0000000000")) == [second]
    research_notes.delete_note(database, who.author, first)
    assert ids(found(database, who.other, builds_on=first)) == [second]


def test_a_long_note_is_read_in_parts_that_make_the_whole(database: Database, who: People, running: Attempt) -> None:
    body = EXAMPLE + "降息预期 🎉\r\n" * 40
    note_id = write(database, who.author, running, body)
    parts = []
    start = 0
    while True:
        full = research_notes.get_note(database, who.other, note_id, Reading(start, 37))
        parts.append(full.body_md)
        assert (full.start, full.length) == (start, len(body))
        start = full.end
        if full.end == full.length:
            break

    assert "".join(parts) == body


# What an attempt has read


def reads(store: Database) -> list[tuple[str, str]]:
    found_rows = rows(store, "SELECT attempt_id, note_id FROM attempt_reads ORDER BY read_at, note_id")
    return [(row["attempt_id"], row["note_id"]) for row in found_rows]


def searches(store: Database) -> list[tuple[str, str, int]]:
    found_rows = rows(store, "SELECT * FROM attempt_searches ORDER BY searched_at, number")
    return [(row["attempt_id"], row["words"], row["cards"]) for row in found_rows]


def test_a_read_is_recorded_once_a_note_on_the_readers_running_attempt(
    database: Database, who: People, running: Attempt, clock: SettableClock
) -> None:
    note_id = write(database, who.author, running, "zebra")
    with database.read() as reader:
        public = research_rows.problem(reader, running.problem_id)
    assert public is not None
    working = attempt(database, who.other, public)
    reading = Reading(working_attempt_id=working.id)

    recorded = []
    for _ in range(3):
        recorded.append(research_notes.get_note(database, who.other, note_id, reading).is_read_recorded)
        clock.advance(1)

    assert recorded == [True, True, True]
    assert reads(database) == [(working.id, note_id)]
    assert rows(database, "SELECT read_at FROM attempt_reads")[0]["read_at"] == clock.now - 3
    assert research_notes.get_attempt(database, who.other, working.id).reads == (note_id,)


def test_nothing_is_recorded_for_somebody_else_or_after_the_end(
    database: Database, who: People, sat: Problem, running: Attempt
) -> None:
    note_id = write(database, who.author, running, "zebra")
    working = attempt(database, who.other, sat)

    for stranger in (who.author, who.admin):
        full = research_notes.get_note(database, stranger, note_id, Reading(working_attempt_id=working.id))
        assert (full.is_read_recorded, full.body_md) == (False, "zebra")
        cards = found(database, stranger, "zebra", working_attempt_id=working.id)
        assert (cards.is_search_recorded, ids(cards)) == (False, [note_id])
    research_notes.end_attempt(database, who.other, working.id, "failed", "Done.")
    full = research_notes.get_note(database, who.other, note_id, Reading(working_attempt_id=working.id))

    assert not full.is_read_recorded
    assert not found(database, who.other, "zebra", working_attempt_id=working.id).is_search_recorded
    assert (reads(database), searches(database)) == ([], [])


def test_the_recording_statements_themselves_refuse_somebody_else_and_an_ended_attempt(
    database: Database, who: People, running: Attempt
) -> None:
    def is_recorded(account_id: str) -> list[bool]:
        with database.write() as tx:
            search = SearchRecord(running.id, running.problem_id, account_id, "zebra", "keyword", 0)
            return [
                note_rows.record_read(tx, running.id, running.problem_id, "nte_0000000000", account_id),
                note_rows.record_search(tx, search),
            ]

    assert is_recorded(who.other.account_id) == [False, False]
    assert is_recorded(running.account_id) == [True, True]
    research_notes.end_attempt(database, who.author, running.id, "failed", "Done.")
    assert is_recorded(running.account_id) == [False, False]


def test_a_search_is_recorded_with_its_words_and_how_many_cards_it_gave(
    database: Database, who: People, sat: Problem, running: Attempt
) -> None:
    for number in range(3):
        write(database, who.author, running, f"zebra {number}")
    working = attempt(database, who.other, sat)

    given = {"working_attempt_id": working.id, "limit": 2}
    shown = [found(database, who.other, words, **given).is_search_recorded for words in ("zebra", "zebra", "okapi")]

    assert shown == [True, True, True]
    assert found(database, who.other, "zebra").is_search_recorded is None
    assert searches(database) == [(working.id, "zebra", 2), (working.id, "zebra", 2), (working.id, "okapi", 0)]
    assert reads(database) == []


# Digests


def test_digests_are_found_like_any_note_newest_first_and_stand_before_the_stream(
    database: Database, who: People, sat: Problem, running: Attempt, clock: SettableClock
) -> None:
    made = []
    for number in range(12):
        clock.advance(1)
        kind = "Digest" if number in (1, 4) else "finding"
        made.append(write(database, who.author, running, f"---\nkind: {kind}\n---\nzebra {number}"))

    digests = research_search.digests(database, who.other, sat, 5)

    assert [card.row.note.id for card in digests] == [made[4], made[1]]
    assert ids(found(database, who.other, kind="digest")) == [made[4], made[1]]
    assert set(ids(found(database, who.other, "zebra", kind="digest"))) == {made[4], made[1]}
