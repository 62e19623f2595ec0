"""Rows of ``notes`` as notes of either kind, and the walk over all of a space."""

from __future__ import annotations

import json
from collections.abc import Iterator

from notewell.domain.notes import Note
from notewell.domain.research import ResearchNote
from notewell.store.database import Reader, Row

WALK_SIZE = 100
"""Notes in memory at once: each may have a body of 1 MiB."""


def note_of(row: Row) -> Note:
    """The memory note of a row."""
    return Note(
        id=row["id"],
        space_id=row["space_id"],
        row_no=row["row_no"],
        version=row["version"],
        title=row["title"],
        summary=row["summary"],
        body=row["body"],
        tags=tuple(json.loads(row["tags"])),
        symbols=tuple(json.loads(row["symbols"])),
        collection_id=row["collection_id"],
        status=row["status"],
        source=row["source"],
        account_id=row["account_id"],
        agent=row["agent"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def research_note_of(row: Row) -> ResearchNote:
    """The research note of a row."""
    return ResearchNote(
        id=row["id"],
        problem_id=row["space_id"],
        attempt_id=row["attempt_id"],
        row_no=row["row_no"],
        version=row["version"],
        note_kind=row["note_kind"],
        body_md=row["body"],
        account_id=row["account_id"],
        agent=row["agent"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def walk_rows(reader: Reader, space_id: str) -> Iterator[Row]:
    """All rows of a space in the order of creation, a stretch at a time."""
    after = -(2**63)
    while rows := reader.rows("notes_of_space", space_id=space_id, after=after, count=WALK_SIZE):
        yield from rows
        after = rows[-1]["row_no"]


def walk(reader: Reader, space_id: str) -> Iterator[Note]:
    """All notes of a memory in the order of creation."""
    yield from map(note_of, walk_rows(reader, space_id))


def spaces(reader: Reader) -> list[str]:
    """The ids of all spaces that hold notes."""
    return [row["space_id"] for row in reader.rows("note_spaces")]
