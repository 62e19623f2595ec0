"""Listings: notes in an order that needs no words, a page at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from notewell.domain.access import SearchScope
from notewell.domain.filters import NO_FILTERS, Filters, ResearchFilters
from notewell.store.database import Reader, Value
from notewell.store.dialect import Dialect
from notewell.store.filters import PUBLIC_SPACES, Conditions, listing_conditions, tag_joins

Sort = Literal["updated", "created", "title"]

_KEYS: dict[Sort, tuple[str, str]] = {
    "updated": ("n.updated_at", "DESC"),
    "created": ("{alias}.row_no", "DESC"),
    "title": ("n.title_key", "ASC"),
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A note of a listing, with what it was sorted by."""

    row_no: int
    key: str | int


@dataclass(frozen=True, slots=True)
class Listing:
    """Which notes of a scope to list, in which order; equal keys newest first. Research sorts by creation only."""

    scope: SearchScope
    filters: Filters
    sort: Sort
    newest_row: int | None = None
    within: str | None = None
    """A SELECT of row numbers that the listing keeps to (what a query found), and its values."""
    within_values: dict[str, Value] | None = None

    @property
    def is_filtered(self) -> bool:
        """Whether the filters leave anything out."""
        return self.filters not in (NO_FILTERS, ResearchFilters())

    @property
    def _is_public(self) -> bool:
        return not self.scope.is_memory and self.scope.space_id is None

    def _source(self, dialect: Dialect) -> tuple[str, str]:
        """The table with its alias and the condition that keeps to the scope."""
        if self.scope.is_memory:
            return "notes AS n", "n.space_id = :space_id"
        if self.scope.space_id is not None:
            return "note_index AS i", "i.space_id = :space_id AND i.attempt_id IS NOT NULL"
        # The plus sign keeps SQLite on the index of row numbers, which has the newest first: ten times as fast over
        # many spaces, unless a filter has an index of its own.
        plain = replace(self.filters, tags=(), created_from=None, created_to=None)
        space = dialect.unindexed("i.space_id") if plain == ResearchFilters() else "i.space_id"
        return "note_index AS i", f"{space} IN {PUBLIC_SPACES}"

    def page(self, reader: Reader, limit: int, after: Listed | None) -> list[Listed]:
        """The notes after one, at most ``limit``."""
        conditions = self._conditions(reader.dialect)
        table, scope = self._source(reader.dialect)
        alias = table[-1]
        key, direction = _KEYS[self.sort]
        key = key.replace("{alias}", alias)
        values: dict[str, Value] = {**conditions.values, "space_id": self.scope.space_id, "limit": limit}
        place = ""
        if after is not None:
            beyond = "<" if direction == "DESC" else ">"
            place = f" AND ({key} {beyond} :key OR ({key} = :key AND {alias}.row_no < :after_row))"
            values |= {"key": after.key, "after_row": after.row_no}
        sql = (
            f"SELECT {alias}.row_no, {key} AS sort_key FROM {table} WHERE {scope}{conditions.where()}{place}"
            f" ORDER BY {key} {direction}, {alias}.row_no DESC LIMIT :limit"
        )
        return [Listed(row["row_no"], row["sort_key"]) for row in reader.rows_of(sql, values)]

    def row_numbers(self, reader: Reader) -> list[int]:
        """All row numbers, in no order."""
        sql, values = self.selected(reader.dialect, "row_no")
        return [row["row_no"] for row in reader.rows_of(sql, values)]

    def selected(self, dialect: Dialect, *columns: str) -> tuple[str, dict[str, Value]]:
        """A SELECT of columns of all its notes, in no order, and its values."""
        untagged = self if self._is_public else replace(self, filters=replace(self.filters, tags=()))
        conditions = untagged._conditions(dialect)
        tags = {} if self._is_public else {f"tag{number}": key for number, key in enumerate(self.filters.tags)}
        joins = "" if self._is_public else tag_joins(self.filters)
        table, scope = self._source(dialect)
        listed = ", ".join(f"{table[-1]}.{column}" for column in columns)
        sql = f"SELECT {listed} FROM {table}{joins} WHERE {scope}{conditions.where()}"
        return sql, {**conditions.values, **tags, "space_id": self.scope.space_id}

    def count(self, reader: Reader) -> int:
        """How many notes the listing has."""
        if self._is_public and self.within is None and self.filters == ResearchFilters():
            newest = self.newest_row if self.newest_row is not None else 2**63 - 1
            return int(reader.rows("public_notes", newest_row=newest)[0]["notes"])
        conditions = self._conditions(reader.dialect)
        table, scope = self._source(reader.dialect)
        sql = f"SELECT count(*) AS notes FROM {table} WHERE {scope}{conditions.where()}"
        return int(reader.rows_of(sql, {**conditions.values, "space_id": self.scope.space_id})[0]["notes"])

    def _conditions(self, dialect: Dialect) -> Conditions:
        conditions = listing_conditions(self.filters, self.newest_row, dialect, is_public=self._is_public)
        if self.within is None:
            return conditions
        alias = self._source(dialect)[0][-1]
        return Conditions(
            (*conditions.clauses, f"{alias}.row_no IN ({self.within})"),
            {**conditions.values, **(self.within_values or {})},
        )
