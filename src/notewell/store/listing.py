"""Listings: memory notes in an order that needs no words, a page at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from notewell.domain.filters import NoteFilters
from notewell.store.database import Reader, Value
from notewell.store.filters import Conditions, listing_conditions

Sort = Literal["updated", "created", "title"]

_KEYS: dict[Sort, tuple[str, str]] = {
    "updated": ("n.updated_at", "DESC"),
    "created": ("n.row_no", "DESC"),
    "title": ("n.title_key", "ASC"),
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A note of a listing, with what it was sorted by."""

    row_no: int
    key: str | int


@dataclass(frozen=True, slots=True)
class Listing:
    """Which notes of a space to list, in which order; equal keys newest first."""

    space_id: str
    filters: NoteFilters
    sort: Sort
    newest_row: int | None = None
    within: str | None = None
    """A SELECT of row numbers that the listing keeps to (what a query found), and its values."""
    within_values: dict[str, Value] | None = None

    def page(self, reader: Reader, limit: int, after: Listed | None) -> list[Listed]:
        """The notes after one, at most ``limit``."""
        conditions = self._conditions()
        key, direction = _KEYS[self.sort]
        values: dict[str, Value] = {**conditions.values, "space_id": self.space_id, "limit": limit}
        place = ""
        if after is not None:
            beyond = "<" if direction == "DESC" else ">"
            place = f" AND ({key} {beyond} :key OR ({key} = :key AND n.row_no < :after_row))"
            values |= {"key": after.key, "after_row": after.row_no}
        sql = (
            f"SELECT n.row_no, {key} AS sort_key FROM notes AS n WHERE n.space_id = :space_id AND n.kind = 'memory'"
            f"{conditions.where()}{place} ORDER BY {key} {direction}, n.row_no DESC LIMIT :limit"
        )
        return [Listed(row["row_no"], row["sort_key"]) for row in reader.rows_of(sql, values)]

    def count(self, reader: Reader) -> int:
        """How many notes the listing has."""
        conditions = self._conditions()
        sql = (
            "SELECT count(*) AS notes FROM notes AS n WHERE n.space_id = :space_id AND n.kind = 'memory'"
            f"{conditions.where()}"
        )
        return int(reader.rows_of(sql, {**conditions.values, "space_id": self.space_id})[0]["notes"])

    def _conditions(self) -> Conditions:
        conditions = listing_conditions(self.filters, self.newest_row)
        if self.within is None:
            return conditions
        return Conditions(
            (*conditions.clauses, f"n.row_no IN ({self.within})"),
            {**conditions.values, **(self.within_values or {})},
        )
