"""The derived rows of a store as values that compare: what two stores with the same notes must both hold.

Full text is read back through FTS5's own vocabulary, so what is compared is what a search would find. Row numbers of
homes are left out: which tables a memory lies in is placement and no part of what is derived.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from conftest import table_names

from notewell.store.database import Reader, Tx

Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class DerivedRows:
    """Everything that can be made again from the notes."""

    tables: dict[str, list[Row]]
    """By table: its rows in order."""
    stats: dict[str, tuple[int, int]]
    """By space that holds notes: its notes and tokens."""
    terms: dict[int, list[Row]]
    """By row number: column, term and place of each term that the index holds of the note."""
    words: dict[int, list[Row]]
    """By row number: column and word of each unstemmed word."""
    lengths: dict[int, list[Row]]
    """By row number: what ranking takes for the length of the note, by column, in both tables."""


def derived_rows(tx: Tx) -> DerivedRows:
    """The derived rows of all spaces; makes temporary vocabulary tables, so it needs a writing transaction."""
    if tx.dialect.engine == "postgres":
        return _derived_rows_of_postgres(tx)
    homes = [row["home"] for row in tx.rows_of("SELECT DISTINCT home FROM space_stats UNION SELECT 0 AS home", {})]
    terms: dict[int, list[Row]] = defaultdict(list)
    words: dict[int, list[Row]] = defaultdict(list)
    lengths: dict[int, list[Row]] = defaultdict(list)
    for home in sorted(homes):
        _gather(tx, f"fts_{home}", terms)
        _gather(tx, f"words_{home}", words)
        for table in (f"fts_{home}", f"words_{home}"):
            for row in tx.rows_of(f"SELECT id, sz FROM {table}_docsize ORDER BY id", {}):
                lengths[row["id"]].append((table.partition("_")[0], row["sz"]))
    return DerivedRows(
        {table: _table(tx, table) for table in _derived_tables(tx)}, _stats(tx), dict(terms), dict(words), dict(lengths)
    )


def _derived_rows_of_postgres(tx: Tx) -> DerivedRows:
    """The same where one row of a table holds a note's terms and words."""
    terms: dict[int, list[Row]] = defaultdict(list)
    words: dict[int, list[Row]] = defaultdict(list)
    lengths: dict[int, list[Row]] = defaultdict(list)
    for row in tx.rows_of("SELECT * FROM note_search ORDER BY row_no, part", {}):
        number = row["row_no"]
        place = (row["part"], row["parts"], row["sign"], row["start"], row["is_public"])
        terms[number].append((row["terms"], *place))
        words[number].append((row["words"], *place))
        lengths[number].append((row["tokens"],))
    tables = {table: _table(tx, table) for table in _derived_tables(tx) if table != "note_search"}
    return DerivedRows(tables, _stats(tx), dict(terms), dict(words), dict(lengths))


def spaces(reader: Reader) -> list[str]:
    """The ids of all spaces that hold notes."""
    return [row["space_id"] for row in reader.rows_of("SELECT DISTINCT space_id FROM notes ORDER BY space_id", {})]


def _derived_tables(reader: Reader) -> list[str]:
    """The words of each space, and every table about single notes but their history."""
    about_notes = [name for name in table_names(reader) if name.startswith("note_") and name != "note_versions"]
    return sorted([*about_notes, "space_words"])


def _gather(tx: Tx, table: str, found: dict[int, list[Row]]) -> None:
    """Adds what a full-text table holds, by row number."""
    tx.run_sql(f"CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, {table}, instance)", {})
    rows = tx.rows_of(
        'SELECT doc, col, term, "offset" AS place FROM temp.vocabulary ORDER BY doc, col, place, term', {}
    )
    for row in rows:
        found[row["doc"]].append((row["col"], row["term"], row["place"]))
    tx.run_sql("DROP TABLE temp.vocabulary", {})


def _table(reader: Reader, table: str) -> list[Row]:
    return sorted((tuple(row.values()) for row in reader.rows_of(f"SELECT * FROM {table}", {})), key=repr)


def _stats(reader: Reader) -> dict[str, tuple[int, int]]:
    """The statistics of the spaces that hold notes; those of an empty one must be nothing."""
    known = {row["space_id"]: (row["notes"], row["tokens"]) for row in reader.rows_of("SELECT * FROM space_stats", {})}
    assert all(known[space] == (0, 0) for space in known.keys() - set(spaces(reader)))
    return {space: known[space] for space in spaces(reader)}
