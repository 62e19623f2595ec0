"""The texts that the stores are filled with and questions are drawn from: test collections, and a table of cases.

The table is JSON lines, each one ``query`` over a memory that holds only its ``notes`` (``title`` and ``body``).
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchmarks.retrieval.test_collection import Text, load

COLLECTIONS = ("cmrc2018_dev", "locomo", "cranfield")
CHINESE = "cmrc2018_dev"
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*[A-Za-z]")
_RUN = re.compile(r"[\u4e00-\u9fff]{8,}")


@dataclass(frozen=True)
class Corpus:
    """The texts of a test collection, and what is asked of it."""

    name: str
    documents: tuple[Text, ...]
    queries: tuple[Text, ...]

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of Latin script of each text that has more than a few, in order."""
        return [words for text in self.documents if len(words := _WORD.findall(text.text)) > 5]

    @cached_property
    def runs(self) -> list[str]:
        """Every longer run of Chinese characters."""
        return [run for text in self.documents for run in _RUN.findall(text.text)]


@dataclass(frozen=True, slots=True)
class Case:
    """A query and the notes it runs over: title and body of each."""

    id: str
    query: str
    notes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Corpora:
    """All that is known."""

    collections: dict[str, Corpus]
    cases: tuple[Case, ...]

    def of(self, *names: str) -> list[Text]:
        """The texts of some collections, those of each together."""
        return [text for name in names for text in self.collections[name].documents]


def load_corpora(folder: Path, cases: Path | None) -> Corpora:
    """The test collections of a folder, and the table of cases where there is one."""
    collections = {}
    for name in COLLECTIONS:
        found = load(folder / name)
        collections[name] = Corpus(name, found.documents, found.queries)
    return Corpora(collections, _cases(cases) if cases else ())


def _cases(file: Path) -> tuple[Case, ...]:
    found = []
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        notes = tuple((note["title"], note["body"]) for note in row["notes"])
        found.append(Case(row["id"], row["query"], notes))
    return tuple(found)


class Drawing:
    """Draws pieces of a corpus at random."""

    def __init__(self, random_: random.Random, corpus: Corpus) -> None:
        self._random = random_
        self._corpus = corpus

    def words(self, count: int) -> list[str]:
        """So many words that stand side by side in a text."""
        words = self._random.choice(self._corpus.words)
        start = self._random.randrange(max(len(words) - count, 1))
        return words[start : start + count]

    def word(self) -> str:
        """One word of a text; of a Chinese one, a few characters."""
        return self.characters(2) if self._corpus.name == CHINESE else self.words(1)[0]

    def characters(self, count: int) -> str:
        """So many characters that stand side by side."""
        run = self._random.choice(self._corpus.runs)
        start = self._random.randrange(len(run) - count + 1)
        return run[start : start + count]
