"""The memory note's fields, their limits, and what an edit does to them (DESIGN 6)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.domain.notes import (
    MAX_BODY_BYTES,
    MAX_TAG_CHARS,
    Draft,
    Edit,
    Note,
    appended,
    check_collection_name,
    clean_tag,
    merge_tags,
    tag_key,
    without_tags,
)
from notewell.errors import InvalidArgument, InvalidSymbol, NotewellError, TooLarge

NOTE = Note(
    id="nte_0h3k9x2c7m",
    space_id="acc_0h3k9x2c7m",
    row_no=1,
    version=3,
    title="Title",
    summary="Summary",
    body="line one",
    tags=("Rates", "fed"),
    symbols=("NVDA",),
    collection_id=None,
    status="active",
    source="",
    account_id="acc_0h3k9x2c7m",
    agent="",
    created_at=0,
    updated_at=0,
)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)
TAGS = st.text(st.sampled_from("#＃ aAＡßé降e\u0301\u0345-_"), max_size=6)


def refusal(draft: Draft) -> NotewellError:
    """The error that a draft is refused with."""
    with pytest.raises(NotewellError) as caught:
        draft.checked()
    return caught.value


# Drafts


def test_a_title_loses_the_white_space_around_it_and_its_line_breaks() -> None:
    assert Draft(" Rate\n  cut ", "").checked().title == "Rate cut"


def test_a_title_may_be_one_character_newer_than_our_tables() -> None:
    assert Draft("\U0001fae9", "").checked().title == "\U0001fae9"


def test_a_body_stays_as_it_is_byte_for_byte() -> None:
    body = "\ufeff a\r\nb\rc\n\n "

    assert Draft("T", body).checked().body == body


@pytest.mark.parametrize(
    ("draft", "argument"),
    [
        (Draft("", "b"), "title"),
        (Draft(" \n ", "b"), "title"),
        (Draft("\u200b\u0301", "b"), "title"),
        (Draft("x" * 201, "b"), "title"),
        (Draft("T", "b", summary="x" * 1_001), "summary"),
        (Draft("T", "b", source="x" * 201), "source"),
        (Draft("T", "b", tags=tuple(f"t{number}" for number in range(31))), "tags"),
        (Draft("T", "b", tags=("x" * 61,)), "tags"),
        (Draft("T", "b", tags=("#",)), "tags"),
        (Draft("T", "b", symbols=tuple(f"S{number}" for number in range(51))), "symbols"),
        (Draft("a\0b", "b"), "title"),
        (Draft("T", "a\0b"), "body"),
        (Draft("T", "a\ud800b"), "body"),
        (Draft("T", "b", summary="\udfff"), "summary"),
        (Draft("T", "b", tags=("a\0",)), "tags"),
    ],
)
def test_a_field_that_breaks_its_limit_is_named(draft: Draft, argument: str) -> None:
    error = refusal(draft)

    assert (error.code, error.details["argument"]) == ("invalid_argument", argument)


def test_every_field_may_fill_its_limit() -> None:
    tags = tuple(f"{number:0>60}" for number in range(30))
    symbols = tuple(f"S{number}" for number in range(50))
    draft = Draft("降" * 200, "降" * (MAX_BODY_BYTES // 3), "x" * 1_000, tags, symbols, "x" * 200)

    assert draft.checked() == draft


def test_a_body_is_limited_in_bytes_and_not_in_characters() -> None:
    error = refusal(Draft("T", "降" * (MAX_BODY_BYTES // 3 + 1)))

    assert isinstance(error, TooLarge)
    assert error.details["limitBytes"] == 1_048_576


def test_a_bad_symbol_is_an_invalid_symbol() -> None:
    assert isinstance(refusal(Draft("T", "b", symbols=("not one",))), InvalidSymbol)


def test_symbols_are_written_in_the_watchlists_spelling_each_once() -> None:
    assert Draft("T", "b", symbols=("brk.b", "$NVDA", "BRK-B")).checked().symbols == ("BRK-B", "NVDA")


@given(ANY_TEXT, ANY_TEXT, st.lists(ANY_TEXT, max_size=3), st.lists(ANY_TEXT, max_size=3))
def test_no_draft_raises_anything_else_and_a_checked_one_stays(
    title: str, body: str, tags: list[str], symbols: list[str]
) -> None:
    try:
        checked = Draft(title, body, body, tuple(tags), tuple(symbols), title).checked()
    except NotewellError:
        return

    assert checked.checked() == checked


# Tags


def test_a_leading_hash_and_white_space_are_dropped() -> None:
    assert merge_tags((), (" #rates ", "# fed", "a  b")) == ("rates", "fed", "a b")


def test_tags_compare_by_nfkc_and_case_folding_and_are_shown_as_first_typed() -> None:
    assert merge_tags(("Rates",), ("RATES", "ｒａｔｅｓ", "Straße", "STRASSE", "e\u0301", "é")) == (
        "Rates",
        "Straße",
        "e\u0301",
    )


@pytest.mark.parametrize(
    ("one", "other"), [("test", "testing"), ("a b", "a-b"), ("a_b", "a b"), ("C", "C++"), ("降", "降息")]
)
def test_tags_that_are_not_the_same_differ(one: str, other: str) -> None:
    assert tag_key(one) != tag_key(other)


@pytest.mark.parametrize("tag", ["#测试", "＃测试", "##测试", "# #测试"])
def test_a_hash_in_any_form_before_a_tag_makes_no_difference(tag: str) -> None:
    assert tag_key(tag) == tag_key("测试")
    assert merge_tags((), (tag,)) == ("测试",)


@given(TAGS | ANY_TEXT)
def test_cleaning_a_tag_again_changes_neither_it_nor_its_key(tag: str) -> None:
    assert clean_tag(clean_tag(tag)) == clean_tag(tag)
    assert tag_key(clean_tag(tag)) == tag_key(tag)
    assert tag_key(tag_key(tag)) == tag_key(tag)


def test_removing_a_tag_needs_its_key_only() -> None:
    assert without_tags(("Rates", "fed"), ("#RATES",)) == ("fed",)


def test_a_tag_of_sixty_characters_fits() -> None:
    assert merge_tags((), ("x" * MAX_TAG_CHARS,)) == ("x" * 60,)


# Edits


def test_an_empty_edit_changes_nothing() -> None:
    assert Edit().applied(NOTE) == NOTE


def test_each_field_is_replaced_alone() -> None:
    assert Edit(title=" New ").applied(NOTE) == replace(NOTE, title="New")
    assert Edit(summary="").applied(NOTE) == replace(NOTE, summary="")
    assert Edit(body="b").applied(NOTE) == replace(NOTE, body="b")
    assert Edit(tags=("x",)).applied(NOTE) == replace(NOTE, tags=("x",))
    assert Edit(symbols=("brk.b",)).applied(NOTE) == replace(NOTE, symbols=("BRK-B",))
    assert Edit(status="archived").applied(NOTE) == replace(NOTE, status="archived")


def test_an_empty_list_takes_all_away() -> None:
    assert Edit(tags=(), symbols=()).applied(NOTE) == replace(NOTE, tags=(), symbols=())


def test_tags_and_symbols_are_added_behind_and_removed() -> None:
    edited = Edit(add_tags=("new", "RATES"), remove_tags=("#FED",), add_symbols=("700.HK",), remove_symbols=("nvda",))

    assert edited.applied(NOTE) == replace(NOTE, tags=("Rates", "new"), symbols=("0700.HK",))


def test_adding_a_tag_to_a_replaced_list_adds_to_the_new_one() -> None:
    assert Edit(tags=("a",), add_tags=("b",)).applied(NOTE).tags == ("a", "b")


def test_body_and_append_exclude_each_other() -> None:
    with pytest.raises(InvalidArgument, match="exclude each other"):
        Edit(body="x", append="y").applied(NOTE)


@pytest.mark.parametrize(
    "edit",
    [
        Edit(title=""),
        Edit(summary="x" * 1_001),
        Edit(append="\0"),
        Edit(add_tags=("x" * 61,)),
        Edit(append="x" * MAX_BODY_BYTES),
    ],
)
def test_an_edit_that_breaks_a_limit_is_refused(edit: Edit) -> None:
    with pytest.raises((InvalidArgument, TooLarge)):
        edit.applied(NOTE)


@pytest.mark.parametrize(
    ("body", "expected"), [("", "added"), ("one", "one\nadded"), ("one\n", "one\nadded"), ("one\r\n", "one\r\nadded")]
)
def test_appended_text_begins_a_line(body: str, expected: str) -> None:
    assert appended(body, "added") == expected


@given(ANY_TEXT, ANY_TEXT)
def test_appending_keeps_what_was_there_and_what_came(body: str, addition: str) -> None:
    assert appended(body, addition).startswith(body)
    assert appended(body, addition).endswith(addition)


# Collection names


def test_a_collection_name_is_trimmed() -> None:
    assert check_collection_name("  Trade \n notes ") == "Trade notes"


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\0", "\ud800", "---", "_"])
def test_a_bad_collection_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        check_collection_name(name)

    assert caught.value.details["argument"] == "collection"
