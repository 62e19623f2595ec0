"""Full text as the rest of the product sees it: one set of questions, answered by each engine in its own way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Protocol

from notewell.domain.index import IndexEntry
from notewell.domain.query_tree import Node
from notewell.store import fts5, tsearch
from notewell.store.database import Reader, Tx, Value
from notewell.store.homes import Home
from notewell.store.wanted import Hit, Wanted


class Search(Protocol):
    """Answers over one home, in one transaction."""

    def count(self, wanted: Wanted) -> int | None:
        """How many notes are wanted, exactly; None where counting them would take too long."""

    def rank(self, wanted: Wanted, limit: int, after: Hit | None = None) -> list[Hit]:
        """The best of the wanted notes: by score, then active before archived, then newest; those after a hit."""

    def hit_of(self, wanted: Wanted, row_no: int) -> Hit | None:
        """How one of the wanted notes scores now; None where it is not wanted any more."""

    def selected(self, wanted: Wanted) -> tuple[str, dict[str, Value]]:
        """A SELECT of the wanted row numbers as ``rowid``, and its values."""

    def holding(self, node: Node, row_nos: list[int]) -> set[int]:
        """Which of these notes hold a tree."""


class FullText(Protocol):
    """What an engine's module for full text offers."""

    def search(self, reader: Reader, home: Home, /) -> Search:
        """A search over one home."""

    def words_with_fragment(self, reader: Reader, space_id: str, fragment: str, count: int, /) -> list[str]:
        """The most used words of a memory that hold a text inside, at most ``count``."""

    def add_words(self, tx: Tx, space_id: str, words: Counter[str], /) -> None:
        """Counts so many more notes for each of these words of a memory."""

    def remove_words(self, tx: Tx, space_id: str, words: Collection[str], /) -> None:
        """Counts one note less for each; a word of no note is gone."""

    def write_entry(self, tx: Tx, home: int, entry: IndexEntry, /) -> None:
        """Puts a note's terms and words into its home; the note must not be there yet."""

    def remove_entry(self, tx: Tx, home: int, entry: IndexEntry, /) -> None:
        """Takes a note's terms and words out of its home."""

    def clear(self, tx: Tx, home: Home, /) -> None:
        """Takes everything of a space out of its home."""

    def move(self, tx: Tx, home: Home, number: int, entries: Iterable[IndexEntry], /) -> None:
        """Brings everything of a space, which ``entries`` names, from its home into another."""

    def home_for_more(self, tx: Tx, home: Home, /) -> int | None:
        """A new home for a memory that has outgrown the shared one with its next note; None where it has not."""

    def optimize(self, tx: Tx, home: int, /) -> None:
        """Lets nothing of deleted notes stay in a home."""


def of(reader: Reader) -> FullText:
    """The full text of the engine that a transaction runs on."""
    return tsearch if reader.dialect.engine == "postgres" else fts5
