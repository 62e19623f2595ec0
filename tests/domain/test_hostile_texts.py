"""Texts that are made to be slow: each takes about as long as its length says, whatever is done with it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

import pytest

from notewell.domain import header
from notewell.domain.notes import check_title, merge_tags
from notewell.domain.query import parse
from notewell.domain.snippet import make_snippet
from notewell.domain.symbols import normalize_symbol
from notewell.domain.terms import analyze, index_terms
from notewell.errors import NotewellError

UNITS = {
    "marks": "\u0301",
    "two marks": "\u0301\u0327",
    "long ligature": "\ufdfa",
    "loose jamo": "ㄱㅏ",
    "joiners": "\u200d",
    "family": "👩\u200d💻",
    "one run": "降",
    "a run in lines": "降\n",
    "full width": "Ａ，",
    "signs": "c+",
    "quotes": "'",
    "blanks": " \t",
}
WORK: dict[str, Callable[[str], object]] = {
    "analyze": lambda text: sum(1 for _ in analyze(text)),
    "index_terms": index_terms,
    "header": lambda text: header.shown_title(header.parse(text)),
    "snippet": lambda text: make_snippet(text, parse("a 降 降降").rest_leaves),
    "tags": lambda text: merge_tags((), [text]),
    "symbol": normalize_symbol,
    "title": check_title,
}
SMALL, LARGE = 10_000, 80_000
TOO_MUCH = 30
"""Eight times the text may take eight times as long, and some more on a busy machine; the square would be 64 times."""
AT_LEAST_SECONDS = 0.05
"""What is faster than this cannot be told from noise."""


def _seconds(work: Callable[[str], object], text: str) -> float:
    """CPU time, so that a busy machine does not matter."""
    begun = time.thread_time()
    with contextlib.suppress(NotewellError):
        work(text)
    return time.thread_time() - begun


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("work", WORK)
def test_eight_times_a_hostile_text_takes_about_eight_times_as_long(unit: str, work: str) -> None:
    small = "a" + UNITS[unit] * (SMALL // len(UNITS[unit]))
    large = "a" + UNITS[unit] * (LARGE // len(UNITS[unit]))

    least = max(_seconds(WORK[work], small), AT_LEAST_SECONDS)

    assert _seconds(WORK[work], large) < TOO_MUCH * least
