"""Queries of each class for a filled store, chosen by how many of its notes hold them, and their bare statements."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import apsw

from notewell.domain.index import WEIGHTS, tag_term
from notewell.domain.query import Phrase, Prefix, parse
from notewell.domain.terms import FUNCTION_WORDS, stem
from notewell.services.memory_search import NoteSearch
from notewell.store.fts5_match import TEXT_COLUMNS, leaf_match, quoted

PER_CLASS = 12
"""Queries of each class."""
LIMIT = 10


@dataclass(frozen=True, slots=True)
class Bare:
    """A statement that ranks as the service does, with nothing around it."""

    sql: str
    values: dict[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SpeedQuery:
    """One query through the service, and the same in bare SQL."""

    kind: str
    wanted: NoteSearch
    bare: Bare


class QueryMaker:
    """Chooses queries from what a store holds."""

    def __init__(self, connection: apsw.Connection, space_id: str, seed: int = 11) -> None:
        self._connection = connection
        self._space_id = space_id
        self._random = random.Random(seed)
        [(self._notes, self._home)] = self._rows("SELECT notes, home FROM space_stats WHERE space_id = ?", space_id)
        connection.execute(f"CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, fts_{self._home}, 'row')")
        self._holding = dict(connection.execute("SELECT term, doc FROM temp.vocabulary"))
        connection.execute("DROP TABLE temp.vocabulary")
        words = self._rows("SELECT word FROM space_words WHERE space_id = ? ORDER BY word", space_id)
        self._words = [word for (word,) in words if word.isalpha() and word.isascii() and word not in FUNCTION_WORDS]

    def _rows(self, sql: str, *values: str | int) -> list[Any]:
        return self._connection.execute(sql, values).fetchall()

    def classes(self) -> dict[str, list[SpeedQuery]]:
        """The queries of each class."""
        makers: dict[str, Callable[[], Iterator[SpeedQuery]]] = {
            "rare word (10 to 20 notes)": lambda: self._word_queries(10, 20),
            "rare word (2 to 9 notes)": lambda: self._word_queries(2, 9),
            "medium word (1 to 3 %)": lambda: self._word_queries(0.01 * self._notes, 0.03 * self._notes),
            "common word (10 to 40 %)": lambda: self._word_queries(0.1 * self._notes, 0.4 * self._notes),
            "two words (AND)": self._two_words,
            "phrase of two words": self._phrases,
            "Chinese, 2 characters": lambda: self._chinese(2),
            "Chinese, 4 characters": lambda: self._chinese(4),
            "prefix of 4 letters": self._prefixes,
            "common word with a tag": self._with_tag,
            "common word in a collection": self._in_collection,
            "question of 8 words": self._questions,
        }
        found = {}
        for kind, maker in makers.items():
            queries = [query for _, query in zip(range(PER_CLASS), maker(), strict=False)]
            found[kind] = [SpeedQuery(kind, query.wanted, query.bare) for query in queries]
        return found

    def _query(self, text: str, match: str | None = None, **filters: str | tuple[str, ...]) -> SpeedQuery:
        wanted = NoteSearch(query=text, limit=LIMIT, **filters)  # type: ignore[arg-type]  # named as its fields
        return SpeedQuery("", wanted, self._ranked("fts", match or self._all_words(text)))

    def _all_words(self, text: str, operator: str = " AND ") -> str:
        return operator.join(leaf_match(leaf) for leaf in parse(text).exact_leaves)

    def _ranked(self, table: str, match: str, condition: str = "", filters: str = "", **values: str) -> Bare:
        """The form that was fastest of all tried: rank bare row numbers, join nothing."""
        name = f"{table}_{self._home}"
        weights = ", ".join(map(str, WEIGHTS))
        sql = (
            f"SELECT rowid, bm25({name}, {weights}, 0.0) AS score FROM {name}"
            f" WHERE {name} MATCH :match{condition} ORDER BY score, rowid DESC LIMIT {LIMIT}"
        )
        return Bare(sql, {"match": f"{TEXT_COLUMNS} : ({match}){filters}", **values})

    def _held_by(self, least: float, most: float) -> list[str]:
        """Words whose stem so many notes hold, in random order."""
        words = [word for word in self._words if least <= self._holding.get(stem(word), 0) <= most]
        self._random.shuffle(words)
        return words

    def _word_queries(self, least: float, most: float) -> Iterator[SpeedQuery]:
        return (self._query(word) for word in self._held_by(least, most))

    def _two_words(self) -> Iterator[SpeedQuery]:
        first = self._held_by(0.05 * self._notes, 0.4 * self._notes)
        second = self._held_by(0.01 * self._notes, 0.05 * self._notes)
        while True:
            yield self._query(f"{self._random.choice(first)} {self._random.choice(second)}")

    def _phrases(self) -> Iterator[SpeedQuery]:
        words = self._held_by(0.1 * self._notes, 0.4 * self._notes)
        while True:
            yield self._query(f'"{self._random.choice(words)} {self._random.choice(words)}"')

    def _chinese(self, length: int) -> Iterator[SpeedQuery]:
        """Stretches of Chinese bodies."""
        bodies = self._bodies("body >= '一' AND body < '龥'")
        while True:
            clause = max(self._random.choice(bodies)[:200].split("。")[0].split("，"), key=len)
            if len(clause) >= length + 2:
                yield self._query(clause[1 : 1 + length])

    def _bodies(self, condition: str) -> list[str]:
        sql = f"SELECT body FROM notes WHERE space_id = ? AND {condition} ORDER BY row_no DESC LIMIT 200"
        return [body for (body,) in self._rows(sql, self._space_id)]

    def _prefixes(self) -> Iterator[SpeedQuery]:
        """Beginnings of medium words: bare, the same index of unstemmed words."""
        for word in self._held_by(0.01 * self._notes, 0.03 * self._notes):
            start = word[:4]
            yield SpeedQuery(
                "",
                NoteSearch(query=f"{start}*", limit=LIMIT),
                self._ranked("words", leaf_match(Prefix(start))),
            )

    def _with_tag(self) -> Iterator[SpeedQuery]:
        rows = self._rows(
            "SELECT tag_key, min(tag) FROM note_tags WHERE space_id = ? GROUP BY tag_key"
            " ORDER BY count(*) DESC LIMIT 40",
            self._space_id,
        )
        words = self._held_by(0.1 * self._notes, 0.4 * self._notes)
        while True:
            key, tag = self._random.choice(rows)
            word = self._random.choice(words)
            bare = self._ranked("fts", self._all_words(word), filters=f" AND f : {quoted(tag_term(key))}")
            yield SpeedQuery("", NoteSearch(query=word, tags=(tag,), limit=LIMIT), bare)

    def _in_collection(self) -> Iterator[SpeedQuery]:
        rows = self._rows("SELECT id, name FROM collections WHERE space_id = ? ORDER BY name", self._space_id)
        words = self._held_by(0.1 * self._notes, 0.4 * self._notes)
        condition = " AND +rowid IN (SELECT row_no FROM notes WHERE space_id = :space_id AND collection_id = :filed)"
        while True:
            collection_id, name = self._random.choice(rows)
            word = self._random.choice(words)
            bare = self._ranked("fts", self._all_words(word), condition, space_id=self._space_id, filed=collection_id)
            yield SpeedQuery("", NoteSearch(query=word, collection=name, limit=LIMIT), bare)

    def _questions(self) -> Iterator[SpeedQuery]:
        """Eight words of one sentence, function words among them: bare, any of the telling ones, ranked."""
        for body in self._bodies("body < 'z'"):
            words = [word for word in body.replace(".", "").split()[:30] if word.isalpha()][:8]
            text = " ".join(words)
            if len(words) < 8 or all(word.lower() in FUNCTION_WORDS for word in words):
                continue
            telling = [unit.node for unit in parse(text).units]
            match = " OR ".join(leaf_match(node) for node in telling if isinstance(node, Phrase))
            yield self._query(text, match)
