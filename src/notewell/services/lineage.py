"""Where a research note comes from and what came of it: the graph of ``builds_on`` around it, within bounds.

Cycles and ids of nothing are part of the graph and refused by nobody. A note that the viewer may not see looks like
one that is not there. Rules: DESIGN 7.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from notewell.domain import ids
from notewell.domain.access import Actor
from notewell.errors import NotFound
from notewell.services.research import seen_attempt
from notewell.store import lineage as graph
from notewell.store.database import Database, Reader
from notewell.store.lineage import LineageNote, Viewer

LEVELS = 3
"""How far the graph goes in each direction."""
MAX_IN_LEVEL = 12
"""Of the points at one distance."""
MAX_READS = 100
MAX_SEARCHES = 100


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the graph."""

    id: str
    level: int
    """0 is the note asked for, -1 what it builds on, 1 what builds on it, and so on."""
    note: LineageNote | None
    """None for an attempt, problem or campaign, and for a note that is not there or may not be seen."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """The graph around a note."""

    points: tuple[Point, ...]
    """The note itself first."""
    links: tuple[tuple[str, str], ...]
    """The id of a note, and that of one point that it builds on; a note may build on itself."""
    is_cut: bool
    """Whether the graph goes on past what is here."""


def lineage(store: Database, actor: Actor, note_id: str) -> Lineage:
    """The graph around a note that the actor may see. Raises ``not_found``."""
    actor.require("research:read")
    ids.check_id(note_id, "nte", "id")
    with store.read() as reader:
        walk = _Walk(reader, Viewer(actor.account_id, actor.is_admin))
        walk.place([note_id], 0)
        if note_id not in walk.notes:
            raise NotFound(f"There is no note {note_id[:60]!r}, or you may not see it.", argument="id")
        walk.back(note_id)
        walk.forth(note_id)
    return Lineage(
        tuple(Point(each, level, walk.notes.get(each)) for each, level in walk.levels.items()),
        tuple((each.id, cited) for each in walk.notes.values() for cited in each.builds_on if cited in walk.levels),
        walk.is_cut,
    )


@dataclass(slots=True)
class _Walk:
    """What was found so far."""

    reader: Reader
    viewer: Viewer
    levels: dict[str, int] = field(default_factory=dict)
    notes: dict[str, LineageNote] = field(default_factory=dict)
    is_cut: bool = False

    def place(self, found: Iterable[str], level: int) -> list[str]:
        """Gives a level to what has none yet; the notes among it that the viewer may see."""
        new = [each for each in dict.fromkeys(found) if each not in self.levels]
        self.is_cut |= len(new) > MAX_IN_LEVEL
        new = new[:MAX_IN_LEVEL]
        self.levels |= dict.fromkeys(new, level)
        seen = graph.notes(self.reader, [each for each in new if ids.is_id(each, "nte")], self.viewer)
        self.notes |= {each: seen[each] for each in new if each in seen}
        return [each for each in new if each in seen]

    def back(self, start: str) -> None:
        """Finds what a note builds on."""
        edge = [start]
        for level in range(1, LEVELS + 1):
            edge = self.place(self._cited_by(edge), -level)
        self.is_cut |= any(each not in self.levels for each in self._cited_by(edge))

    def _cited_by(self, edge: list[str]) -> list[str]:
        return [cited for each in edge for cited in self.notes[each].builds_on]

    def forth(self, start: str) -> None:
        """Finds what builds on a note."""
        edge = [start]
        for level in range(1, LEVELS + 1):
            edge = self.place(self._citing(edge), level)
        self.is_cut |= any(each not in self.levels for each in self._citing(edge))

    def _citing(self, edge: list[str]) -> list[str]:
        # As many as are known already may come first.
        return graph.citing(self.reader, edge, self.viewer, len(self.levels) + MAX_IN_LEVEL + 1)


def named(store: Database, actor: Actor, note_ids: Iterable[str]) -> dict[str, LineageNote]:
    """Those of these notes that the actor may see, by id; what is no id of a note is left out."""
    actor.require("research:read")
    asked = [each for each in dict.fromkeys(note_ids) if ids.is_id(each, "nte")]
    with store.read() as reader:
        return graph.notes(reader, asked, Viewer(actor.account_id, actor.is_admin))


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A note that an attempt has read."""

    read_at: int
    note: LineageNote


@dataclass(frozen=True, slots=True)
class MadeSearch:
    """A search that an attempt has made."""

    searched_at: int
    words: str
    mode: str
    cards: int


@dataclass(frozen=True, slots=True)
class Trail:
    """What an attempt has read and searched for, oldest first, the last hundred of each."""

    reads: tuple[ReadNote, ...]
    searches: tuple[MadeSearch, ...]
    is_cut: bool


def trail(store: Database, actor: Actor, attempt_id: str) -> Trail | None:
    """What an attempt has read and searched for; None for all but its author, the problem's owner and administrators.

    A note that the actor may not see is left out. Raises ``not_found``.
    """
    actor.require("research:read")
    with store.read() as reader:
        attempt, problem = seen_attempt(reader, actor, ids.check_id(attempt_id, "att", "attempt_id"))
        if not actor.is_admin and (
            not actor.account_id or actor.account_id not in (attempt.account_id, problem.owner_id)
        ):
            return None
        viewer = Viewer(actor.account_id, actor.is_admin)
        place = {"space_id": problem.id, "attempt_id": attempt.id}
        read = reader.rows("reads_of_attempt", **place, viewer=viewer.account_id, is_admin=int(viewer.is_admin))
        known = graph.notes(reader, [row["note_id"] for row in read[-MAX_READS:]], viewer)
        searched = reader.rows("searches_of_attempt", **place)
    return Trail(
        tuple(ReadNote(row["read_at"], known[row["note_id"]]) for row in read if row["note_id"] in known),
        tuple(
            MadeSearch(row["searched_at"], row["words"], row["mode"], row["cards"]) for row in searched[-MAX_SEARCHES:]
        ),
        len(read) > MAX_READS or len(searched) > MAX_SEARCHES,
    )
