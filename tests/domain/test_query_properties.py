"""What holds for the query of any text: nothing raises, a run is a substring, exact matches are inexact ones too.

``holds`` is an oracle independent of the engines: it reads a tree over a text's terms.
"""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from query_oracle import finds, holds

from notewell.domain.query import And, Near, Not, OneOf, Or, Phrase, Prefix, leaves, parse
from notewell.domain.terms import analyze
from notewell.errors import InvalidArgument

unhurried = settings(deadline=None)

CJK = st.text(st.sampled_from("降息预期了降息的天気カータナ금리가"), min_size=1, max_size=24)


@unhurried
@given(CJK, st.data())
def test_every_substring_of_a_run_finds_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    size = data.draw(st.integers(1, 6))

    assert finds(text[start : start + size], text)


@unhurried
@given(CJK, CJK.map(lambda text: text[:6]))
def test_a_run_is_found_in_a_text_only_where_it_is_a_substring(text: str, query: str) -> None:
    assert finds(query, text) == (query in text)


# What holds for every text

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
PIECES = [
    "a",
    "b",
    "to",
    "be",
    "x-y",
    "1.1",
    "C++",
    "降",
    "息",
    "NVDA",
    '"',
    "(",
    ")",
    "-",
    "*",
    ",",
    "|",
    "🎉",
    " ",
    " ",
    " ",
]
OPERATORS = [" AND ", " OR ", " NOT ", "NEAR(", "title:", "body:", ", 5)", "，", "\0", "\ud800", "\n"]
SYNTAX = st.lists(st.sampled_from(PIECES + OPERATORS), max_size=40).map("".join)


@unhurried
@given(ANY_TEXT | SYNTAX)
@example("NEAR(a b, ²)")
def test_no_text_makes_the_parser_raise_anything_else(text: str) -> None:
    try:
        query = parse(text)
    except InvalidArgument:
        return

    assert query.units or query.excluded
    assert isinstance(query.exact, Phrase | Prefix | OneOf | Near | And | Or | Not)
    assert set(query.exact_leaves) == {leaf for unit in query.units for leaf in leaves(unit.node)}


@unhurried
@given(ANY_TEXT)
def test_a_text_with_a_term_is_never_an_invalid_query(text: str) -> None:
    if list(analyze(text)):
        parse(text)


@unhurried
@given(st.lists(st.sampled_from(["a1", "b1", "c1", "d1"]), max_size=4).map(" ".join), SYNTAX)
def test_exact_matches_hold_what_inexact_ones_must(text: str, words: str) -> None:
    try:
        query = parse(words.replace("NEAR(", "").replace(":", " "))
    except InvalidArgument:
        return

    assert query.rest is None or not holds(text, query.exact) or holds(text, query.rest)
