"""Ids and row numbers: their form, their order, the time they carry (DESIGN 11)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.domain.ids import (
    CROCKFORD,
    MAX_MILLISECONDS,
    PREFIXES,
    ROW_BITS,
    check_id,
    first_row_no,
    id_from_text,
    is_id,
    new_id,
    row_no_time,
)
from notewell.errors import InvalidArgument

MOMENTS = st.integers(0, MAX_MILLISECONDS)
BITS = st.integers(0, 2**32 - 1)


@given(st.sampled_from(PREFIXES), MOMENTS, BITS)
def test_an_id_is_a_prefix_and_sixteen_characters_of_crockfords_alphabet(prefix: str, now: int, bits: int) -> None:
    made = new_id(prefix, now, bits)

    assert re.fullmatch(rf"{prefix}_[{CROCKFORD}]{{16}}", made)
    assert is_id(made, prefix)


@given(MOMENTS, BITS, MOMENTS, BITS)
def test_ids_sort_by_their_time_first(now: int, bits: int, later: int, other_bits: int) -> None:
    assert (new_id("nte", now, bits) < new_id("nte", later, other_bits)) == ((now, bits) < (later, other_bits))


def test_ids_of_one_moment_differ() -> None:
    assert len({new_id("nte", 0) for _ in range(100)}) == 100


@given(st.text())
def test_the_same_text_gives_the_same_id(text: str) -> None:
    assert id_from_text("nte", text) == id_from_text("nte", text)
    assert is_id(id_from_text("nte", text), "nte")
    assert id_from_text("nte", text) != id_from_text("nte", text + "x")


@pytest.mark.parametrize("text", ["nte_0h3k9x2c7m", "nte_" + "a" * 26, "nte_ilouilouilou"])
def test_ten_to_twenty_six_lower_case_letters_and_digits_are_an_id(text: str) -> None:
    assert check_id(text, "nte", "id") == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nte_",
        "nte_short",
        "nte_" + "a" * 27,
        "NTE_0h3k9x2c7m",
        "nte_0H3K9X2C7M",
        "att_0h3k9x2c7m",
        "nte_0h3k9x2c7m\n",
        "note",
    ],
)
def test_any_other_form_is_an_invalid_argument_that_names_it(text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        check_id(text, "nte", "ids")

    assert caught.value.details == {"argument": "ids"}
    assert repr(text) in caught.value.message


@given(st.text(st.characters(exclude_categories=())))
def test_no_text_makes_the_check_raise_anything_else(text: str) -> None:
    assert not is_id(text, "nte")


@given(st.integers(-MAX_MILLISECONDS, MAX_MILLISECONDS), st.integers(0, 2**ROW_BITS - 1))
def test_a_row_number_carries_its_time_and_fits_sixty_three_bits(moment: int, place: int) -> None:
    row_no = first_row_no(moment) + place

    assert row_no_time(row_no) == moment
    assert first_row_no(moment) <= row_no < first_row_no(moment + 1)
    assert abs(row_no) < 2**63
