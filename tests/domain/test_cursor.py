"""Cursors: what comes back is what was sent out, and anything else is refused (DESIGN 5)."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.domain.cursor import Cursor, decode, request_hash
from notewell.errors import InvalidArgument

REQUEST = request_hash("words")
ROWS = st.integers(-(2**63) + 1, 2**63 - 1)
SCORES = ROWS | st.floats(allow_nan=False, allow_infinity=False)
RANKED = st.sampled_from(["exact", "partial", "rest"])
CURSORS = st.builds(Cursor, st.just(REQUEST), RANKED, SCORES, ROWS, ROWS, st.booleans()) | st.builds(
    Cursor, st.just(REQUEST), st.just("listing"), SCORES | st.text(), ROWS, ROWS, st.booleans()
)


def packed(text: str) -> str:
    """A text as a cursor would carry it."""
    return base64.urlsafe_b64encode(text.encode("utf-8", "surrogatepass")).decode().rstrip("=")


@given(CURSORS)
def test_a_cursor_comes_back_as_it_was(cursor: Cursor) -> None:
    assert decode(cursor.encode(), REQUEST) == cursor


@given(CURSORS)
def test_a_cursor_is_text_that_every_address_and_shell_takes(cursor: Cursor) -> None:
    assert all(char.isascii() and (char.isalnum() or char in "-_") for char in cursor.encode())


@given(CURSORS)
def test_a_cursor_of_another_request_is_refused(cursor: Cursor) -> None:
    with pytest.raises(InvalidArgument):
        decode(cursor.encode(), request_hash("other words"))


GARBAGE = st.one_of(
    st.text(st.characters(exclude_categories=())),
    st.binary().map(lambda data: base64.urlsafe_b64encode(data).decode()),
    st.recursive(st.none() | st.text() | st.integers() | st.floats() | st.booleans(), st.lists)
    .map(json.dumps)
    .map(packed),
)


@given(GARBAGE)
def test_garbage_is_an_invalid_argument(text: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        decode(text, REQUEST)

    assert caught.value.code == "invalid_argument"
    assert caught.value.details == {"argument": "cursor"}


@pytest.mark.parametrize(
    "values",
    [
        "[" * 100_000,
        '["R","exact",1,1,1]',
        '["R","exact",1,1,1,true,1]',
        '["R","exact",null,1,1,true]',
        '["R","exact",1,"1",1,true]',
        '["R","exact",1,1,1,1]',
        '["R","exact",1,9223372036854775808,1,true]',
        '["R","exact",1,1,true,true]',
        '["R","exact",NaN,1,1,true]',
        '["R","exact",Infinity,1,1,true]',
        '["R","exact","\\ud800",1,1,true]',
        '["R","\\ud800",1,1,1,true]',
        '["R","unknown",1,1,1,true]',
        "1" * 10_000,
    ],
)
def test_a_forged_cursor_is_an_invalid_argument(values: str) -> None:
    with pytest.raises(InvalidArgument):
        decode(packed(values.replace("R", REQUEST)), REQUEST)


def test_requests_that_differ_in_anything_have_different_hashes() -> None:
    requests = [("a", "b"), ("ab",), ("a", ("b",)), ("a", None), ("a", "None"), ("\ud800",), ("?",)]

    assert len({request_hash(*parts) for parts in requests}) == len(requests)


def test_the_hash_of_a_request_is_the_same_in_every_process() -> None:
    assert request_hash("words", ("a", 1), None) == "eed8b57fb81d"
