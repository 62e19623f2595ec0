"""Rows of ``notes`` as notes of either kind, and the walk over all of a space."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from notewell.domain.notes import Note
from notewell.domain.research import ResearchNote
from notewell.store.database import Reader, Row, Value

_Made = TypeVar("_Made")

WALK_SIZE = 100
"""Notes in memory at once: each may have a body of 1 MiB."""


@dataclass(frozen=True, slots=True)
class Readable(Generic[_Made]):
    """What was made of the rows of a page."""

    by_row: dict[int, _Made]
    """By row number."""
    damaged: int
    """How many rows were left out, since their bytes are no text any more."""


def readable(
    reader: Reader, name: str, make: Callable[[Row], _Made], row_nos: Sequence[int], **values: Value
) -> Readable[_Made]:
    """What is made of each row of a named statement that asks for ``row_nos``, and how many could not be read.

    Where one cannot, each is read alone: the notes beside a damaged one are whole, and are to be found.
    """
    try:
        return Readable(_by_row(reader, name, make, row_nos, values), 0)
    except ValueError:
        pass
    made: dict[int, _Made] = {}
    damaged = 0
    for row_no in row_nos:
        try:
            made |= _by_row(reader, name, make, [row_no], values)
        except ValueError:
            damaged += 1
    return Readable(made, damaged)


def _by_row(
    reader: Reader, name: str, make: Callable[[Row], _Made], row_nos: Sequence[int], values: dict[str, Value]
) -> dict[int, _Made]:
    return {row["row_no"]: make(row) for row in reader.rows(name, row_nos=list(row_nos), **values)}


def texts_of(stored: str) -> tuple[str, ...]:
    """The texts of a stored list. Raises ``ValueError`` where it is none."""
    value = json.loads(stored)
    if not isinstance(value, list):
        raise ValueError("a stored list is no list")
    return tuple(value)


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
        tags=texts_of(row["tags"]),
        symbols=texts_of(row["symbols"]),
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
