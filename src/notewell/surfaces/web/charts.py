"""Pictures of numbers as plain shapes: where each column, bar and ring lies. Templates draw them as SVG.

It knows numbers only, no words: what a picture says in words stands beside it in the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

COLUMN_WIDTH = 10.0
COLUMN_GAP = 2.0
HEIGHT = 100.0
LEAST_SHARE = 1.0
"""Of a hundred: what is there can be seen."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a column."""

    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Column:
    """A column from the bottom up; its parts are in the order of the series."""

    x: float
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """A chart of columns, ``width`` by ``HEIGHT``."""

    width: float
    top: int
    """The number at its upper edge."""
    columns: tuple[Column, ...]


def columns(series: Sequence[Sequence[int]]) -> Columns:
    """The chart of rows of numbers, each row the parts of one column."""
    top = round_top(max((sum(parts) for parts in series), default=0))
    made = []
    for index, parts in enumerate(series):
        floor, pieces = HEIGHT, []
        for number in parts:
            height = 0.0 if number == 0 else max(number / top * HEIGHT, LEAST_SHARE)
            floor -= height
            pieces.append(Piece(_rounded(max(floor, 0.0)), _rounded(height)))
        made.append(Column(index * COLUMN_WIDTH + COLUMN_GAP / 2, tuple(pieces)))
    return Columns(len(series) * COLUMN_WIDTH, top, tuple(made))


def round_top(highest: int) -> int:
    """The next number from 1, 2, 4, 10, 20, 40, … that is not below the highest: it and its half are read easily."""
    power = 1
    while True:
        for step in (1, 2, 4):
            if step * power >= highest:
                return step * power
        power *= 10


def share(part: int, whole: int) -> float:
    """A part in hundredths of the whole; what is there never vanishes, and what is not whole never looks whole."""
    if whole <= 0 or part <= 0:
        return 0.0
    return 100.0 if part >= whole else _rounded(min(max(part / whole * 100, LEAST_SHARE), 100 - LEAST_SHARE))


def percent(part: int, whole: int) -> int:
    """The same for people: whole hundredths, 0 and 100 only where that is meant."""
    if whole <= 0 or part <= 0:
        return 0
    return 100 if part >= whole else min(max(round(part / whole * 100), 1), 99)


def _rounded(number: float) -> float:
    return round(number, 2)
