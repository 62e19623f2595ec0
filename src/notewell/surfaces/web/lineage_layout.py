"""Where the points of a lineage stand in its picture, and the same as two trees for readers without pictures.

Each level is a column: to the left what a note builds on, to the right what builds on it. It must not know pages: the
picture is numbers and texts, which a template draws.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from notewell.services.lineage import Lineage, Point

BOX_WIDTH, BOX_HEIGHT = 224, 52
GAP_ACROSS, GAP_DOWN, MARGIN = 48, 18, 24
"""The margin is half of the gap across, so that all columns are equally wide; ``research.css`` counts on that."""
MAX_LABEL_WIDTH = 26
"""Of a label inside its box, in narrow letters; a wide one counts as two."""


@dataclass(frozen=True, slots=True)
class Box:
    """A point of the picture; all numbers are user units of the SVG, from the box's upper left corner."""

    point: Point
    x: int
    y: int

    @property
    def middle(self) -> float:
        """The height of its middle."""
        return self.y + BOX_HEIGHT / 2


@dataclass(frozen=True, slots=True)
class Line:
    """An arrow from a note to what it builds on."""

    path: str
    """For the attribute ``d``."""
    is_backward: bool
    """Whether it runs against the order of the columns, as in a cycle."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A lineage with a place for everything."""

    width: int
    height: int
    columns: int
    here: int
    """The column of the note itself, from 0."""
    boxes: tuple[Box, ...]
    """From left to right and from top to bottom: the order in which they get the focus."""
    lines: tuple[Line, ...]


def picture(found: Lineage) -> Picture:
    """A lineage as a picture."""
    columns = _columns(found)
    tallest = max(map(len, columns))
    height = 2 * MARGIN + tallest * BOX_HEIGHT + (tallest - 1) * GAP_DOWN
    boxes = {}
    for place, column in enumerate(columns):
        left = (tallest - len(column)) * (BOX_HEIGHT + GAP_DOWN) // 2
        for row, point in enumerate(column):
            x = MARGIN + place * (BOX_WIDTH + GAP_ACROSS)
            boxes[point.id] = Box(point, x, MARGIN + left + row * (BOX_HEIGHT + GAP_DOWN))
    width = 2 * MARGIN + len(columns) * (BOX_WIDTH + GAP_ACROSS) - GAP_ACROSS
    lines = tuple(_line(boxes[note], boxes[cited]) for note, cited in found.links)
    here = next(place for place, column in enumerate(columns) if column[0].level == 0)
    return Picture(width, height, len(columns), here, tuple(boxes.values()), lines)


def _columns(found: Lineage) -> list[list[Point]]:
    """The points by level, those of a column near to what they are linked with."""
    levels = sorted({point.level for point in found.points})
    columns = {level: [point for point in found.points if point.level == level] for level in levels}
    near: dict[str, list[str]] = {}
    for note, cited in found.links:
        near.setdefault(note, []).append(cited)
        near.setdefault(cited, []).append(note)
    rows: dict[str, float] = {point.id: 0.0 for point in columns[0]}
    for level in sorted(levels, key=abs)[1:]:
        columns[level].sort(key=lambda point: _mean(rows, near.get(point.id, [])))
        middle = (len(columns[level]) - 1) / 2
        rows |= {point.id: row - middle for row, point in enumerate(columns[level])}
    return list(columns.values())


def _mean(rows: Mapping[str, float], near: list[str]) -> float:
    known = [rows[each] for each in near if each in rows]
    return sum(known) / len(known) if known else 0.0


def _line(note: Box, cited: Box) -> Line:
    if note.point.id == cited.point.id:
        x, y = note.x + BOX_WIDTH // 2, note.y
        return Line(f"M{x + 24},{y} C{x + 36},{y - 22} {x - 36},{y - 22} {x - 24},{y - 2}", is_backward=True)
    if note.point.level > cited.point.level:
        start, end = note.x, cited.x + BOX_WIDTH + 4
        bend = max(GAP_ACROSS // 2, (start - end) // 2)
        way = f"C{start - bend},{note.middle:g} {end + bend},{cited.middle:g} {end},{cited.middle:g}"
        return Line(f"M{start},{note.middle:g} {way}", is_backward=False)
    if note.point.level == cited.point.level:
        start = note.x + BOX_WIDTH
        way = f"C{start + 30},{note.middle:g} {start + 30},{cited.middle:g} {start + 4},{cited.middle:g}"
        return Line(f"M{start},{note.middle:g} {way}", is_backward=False)
    # From left to right, in an arc below the boxes: the straight way belongs to the line that it answers.
    start, end = note.x + BOX_WIDTH // 2, cited.x + BOX_WIDTH // 2
    low, to = note.y + BOX_HEIGHT, cited.y + BOX_HEIGHT + 4
    return Line(f"M{start},{low} C{start},{low + 34} {end},{to + 30} {end},{to}", is_backward=True)


def label(text: str) -> str:
    """A text as it fits into a box."""
    width = 0
    for place, letter in enumerate(text):
        width += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if width > MAX_LABEL_WIDTH:
            return text[:place].rstrip() + "…"
    return text


@dataclass(frozen=True, slots=True)
class Branch:
    """A point in a nested list."""

    point: Point
    branches: tuple[Branch, ...]
    is_again: bool
    """Whether it stands elsewhere in the list already, where its branches are."""


def builds_on(found: Lineage) -> tuple[Branch, ...]:
    """What the note builds on, what that builds on, and so on."""
    return _tree(found, found.links)


def built_on_by(found: Lineage) -> tuple[Branch, ...]:
    """What builds on the note, what builds on that, and so on."""
    return _tree(found, tuple((cited, note) for note, cited in found.links))


def _tree(found: Lineage, links: tuple[tuple[str, str], ...]) -> tuple[Branch, ...]:
    points = {point.id: point for point in found.points}
    below: dict[str, list[str]] = {}
    for start, end in links:
        below.setdefault(start, []).append(end)
    shown = {found.points[0].id}

    def grown(start: str) -> tuple[Branch, ...]:
        branches = []
        for each in below.get(start, []):
            is_again = each in shown
            shown.add(each)
            branches.append(Branch(points[each], () if is_again else grown(each), is_again))
        return tuple(branches)

    return grown(found.points[0].id)
