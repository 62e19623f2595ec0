"""What a search by meaning is asked for and what it answers with, whether the database compares vectors or we do."""

from __future__ import annotations

from dataclasses import dataclass

from notewell.store.listing import Listing

SCORE_DIGITS = 6
"""Cosines are rounded so: what an engine's way of adding up changes is less."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What to look for, and where."""

    model_id: str
    vector: tuple[float, ...]
    """Of length 1."""
    listing: Listing
    """The notes to look among; how it sorts them means nothing."""
    newest_row: int
    """The newest note to be shown. No condition of the listing: there it would hide better ways to the notes."""
    count: int
    after: tuple[float, int] | None = None
    """Score and row number of the last note shown; None for the first page."""
    notes: int = 0
    """How many notes the scope has, to tell a narrow filter from a wide one."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The notes nearest to a question, and how near all of the scope are to it."""

    found: tuple[tuple[int, float], ...]
    """Row number and score, rounded to six digits: by score, then newest; each note once, with its best chunk."""
    best: float | None
    """The score of the first note of the whole sequence, whatever the page; None where the sequence is empty."""
    embedded: int
    """Notes of the scope that have a vector of the model."""
    mean: float
    """Of the scores of all vectors of the scope, whatever the filters leave, as is ``deviation``."""
    deviation: float
