"""Filters as SQL conditions: on the notes' own tables for listings, on the full-text tables for searches.

Filters act inside the search, never after a top-k. What rarely changes (tags, symbols) stands as terms in the index;
what changes without the text (status, collection, time of change) is a set of row numbers (DESIGN 11).
"""

from __future__ import annotations

from dataclasses import dataclass

from notewell.domain import ids
from notewell.domain.filters import NoteFilters
from notewell.domain.index import symbol_term, tag_term
from notewell.store.database import Value


@dataclass(frozen=True, slots=True)
class Conditions:
    """SQL conditions to be joined by AND, and the values of their parameters."""

    clauses: tuple[str, ...]
    values: dict[str, Value]

    def where(self, prefix: str = " AND ") -> str:
        """The clauses, each behind the prefix."""
        return "".join(prefix + clause for clause in self.clauses)


def row_conditions(filters: NoteFilters, row: str, newest_row: int | None) -> Conditions:
    """Conditions on a row number: the time of creation, and the newest note that a cursor had seen."""
    bounds = (
        (">=", "first_row", filters.created_from, 0),
        ("<", "end_row", filters.created_to, 1),
    )
    clauses: list[str] = []
    values: dict[str, Value] = {}
    for operator, name, moment, later in bounds:
        if moment is not None:
            clauses.append(f"{row} {operator} :{name}")
            values[name] = ids.first_row_no(moment + later)
    if newest_row is not None:
        clauses.append(f"{row} <= :newest_row")
        values["newest_row"] = newest_row
    return Conditions(tuple(clauses), values)


def change_conditions(filters: NoteFilters, alias: str) -> Conditions:
    """Conditions on columns of ``notes`` that change without the text, apart from the status."""
    clauses: list[str] = []
    values: dict[str, Value] = {}
    if filters.collection_id is not None:
        clauses.append(f"{alias}.collection_id = :collection_id")
        values["collection_id"] = filters.collection_id
    if filters.is_unfiled:
        clauses.append(f"{alias}.collection_id IS NULL")
    for operator, name, moment in (
        (">=", "updated_from", filters.updated_from),
        ("<=", "updated_to", filters.updated_to),
    ):
        if moment is not None:
            clauses.append(f"{alias}.updated_at {operator} :{name}")
            values[name] = moment
    return Conditions(tuple(clauses), values)


def listing_conditions(filters: NoteFilters, newest_row: int | None) -> Conditions:
    """All filters as conditions on ``notes AS n``; the space is a condition of the statement itself."""
    rows = row_conditions(filters, "n.row_no", newest_row)
    changes = change_conditions(filters, "n")
    clauses = [*rows.clauses, *changes.clauses]
    values: dict[str, Value] = {**rows.values, **changes.values}
    if filters.status is not None:
        clauses.append("n.status = :status")
        values["status"] = filters.status
    for number, key in enumerate(filters.tags):
        clauses.append(
            f"n.row_no IN (SELECT row_no FROM note_tags WHERE space_id = :space_id AND tag_key = :tag{number})"
        )
        values[f"tag{number}"] = key
    if filters.symbols:
        listed = ", ".join(f":symbol{number}" for number in range(len(filters.symbols)))
        clauses.append(
            f"n.row_no IN (SELECT row_no FROM note_symbols WHERE space_id = :space_id AND symbol IN ({listed}))"
        )
        values.update({f"symbol{number}": symbol for number, symbol in enumerate(filters.symbols)})
    return Conditions(tuple(clauses), values)


def fulltext_conditions(filters: NoteFilters, newest_row: int | None) -> Conditions:
    """The filters that are not terms, as conditions on ``rowid`` of a full-text table.

    The plus sign keeps SQLite from looking each row number of a set up in the index: it tests membership per match.
    """
    rows = row_conditions(filters, "rowid", newest_row)
    changes = change_conditions(filters, "n")
    clauses = list(rows.clauses)
    if changes.clauses:
        clauses.append(f"+rowid IN (SELECT n.row_no FROM notes AS n WHERE n.space_id = :space_id{changes.where()})")
    if filters.status is not None:
        is_in = "IN" if filters.status == "archived" else "NOT IN"
        clauses.append(f"+rowid {is_in} ({ARCHIVED_ROWS})")
    return Conditions(tuple(clauses), {**rows.values, **changes.values})


ARCHIVED_ROWS = "SELECT n.row_no FROM notes AS n WHERE n.space_id = :space_id AND n.status = 'archived'"
"""Few in most memories, so both states are told apart by this set."""


def filter_terms(filters: NoteFilters) -> list[tuple[str, ...]]:
    """The filters that are terms of the index: of each group at least one must be there."""
    groups: list[tuple[str, ...]] = [(tag_term(key),) for key in filters.tags]
    if filters.symbols:
        groups.append(tuple(symbol_term(symbol) for symbol in filters.symbols))
    return groups
