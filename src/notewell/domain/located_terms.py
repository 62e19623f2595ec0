"""The terms of a text as plain lists, for finding where a few of them stand: what snippets are made with.

The same terms and words as ``terms.analyze`` gives, several times as fast where few places are wanted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import accumulate, chain, islice

from notewell.domain.terms import CACHED_CHUNK_CHARS, CHUNK, Term, Token, normalized, run_texts, scan, tokens_of

_PLAIN_CHUNK = re.compile(r"\S+")
"""The chunks of ASCII text, which has no runs: the standard module finds them faster."""


def _texts_of(tokens: Iterable[Token]) -> list[str]:
    """The text of each position of some tokens."""
    texts: list[str] = []
    for text, _, _, _, is_run in tokens:
        if is_run:
            texts += run_texts(text)
        else:
            texts.append(text)
    return texts


@lru_cache(maxsize=50_000)
def _texts_cached(chunk: str) -> list[str]:
    return _texts_of(tokens_of(chunk))


class LocatedTerms:
    """The terms of a text; places are worked out only for those that are asked for."""

    def __init__(self, source: str) -> None:
        self._source = normalized(source)
        self._is_plain = source.isascii()
        text = self._source.text
        self._chunks: list[str] = text.split() if self._is_plain else CHUNK.findall(text)
        if max(map(len, self._chunks), default=0) <= CACHED_CHUNK_CHARS:
            self._parts = list(map(_texts_cached, self._chunks))
        else:
            self._parts = [
                _texts_cached(chunk) if len(chunk) <= CACHED_CHUNK_CHARS else _texts_of(scan(chunk))
                for chunk in self._chunks
            ]
        self.texts: list[str] = list(chain.from_iterable(self._parts))
        """What the index holds, by position."""
        found = _PLAIN_CHUNK.finditer(text) if self._is_plain else CHUNK.finditer(text)
        self._starts = (match.start() for match in found)
        self._bases: list[int] = []
        self._expanded: dict[int, list[tuple[Token, int]]] = {}

    def words(self) -> list[str]:
        """The folded word before stemming by position; empty for a run's positions and for emoji."""
        return [
            word
            for chunk in self._chunks
            for text, word, _, _, is_run in tokens_of(chunk)
            for word in ([""] * len(run_texts(text)) if is_run else (word,))
        ]

    @cached_property
    def _firsts(self) -> list[int]:
        """The position of each chunk's first term."""
        return list(accumulate(map(len, self._parts), initial=0))[:-1]

    def _base(self, number: int) -> int:
        """Where a chunk begins in the normalized text; found out as far as it was asked for."""
        self._bases += islice(self._starts, max(0, number + 1 - len(self._bases)))
        return self._bases[number]

    def _positions(self, number: int) -> list[tuple[Token, int]]:
        """The token of each position of a chunk, and where the position begins in the chunk; worked out once."""
        known = self._expanded.get(number)
        if known is None:
            known = self._expanded[number] = [
                (token, token.start + place)
                for token in tokens_of(self._chunks[number])
                for place in (_run_places(token.text) if token.is_run else (0,))
            ]
        return known

    def term(self, position: int) -> Term:
        """The term at a position, with its place in the text."""
        number = bisect_right(self._firsts, position) - 1
        token, start = self._positions(number)[position - self._firsts[number]]
        end = start + 1 if token.is_run else token.end
        base = self._base(number)
        source = self._source
        text = self.texts[position]
        return Term(text, source.starts[base + start], source.ends[base + end - 1], token.word, token.is_run)


def _run_places(run: str) -> Iterable[int]:
    """Where the characters of a run stand in it, line breaks left out."""
    if "\n" not in run:
        return range(len(run))
    return [place for place, char in enumerate(run) if char not in "\r\n"]
