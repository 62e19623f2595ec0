"""Where the full text of a space lies, and the statistics that rank it.

Home 0 is shared by small memories and by problems that are not public; home 1 holds the public record; on SQLite a
memory that grows large gets a home of its own. On PostgreSQL homes say no more than what is public.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from notewell.domain.access import SearchScope
from notewell.domain.index import scope_term
from notewell.store.database import Reader

SHARED_HOME = 0
PUBLIC_HOME = 1


@dataclass(frozen=True, slots=True)
class Home:
    """Where the index of a space, or of the public record, lies, and the statistics that rank it."""

    space_id: str | None
    """None for the public record."""
    number: int
    notes: int
    tokens: int
    is_memory: bool = True

    @property
    def is_shared(self) -> bool:
        """Whether other spaces' notes lie in the same tables."""
        return self.number == SHARED_HOME

    @property
    def is_public(self) -> bool:
        """Whether its notes are ranked among the public record."""
        return self.number == PUBLIC_HOME and not self.is_memory

    @property
    def average_length(self) -> float:
        """Terms in a note of what it is ranked among."""
        return self.tokens / max(self.notes, 1)

    @property
    def scope(self) -> str | None:
        """The term that tells this space's notes apart, where that is needed."""
        is_alone = self.space_id is None or self.number not in (SHARED_HOME, PUBLIC_HOME)
        return None if is_alone or self.space_id is None else scope_term(self.space_id)


def home_of_space(reader: Reader, space_id: str) -> Home:
    """The home of a space; an empty space has the shared one."""
    rows = reader.rows("space_stats", space_id=space_id)
    if not rows:
        return Home(space_id, SHARED_HOME, 0, 0)
    return Home(space_id, rows[0]["home"], rows[0]["notes"], rows[0]["tokens"])


def home_of(reader: Reader, scope: SearchScope) -> Home:
    """The home that a scope is searched in, with the statistics of what it is ranked among."""
    if scope.is_memory and scope.space_id is not None:
        return home_of_space(reader, scope.space_id)
    number = PUBLIC_HOME if scope.space_id is None else home_of_space(reader, scope.space_id).number
    if scope.space_id is not None and number != PUBLIC_HOME:
        return replace(home_of_space(reader, scope.space_id), is_memory=False)
    stats = reader.rows("home_stats", home=PUBLIC_HOME)[0]
    return Home(scope.space_id, PUBLIC_HOME, stats["notes"], stats["tokens"], is_memory=False)
