"""The query language, rule by rule (DESIGN 5), by its trees and by what they find in a text."""

from __future__ import annotations

import pytest
from query_oracle import finds

from notewell.domain.query import (
    DEFAULT_NEAR_DISTANCE,
    MAX_NESTING,
    MAX_QUERY_CHARS,
    And,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    conjunction,
    disjunction,
    leaves,
    parse,
)
from notewell.domain.terms import FUNCTION_WORDS
from notewell.errors import InvalidArgument, InvalidQuery


def word(text: str, field: str | None = None) -> Phrase:
    """The leaf of one term."""
    return Phrase((text,), False, field)


def missing_units(query: str) -> list[str]:
    """What the units of a query are called."""
    return [unit.text for unit in parse(query).units]


# Words


def test_all_words_must_match() -> None:
    assert parse("rate cut").exact == And((word("rate"), word("cut")))


def test_one_word_is_one_leaf() -> None:
    assert parse("Retrying").exact == word("retri")


def test_words_in_lower_case_are_no_operators() -> None:
    assert missing_units("cats or dogs and not mice") == ["cats", "dogs", "mice"]


def test_function_words_do_not_count_beside_other_words() -> None:
    assert missing_units("what is the capital of France") == ["capital", "France"]


def test_function_words_count_where_the_query_has_nothing_else() -> None:
    assert missing_units("to be or not to be") == ["to", "be", "or", "not", "to", "be"]


def test_function_words_count_inside_quotes() -> None:
    assert parse('"the who"').exact == Phrase(("the", "who"))


def test_parts_of_a_compound_are_never_function_words() -> None:
    assert parse("to-do list").units[0].node == Phrase(("to", "do"))


# Phrases, prefixes, fields


def test_a_phrase_stands_side_by_side_in_order() -> None:
    assert finds('"rate cut"', "a rate cut came")
    assert not finds('"rate cut"', "cut the rate")


def test_a_prefix_is_one_of_an_unstemmed_word() -> None:
    assert parse("retry*").exact == Prefix("retry")
    assert finds("retry*", "retrying")
    assert not finds("retry*", "retries")


def test_an_empty_phrase_is_nothing_to_search_for() -> None:
    with pytest.raises(InvalidQuery):
        parse('""')


@pytest.mark.parametrize("field", ["title", "summary", "body"])
def test_a_field_limits_a_word_a_prefix_and_a_phrase(field: str) -> None:
    assert parse(f"{field}:rates").exact == word("rate", field)
    assert parse(f"{field}:rat*").exact == Prefix("rat", field)
    assert parse(f'{field}:"rate cut"').exact == Phrase(("rate", "cut"), False, field)


@pytest.mark.parametrize("text", ["labels:word", "foo:bar", "Title:rates", "f:x", "https://example.org"])
def test_an_unknown_field_and_a_word_are_a_compound(text: str) -> None:
    node = parse(text).exact

    assert isinstance(node, Phrase)
    assert (len(node.terms) > 1, node.field) == (True, None)


# NOT, OR, AND, parentheses


@pytest.mark.parametrize("text", ["apple -plum", "apple NOT plum", "-plum apple", "apple AND NOT plum"])
def test_minus_and_not_exclude(text: str) -> None:
    assert finds(text, "apple pear")
    assert not finds(text, "apple plum")


def test_a_minus_inside_a_word_or_before_a_space_excludes_nothing() -> None:
    assert parse("apple - plum").excluded == parse("apple-plum").excluded == ()


def test_a_query_of_exclusions_alone_has_no_units() -> None:
    query = parse("-apple NOT plum")

    assert (query.units, query.excluded) == ((), (word("appl"), word("plum")))


def test_or_finds_either_side() -> None:
    assert parse("apple OR plum").exact == Or((word("appl"), word("plum")))


@pytest.mark.parametrize("text", ["a1 b1 OR c1 d1", "a1 AND b1 OR c1 AND d1", "(a1 b1) OR (c1 d1)"])
def test_and_binds_tighter_than_or(text: str) -> None:
    assert parse(text).exact == Or((And((word("a1"), word("b1"))), And((word("c1"), word("d1")))))


def test_parentheses_group() -> None:
    assert parse("(a1 OR b1) c1").exact == And((Or((word("a1"), word("b1"))), word("c1")))


def test_a_group_is_excluded_as_a_whole() -> None:
    assert finds("z1 -(a1 b1)", "z1 a1")
    assert not finds("z1 -(a1 b1)", "z1 b1 a1")
    assert not finds("z1 NOT (a1 OR b1)", "z1 a1")


def test_an_exclusion_inside_a_branch_stays_in_it() -> None:
    assert finds("a1 -b1 OR c1", "c1 b1")
    assert not finds("a1 -b1 OR c1", "a1 b1")


# NEAR


def test_near_takes_words_and_a_distance() -> None:
    assert parse("NEAR(alpha beta, 5)").exact == Near((word("alpha"), word("beta")), 5)
    assert parse("NEAR(alpha beta,5)").exact == Near((word("alpha"), word("beta")), 5)
    assert parse("NEAR(alpha b2,5)").exact == Near((word("alpha"), word("b2")), 5)
    assert parse("NEAR(alpha 1,000)").exact == Near((word("alpha"), Phrase(("1", "000"))), DEFAULT_NEAR_DISTANCE)


def test_near_without_a_distance_has_ten() -> None:
    assert parse("NEAR(alpha beta)").exact == Near((word("alpha"), word("beta")), DEFAULT_NEAR_DISTANCE)
    assert DEFAULT_NEAR_DISTANCE == 10


def test_near_takes_phrases() -> None:
    assert parse('NEAR("rate cut" fed, 3)').exact == Near((Phrase(("rate", "cut")), word("fed")), 3)


def test_a_number_that_is_no_distance_is_a_word_of_near() -> None:
    assert parse("NEAR(alpha 5)").exact == Near((word("alpha"), word("5")), DEFAULT_NEAR_DISTANCE)


# What does not parse


@pytest.mark.parametrize(
    "text", ['"multi agent', "(multi agent", "multi agent)", "multi agent(", "NEAR(multi agent", 'multi "agent']
)
def test_an_open_quote_or_parenthesis_is_read_again_as_words(text: str) -> None:
    node = parse(text).exact

    assert {word("multi"), word("agent")} <= set(leaves(node))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AND", ["AND"]),
        ("NOT", ["NOT"]),
        ("OR cat", ["OR", "cat"]),
        ("cat AND", ["cat", "AND"]),
        ("cat OR OR dog", ["cat", "OR", "OR", "dog"]),
        ("cat NOT", ["cat", "NOT"]),
    ],
)
def test_an_operator_with_nothing_beside_it_is_a_word(text: str, expected: list[str]) -> None:
    assert missing_units(text) == expected


def test_words_read_again_never_relax() -> None:
    assert parse("cat AND").rest is None


@pytest.mark.parametrize("text", ["", "   ", "*** --- ()", "…，。", '""', "\0", "\ud800", "- -", "-***"])
def test_nothing_searchable_is_an_invalid_query(text: str) -> None:
    with pytest.raises(InvalidQuery) as caught:
        parse(text)

    assert caught.value.code == "invalid_query"


def test_a_query_over_its_limit_is_an_invalid_argument() -> None:
    with pytest.raises(InvalidArgument, match="2,001"):
        parse("x" * (MAX_QUERY_CHARS + 1))


def test_parentheses_deeper_than_the_limit_are_read_as_words() -> None:
    text = "(" * (MAX_NESTING + 1) + "cat" + ")" * (MAX_NESTING + 1)

    assert parse(text).exact == word("cat")


# Compounds


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("multi-agent", "A multi-agent run"),
        ("Downloads/transcripts", "logs in Downloads/transcripts today"),
        ("don't use", "we don't use tabs"),
        ("GB/s", "10 GB/s measured"),
        ("C++", "C++ build"),
        ("BRK.B", "BRK.B rose"),
        ("a@b.com", "write to a@b.com"),
        ("C:\\repo\\src", "in C:\\repo\\src"),
        ("AT&T", "of AT&T"),
        ("12%", "up 12 today"),
    ],
)
def test_a_compound_finds_itself(text: str, note: str) -> None:
    assert finds(text, note)


@pytest.mark.parametrize(
    ("text", "note"),
    [("1.1", "1.10"), ("1.1", "11"), ("C++", "C"), ("C", "C++"), ("C", "C#"), ("foo_bar", "foo and bar")],
)
def test_a_compound_or_signed_term_does_not_find_what_only_looks_alike(text: str, note: str) -> None:
    assert not finds(text, note)


# What relaxes


def test_plain_words_relax_into_any_of_them() -> None:
    assert parse("rate cut").rest == Or((word("rate"), word("cut")))


@pytest.mark.parametrize(
    "text", ['"rate cut"', "1.10", "GB/s", "rate AND cut", "(rate OR cut) AND fed", "NEAR(rate cut)", "apple", "retr*"]
)
def test_what_never_relaxes_has_no_rest(text: str) -> None:
    assert parse(text).rest is None


def test_what_never_relaxes_is_required_of_inexact_matches() -> None:
    assert parse('fed "rate cut" soon').rest == Phrase(("rate", "cut"))


def test_exclusions_hold_for_inexact_matches() -> None:
    assert parse("rate cut -fed").rest == And((Or((word("rate"), word("cut"))), Not(word("fed"))))


def test_a_run_falls_apart_into_its_bigrams() -> None:
    assert parse("降息预期").rest == Or((word("降息"), word("息预"), word("预期")))


def test_a_quoted_run_does_not_fall_apart() -> None:
    assert parse('"降息预期"').rest is None


# Fragments


def test_a_single_bare_word_of_three_letters_has_a_fragment() -> None:
    assert parse("Olumn").fragment == "olumn"


@pytest.mark.parametrize(
    "text", ["ol", "olumn row", '"olumn"', "olumn*", "123", "a1b", "foo-bar", "降息预", "title:olumn"]
)
def test_anything_else_has_no_fragment(text: str) -> None:
    assert parse(text).fragment is None


# Runs: a query is a substring


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("降息", word("降息")),
        ("降息预期", Phrase(("降息", "息预", "预期"))),
        ("息", Phrase(("息",), is_open=True)),
        ("NVDA降息预期", Phrase(("nvda", "降息", "息预", "预期"))),
        ("降息NVDA", Phrase(("降息", "息", "nvda"))),
    ],
)
def test_a_run_is_a_phrase_of_its_bigrams(text: str, expected: Phrase) -> None:
    assert parse(text).exact == expected


@pytest.mark.parametrize("note", ["NVDA降息", "NVDA，降息", "NVDA 降息"])
def test_signs_and_space_between_the_parts_of_a_phrase_are_ignored(note: str) -> None:
    assert finds("NVDA降息", note)


def test_a_tree_of_one_child_is_that_child() -> None:
    nodes: list[Node] = [word("a"), word("a")]

    assert conjunction(nodes[:1]) == disjunction(nodes) == word("a")


def test_function_words_are_folded() -> None:
    assert all(text == text.lower() and text.isalpha() for text in FUNCTION_WORDS)
