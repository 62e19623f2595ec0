"""Queries of each class for a filled server, chosen by how many notes hold them, and what plain SQL would ask."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import psycopg

from benchmarks.speeds.natural_notes import FUNCTION_SHARE, MEAN_WORDS, VOCABULARY_WORDS, NoteMaker, zipf
from notewell.domain.query import Phrase, parse
from notewell.domain.terms import FUNCTION_WORDS
from notewell.store.tsearch_match import column_of, leaf_query

PER_CLASS = 8
LIMIT = 10


@dataclass(frozen=True, slots=True)
class Scope:
    """What is searched: the public record, or the memory of an account."""

    name: str
    handle: str
    space_id: str | None
    """None: the public record."""

    @property
    def condition(self) -> str:
        """The scope as plain SQL."""
        return "is_public = 1" if self.space_id is None else f"space_id = '{self.space_id}'"


@dataclass(frozen=True, slots=True)
class ServerQuery:
    """One query through the service, and as a user of PostgreSQL writes it."""

    text: str
    bare: str
    matches: int
    """Notes that the bare query finds."""


class ServerQueries:
    """Chooses queries from what a scope holds."""

    def __init__(self, connection: psycopg.Connection[Any], scope: Scope, seed: int = 11) -> None:
        self._connection = connection
        self._scope = scope
        self._random = random.Random(seed)
        [(self._notes,)] = self._rows(f"SELECT count(*) FROM note_search WHERE part = 0 AND {scope.condition}")
        self._ranks = {word: rank for rank, word in enumerate(NoteMaker().words)}
        self._words = [word for word in self._ranks if word.isalpha() and word not in FUNCTION_WORDS]
        self._held: dict[tuple[float, float], list[str]] = {}

    def _rows(self, sql: str) -> list[Any]:
        return self._connection.execute(sql.encode()).fetchall()

    def classes(self) -> dict[str, list[ServerQuery]]:
        """The queries of each class."""
        makers: dict[str, Callable[[], Iterator[ServerQuery]]] = {
            "rare word (10 to 20 notes)": lambda: (self._query(word) for word in self._rare()),
            "medium word (1 to 3 %)": lambda: (self._query(word) for word in self._medium()),
            "common word (10 to 40 %)": lambda: (self._query(word) for word in self._common()),
            "common AND medium": lambda: self._pairs("{} {}", self._medium()),
            "common AND common": lambda: self._pairs("{} {}", self._common()),
            "medium OR rare": lambda: self._pairs("{} OR {}", self._rare(), self._medium()),
            "common OR medium": lambda: self._pairs("{} OR {}", self._medium()),
            "common OR common": lambda: self._pairs("{} OR {}", self._common()),
            "phrase of two common words": lambda: self._pairs('"{} {}"', self._common()),
            "prefix of 4 letters": lambda: (self._query(f"{word[:4]}*") for word in self._medium()),
            "prefix of 2 letters": lambda: (self._query(f"{word[:2]}*") for word in self._medium()),
            "Chinese, 1 character": lambda: self._chinese(1),
            "Chinese, 2 characters": lambda: self._chinese(2),
            "Chinese, 4 characters": lambda: self._chinese(4),
            "question of 8 words": self._questions,
        }
        return {
            name: [query for _, query in zip(range(PER_CLASS), maker(), strict=False)] for name, maker in makers.items()
        }

    def _query(self, text: str, operator: Literal["&", "|"] = "&") -> ServerQuery:
        """The query, its leaves joined by an operator in the bare one."""
        leaves = parse(text).exact_leaves
        joined = f" {operator} ".join(f"({leaf_query(leaf)})" for leaf in leaves).replace("'", "''")
        column, query = column_of(leaves[0]), f"CAST('{joined}' AS tsquery)"
        found = f"FROM note_search WHERE {self._scope.condition} AND {column} @@ {query}"
        [(matches,)] = self._rows(f"SELECT count(*) {found}")
        sql = f"SELECT row_no {found} ORDER BY ts_rank_cd({column}, {query}) DESC LIMIT {LIMIT}"
        return ServerQuery(text, sql, matches)

    def _held_by(self, least: float, most: float) -> list[str]:
        """Words that so many notes hold: likely ones by their rank in the vocabulary, then counted."""
        if (least, most) not in self._held:
            likely = [word for word in self._words if least / 2 <= self._expected(word) <= 2 * most]
            self._random.shuffle(likely)
            fitting = (word for word in likely if least <= self._query(word).matches <= most)
            self._held[least, most] = list(islice(fitting, 2 * PER_CLASS))
        return self._held[least, most]

    def _expected(self, word: str) -> float:
        """How many notes hold a word, about, by Zipf's law."""
        share = 1 / (self._ranks[word] + 30) / zipf(VOCABULARY_WORDS, 30)[-1]
        return float(self._notes * (1 - math.exp(-share * MEAN_WORDS * (1 - FUNCTION_SHARE))))

    def _rare(self) -> list[str]:
        return self._held_by(10, 20)

    def _medium(self) -> list[str]:
        return self._held_by(0.01 * self._notes, 0.03 * self._notes)

    def _common(self) -> list[str]:
        return self._held_by(0.1 * self._notes, 0.4 * self._notes)

    def _pairs(self, form: str, second: list[str], first: list[str] | None = None) -> Iterator[ServerQuery]:
        operator: Literal["&", "|"] = "|" if "OR" in form else "&"
        common = first or self._common()
        while True:
            one, two = self._random.choice(common), self._random.choice(second)
            if one != two:
                yield self._query(form.format(one, two), operator)

    def _bodies(self, condition: str) -> list[str]:
        sql = (
            f"SELECT n.body FROM notes AS n JOIN note_search AS s ON s.space_id = n.space_id AND s.row_no = n.row_no"
            f" WHERE s.{self._scope.condition} AND {condition} ORDER BY n.row_no DESC LIMIT 300"
        )
        return [body.rpartition("---\n")[2].strip() for (body,) in self._rows(sql)]

    def _chinese(self, length: int) -> Iterator[ServerQuery]:
        """Stretches of Chinese bodies."""
        bodies = self._bodies("n.body LIKE '%，%'")
        while True:
            clause = max(self._random.choice(bodies)[:200].split("。")[0].split("，"), key=len)
            if len(clause) >= length + 2:
                yield self._query(clause[1 : 1 + length])

    def _questions(self) -> Iterator[ServerQuery]:
        """Eight words of one sentence, function words among them: bare, any of the telling ones."""
        for body in self._bodies("n.body NOT LIKE '%，%'"):
            words = [word for word in body.replace(".", "").split()[:30] if word.isalpha()][:8]
            text = " ".join(words)
            if len(words) == 8 and any(isinstance(unit.node, Phrase) for unit in parse(text).units):
                yield self._query(text, "|")
