"""Where the points of a lineage stand: no two in one place, arrows from each note, every point once in the lists."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from notewell.services.lineage import Lineage, Point
from notewell.surfaces.web.lineage_layout import (
    BOX_HEIGHT,
    BOX_WIDTH,
    MAX_LABEL_WIDTH,
    Branch,
    builds_on,
    built_on_by,
    label,
    picture,
)

POINTS = st.lists(st.integers(-3, 3), max_size=30).map(lambda levels: [0, *levels])


@st.composite
def lineages(draw: st.DrawFn) -> Lineage:
    """Any graph at all, cycles and loops included."""
    points = tuple(Point(f"nte_{number:010}", level, None) for number, level in enumerate(draw(POINTS)))
    place = st.integers(0, len(points) - 1)
    pairs = draw(st.sets(st.tuples(place, place), max_size=60))
    return Lineage(points, tuple((points[start].id, points[end].id) for start, end in sorted(pairs)), is_cut=False)


def flat(branches: tuple[Branch, ...]) -> Iterator[Branch]:
    """All branches of a nested list."""
    for branch in branches:
        yield branch
        yield from flat(branch.branches)


@given(lineages())
def test_every_point_has_a_place_of_its_own_inside_the_picture(found: Lineage) -> None:
    drawn = picture(found)

    assert sorted(box.point.id for box in drawn.boxes) == [point.id for point in found.points]
    assert len({(box.x, box.y) for box in drawn.boxes}) == len(found.points)
    for box in drawn.boxes:
        assert 0 <= box.x <= drawn.width - BOX_WIDTH
        assert 0 <= box.y <= drawn.height - BOX_HEIGHT
    for one in drawn.boxes:
        for other in drawn.boxes:
            assert one is other or abs(one.x - other.x) >= BOX_WIDTH or abs(one.y - other.y) >= BOX_HEIGHT
            assert (one.point.level < other.point.level) == (one.x < other.x)
    assert len(drawn.lines) == len(found.links)


@given(lineages())
def test_the_lists_open_every_point_once_and_end(found: Lineage) -> None:
    for tree in (builds_on(found), built_on_by(found)):
        opened = [branch.point.id for branch in flat(tree) if not branch.is_again]
        assert len(opened) == len(set(opened))
        assert all(not branch.branches for branch in flat(tree) if branch.is_again)


def test_a_cycle_is_drawn_backward_and_listed_as_shown_already() -> None:
    one, two = Point("nte_one0000000", 0, None), Point("nte_two0000000", 1, None)
    found = Lineage((one, two), ((one.id, two.id), (two.id, one.id), (one.id, one.id)), is_cut=False)

    assert [line.is_backward for line in picture(found).lines] == [True, False, True]
    assert [(branch.point.id, branch.is_again) for branch in flat(builds_on(found))] == [
        (two.id, False),
        (one.id, True),
        (one.id, True),
    ]


@given(st.text())
def test_a_label_fits_into_its_box(text: str) -> None:
    shown = label(text)

    assert len(shown) <= MAX_LABEL_WIDTH + 1
    assert shown == text or text.startswith(shown.removesuffix("…"))
    assert label("降息" * 20) == "降息" * 6 + "降…"
