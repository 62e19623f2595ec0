"""Moments as text: UTC, milliseconds, and a bare date as an end (DESIGN 6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.domain.ids import MAX_MILLISECONDS, first_row_no
from notewell.domain.times import DAY_MILLISECONDS, format_time, parse_time
from notewell.errors import InvalidArgument

MOMENT = 1_796_111_069_123


@given(st.integers(-MAX_MILLISECONDS, MAX_MILLISECONDS))
def test_a_moment_survives_the_way_to_text_and_back(moment: int) -> None:
    assert parse_time(format_time(moment), "createdFrom") == moment


def test_a_moment_is_shown_in_utc_with_milliseconds() -> None:
    assert format_time(MOMENT) == "2026-12-01T07:44:29.123Z"


@pytest.mark.parametrize(
    "text",
    [
        "2026-12-01T07:44:29.123Z",
        "2026-12-01T15:44:29.123+08:00",
        "2026-12-01 07:44:29.123",
        " 2026-12-01T07:44:29.123 ",
    ],
)
def test_an_offset_counts_and_its_absence_means_utc(text: str) -> None:
    assert parse_time(text, "createdFrom") == MOMENT


@pytest.mark.parametrize("text", ["2026-12-01", "20261201", "2026-W49-2", " 2026-12-01 "])
def test_a_bare_date_is_its_first_millisecond_and_as_an_end_its_last(text: str) -> None:
    start = parse_time("2026-12-01T00:00:00Z", "createdFrom")

    assert parse_time(text, "createdFrom") == start
    assert parse_time(text, "createdTo", is_end=True) == start + DAY_MILLISECONDS - 1


def test_a_time_as_an_end_is_itself() -> None:
    assert parse_time("2026-12-01T00:00:00Z", "createdTo", is_end=True) == parse_time("2026-12-01", "createdFrom")


@pytest.mark.parametrize("text", ["", "today", "2026-13-01", "2026-02-30", "12/01/2026", "1780000000", "\0", "\ud800"])
def test_what_is_no_time_is_an_invalid_argument_that_names_it(text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_time(text, "createdFrom")

    assert caught.value.details == {"argument": "createdFrom"}
    assert repr(text) in caught.value.message


@pytest.mark.parametrize(
    "text", ["0001-01-01", "9999-12-31T23:59:59Z", "1700-01-01", "2200-01-01", "0001-01-01T00:00+23:59"]
)
def test_a_time_that_no_row_number_holds_is_an_invalid_argument(text: str) -> None:
    with pytest.raises(InvalidArgument, match="1831 to 2109"):
        parse_time(text, "createdFrom")


@given(st.text(st.characters(exclude_categories=())) | st.text(st.sampled_from("0123456789-T:.Z+W ")))
def test_no_text_makes_it_raise_anything_else(text: str) -> None:
    for is_end in (False, True):
        try:
            moment = parse_time(text, "createdTo", is_end=is_end)
        except InvalidArgument:
            continue

        assert abs(first_row_no(moment + 1)) < 2**63
