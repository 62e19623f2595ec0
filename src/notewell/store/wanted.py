"""What a full-text search is asked for and what it answers with, the same on every engine."""

from __future__ import annotations

from dataclasses import dataclass

from notewell.domain.filters import Filters
from notewell.domain.query_tree import Leaf, Node
from notewell.domain.ranking import SCORE_DIGITS
from notewell.store.database import Row

SCORE_UNITS = 10**SCORE_DIGITS
"""Scores are ranked as whole numbers of their last digit: SQLite rounds to digits by way of a text."""
MAX_SCORED_WORD_LEAVES = 16
"""More prefixes than these narrow a search but do not score it: an engine bounds the size of a statement."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One note that a search found."""

    row_no: int
    score: float
    """Rounded; higher is better."""
    is_archived: bool

    @classmethod
    def of(cls, row: Row) -> Hit:
        """The hit of a row with ``row_no``, ``score`` (in units, smaller is better) and ``archived``."""
        return cls(row["row_no"], round(0.0 - row["score"] / SCORE_UNITS, SCORE_DIGITS), bool(row["archived"]))

    @property
    def place(self) -> tuple[int, int, int]:
        """What hits are sorted by, smallest first."""
        return -round(self.score * SCORE_UNITS), int(self.is_archived), -self.row_no


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to find: the tree a note must hold, the leaves that score it, what narrows it."""

    node: Node
    leaves: tuple[Leaf, ...]
    filters: Filters
    newest_row: int | None = None
    without_rows: tuple[int, ...] = ()
    """Notes that were found another way already."""
    only_row: int | None = None
    """The one note to look at, where there is one."""
