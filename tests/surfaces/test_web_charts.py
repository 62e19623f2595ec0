"""Where shapes lie: nothing outside its picture, nothing that is there vanishes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.surfaces.web import charts


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**7)), max_size=30))
def test_columns_stay_inside_and_show_all_that_is_there(series: list[tuple[int, int]]) -> None:
    chart = charts.columns(series)

    assert chart.width == charts.COLUMN_WIDTH * len(series)
    for parts, column in zip(series, chart.columns, strict=True):
        assert 0 <= column.x < chart.width
        for number, piece in zip(parts, column.pieces, strict=True):
            assert (piece.height > 0) == (number > 0)
            assert piece.y >= 0
            # The least height of a small part above a full one may reach over the edge by as much.
            assert piece.y + piece.height <= charts.HEIGHT + charts.LEAST_SHARE + 0.01


@given(st.integers(0, 10**12))
def test_the_upper_edge_is_a_round_number_not_far_above(highest: int) -> None:
    top = charts.round_top(highest)

    assert highest <= top < max(highest * 2.5, 2)
    assert str(top).rstrip("0") in ("1", "2", "4")


@pytest.mark.parametrize(
    ("part", "whole", "share", "percent"),
    [(0, 0, 0, 0), (0, 9, 0, 0), (9, 9, 100, 100), (1, 9_999, 1, 1), (9_998, 9_999, 99, 99), (1, 2, 50, 50)],
)
def test_a_share_is_none_or_all_only_where_it_is(part: int, whole: int, share: float, percent: int) -> None:
    assert (charts.share(part, whole), charts.percent(part, whole)) == (share, percent)
