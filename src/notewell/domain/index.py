"""What the index holds of a note: the one place that derives it, for writes, rebuilds and comparisons alike."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from notewell.domain import header
from notewell.domain.collections import fold
from notewell.domain.notes import Note, tag_key
from notewell.domain.research import ResearchNote
from notewell.domain.terms import index_terms

COLUMNS = ("title", "summary", "labels", "body")
"""The searched columns, in the order of the full-text table; ``labels`` are tags and symbols."""
WEIGHTS = (3.0, 2.0, 2.0, 1.0)
"""What one occurrence counts in each column (DESIGN 5)."""
LABEL_BOUNDARY = "|"
"""Stands between two labels, so that no phrase crosses from one into the next; no analyzed text holds it."""


@dataclass(frozen=True, slots=True)
class HeaderEntry:
    """What is derived of a research note besides its text: its header, and where it stands."""

    attempt_id: str
    revision: int
    account_id: str
    note_kind: str
    title: str
    """The header's title, else the one that cards show instead."""
    kind: str | None
    model: str | None
    tags: tuple[str, ...]
    builds_on: tuple[str, ...]

    @property
    def model_key(self) -> str | None:
        """What models are compared by."""
        return None if self.model is None else fold(self.model)


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """The derived rows of one note."""

    space_id: str
    note_id: str
    row_no: int
    texts: tuple[str, ...]
    """By column: the terms in order, separated by a space."""
    words: tuple[str, ...]
    """By column: the distinct unstemmed words in order, separated by a space."""
    filters: str
    """The filter terms: what rarely changes without the text (space, tags, symbols, kind)."""
    tokens: int
    """Terms of all columns and filters: the length that ranking divides by."""
    vocabulary: frozenset[str]
    """The words that fragments are looked up in; empty for research, which has no fragments."""
    tags: tuple[tuple[str, str], ...]
    """Pairs of key and tag as shown."""
    symbols: tuple[str, ...] = ()
    header: HeaderEntry | None = None
    """None for a memory note."""


def scope_term(space_id: str) -> str:
    """The filter term of a space."""
    return f"s:{space_id}"


def tag_term(key: str) -> str:
    """The filter term of a tag, by its key: a hash, since a tag may hold spaces."""
    return f"t:{blake2b(key.encode(), digest_size=10).hexdigest()}"


def symbol_term(symbol: str) -> str:
    """The filter term of a symbol in the watchlist's spelling."""
    return f"y:{symbol.lower()}"


def kind_term(kind: str) -> str:
    """The filter term of a research note's kind, which is a slug."""
    return f"k:{blake2b(kind.encode(), digest_size=10).hexdigest()}"


def memory_entry(note: Note) -> IndexEntry:
    """The derived rows of a memory note."""
    tags = tuple((tag_key(tag), tag) for tag in note.tags)
    filters = [
        scope_term(note.space_id),
        *(tag_term(key) for key, _ in tags),
        *(symbol_term(symbol) for symbol in note.symbols),
    ]
    text = _Text([[note.title], [note.summary], [*note.tags, *note.symbols], [note.body]])
    return IndexEntry(
        note.space_id,
        note.id,
        note.row_no,
        tuple(text.texts),
        tuple(text.words),
        " ".join(filters),
        text.tokens + len(filters),
        frozenset(text.vocabulary),
        tags,
        note.symbols,
    )


def research_entry(note: ResearchNote, revision: int) -> IndexEntry:
    """The derived rows of a research note: its header parsed, the text without it, the title three times the body."""
    parsed = header.parse(note.body_md)
    title = header.shown_title(parsed)
    filters = [scope_term(note.problem_id), *map(tag_term, parsed.tags)]
    if parsed.kind:
        filters.append(kind_term(parsed.kind))
    text = _Text([[title], [], [], [parsed.body]])
    entry = HeaderEntry(
        attempt_id=note.attempt_id,
        revision=revision,
        account_id=note.account_id,
        note_kind=note.note_kind,
        title=title,
        kind=parsed.kind,
        model=parsed.model,
        tags=parsed.tags,
        builds_on=parsed.builds_on,
    )
    return IndexEntry(
        note.problem_id,
        note.id,
        note.row_no,
        tuple(text.texts),
        tuple(text.words),
        " ".join(filters),
        text.tokens + len(filters),
        frozenset(),
        tuple((tag, tag) for tag in parsed.tags),
        header=entry,
    )


class _Text:
    """The analyzed columns of a note."""

    def __init__(self, columns: list[list[str]]) -> None:
        self.texts: list[str] = []
        self.words: list[str] = []
        self.vocabulary: set[str] = set()
        self.tokens = 0
        for parts in columns:
            terms, found = _column(parts)
            self.tokens += len(terms)
            self.texts.append(" ".join(terms))
            self.words.append(" ".join(sorted(found)))
            self.vocabulary |= found


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
