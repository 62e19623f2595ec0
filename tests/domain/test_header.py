"""The header of a note, rule by rule: the spec's sentences first, then what DESIGN 4 adds."""

from __future__ import annotations

import pytest
from header_cases import CASES, HeaderCase

from notewell.domain.header import (
    MAX_SHOWN_WORDS_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    ParsedHeader,
    Slug,
    parse,
    shown_title,
    slug,
)

SPEC_NOTE = """---
title: Clause learning stalls above 40k variables
kind: dead_end
tags: [sat, cdcl, scaling]
builds_on: [nte_0h3k9x2c7m, att_1q8w4e6r9t]
model: claude-opus-5-5
---

Tried the CDCL branch with phase saving on the large fixture. …
"""


def read(lines: str) -> ParsedHeader:
    """The header with these lines between its fences; the test fails when it is none."""
    parsed = parse(f"---\n{lines}\n---\n")
    assert parsed.has_header
    return parsed


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_difficult_block_reads_as_the_table_says(case: HeaderCase) -> None:
    nothing = ParsedHeader(None, None, (), (), None, (), False, case.text)

    assert parse(case.text) == (case.expected or nothing)


# The spec's sentences


def test_the_spec_note_gives_its_five_fields_and_its_body() -> None:
    assert parse(SPEC_NOTE) == ParsedHeader(
        title="Clause learning stalls above 40k variables",
        kind="dead_end",
        tags=("sat", "cdcl", "scaling"),
        builds_on=("nte_0h3k9x2c7m", "att_1q8w4e6r9t"),
        model="claude-opus-5-5",
        extra=(),
        has_header=True,
        body="\nTried the CDCL branch with phase saving on the large fixture. …\n",
    )


def test_a_note_that_opens_with_a_horizontal_rule_is_left_alone() -> None:
    text = "---\n\nJust prose: with a colon.\n\n---\n\nMore.\n"

    assert parse(text).body == text


@pytest.mark.parametrize("line", ["title: x", "kind: x", "tags: x", "builds_on: x", "model: x", "title:"])
def test_each_of_the_five_fields_alone_makes_a_header(line: str) -> None:
    assert parse(f"---\n{line}\n---\n").has_header


def test_one_line_of_another_form_makes_the_whole_block_body() -> None:
    text = "---\ntitle: Fine\nkind: plan\nthis is prose\n---\nBody.\n"

    assert parse(text) == ParsedHeader(None, None, (), (), None, (), False, text)


def test_a_quoted_value_may_contain_a_hash() -> None:
    assert read('title: "C # minor"').title == "C # minor"
    assert read("title: 'C # minor'").title == "C # minor"


def test_comments_are_extra_whole_lines_and_trailing_ones() -> None:
    parsed = read("# checked twice\ntitle: Rates # as of May\ntags: [sat] # one\nmodel: 'x' # y")

    assert parsed.extra == ("# checked twice", "# as of May", "# one", "# y")
    assert (parsed.title, parsed.tags, parsed.model) == ("Rates", ("sat",), "x")


def test_unknown_keys_are_extra_with_their_items() -> None:
    parsed = read("name: a\nkind: plan\nlist:\n  - b # c\n  -\n- d")

    assert parsed.extra == ("name: a", "list:", "  - b # c", "  -", "- d")


def test_lines_in_extra_come_without_their_line_ends() -> None:
    parsed = parse("---\r\n# note \r\nname:\tx\r\nkind: plan # soon\r\n---\r\n")

    assert parsed.extra == ("# note ", "name:\tx", "# soon")


def test_a_builds_on_entry_that_is_no_id_is_extra() -> None:
    parsed = read("builds_on: [nte_0h3k9x2c7m, issue 12, usr_0h3k9x2c7m, nte_SHOUTED000, nte_short, nte_0h3k9x2c7m!]")

    assert parsed.builds_on == ("nte_0h3k9x2c7m",)
    assert parsed.extra == ("issue 12", "usr_0h3k9x2c7m", "nte_SHOUTED000", "nte_short", "nte_0h3k9x2c7m!")


def test_ids_of_every_prefix_and_of_10_to_26_characters_are_kept() -> None:
    ids = ("nte_" + "0" * 10, "att_" + "a" * 26, "prb_0123456789", "cmp_abcdefghij")

    assert read(f"builds_on: [{', '.join(ids)}]").builds_on == ids
    assert read("builds_on: " + "nte_" + "0" * 27).builds_on == ()


def test_the_twenty_first_tag_is_extra() -> None:
    parsed = read("tags:\n" + "\n".join(f"- t{number}" for number in range(22)))

    assert parsed.tags == tuple(f"t{number}" for number in range(20))
    assert parsed.extra == ("t20", "t21")


def test_the_fifty_first_id_is_extra() -> None:
    ids = [f"nte_{number:010}" for number in range(51)]
    parsed = read(f"builds_on: [{','.join(ids)}]")

    assert parsed.builds_on == tuple(ids[:50])
    assert parsed.extra == (ids[50],)


def test_a_second_title_kind_or_model_is_extra_as_a_whole_line() -> None:
    parsed = read("title: A\nkind: plan\nmodel: m\ntitle: B # b\nkind: digest\nModel:  n")

    assert (parsed.title, parsed.kind, parsed.model) == ("A", "plan", "m")
    assert parsed.extra == ("title: B # b", "kind: digest", "Model:  n")


@pytest.mark.parametrize(("key", "limit"), [("title", 200), ("kind", 40), ("model", 100)])
def test_a_value_longer_than_its_limit_is_extra_and_one_at_it_is_kept(key: str, limit: int) -> None:
    kept, rejected = read(f"{key}: {'x' * limit}"), read(f"{key}: {'x' * (limit + 1)}")

    assert (getattr(kept, key), kept.extra) == ("x" * limit, ())
    assert (getattr(rejected, key), rejected.extra) == (None, (f"{key}: {'x' * (limit + 1)}",))


def test_a_tag_or_kind_that_dropped_a_letter_is_extra_in_full() -> None:
    parsed = read("tags: [über-wichtig, ok]\nkind: Größe")

    assert (parsed.tags, parsed.kind) == (("ber-wichtig", "ok"), "gre")
    assert parsed.extra == ("über-wichtig", "Größe")


def test_duplicates_are_not_echoed() -> None:
    parsed = read("tags: [sat, SAT, sat, Dead End, dead-end]\nbuilds_on: [nte_0h3k9x2c7m, nte_0h3k9x2c7m]")

    assert (parsed.tags, parsed.builds_on, parsed.extra) == (("sat", "dead-end"), ("nte_0h3k9x2c7m",), ())


def test_duplicates_beyond_the_limit_are_not_echoed_either() -> None:
    tags, ids = [f"t{number}" for number in range(20)], [f"nte_{number:010}" for number in range(50)]
    parsed = read(f"tags: [{', '.join([*tags, 't0'])}]\nbuilds_on: [{', '.join([*ids, ids[0]])}]")

    assert (parsed.tags, parsed.builds_on, parsed.extra) == (tuple(tags), tuple(ids), ())


def test_a_rejected_or_shortened_entry_is_echoed_once() -> None:
    parsed = read("tags: [über, 'über', 🎉, 🎉]\nbuilds_on: [none, none]")

    assert (parsed.tags, parsed.extra) == (("ber",), ("über", "🎉", "none"))


def test_a_tag_that_only_its_lost_letters_tell_from_another_is_extra() -> None:
    parsed = read("tags: [ber, über]")

    assert (parsed.tags, parsed.extra) == (("ber",), ("über",))


# What DESIGN 4 adds


def test_front_matter_stays_text() -> None:
    typed = ["ON", "NO", "0700", "000001", "1.10", "2026-01-02", "null", "12:30"]

    assert [read(f"title: {value}").title for value in typed] == typed
    assert [read(f"model: {value}").model for value in typed] == typed
    assert read("tags: [ON, NO, 0700, 000001, 1.10, 2026-01-02]").tags == (
        "on",
        "no",
        "0700",
        "000001",
        "1.10",
        "2026-01-02",
    )


def test_one_value_where_a_list_is_expected_is_a_list_of_one() -> None:
    parsed = read("tags: sat\nbuilds_on: 'nte_0h3k9x2c7m'")

    assert (parsed.tags, parsed.builds_on) == (("sat",), ("nte_0h3k9x2c7m",))


def test_an_inline_value_its_items_and_a_second_key_make_one_list() -> None:
    parsed = read("tags: [a, b]\n- c\n  - 'd'\nkind: plan\ntags: e\n- [f, g]")

    assert (parsed.tags, parsed.extra) == (("a", "b", "c", "d", "e", "f", "g"), ())


def test_the_first_of_several_values_is_the_kind_and_the_others_are_extra() -> None:
    dashed, inline = read("kind:\n- plan\n- digest"), read("kind: [plan, digest]")

    assert (dashed.kind, dashed.extra) == ("plan", ("- digest",))
    assert (inline.kind, inline.extra) == ("plan", ("kind: [plan, digest]",))
    assert (read("kind: [plan]").kind, read("kind: [plan]").extra) == ("plan", ())


def test_a_rejected_value_leaves_its_field_to_the_next() -> None:
    parsed = read(f"kind: 🎉\nkind: plan\ntitle: {'x' * 201}\ntitle: Short")

    assert (parsed.kind, parsed.title) == ("plan", "Short")
    assert parsed.extra == ("kind: 🎉", f"title: {'x' * 201}")


def test_a_tag_too_long_for_an_index_key_is_extra() -> None:
    parsed = read(f"tags: [{'x' * 60}, {'y' * 61}]")

    assert (parsed.tags, parsed.extra) == (("x" * 60,), ("y" * 61,))


def test_blank_values_leave_no_trace() -> None:
    parsed = read("title: '  '\nkind:\ntags: [ , '', \" \"]\n-\n- ''\nmodel:")

    assert parsed == ParsedHeader(None, None, (), (), None, (), True, "")


def test_blanks_inside_quotes_are_as_typed() -> None:
    assert read("title: '  two  spaces '").title == "  two  spaces "


def test_the_body_comes_back_byte_for_byte() -> None:
    body = "\r\n\n  first\r\nlast without an end"

    assert parse(f"\ufeff---\r\nkind: plan\r\n---\r\n{body}").body == body
    assert parse(f"\ufeff{body}").body == f"\ufeff{body}"


# Slugs


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("dead_end", "dead_end"),
        ("Dead  End ", "dead-end"),
        ("1.10", "1.10"),
        ("C++", "c++"),
        ("降息", "降息"),
        ("降息　预期", "降息-预期"),
        ("二〇二六", "二〇二六"),
        ("データ", "データ"),
        ("ﾃﾞｰﾀ", "ﾃﾞｰﾀ"),
        ("한국어", "한국어"),
        ("ภาษาไทย๒๕", "ภาษาไทย๒๕"),
        ("ພາສາລາວ", "ພາສາລາວ"),
        ("ភាសាខ្មែរ", "ភាសាខ្មែរ"),
        ("မြန်မာ", "မြန်မာ"),
    ],
)
def test_a_slug_keeps_these_texts_whole(text: str, value: str) -> None:
    assert slug(text) == Slug(value, is_lossless=True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("über-wichtig", "ber-wichtig"),
        ("u\u0308ber-wichtig", "ber-wichtig"),
        ("solver/sat", "solversat"),
        ("#sat", "sat"),
        ("降息、预期", "降息预期"),
        ("İstanbul", "istanbul"),
        ("ＡＢＣ", ""),
        ("ключ", ""),
        ("🎉", ""),
        ("\u3164", ""),
        ("sat\u200b", "sat"),
        ("x\0y", "xy"),
    ],
)
def test_a_slug_says_that_it_lost_something(text: str, value: str) -> None:
    assert slug(text) == Slug(value, is_lossless=False)


def test_composed_and_decomposed_spellings_are_one_slug() -> None:
    assert slug("か\u3099").value == slug("が").value
    assert slug("\u1112\u1161\u11ab").value == slug("한").value
    assert slug("か!\u3099").value == slug("が").value


# Shown titles


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (SPEC_NOTE, "Clause learning stalls above 40k variables"),
        ("---\nkind: plan\n---\nWords.\n\n## The  plan ##\n", "The plan"),
        ("\ufeff# Heading\n", "Heading"),
        ("Words first.\n\nThen a heading\n===\n", "Then a heading"),
        ("```sh\n# a comment\n```\n# Heading\n", "Heading"),
        ("~~~\n# in code, never closed\n", "in code, never closed"),
        ("```x``` is code\nMore.\n# Heading\n", "Heading"),
        ("```sh\nls -l\n```\n", "ls -l"),
        ("# ======\n# Banner\n# ======\n", "Banner"),
        ("#hashtag is no heading\n", "#hashtag is no heading"),
        ("\n---\n\n> - First words.\nMore.\n", "First words."),
        ("1. Step one\n", "Step one"),
        ("降息预期", "降息预期"),
        ("🎉", "🎉"),
        ("---\n***\n", ""),
        ("", ""),
    ],
)
def test_a_note_shows_its_title_or_first_heading_or_first_words(text: str, shown: str) -> None:
    assert shown_title(parse(text)) == shown


def test_a_shown_title_is_cut_between_words_and_says_so() -> None:
    words, run = shown_title(parse("words " * 100)), shown_title(parse("息" * 1000))

    assert words == ("words " * 13).strip() + "…"
    assert run == "息" * (MAX_SHOWN_WORDS_CHARACTERS - 1) + "…"


def test_a_long_heading_is_cut_at_two_hundred_characters() -> None:
    assert shown_title(parse("# " + "x" * 300)) == "x" * (MAX_TITLE_CHARACTERS - 1) + "…"
