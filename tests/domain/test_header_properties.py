"""What holds for the header of any text: nothing raises, nothing disappears, nothing takes more than linear time."""

from __future__ import annotations

import itertools
import re
import time
import unicodedata
from collections.abc import Callable, Iterable

import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.domain.header import (
    FIELDS,
    MAX_BUILDS_ON,
    MAX_KIND_CHARACTERS,
    MAX_MODEL_CHARACTERS,
    MAX_TAG_CHARACTERS,
    MAX_TAGS,
    MAX_TITLE_CHARACTERS,
    ParsedHeader,
    parse,
    shown_title,
    slug,
)

unhurried = settings(deadline=None)

ANY_TEXT = st.lists(
    st.text(max_size=10)
    | st.sampled_from(["\ud800", "\udfff", "\0", "\ufeff"])
    | st.sampled_from("-#:,[]'\"\\ \t\r\n"),
    max_size=20,
).map("".join)
"""Lone surrogates, NULs and much syntax in it. Inside st.text() they would be one character in a thousand."""

PIECES = st.text(st.sampled_from(list("wwW\"'[],#:- \t\\é降🎉\r\u3000")), max_size=25)
"""Text full of syntax, with a ``w`` where a word of its own will stand."""
IDS = st.sampled_from(["nte_0h3k9x2c7m", "att_1q8w4e6r9t", "prb_0000000000", "nte_short"])
VALUES = st.one_of(
    PIECES,
    IDS,
    st.sampled_from(["sat", "SAT", "über", "1.10", "'w # w' # w", '["w, w", w] # w', "[w", "x" * 41, "x" * 201]),
    st.lists(PIECES | IDS, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
)
KEYS = st.sampled_from([*FIELDS, "Title", "TAGS", "name", "标签", "a-b_1"])
LINES = st.one_of(
    st.builds("{}: {}".format, KEYS, VALUES),
    st.builds("{}:".format, KEYS),
    st.builds("{}- {}".format, st.sampled_from(["", "  ", "\t"]), VALUES),
    st.builds("{}#{}".format, st.sampled_from(["", "  "]), PIECES),
    st.sampled_from(["", "  ", "-"]),
)
BLOCKS = st.lists(LINES, max_size=30).map(lambda lines: ["tags:", *lines])
"""Lines that make a header: each has a form that a header allows."""
LINE_ENDS = st.sampled_from(["\n", "\r\n"])


def note(lines: list[str], line_end: str = "\n") -> str:
    return line_end.join(["---", *lines, "---", ""])


@unhurried
@given(ANY_TEXT | ANY_TEXT.map(lambda text: f"---\ntitle: x\n{text}\n---\n"))
def test_no_text_makes_the_parser_raise(text: str) -> None:
    parsed = parse(text)

    assert parsed.has_header or parsed == ParsedHeader(None, None, (), (), None, (), False, text)
    assert len(shown_title(parsed)) <= MAX_TITLE_CHARACTERS


@unhurried
@given(ANY_TEXT.filter(lambda text: "\n" not in text))
def test_no_value_makes_the_parser_refuse_a_header(value: str) -> None:
    assert parse(note([f"{key}: {value}" for key in FIELDS])).has_header


@unhurried
@given(BLOCKS, LINE_ENDS, ANY_TEXT, st.sampled_from(["", "\ufeff"]))
def test_the_body_is_all_that_follows_the_block(lines: list[str], line_end: str, body: str, mark: str) -> None:
    parsed = parse(mark + note(lines, line_end) + body)

    assert parsed.has_header
    assert parsed.body == body


@unhurried
@given(
    BLOCKS, st.integers(0, 30), st.sampled_from(["prose", "  title: x", "key:x", "a b: c", "...", " ---", "-x", "{"])
)
def test_one_bad_line_anywhere_makes_the_whole_text_body(lines: list[str], place: int, bad_line: str) -> None:
    text = note([*lines[:place], bad_line, *lines[place:]])

    assert parse(text) == ParsedHeader(None, None, (), (), None, (), False, text)


def with_words_of_their_own(lines: list[str]) -> list[str]:
    """Each ``w`` becomes a word that occurs nowhere else, so that no other word can stand in for a lost one."""
    numbers = itertools.count()
    return [re.sub("[wW]", lambda match: f"{match[0]}{next(numbers)}x", line) for line in lines]


def words_of(texts: Iterable[str]) -> set[str]:
    """The words apart from letter case and from what may be syntax."""
    return set(re.sub(r"""["'\[\],:#\\-]""", " ", " ".join(texts)).lower().split())


@settings(unhurried, max_examples=examples(500))
@given(BLOCKS, LINE_ENDS)
def test_every_word_of_a_block_is_in_a_field_or_in_extra(templates: list[str], line_end: str) -> None:
    lines = with_words_of_their_own(templates)

    parsed = parse(note(lines, line_end))

    fields = [parsed.title or "", parsed.kind or "", parsed.model or "", *parsed.tags, *parsed.builds_on]
    assert words_of(lines) - set(FIELDS) <= words_of([*fields, *parsed.extra])


@unhurried
@given(BLOCKS)
def test_extra_holds_nothing_but_pieces_of_the_block_in_order_of_their_lines(templates: list[str]) -> None:
    lines = with_words_of_their_own(templates)
    places = []

    for piece in parse(note(lines)).extra:
        assert any(piece in line for line in lines)
        if any(character in "wW" for character in piece):
            places.append(next(place for place, line in enumerate(lines) if piece in line))

    assert places == sorted(places)


@unhurried
@given(BLOCKS)
def test_every_field_is_within_its_limits(lines: list[str]) -> None:
    parsed = parse(note(lines))

    assert 0 < len(parsed.title or "-") <= MAX_TITLE_CHARACTERS
    assert 0 < len(parsed.kind or "-") <= MAX_KIND_CHARACTERS
    assert 0 < len(parsed.model or "-") <= MAX_MODEL_CHARACTERS
    assert len(set(parsed.tags)) == len(parsed.tags) <= MAX_TAGS
    assert all(0 < len(tag) <= MAX_TAG_CHARACTERS for tag in parsed.tags)
    assert len(set(parsed.builds_on)) == len(parsed.builds_on) <= MAX_BUILDS_ON


@unhurried
@given(ANY_TEXT | PIECES)
def test_the_slug_of_a_slug_is_itself(text: str) -> None:
    value = slug(text).value

    assert slug(value).value == value
    assert not value or slug(value).is_lossless
    assert not any(character.isspace() or character.isupper() for character in value)


@unhurried
@given(st.text())
def test_both_spellings_of_a_text_have_one_slug(text: str) -> None:
    assert slug(unicodedata.normalize("NFC", text)) == slug(unicodedata.normalize("NFD", text))


def _block(lines: str) -> str:
    return f"---\ntitle: x\n{lines}\n---\nBody.\n"


HEAVY_TEXTS: dict[str, Callable[[int], str]] = {
    "lines of keys": lambda size: _block("k: v\n" * (size // 5)),
    "one item again and again": lambda size: _block("tags:\n" + "- a\n" * (size // 4)),
    "many tags": lambda size: _block("tags:\n" + "".join(f"- 息{n}!\n" for n in range(size // 8))),
    "many ids": lambda size: _block("builds_on:\n" + "".join(f"- x{n}\n" for n in range(size // 8))),
    "many titles": lambda size: _block("title: x\n" * (size // 9)),
    "never closed": lambda size: "---\n" + "k: v\n" * (size // 5),
    "fences": lambda size: "---\n" * (size // 4),
    "blank lines": lambda size: _block(" \n" * (size // 2)),
    "blanks behind a fence": lambda size: "---" + " " * size + "x\n",
    "blanks behind a closing fence": lambda size: "---\ntitle: x\n---" + " " * size + "x\n",
    "blanks": lambda size: _block("kind: a" + " " * size + "b"),
    "blanks behind a quote": lambda size: _block("kind: 'a'" + " " * size + "b"),
    "commas": lambda size: _block("tags: [" + "," * size + "]"),
    "entries": lambda size: _block("tags: [" + "a," * (size // 2) + "]"),
    "entries never closed": lambda size: _block("tags: [" + "a," * (size // 2)),
    "double quotes": lambda size: _block("tags: [" + '"' * size),
    "single quotes": lambda size: _block("tags: [" + "'" * size),
    "quotes and commas": lambda size: _block("tags: [" + "'," * (size // 2)),
    "an open quote before closed ones": lambda size: _block("tags: ['a " + "'' , " * (size // 5) + "]"),
    "escaped quotes": lambda size: _block('tags: ["a ' + '\\", ' * (size // 4) + "]"),
    "backslashes": lambda size: _block('title: "' + "\\" * size),
    "hashes": lambda size: _block("tags: [" + " #" * (size // 2)),
    "brackets": lambda size: _block("tags: " + "[]" * (size // 2)),
    "a long key": lambda size: _block("k" * size),
    "combining marks in a key": lambda size: _block("a" + "\u0315\u0300" * (size // 2) + ":"),
    "combining marks in a tag": lambda size: _block("tags: a" + "\u0315\u0300" * (size // 2)),
    "carriage returns": lambda size: _block("model: " + "\r" * size),
    "a long word in the body": lambda size: "x" * size,
    "words in the body": lambda size: "x " * (size // 2),
    "marks in the body": lambda size: "> " * (size // 2) + "y",
    "hashes in a heading": lambda size: "# " + " #" * (size // 2) + "x",
    "backticks": lambda size: "`" * size + "x`",
    "code fences": lambda size: "```a\n~~~\n" * (size // 9),
    "an underline with an end": lambda size: "x\n" + "=" * size + " " * size + "x",
}


def _cpu_seconds(text: str) -> float:
    start = time.process_time()
    shown_title(parse(text))
    return time.process_time() - start


@pytest.mark.parametrize("name", HEAVY_TEXTS)
def test_eight_times_the_text_takes_about_eight_times_as_long(name: str) -> None:
    """Quadratic work would take 64 times as long. A millisecond is the least that is told from noise."""
    small, large = HEAVY_TEXTS[name](1 << 14), HEAVY_TEXTS[name](1 << 17)

    growths = (_cpu_seconds(large) / max(_cpu_seconds(small), 0.001) for _ in range(5))

    assert any(growth < 24 for growth in growths)
