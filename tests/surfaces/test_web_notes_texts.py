"""Line ends of edited texts, and comparisons of texts: whatever the texts are."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from notewell.surfaces.web.notes_diff import MAX_SHOWN_LINES, compare
from notewell.surfaces.web.notes_form import labels_of, with_line_ends

TEXTS = st.text(st.sampled_from("ab\r\n\u202e<"), max_size=30)
TYPED = st.text(st.sampled_from("ab\n"), max_size=30)


def as_browser(text: str) -> str:
    """A text as it comes out of a form."""
    return re.sub(r"\r\n|\r", "\n", text)


@given(TEXTS)
def test_a_text_that_went_through_a_form_is_the_same_again(stored: str) -> None:
    assert with_line_ends(as_browser(stored), stored) == stored


@given(TYPED, TEXTS)
@example("\n\n", "\r<\n")
def test_line_ends_change_nothing_else(typed: str, stored: str) -> None:
    assert as_browser(with_line_ends(typed, stored)) == typed


@given(TEXTS, TEXTS)
def test_texts_that_differ_show_a_difference(old: str, new: str) -> None:
    found = compare(old, new)

    assert any(line.kind in ("added", "removed") for line in found.lines) == (old != new)
    assert not any("<<" in line.html or "\u202e" in line.html for line in found.lines)


def test_a_comparison_of_large_texts_stays_small() -> None:
    assert compare("a\n" * 500_000, "b\n" * 500_000).is_too_large
    many = compare("".join(f"{n % 90}\n" for n in range(700)), "".join(f"{n * 7 % 90}\n" for n in range(700)))
    assert (len(many.lines), many.is_cut) == (MAX_SHOWN_LINES, True)
    long = compare("x" * 1_000_000, "x" * 999_999 + "y")
    assert sum(len(line.html) for line in long.lines) < 500


def test_tags_are_told_apart_by_lines_and_commas() -> None:
    assert labels_of("a, b\nc，d、\n\n e ") == ("a", "b", "c", "d", "e")
    assert labels_of("a, b\nc, d", ("a, b",)) == ("a, b", "c", "d")
