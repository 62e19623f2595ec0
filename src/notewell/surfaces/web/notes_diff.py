"""What changed between two texts, line by line, for a page: bounded in time and size, every character visible.

It must not know notes or pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice, zip_longest
from typing import Literal

from markupsafe import Markup

from notewell.surfaces.web.visible import visible

MAX_COMPARED_LINES = 800
"""Of either text, without what is the same at both ends: the time to compare grows with its square."""
MAX_SHOWN_LINES = 400
MAX_LINE_CHARS = 600
"""Of a line that is shown; of a longer one, the part where it changed."""
CONTEXT_LINES = 3
CONTEXT_CHARS = 80

_LINE = re.compile(r"[^\n]*\n|[^\n]+")

Kind = Literal["same", "added", "removed", "gap"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a comparison; a gap stands for lines that did not change."""

    kind: Kind
    html: Markup
    ends_open: bool = False
    """Whether the text ends in it, without a line end."""


@dataclass(frozen=True, slots=True)
class Diff:
    """A comparison; without lines the texts are the same, or too different to be shown so."""

    lines: tuple[Line, ...] = ()
    is_cut: bool = False
    """Whether there are more lines than are shown."""
    is_too_large: bool = False
    added: int = 0
    removed: int = 0
    """How many lines were added and removed; of texts that are too different, how many stand between their ends."""


SAME = Diff()


def compare(old: str, new: str) -> Diff:
    """What changed from one text to the other."""
    if old == new:
        return SAME
    before, after = _LINE.findall(old), _LINE.findall(new)
    if not _mixes_ends(old, new):
        before, after = _with_lf(before), _with_lf(after)
    head, tail = _same_ends(before, after)
    before, after = before[head : len(before) - tail], after[head : len(after) - tail]
    if max(len(before), len(after)) > MAX_COMPARED_LINES:
        return Diff(is_too_large=True, added=len(after), removed=len(before))
    lines = list(islice(_lines(before, after), MAX_SHOWN_LINES + 1))
    codes = SequenceMatcher(None, before, after).get_opcodes()
    changed = [code for code in codes if code[0] != "equal"]
    return Diff(
        tuple(lines[:MAX_SHOWN_LINES]),
        len(lines) > MAX_SHOWN_LINES,
        added=sum(end - start for _, _, _, start, end in changed),
        removed=sum(end - start for _, start, end, _, _ in changed),
    )


def _mixes_ends(old: str, new: str) -> bool:
    """Whether carriage returns are to be seen: not where every line of both texts ends with one."""
    return any(text.count("\r") != text.count("\n") or text.count("\r\n") != text.count("\n") for text in (old, new))


def _with_lf(lines: list[str]) -> list[str]:
    return [f"{line[:-2]}\n" if line.endswith("\r\n") else line for line in lines]


def _same_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """How many lines are the same at the beginning and at the end, but for some that show where the change is."""
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return max(0, head - CONTEXT_LINES), max(0, tail - CONTEXT_LINES)


def _lines(before: list[str], after: list[str]) -> Iterator[Line]:
    groups = SequenceMatcher(None, before, after).get_grouped_opcodes(CONTEXT_LINES)
    for number, group in enumerate(groups):
        if number:
            yield Line("gap", Markup(""))
        for kind, old_start, old_end, new_start, new_end in group:
            if kind == "equal":
                yield from (_line("same", line) for line in before[old_start:old_end])
                continue
            pairs = list(zip_longest(before[old_start:old_end], after[new_start:new_end], fillvalue=""))
            yield from (_line("removed", old, _start(old, new)) for old, new in pairs if old)
            yield from (_line("added", new, _start(old, new)) for old, new in pairs if new)


def _start(old: str, new: str) -> int:
    """Where to begin to show a long line: a little before the place where it changed."""
    if max(len(old), len(new)) <= MAX_LINE_CHARS:
        return 0
    same = next((place for place, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), 0)
    return max(0, same - CONTEXT_CHARS)


def _line(kind: Kind, line: str, start: int = 0) -> Line:
    text = line.removesuffix("\n")
    shown = text[start : start + MAX_LINE_CHARS]
    pieces = ["…" if start else "", visible(shown), "…" if start + MAX_LINE_CHARS < len(text) else ""]
    return Line(kind, Markup("").join(pieces), kind != "same" and not line.endswith("\n"))
