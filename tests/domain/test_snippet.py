"""Snippets: the stretch of a body that shows why it was found (DESIGN 5)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.domain.query import OneOf, Phrase, parse
from notewell.domain.snippet import MAX_ANALYZED_CHARS, MAX_SNIPPET_CHARS, Snippet, make_snippet
from notewell.errors import InvalidArgument

unhurried = settings(deadline=None)

FILLER = "filler " * 100


def snippet_of(body: str, query: str) -> Snippet:
    """The snippet of a body for the words of a query."""
    return make_snippet(body, parse(query).exact_leaves)


def highlighted(snippet: Snippet) -> list[str]:
    """What a snippet marks."""
    return [snippet.text[start:end] for start, end in snippet.highlights]


def test_a_short_body_is_its_own_snippet() -> None:
    assert snippet_of("A rate cut came.", "cut") == Snippet("A rate cut came.", ((7, 10),))


def test_the_opening_is_shown_where_nothing_matches() -> None:
    assert snippet_of(FILLER, "absent") == Snippet(FILLER[:MAX_SNIPPET_CHARS])


def test_an_empty_body_gives_an_empty_snippet() -> None:
    assert snippet_of("", "word") == Snippet("")


def test_a_match_far_inside_is_shown_with_text_before_it() -> None:
    snippet = snippet_of(FILLER + "the needle is here " + FILLER, "needle")

    assert highlighted(snippet) == ["needle"]
    assert 0 < snippet.highlights[0][0] <= 40


def test_the_window_with_most_different_words_wins() -> None:
    body = "rate rate rate " + FILLER + "a rate cut by the fed " + FILLER

    assert highlighted(snippet_of(body, "rate cut fed")) == ["rate", "cut", "fed"]


def test_a_word_is_marked_in_each_of_its_forms_as_it_stands_in_the_text() -> None:
    assert highlighted(snippet_of("Retrying RETRIES a Müller", "retry muller")) == ["Retrying", "RETRIES", "Müller"]


def test_a_phrase_is_marked_as_a_whole_and_only_where_it_stands() -> None:
    assert highlighted(snippet_of("cut the rate, then rate cut", '"rate cut"')) == ["rate cut"]


def test_a_prefix_marks_whole_words() -> None:
    assert highlighted(snippet_of("columnar store", "colum*")) == ["columnar"]


def test_a_fragment_marks_the_word_that_holds_it() -> None:
    assert highlighted(make_snippet("Column order", (OneOf(("column",)),), "olumn")) == ["Column"]


def test_a_run_is_marked_to_its_last_character() -> None:
    assert highlighted(snippet_of("市场降息预期上升", "降息预期")) == ["降息预期"]


def test_one_character_of_a_run_is_marked_alone() -> None:
    assert highlighted(snippet_of("市场降息预期", "息")) == ["息"]


def test_overlapping_matches_are_one_highlight() -> None:
    assert highlighted(make_snippet("降息预期", parse("降息预期").rest_leaves)) == ["降息预期"]


def test_an_excluded_word_is_not_marked() -> None:
    assert highlighted(snippet_of("apple and plum", "apple OR (plum -pear)")) == ["apple", "plum"]
    assert highlighted(snippet_of("apple and pear", "apple OR (plum -pear)")) == ["apple"]


def test_line_breaks_and_tabs_are_shown_as_spaces() -> None:
    assert snippet_of("one\r\ntwo\tthree", "three").text == "one  two three"


def test_markup_in_the_body_stays_text() -> None:
    assert snippet_of("<b>rate</b> & cut", "rate") == Snippet("<b>rate</b> & cut", ((3, 7),))


def test_a_word_at_the_end_of_a_very_long_body_is_found() -> None:
    body = FILLER * (MAX_ANALYZED_CHARS // len(FILLER) + 10) + "zanzibar"

    assert highlighted(snippet_of(body, "zanzibar")) == ["zanzibar"]


def test_a_word_at_the_end_of_a_very_long_body_is_found_by_another_form_of_it() -> None:
    body = FILLER * (MAX_ANALYZED_CHARS // len(FILLER) + 10) + "retries"

    assert highlighted(snippet_of(body, "retrying")) == ["retries"]


BODIES = st.lists(
    st.sampled_from(
        ["rate", "cuts ", " ", "\n", "\r\n", "降息", "预期", "NVDA", "🎉", "é", "e\u0301", "ﬁ", "\0", "x" * 90, ", "]
    ),
    max_size=80,
).map("".join) | st.text(st.characters(exclude_categories=()), max_size=400)
QUERIES = st.sampled_from(["rate", "rate cut", "降息", "息", "降息预期", "NVDA降", "x*", '"rate cut" OR 🎉', "é file"])


@unhurried
@given(BODIES, QUERIES)
def test_a_snippet_of_any_body_is_a_stretch_of_it_with_ordered_highlights_inside(body: str, query: str) -> None:
    snippet = snippet_of(body, query)

    assert len(snippet.text) <= MAX_SNIPPET_CHARS
    assert snippet.text in body.translate({ord(char): " " for char in "\r\n\t"})
    ends = [0, *(end for _, end in snippet.highlights)]
    assert all(last <= start < end for last, (start, end) in zip(ends, snippet.highlights, strict=False))
    assert ends[-1] <= len(snippet.text)


@unhurried
@given(st.text(st.characters(exclude_categories=()), max_size=20), st.text(max_size=300))
def test_no_query_and_body_make_it_raise(query: str, body: str) -> None:
    try:
        leaves = parse(query).exact_leaves
    except InvalidArgument:
        return

    assert len(make_snippet(body + query, leaves).text) <= MAX_SNIPPET_CHARS


@unhurried
@given(
    st.text(st.sampled_from("降息预期"), min_size=1, max_size=6), st.text(st.sampled_from("天気東京 \n"), max_size=300)
)
def test_a_run_that_is_there_is_marked(query: str, around: str) -> None:
    snippet = make_snippet(f"{around}{query}{around}", parse(query).exact_leaves)

    assert query in highlighted(snippet)


def test_a_phrase_of_a_field_is_marked_like_any_other() -> None:
    assert highlighted(make_snippet("the rate", (Phrase(("rate",), False, "body"),))) == ["rate"]
