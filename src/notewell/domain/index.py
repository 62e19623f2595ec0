"""What the index holds of a note: the one place that derives it, for writes, rebuilds and comparisons alike."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from notewell.domain.notes import Note, tag_key
from notewell.domain.terms import index_terms

COLUMNS = ("title", "summary", "labels", "body")
"""The searched columns, in the order of the full-text table; ``labels`` are tags and symbols."""
WEIGHTS = (3.0, 2.0, 2.0, 1.0)
"""What one occurrence counts in each column (DESIGN 5)."""
LABEL_BOUNDARY = "|"
"""Stands between two labels, so that no phrase crosses from one into the next; no analyzed text holds it."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """The derived rows of one note."""

    texts: tuple[str, ...]
    """By column: the terms in order, separated by a space."""
    words: tuple[str, ...]
    """By column: the distinct unstemmed words in order, separated by a space."""
    filters: str
    """The filter terms: what rarely changes without the text (space, tags, symbols)."""
    tokens: int
    """Terms of all columns and filters: the length that ranking divides by."""
    vocabulary: frozenset[str]
    tags: tuple[tuple[str, str], ...]
    """Pairs of key and tag as shown."""
    symbols: tuple[str, ...]


def scope_term(space_id: str) -> str:
    """The filter term of a space."""
    return f"s:{space_id}"


def tag_term(key: str) -> str:
    """The filter term of a tag, by its key: a hash, since a tag may hold spaces."""
    return f"t:{blake2b(key.encode(), digest_size=10).hexdigest()}"


def symbol_term(symbol: str) -> str:
    """The filter term of a symbol in the watchlist's spelling."""
    return f"y:{symbol.lower()}"


def memory_entry(note: Note) -> IndexEntry:
    """The derived rows of a memory note."""
    tags = tuple((tag_key(tag), tag) for tag in note.tags)
    filters = (
        scope_term(note.space_id),
        *(tag_term(key) for key, _ in tags),
        *(symbol_term(symbol) for symbol in note.symbols),
    )
    return _entry([[note.title], [note.summary], [*note.tags, *note.symbols], [note.body]], filters, tags, note.symbols)


def _entry(
    columns: list[list[str]], filters: tuple[str, ...], tags: tuple[tuple[str, str], ...], symbols: tuple[str, ...]
) -> IndexEntry:
    texts: list[str] = []
    words: list[str] = []
    vocabulary: set[str] = set()
    tokens = len(filters)
    for parts in columns:
        terms, found = _column(parts)
        tokens += len(terms)
        texts.append(" ".join(terms))
        words.append(" ".join(sorted(found)))
        vocabulary |= found
    return IndexEntry(tuple(texts), tuple(words), " ".join(filters), tokens, frozenset(vocabulary), tags, symbols)


def _column(parts: Iterable[str]) -> tuple[list[str], set[str]]:
    terms: list[str] = []
    words: set[str] = set()
    for number, part in enumerate(parts):
        part_terms, part_words = index_terms(part)
        terms += [LABEL_BOUNDARY, *part_terms] if number else part_terms
        words |= part_words
    return terms, words


def as_json(items: Iterable[str]) -> str:
    """A list of texts as it is stored."""
    return json.dumps(list(items), ensure_ascii=False, separators=(",", ":"))
