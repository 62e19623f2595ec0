"""The numbers behind the pictures of a memory: what was written when, by whom, about what, and how much of it.

It counts and never reads a text. How numbers become pictures is the page's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from notewell.domain.access import Actor
from notewell.domain.ids import ROW_BITS, first_row_no
from notewell.domain.times import DAY_MILLISECONDS
from notewell.services import memory_search
from notewell.services.memory_search import CollectionInfo
from notewell.store.collections import Count
from notewell.store.database import Database, Reader, Row

WEEK_MILLISECONDS = 7 * DAY_MILLISECONDS
MONDAY_OFFSET = 3 * DAY_MILLISECONDS
"""1970 began on a Thursday; weeks begin on Mondays."""
WEEKS = 26
MOST = 12
"""Of each list: what a person takes in at a glance."""


@dataclass(frozen=True, slots=True)
class Week:
    """The notes that were made in one week."""

    start_at: int
    """Its Monday, 00:00 UTC."""
    memory: int
    research: int

    @property
    def notes(self) -> int:
        """Of both kinds."""
        return self.memory + self.research


@dataclass(frozen=True, slots=True)
class AgentNotes:
    """The notes whose text is by one agent; the empty name is the person."""

    agent: str
    notes: int
    last_at: int


@dataclass(frozen=True, slots=True)
class Embedded:
    """How much of a memory can be searched by meaning."""

    notes: int
    waiting: int
    failed: int


@dataclass(frozen=True, slots=True)
class Research:
    """What one account wrote in the research record."""

    notes: int
    attempts: int
    problems: int
    kinds: tuple[Count, ...]
    """Most used first; the empty name is of notes that name no kind."""


@dataclass(frozen=True, slots=True)
class Portrait:
    """A memory in numbers, and its owner's research."""

    notes: int
    archived: int
    size_bytes: int
    """Of the bodies."""
    first_at: int | None
    """When the oldest note was made; None without notes."""
    last_at: int | None
    """When a note changed last."""
    weeks: tuple[Week, ...]
    """The last 26, oldest first, the present one too; those without notes are there."""
    tags: tuple[Count, ...]
    tag_total: int
    symbols: tuple[Count, ...]
    symbol_total: int
    collections: tuple[CollectionInfo, ...]
    collection_total: int
    unfiled: CollectionInfo
    agents: tuple[AgentNotes, ...]
    agent_total: int
    embedded: Embedded | None
    """None where there is no model."""
    research: Research | None
    """None where there is none, or it may not be seen."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.notes and self.research is None


def portrait(store: Database, actor: Actor, model_id: str | None = None) -> Portrait:
    """The numbers of the actor's memory, with the coverage of a model, and of their research. Raises ``forbidden``."""
    actor.require("memory:read")
    parts = memory_search.overview(store, actor, limit=MOST)
    with store.read() as reader:
        size = reader.rows("memory_size", space_id=actor.account_id)[0]
        research = _research(reader, actor) if "research:read" in actor.scopes else None
        agents, agent_total = _agents(reader, actor.account_id)
        weeks = _weeks(reader, actor.account_id, has_research=research is not None)
        embedded = None if model_id is None else _embedded(reader, actor.account_id, model_id)
    return Portrait(
        notes=size["notes"],
        archived=size["archived"],
        size_bytes=size["bytes"],
        first_at=size["first_at"],
        last_at=size["last_at"],
        weeks=weeks,
        tags=parts.tags,
        tag_total=parts.tag_total,
        symbols=parts.symbols,
        symbol_total=parts.symbol_total,
        collections=parts.collections,
        collection_total=parts.collection_total,
        unfiled=parts.unfiled,
        agents=agents,
        agent_total=agent_total,
        embedded=embedded,
        research=research,
    )


def _weeks(reader: Reader, account_id: str, *, has_research: bool) -> tuple[Week, ...]:
    newest = (reader.now + MONDAY_OFFSET) // WEEK_MILLISECONDS
    numbers = range(newest - WEEKS + 1, newest + 1)
    asked = {
        "row_bits": ROW_BITS,
        "offset": MONDAY_OFFSET,
        "week_milliseconds": WEEK_MILLISECONDS,
        "from_row": first_row_no(_start(numbers[0])),
    }
    memory = _by_week(reader.rows("notes_by_week", space_id=account_id, **asked))
    research = _by_week(reader.rows("research_by_week", account_id=account_id, **asked)) if has_research else {}
    return tuple(Week(_start(number), memory.get(number, 0), research.get(number, 0)) for number in numbers)


def _start(week: int) -> int:
    """The moment at which a week of that number begins."""
    return week * WEEK_MILLISECONDS - MONDAY_OFFSET


def _by_week(rows: Sequence[Row]) -> dict[int, int]:
    return {row["week"]: row["notes"] for row in rows}


def _agents(reader: Reader, account_id: str) -> tuple[tuple[AgentNotes, ...], int]:
    rows = reader.rows("notes_by_agent", space_id=account_id, count=MOST)
    total = len(rows)
    if total == MOST:
        total = reader.rows("agent_total", space_id=account_id)[0]["total"]
    return tuple(AgentNotes(row["agent"], row["notes"], row["last_at"]) for row in rows), total


def _embedded(reader: Reader, account_id: str, model_id: str) -> Embedded:
    notes = reader.rows("embedded_in_space", space_id=account_id, model_id=model_id)[0]["notes"]
    jobs = reader.rows("jobs_in_space", space_id=account_id)[0]
    return Embedded(notes, jobs["waiting"], jobs["failed"])


def _research(reader: Reader, actor: Actor) -> Research | None:
    size = reader.rows("research_size", account_id=actor.account_id)[0]
    if not size["notes"]:
        return None
    kinds = reader.rows("research_by_kind", account_id=actor.account_id, count=MOST)
    return Research(
        size["notes"],
        size["attempts"],
        size["problems"],
        tuple(Count(row["kind"], row["notes"]) for row in kinds),
    )
