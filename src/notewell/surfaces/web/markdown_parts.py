"""A long Markdown text in parts, each of which can be rendered by itself and quickly.

A part ends at an empty line where it can. A block of code that is longer than a part is closed at its end and opened
again in the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

PART_BYTES = 9_000
"""From this size on a part ends at the next empty line outside a block of code."""
MAX_PART_BYTES = 12_000
"""At this size it ends at the next line, and inside a longer line."""
_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})(?P<rest>.*)", re.DOTALL)


def parts_of(text: str) -> list[str]:
    """The parts of a text, at least one; without the fences added between them they are the text."""
    if len(text) <= MAX_PART_BYTES // 4 or _size(text) <= MAX_PART_BYTES:
        return [text]
    parts: list[str] = []
    lines: list[str] = []
    size = 0
    fence = _Fence()
    for line in _short_lines(text):
        length = _size(line)
        if size + length > MAX_PART_BYTES:
            parts.append(_closed("".join(lines), fence.marks))
            lines = [fence.opening] if fence.opening else []
            size = _size(fence.opening)
        lines.append(line)
        size += length
        fence.read(line)
        if size >= PART_BYTES and not fence.opening and not line.strip():
            parts.append("".join(lines))
            lines, size = [], 0
    return [*parts, "".join(lines)] if lines else parts


class _Fence:
    """The block of code that a text is inside of."""

    def __init__(self) -> None:
        self.opening = ""
        """The line that opened it; empty outside."""
        self.marks = ""
        """What ends it; empty outside."""

    def read(self, line: str) -> None:
        """Takes note of the next line."""
        match = _FENCE.match(line)
        if match is None:
            return
        marks, rest = match["marks"], match["rest"]
        if not self.opening:
            if marks[0] == "~" or "`" not in rest:
                self.opening, self.marks = line[:1000].rstrip("\n") + "\n", marks
        elif marks[0] == self.marks[0] and len(marks) >= len(self.marks) and not rest.strip():
            self.opening = self.marks = ""


def _closed(part: str, marks: str) -> str:
    """A part with the end of its block of code, on a line of its own."""
    return f"{part}{'' if part.endswith(chr(10)) else chr(10)}{marks}\n" if marks else part


def _short_lines(text: str) -> Iterator[str]:
    """The lines with their ends, those that are longer than a part in pieces."""
    most = MAX_PART_BYTES // 4  # characters of up to four bytes
    for line in text.splitlines(keepends=True):
        if len(line) <= most:
            yield line
        else:
            yield from (line[start : start + most] for start in range(0, len(line), most))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
