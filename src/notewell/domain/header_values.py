"""The values of header lines: quotes, inline lists and trailing comments.

It knows one value at a time, as what follows a colon or a dash, and nothing of keys, fields or limits. Every pattern
here repeats one thing at a time and never gives back what it took, so that reading is linear in the value's length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'""", re.DOTALL)
_ESCAPED = re.compile(r'\\(["\\])')
_ENTRY_START = re.compile(rf"\s*+({_QUOTED.pattern})?+", re.DOTALL)
_ENTRY_END = re.compile(r"[,\]]")
_COMMENT = re.compile(r"(?:^|(?<=\s))#")


@dataclass(frozen=True, slots=True)
class Entry:
    """One value, or one of an inline list; never blank."""

    text: str
    """Without quotes and escapes."""
    source: str
    """As written."""


@dataclass(frozen=True, slots=True)
class Value:
    """What stands behind one colon or dash."""

    entries: tuple[Entry, ...]
    """None for an empty value, one for a bare or quoted one, any number for an inline list."""
    text: str
    """The value as one text: without quotes and escapes, an inline list as written."""
    comment: str
    """From its ``#`` to the end of the line; empty when there is none."""


def read_value(text: str) -> Value:
    """The value in what follows a colon or a dash. A quote or bracket that is not closed is bare text."""
    text = text.strip()
    closed = _inline_list(text) if text.startswith("[") else _quoted(text)
    if closed is not None:
        return closed
    comment = _COMMENT.search(text)
    end = comment.start() if comment else len(text)
    source = text[:end].rstrip()
    return Value((Entry(source, source),) if source else (), source, text[end:])


def _quoted(text: str) -> Value | None:
    """The quoted value that opens the text; None when there is none, or more behind it than a comment."""
    match = _QUOTED.match(text)
    comment = _comment_after(text, match.end()) if match else None
    if match is None or comment is None:
        return None
    entries = _entries(match[0])
    return Value(entries, entries[0].text if entries else "", comment)


def _inline_list(text: str) -> Value | None:
    """The list that opens the text and ends at its first ``]`` outside quotes; None when something else follows it."""
    entries: list[Entry] = []
    position = 1
    while True:
        start = _ENTRY_START.match(text, position)
        stop = _ENTRY_END.search(text, start.end() if start else position)
        if stop is None:
            return None
        entries += _entries(text[position : stop.start()].strip())
        position = stop.end()
        if stop[0] == "]":
            break
    comment = _comment_after(text, position)
    return None if comment is None else Value(tuple(entries), text[:position], comment)


def _comment_after(text: str, end: int) -> str | None:
    """The trailing comment behind a quoted value or a list, empty for none; None when other text follows."""
    rest = text[end:]
    comment = rest.lstrip()
    is_clean = not comment or (comment.startswith("#") and len(comment) < len(rest))
    return comment if is_clean else None


def _entries(source: str) -> tuple[Entry, ...]:
    """One entry for what stands between two commas, or none when that is blank."""
    if not source.startswith(('"', "'")) or not _QUOTED.fullmatch(source):
        return (Entry(source, source),) if source else ()
    inner = source[1:-1]
    text = inner.replace("''", "'") if source.startswith("'") else _ESCAPED.sub(r"\1", inner)
    return (Entry(text, source),) if text.strip() else ()
