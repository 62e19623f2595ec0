"""The stretch of a body that best shows why a search found it, with the places of the matches as data.

Made here and not by the engines, so that both show the same; no markup ever enters the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from notewell.domain.located_terms import LocatedTerms
from notewell.domain.query import Leaf, OneOf, Phrase, Prefix

MAX_SNIPPET_CHARS = 240
LEAD_CHARS = 40
"""How much text stands before the first match, where there is some."""
MAX_ANALYZED_CHARS = 100_000
"""Of a longer body, the stretch around the first plain occurrence of a searched word is analyzed instead."""
NEAR_CHARS = 10_000
"""How long that stretch is."""
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
    if not leaves and not fragment:
        return _cut(body, [])
    offset, length = _stretch(body, leaves)
    part = body[offset : offset + length]
    matches = [
        _Match(match.start + offset, match.end + offset, match.leaf)
        for match in islice(_matches(LocatedTerms(part), leaves, fragment), MAX_MATCHES)
    ]
    return _cut(body, matches)


def _cut(body: str, matches: list[_Match]) -> Snippet:
    """The window of the body that the matches call for."""
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


def _stretch(body: str, leaves: Sequence[Leaf]) -> tuple[int, int]:
    """Where to analyze, and how much: in a very long body near the first word that stands there as searched."""
    if len(body) <= MAX_ANALYZED_CHARS or len(folded := body.lower()) != len(body):
        return 0, MAX_ANALYZED_CHARS
    places = [place for leaf in leaves for term in _texts(leaf) if (place := folded.find(term)) >= 0]
    return (max(0, min(places) - MAX_SNIPPET_CHARS), NEAR_CHARS) if places else (0, MAX_ANALYZED_CHARS)


def _texts(leaf: Leaf) -> tuple[str, ...]:
    if isinstance(leaf, Phrase):
        return leaf.terms
    return leaf.words if isinstance(leaf, OneOf) else (leaf.word,)


def _matches(terms: LocatedTerms, leaves: Sequence[Leaf], fragment: str | None) -> Iterable[_Match]:
    """The places where a leaf stands, in the order of the text."""
    found: list[tuple[int, int, int]] = []
    for number, leaf in enumerate(leaves):
        if isinstance(leaf, Phrase):
            found += [(place, number, len(leaf.terms)) for place in _places(terms.texts, leaf)]
    meanings = _Words(leaves, fragment)
    if meanings.any:
        in_order = terms.words()
        meant = {word: meaning for word in set(in_order) if (meaning := meanings.leaf_of(word)) is not None}
        found += [(place, meant[word], 1) for place, word in enumerate(in_order) if word in meant]
    open_leaves = {number for number, leaf in enumerate(leaves) if isinstance(leaf, Phrase) and leaf.is_open}
    for place, number, length in sorted(found):
        is_open = number in open_leaves
        yield _Match(terms.term(place).start, _end(terms, place + length - 1, is_open=is_open), number)


class _Words:
    """The leaves that speak of unstemmed words, and the fragment of one."""

    def __init__(self, leaves: Sequence[Leaf], fragment: str | None) -> None:
        numbered = list(enumerate(leaves))
        self._prefixes = [(number, leaf.word) for number, leaf in numbered if isinstance(leaf, Prefix)]
        self._words = {word: number for number, leaf in numbered if isinstance(leaf, OneOf) for word in leaf.words}
        self._fragment = fragment
        self._fragment_number = len(leaves)
        self.any = bool(self._prefixes or self._words or fragment)

    def leaf_of(self, word: str) -> int | None:
        """Which leaf a word stands for; the fragment counts as one more."""
        if not word:
            return None
        if word in self._words:
            return self._words[word]
        for number, start in self._prefixes:
            if word.startswith(start):
                return number
        return self._fragment_number if self._fragment and self._fragment in word else None


def _places(texts: list[str], phrase: Phrase) -> list[int]:
    """Where a phrase begins."""
    first, *others = phrase.terms
    if not others and phrase.is_open:
        return [place for place, text in enumerate(texts) if text.startswith(first)]
    places = []
    place = -1
    with suppress(ValueError):
        while True:
            place = texts.index(first, place + 1)
            if _goes_on(texts, place + 1, others, is_open=phrase.is_open):
                places.append(place)
    return places


def _goes_on(texts: list[str], place: int, others: list[str], *, is_open: bool) -> bool:
    there = texts[place : place + len(others)]
    if not is_open or len(there) < len(others):
        return there == others
    return there[:-1] == others[:-1] and there[-1].startswith(others[-1])


def _end(terms: LocatedTerms, last: int, *, is_open: bool) -> int:
    """Where the last term of a match ends; a bigram's second character is the next position."""
    term = terms.term(last)
    is_bigram = term.is_run and len(term.text) > 1 and not is_open
    return terms.term(last + 1).end if is_bigram and last + 1 < len(terms.texts) else term.end


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
