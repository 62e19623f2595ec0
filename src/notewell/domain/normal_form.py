"""NFKC for texts that anybody may send: linear in their length.

``unicodedata.normalize`` takes time by the square of a run of combining marks (a mebibyte of them: minutes), so a long
run is cut first. No writing system puts more than a few marks on a letter.
"""

from __future__ import annotations

import unicodedata

import regex

MAX_MARKS = 32
"""Of a run of combining marks, the rest becomes blanks: the text keeps its length, so places stay true."""

_LONG_RUN = regex.compile(rf"(\p{{M}}{{{MAX_MARKS}}})(\p{{M}}+)")


def with_short_marks(text: str) -> str:
    """The text with blanks in the place of marks that no letter carries."""
    if text.isascii():
        return text
    return str(_LONG_RUN.sub(lambda match: match[1] + " " * len(match[2]), text))


def nfkc(text: str) -> str:
    """The text in NFKC."""
    return text if text.isascii() else unicodedata.normalize("NFKC", with_short_marks(text))
