"""The stretch of a body that best shows why a search found it, with the places of the matches as data.

Made here and not by the engines, so that both show the same; no markup ever enters the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from notewell.domain.query import Leaf, OneOf, Phrase, Prefix
from notewell.domain.terms import Term, analyze

MAX_SNIPPET_CHARS = 240
LEAD_CHARS = 40
"""How much text stands before the first match, where there is some."""
MAX_ANALYZED_CHARS = 100_000
"""Of a longer body, the stretch around the first plain occurrence of a searched word is analyzed instead."""
MAX_MATCHES = 500


@dataclass(frozen=True, slots=True)
class Snippet:
    """A stretch of text; highlights are ``(start, end)`` in characters of ``text``, in order, not overlapping."""

    text: str
    highlights: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Match:
    start: int
    end: int
    leaf: int


def make_snippet(body: str, leaves: Sequence[Leaf], fragment: str | None = None) -> Snippet:
    """At most 240 characters of the body around the window that holds most different leaves, line breaks as spaces.

    The opening of the body, without highlights, where nothing in it matches. ``fragment`` is part of a word to find.
    """
    offset = _offset(body, leaves)
    part = body[offset : offset + MAX_ANALYZED_CHARS]
    matches = [
        _Match(match.start + offset, match.end + offset, match.leaf)
        for match in islice(_matches(list(analyze(part)), leaves, fragment), MAX_MATCHES)
    ]
    start = _best_start(body, matches)
    end = min(start + MAX_SNIPPET_CHARS, len(body))
    while start < end and body[start].isspace():
        start += 1
    while end > start and body[end - 1].isspace():
        end -= 1
    inside = [match for match in matches if match.start >= start and match.end <= end]
    text = body[start:end].translate(_AS_SPACES)
    return Snippet(text, _merged((match.start - start, match.end - start) for match in inside))


_AS_SPACES = {ord(char): " " for char in "\r\n\t"}


def _offset(body: str, leaves: Sequence[Leaf]) -> int:
    """Where to begin to analyze: 0, but in a very long body near the first word that stands there as searched."""
    if len(body) <= MAX_ANALYZED_CHARS:
        return 0
    folded = body.lower()
    if len(folded) != len(body):
        return 0
    places = [folded.find(term) for leaf in leaves for term in _texts(leaf)]
    return max(0, min((place for place in places if place >= 0), default=0) - MAX_SNIPPET_CHARS)


def _texts(leaf: Leaf) -> tuple[str, ...]:
    if isinstance(leaf, Phrase):
        return leaf.terms
    return leaf.words if isinstance(leaf, OneOf) else (leaf.word,)


def _matches(terms: list[Term], leaves: Sequence[Leaf], fragment: str | None) -> Iterable[_Match]:
    """The places where a leaf stands, in the order of the text."""
    by_first: dict[str, list[tuple[int, Phrase]]] = {}
    open_phrases: list[tuple[int, Phrase]] = []
    prefixes: list[tuple[int, str]] = []
    words: dict[str, int] = {}
    for number, leaf in enumerate(leaves):
        if isinstance(leaf, Prefix):
            prefixes.append((number, leaf.word))
        elif isinstance(leaf, OneOf):
            words.update(dict.fromkeys(leaf.words, number))
        elif leaf.is_open and len(leaf.terms) == 1:
            open_phrases.append((number, leaf))
        else:
            by_first.setdefault(leaf.terms[0], []).append((number, leaf))
    for place, term in enumerate(terms):
        for number, phrase in (*by_first.get(term.text, ()), *open_phrases):
            if _stands_at(terms, place, phrase):
                last = place + len(phrase.terms) - 1
                yield _Match(term.start, _end(terms, last, is_open=phrase.is_open), number)
        if term.word:
            found = words.get(term.word)
            if found is None:
                found = next((number for number, start in prefixes if term.word.startswith(start)), None)
            if found is None and fragment and fragment in term.word:
                found = len(leaves)
            if found is not None:
                yield _Match(term.start, term.end, found)


def _stands_at(terms: list[Term], place: int, phrase: Phrase) -> bool:
    last = place + len(phrase.terms) - 1
    if last >= len(terms):
        return False
    if any(terms[place + index].text != text for index, text in enumerate(phrase.terms[:-1])):
        return False
    if phrase.is_open:
        return terms[last].text.startswith(phrase.terms[-1])
    return terms[last].text == phrase.terms[-1]


def _end(terms: list[Term], last: int, *, is_open: bool) -> int:
    """Where the last term of a match ends; a bigram's second character is the next position."""
    term = terms[last]
    is_bigram = term.is_run and len(term.text) > 1 and not is_open
    return terms[last + 1].end if is_bigram and last + 1 < len(terms) else term.end


def _best_start(body: str, matches: list[_Match]) -> int:
    """Where the window opens that holds most different leaves, then most matches, then comes first."""
    best, best_start = (0, 0), 0
    for index, first in enumerate(matches):
        window = []
        for match in matches[index:]:
            if match.end > first.start - LEAD_CHARS + MAX_SNIPPET_CHARS:
                break
            window.append(match.leaf)
        found = (len(set(window)), len(window))
        if found > best:
            best, best_start = found, max(0, first.start - LEAD_CHARS)
    best_start = min(best_start, max(0, len(body) - MAX_SNIPPET_CHARS))
    if best_start == 0:
        return 0
    gap = body.find(" ", best_start, best_start + LEAD_CHARS // 2)
    return gap + 1 if gap >= 0 else best_start


def _merged(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
