"""A transaction that keeps what the store's own code inserts, and copies it into PostgreSQL in bulk.

The store writes a note's row and its derived rows through it as through any other; only the way into the tables
differs (COPY, words and statistics summed first), so 200,000 notes take minutes.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import psycopg

from notewell.store.database import Row, Value
from notewell.store.dialect import POSTGRES, Dialect
from notewell.store.statements import statements

_INSERT = re.compile(
    r"INSERT INTO (\w+) \(([^)]*)\)\s+(?:VALUES \(|SELECT )(.*?)\)?(?:\s+(?:ON CONFLICT|WHERE)\b.*)?$", re.S
)
_PARAMETER = re.compile(r"(?:CAST\()?:(\w+)(?: AS tsvector\)?)?")

Reading = Callable[[str, Mapping[str, Any]], list[Row]]


class CopyTx:
    """A ``Tx`` for new notes. ``reads`` answers the few named statements that inserting asks."""

    dialect: Dialect = POSTGRES

    def __init__(self, connection: psycopg.Connection[Any], reads: Reading, new_id: Callable[[str, int], str]) -> None:
        self._connection = connection
        self._reads = reads
        self._new_id = new_id
        self.now = 0
        self._rows: dict[tuple[str, tuple[str, ...]], list[tuple[object, ...]]] = defaultdict(list)
        self._words: Counter[tuple[str, str]] = Counter()
        self._stats: dict[str, list[int]] = defaultdict(lambda: [0, 0])

    def rows(self, name: str, /, **values: Value | Sequence[Value]) -> list[Row]:
        """What the filler knows."""
        return self._reads(name, values)

    def rows_of(self, sql: str, values: Mapping[str, Value | Sequence[Value]]) -> list[Row]:
        """Nothing is asked this way."""
        raise NotImplementedError(sql)

    def run(self, name: str, /, **values: Value | Sequence[Value]) -> int:
        """Keeps a row, or adds to what is summed."""
        if name != "add_space_stats":
            return self.run_sql(statements()[name], values)
        stats = self._stats[str(values["space_id"])]
        for number, added in enumerate(("notes", "tokens")):
            stats[number] += int(values[added])  # type: ignore[arg-type]  # a number
        return 1

    def run_many(self, name: str, batch: Iterable[Mapping[str, Value]], /) -> None:
        """Keeps rows."""
        for values in batch:
            self.run(name, **values)

    def run_sql(self, sql: str, values: Mapping[str, Value | Sequence[Value]]) -> int:
        """Keeps the row of an INSERT, or adds to the words. Raises ``ValueError`` for any other statement."""
        if sql.startswith("INSERT INTO space_words"):
            counted: Any = zip(values["words"], values["uses"], strict=True)  # type: ignore[arg-type]  # two lists
            for word, uses in counted:
                self._words[str(values["space_id"]), word] += uses
            return 1
        match = _INSERT.search(sql.strip())
        if match is None:
            raise ValueError(sql)
        columns = tuple(re.split(r",\s+", match[2]))
        items = [_value(item, values) for item in re.split(r",\s+", match[3])]
        self._rows[match[1], columns].append(tuple(items))
        return 1

    def new_id(self, prefix: str) -> str:
        """A new id with the transaction's time."""
        return self._new_id(prefix, self.now)

    def lock(self, space_id: str) -> None:
        """Nothing: nobody else writes."""

    def flush(self) -> None:
        """Copies what is kept, and commits."""
        with self._connection.cursor() as cursor:
            for (table, columns), rows in self._rows.items():
                with cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()) as copy:
                    for row in rows:
                        copy.write_row(row)
        self._connection.commit()
        self._rows.clear()

    def finish(self) -> None:
        """Writes the words and the statistics of all spaces, and commits."""
        self.flush()
        with self._connection.cursor() as cursor:
            with cursor.copy(b"COPY space_words (space_id, word, uses) FROM STDIN") as copy:
                for (space_id, word), uses in sorted(self._words.items()):
                    copy.write_row((space_id, word, uses))
            cursor.executemany(
                b"INSERT INTO space_stats AS s (space_id, notes, tokens, home) VALUES (%s, %s, %s, 0)"
                b" ON CONFLICT (space_id)"
                b" DO UPDATE SET notes = s.notes + excluded.notes, tokens = s.tokens + excluded.tokens",
                [(space_id, *stats) for space_id, stats in self._stats.items()],
            )
        self._connection.commit()


def _value(item: str, values: Mapping[str, Value | Sequence[Value]]) -> object:
    """What an item of a VALUES list stands for."""
    if match := _PARAMETER.fullmatch(item):
        return values[match[1]]
    return None if item == "NULL" else item.strip("'")
