"""The steps of a copy: what a store holds, its rows in order, and what is written of them in one transaction.

It must not know whose copy a store is, nor what a copy that is not complete means (``copying.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from notewell.errors import Unavailable
from notewell.store import copied_tables, index
from notewell.store.copied_tables import NO_SPACE, Key, Table
from notewell.store.copies import Copied
from notewell.store.database import Reader, Row, Tx
from notewell.store.homes import PUBLIC_HOME, home_of_space

BATCH_NOTES = 300
"""Notes of one transaction: enough that waiting for the disk costs little, and a stop loses a second of work."""
BATCH_ROWS = 3_000
BATCH_CHARS = 8 * 2**20
"""Of texts and vectors in memory at once, besides those of one stretch of rows."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a store holds at one moment."""

    counts: Mapping[str, Mapping[str, int]]
    """Rows by space and table."""
    public: frozenset[str]
    """The spaces whose notes lie in the public record."""

    @classmethod
    def of(cls, reader: Reader) -> Contents:
        """What a store holds now."""
        homes = reader.rows("space_homes")
        return cls(
            copied_tables.counts(reader), frozenset(row["space_id"] for row in homes if row["home"] == PUBLIC_HOME)
        )

    @classmethod
    def of_space(cls, reader: Reader, space_id: str) -> Contents:
        """What a store holds of one space now."""
        is_public = home_of_space(reader, space_id).number == PUBLIC_HOME
        return cls({space_id: copied_tables.counts_of(reader, space_id)}, frozenset((space_id,) if is_public else ()))

    @property
    def spaces(self) -> list[str]:
        """Every space of which there is something to copy, in order; what belongs to none comes first."""
        return sorted(self.counts.keys() | self.public)

    @property
    def rows(self) -> int:
        """How many rows there are in all."""
        return sum(self.by_table.values())

    @property
    def by_table(self) -> Counter[str]:
        """How many rows each table has."""
        total: Counter[str] = Counter()
        for counts in self.counts.values():
            total.update(counts)
        return total

    def rows_of(self, space_id: str) -> int:
        """How many rows a space has."""
        return sum(self.counts.get(space_id, {}).values())

    def tables(self, space_id: str) -> list[Table]:
        """The tables that hold rows of a space."""
        counts = self.counts.get(space_id, {})
        return [table for table in copied_tables.tables_of(space_id) if table.name in counts]

    def start(self, space_id: str) -> Copied:
        """A space that was just begun."""
        return Copied(space_id, digest=copied_tables.public_digest(space_id) if space_id in self.public else 0)


@dataclass(frozen=True, slots=True)
class Step:
    """Some rows of one table, and how far their space is when they are written."""

    copied: Copied
    table: Table | None = None
    """None at the beginning and at the end of a space."""
    rows: Sequence[Row] = ()
    is_first: bool = False
    is_public: bool = False
    memory_notes: int = 0
    """How many notes the space will have, where it is a memory."""

    @property
    def weight(self) -> int:
        """About how many characters and bytes its rows hold."""
        return sum(len(value) for row in self.rows for value in row.values() if isinstance(value, str | bytes))

    @property
    def notes(self) -> int:
        """How many notes it writes."""
        return len(self.rows) if self.table is not None and self.table.name == "notes" else 0


def steps(reader: Reader, contents: Contents, done: Mapping[str, Copied]) -> Iterator[Step]:
    """All that is to be written, in order, beginning where each space stands."""
    for space_id in contents.spaces:
        copied = done.get(space_id)
        if copied is None:
            copied = contents.start(space_id)
            counts = contents.counts.get(space_id, {})
            notes = 0 if "attempts" in counts else counts.get("notes", 0)
            yield Step(copied, is_first=True, is_public=space_id in contents.public, memory_notes=notes)
        if not copied.is_complete:
            yield from _steps_of_space(reader, contents, copied)


def _steps_of_space(reader: Reader, contents: Contents, copied: Copied) -> Iterator[Step]:
    for table, rows in _stretches(reader, contents.tables(copied.space_id), copied):
        digest = sum(copied_tables.digest_of(table, row) for row in rows)
        copied = replace(copied, at_table=table.name, at_key=table.key_of(rows[-1])).plus(digest)
        yield Step(copied, table, rows)
    yield Step(replace(copied, is_complete=True))


def _stretches(reader: Reader, tables: Iterable[Table], start: Copied) -> Iterator[tuple[Table, list[Row]]]:
    """The rows of a space in order, from where it stands."""
    for table in tables:
        if (place := _place(start.space_id, table.name)) < _place(start.space_id, start.at_table):
            continue
        after = start.at_key if place == _place(start.space_id, start.at_table) else None
        while rows := copied_tables.rows_after(reader, table, start.space_id, after):
            yield table, rows
            if len(rows) < table.stretch_rows:
                break
            after = table.key_of(rows[-1])


def _place(space_id: str, table: str) -> int:
    """Where a table stands among those of a space; -1 where none is named."""
    names = [each.name for each in copied_tables.tables_of(space_id)]
    return names.index(table) if table else -1


def batches(all_steps: Iterable[Step]) -> Iterator[list[Step]]:
    """The steps by transactions; each is read before its transaction begins."""
    batch: list[Step] = []
    notes = rows = weight = 0
    for step in all_steps:
        batch.append(step)
        notes, rows, weight = notes + step.notes, rows + len(step.rows) + 1, weight + step.weight
        if notes >= BATCH_NOTES or rows >= BATCH_ROWS or weight >= BATCH_CHARS:
            yield batch
            batch, notes, rows, weight = [], 0, 0, 0
    if batch:
        yield batch


def write(tx: Tx, step: Step) -> None:
    """Writes the rows of a step, with the index where they are notes."""
    space_id = step.copied.space_id
    if step.is_first and space_id == NO_SPACE:
        copied_tables.delete(tx, NO_SPACE)  # the account that every start makes
    elif step.is_first:
        index.settle(tx, space_id, step.memory_notes, is_public=step.is_public)
    if step.copied.is_complete and space_id != NO_SPACE:
        index.complete(tx, space_id)
    if step.table is None:
        return
    copied_tables.insert(tx, step.table, step.rows)
    if step.notes:
        _index(tx, step.rows)


def _index(tx: Tx, rows: Sequence[Row]) -> None:
    try:
        index.put(tx, rows[0]["space_id"], index.entries_of_rows(tx, rows))
    except (ValueError, LookupError) as error:
        raise Unavailable(
            f"The source is damaged: one of the notes {rows[0]['id']} to {rows[-1]['id']} cannot be read. Run 'notewell"
            " doctor' on it, and mend it or go back to a backup.",
            store="source",
        ) from error


def no_rows(_count: int) -> None:
    """Tells nobody."""


def digest_of_space(
    reader: Reader,
    contents: Contents,
    space_id: str,
    until: Copied | None = None,
    on_rows: Callable[[int], None] = no_rows,
) -> int:
    """The sum of a space's rows, of all or of those up to where it stands.

    ``on_rows`` is called with the number of rows as they are read.
    """
    copied = contents.start(space_id)
    for table, rows in _stretches(reader, contents.tables(space_id), copied):
        read = [row for row in rows if until is None or _is_within(table, row, until)]
        copied = copied.plus(sum(copied_tables.digest_of(table, row) for row in read))
        on_rows(len(read))
        if len(read) < len(rows):
            break
    return copied.digest


def _is_within(table: Table, row: Row, until: Copied) -> bool:
    if until.is_complete:
        return True
    # Texts are compared as the stores compare them: by code points.
    here: tuple[int, Key] = (_place(until.space_id, table.name), table.key_of(row))
    return here <= (_place(until.space_id, until.at_table), until.at_key)
