"""What a search or a listing of memory notes is narrowed by, checked and normalized."""

from __future__ import annotations

from dataclasses import dataclass

from notewell.domain.notes import Status


@dataclass(frozen=True, slots=True)
class NoteFilters:
    """Every condition holds at once; the defaults narrow nothing. Times are milliseconds since 1970, ends included."""

    tags: tuple[str, ...] = ()
    """Keys of tags: a note carries all of them."""
    symbols: tuple[str, ...] = ()
    """In the watchlist's spelling: a note carries any of them."""
    collection_id: str | None = None
    is_unfiled: bool = False
    status: Status | None = None
    created_from: int | None = None
    created_to: int | None = None
    updated_from: int | None = None
    updated_to: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is narrowed."""
        return self == NoteFilters()


NO_FILTERS = NoteFilters()
