"""What a search or a listing is narrowed by, checked and normalized.

Every condition holds at once; the defaults narrow nothing. Times are milliseconds since 1970, ends included.
"""

from __future__ import annotations

from dataclasses import dataclass

from notewell.domain.notes import Status
from notewell.domain.research import NoteKind, Outcome


@dataclass(frozen=True, slots=True)
class NoteFilters:
    """Of memory notes."""

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


@dataclass(frozen=True, slots=True)
class ResearchFilters:
    """Of research notes."""

    tags: tuple[str, ...] = ()
    """Slugs: a note carries all of them."""
    kind: str | None = None
    """A slug."""
    note_kind: NoteKind | None = None
    builds_on: str | None = None
    """An id that the note's header cites."""
    model_key: str | None = None
    author_id: str | None = None
    outcome: Outcome | None = None
    """Of the attempt."""
    revision: int | None = None
    attempt_id: str | None = None
    campaign_id: str | None = None
    created_from: int | None = None
    created_to: int | None = None


Filters = NoteFilters | ResearchFilters

NO_FILTERS = NoteFilters()
