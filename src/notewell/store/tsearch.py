"""Full text in PostgreSQL: writing the rows of ``note_search``, finding, ranking and counting notes.

Scores are FTS5's BM25 from the same terms and the same statistics, so both engines give one order. The weighted number
of occurrences of a leaf comes from ``ts_rank_cd``, which for a single leaf is exactly that. Where more notes match than
can be ranked, candidates are those that weigh most (``tsearch_candidates.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from notewell.domain.filters import Filters, NoteFilters, ResearchFilters
from notewell.domain.index import IndexEntry
from notewell.domain.query_tree import Leaf, Near, Node, Phrase
from notewell.domain.ranking import K1, B, idf, saturated
from notewell.store.database import Reader, Row, Tx, Value
from notewell.store.filters import ARCHIVED_ROWS, filter_terms, fulltext_conditions
from notewell.store.homes import PUBLIC_HOME, Home
from notewell.store.tsearch_candidates import MAX_RANKED, branches, most_candidates, most_matches
from notewell.store.tsearch_match import (
    RANK_WEIGHTS,
    Values,
    column_of,
    counted_phrase,
    leaf_query,
    note_condition,
    row_condition,
    rows_in,
)
from notewell.store.tsearch_near import near_rows
from notewell.store.tsearch_rows import FILTER, quoted, rows_of
from notewell.store.wanted import MAX_SCORED_WORD_LEAVES, SCORE_UNITS, Hit, Wanted

MAX_COUNTED = 50_000
"""Counts beyond it are not told, and statistics beyond it are the planner's estimate."""
_TIERS = (("A", 3.0), ("BC", 2.0), ("", 1.0))
"""In which columns a prefix may stand, heaviest first, and what it counts there."""
_TIER_OF_FIELD = {"title": 3.0, "summary": 2.0, "body": 1.0}
_INSERT = (
    "INSERT INTO note_search (space_id, row_no, part, parts, sign, start, is_public, tokens, terms, words)"
    " VALUES (:space_id, :row_no, :part, :parts, :sign, :start, :is_public, :tokens,"
    " CAST(:terms AS tsvector), CAST(:words AS tsvector))"
)


def write_entry(tx: Tx, home: int, entry: IndexEntry) -> None:
    """Puts a note's terms and words into its home."""
    for row in rows_of(entry):
        values: dict[str, Value] = {
            "space_id": entry.space_id,
            "row_no": entry.row_no,
            "part": row.part,
            "parts": row.parts,
            "sign": row.sign,
            "start": row.start,
            "is_public": int(home == PUBLIC_HOME and entry.header is not None),
            "tokens": entry.tokens,
            "terms": row.terms,
            "words": row.words,
        }
        tx.run_sql(_INSERT, values)


def remove_entry(tx: Tx, home: int, entry: IndexEntry) -> None:
    """Takes a note's terms and words out."""
    sql = "DELETE FROM note_search WHERE space_id = :space_id AND row_no = :row_no"
    tx.run_sql(sql, {"space_id": entry.space_id, "row_no": entry.row_no})


def clear(tx: Tx, home: Home) -> None:
    """Takes everything of a space out."""
    tx.run_sql("DELETE FROM note_search WHERE space_id = :space_id", {"space_id": home.space_id})


def move(tx: Tx, home: Home, number: int, entries: Iterable[IndexEntry]) -> None:
    """Shows or hides the notes of a problem; their text stays as it is indexed."""
    sql = "UPDATE note_search SET is_public = :is_public WHERE space_id = :space_id"
    tx.run_sql(sql, {"space_id": home.space_id, "is_public": int(number == PUBLIC_HOME)})


def home_for_more(tx: Tx, home: Home) -> int | None:
    """None: a large memory stays where it is."""
    return None


def optimize(tx: Tx, home: int) -> None:
    """Nothing: a vacuum cannot run inside a transaction, so ``empty_log`` does it."""


def words_with_fragment(reader: Reader, space_id: str, fragment: str, count: int) -> list[str]:
    """The most used words that hold a text inside; a trigram index finds them where the extension is there."""
    rows = reader.rows_of(
        "SELECT word FROM space_words WHERE space_id = :space_id AND word LIKE :pattern AND word <> :fragment"
        " ORDER BY uses DESC, word LIMIT :count",
        {"space_id": space_id, "pattern": f"%{fragment}%", "fragment": fragment, "count": count},
    )
    return [row["word"] for row in rows]


def add_words(tx: Tx, space_id: str, words: Counter[str]) -> None:
    """Counts so many more notes for each of these words of a memory, all in one statement.

    Sorted, so that two writers take the rows in the same order and never wait for each other in a ring.
    """
    if words:
        ordered = sorted(words)
        tx.run_sql(
            "INSERT INTO space_words (space_id, word, uses)"
            " SELECT :space_id, word, uses"
            " FROM unnest(CAST(:words AS text[]), CAST(:uses AS bigint[])) AS new (word, uses)"
            " ON CONFLICT (space_id, word) DO UPDATE SET uses = space_words.uses + excluded.uses",
            {"space_id": space_id, "words": ordered, "uses": [words[word] for word in ordered]},
        )


def remove_words(tx: Tx, space_id: str, words: Collection[str]) -> None:
    """Counts one note less for each; a word of no note is gone."""
    if words:
        named = "space_id = :space_id AND word = ANY(CAST(:words AS text[]))"
        values: dict[str, Value | Sequence[Value]] = {"space_id": space_id, "words": sorted(words)}
        tx.run_sql(f"UPDATE space_words SET uses = uses - 1 WHERE {named}", values)
        tx.run_sql(f"DELETE FROM space_words WHERE uses <= 0 AND {named}", values)


def search(reader: Reader, home: Home) -> Search:
    """A search over one home."""
    return Search(reader, home)


class Search:
    """Answers over one home, in one transaction."""

    def __init__(self, reader: Reader, home: Home) -> None:
        self._reader = reader
        self._home = home
        self._scope = "is_public = 1" if home.space_id is None else "space_id = :space_id"
        self._ranked_among = "is_public = 1" if home.is_public else "space_id = :space_id"
        self._has_long = self._is_there(f"SELECT 1 FROM note_search WHERE {self._ranked_among} AND parts > 1")
        self._archived = "0"
        if home.is_memory and self._is_there(ARCHIVED_ROWS):
            self._archived = f"CASE WHEN row_no IN ({ARCHIVED_ROWS}) THEN 1 ELSE 0 END"
        self._near: dict[Near, str] = {}
        self._counts: dict[Leaf, int] = {}

    def _is_there(self, select: str) -> bool:
        return bool(self._rows(f"SELECT EXISTS ({select}) AS found", Values())[0]["found"])

    def _rows(self, sql: str, values: Values) -> list[Row]:
        return self._reader.rows_of(sql, {**values.values, "space_id": self._home.space_id})

    def count(self, wanted: Wanted) -> int | None:
        """How many notes are wanted, exactly; None beyond 50,000."""
        found = self._known_count(wanted)
        if found is None:
            found = self._counted(wanted, MAX_COUNTED)
        return found if found <= MAX_COUNTED else None

    def _known_count(self, wanted: Wanted) -> int | None:
        """How many notes are wanted, where just those hold a leaf that was counted; else None."""
        count = self._counts.get(wanted.node)  # type: ignore[arg-type]  # most nodes are no leaves
        is_narrowed = wanted.filters not in (NoteFilters(), ResearchFilters()) or bool(wanted.without_rows)
        if count is None or count > MAX_COUNTED or is_narrowed or self._ranked_among != self._scope:
            return None
        return count if wanted.newest_row is None or self._newest_row() <= wanted.newest_row else None

    def _newest_row(self) -> int:
        """As the first page of a sequence sees it."""
        if self._home.space_id is None:
            rows = self._reader.rows("newest_row_anywhere")
        else:
            rows = self._reader.rows("newest_row", space_id=self._home.space_id)
        return int(rows[0]["row_no"] or 0)

    def _counted(self, wanted: Wanted, most: int) -> int:
        values = Values()
        sql = f"SELECT count(*) AS notes FROM ({self._selected(values, wanted)} LIMIT {most + 1}) AS found"
        return int(self._rows(sql, values)[0]["notes"])

    def rank(self, wanted: Wanted, limit: int, after: Hit | None = None) -> list[Hit]:
        """The best of the wanted notes, of at most 2,000 that are looked at; those after a hit."""
        counts = self._leaf_counts(wanted.leaves)
        is_narrow = most_matches(wanted.node, counts) <= MAX_RANKED
        if not is_narrow and self._known_count(wanted) is None:
            is_narrow = self._counted(wanted, MAX_RANKED) <= MAX_RANKED
        values = Values()
        extra = None if is_narrow else branches(wanted, counts, values)
        scored = self._scored(values, wanted, counts, extra)
        place = ""
        if after is not None:
            place = f" WHERE (score, archived, -row_no) > ({', '.join(map(values.parameter, after.place))})"
        sql = (
            f"SELECT row_no, score, archived FROM ({scored}) AS scored{place}"
            f" ORDER BY score, archived, row_no DESC LIMIT {values.parameter(limit)}"
        )
        return [Hit.of(row) for row in self._rows(sql, values)]

    def hit_of(self, wanted: Wanted, row_no: int) -> Hit | None:
        """How one of the wanted notes scores now; None where it is not wanted any more."""
        values = Values()
        one = replace(wanted, only_row=row_no)
        scored = self._scored(values, one, self._leaf_counts(wanted.leaves), None)
        rows = self._rows(f"SELECT row_no, score, archived FROM ({scored}) AS scored", values)
        return Hit.of(rows[0]) if rows else None

    def selected(self, wanted: Wanted) -> tuple[str, dict[str, Value]]:
        """A SELECT of the wanted row numbers as ``rowid``, and its values."""
        values = Values()
        return f"SELECT row_no AS rowid FROM ({self._selected(values, wanted)}) AS chosen", values.values

    def holding(self, node: Node, row_nos: list[int]) -> set[int]:
        """Which of these notes hold a tree."""
        if not row_nos:
            return set()
        values = Values()
        among = f" AND row_no IN ({', '.join(map(str, row_nos))})"
        sql = self._selected(values, Wanted(node, (), NoteFilters()), among)
        return {row["row_no"] for row in self._rows(sql, values)}

    def _near_rows(self, node: Near) -> str:
        if node not in self._near:
            found = near_rows(self._reader, node, self._scope, {"space_id": self._home.space_id})
            self._near[node] = ", ".join(map(str, found)) or "SELECT 0 WHERE false"
        return self._near[node]

    def _selected(self, values: Values, wanted: Wanted, more: str = "", columns: str = "row_no") -> str:
        """A SELECT of the wanted notes: those in one row, and where there are any those in several."""
        sql = self._in_one_row(values, wanted, more, columns)
        if not self._has_long:
            return sql
        long = self._in_several(values, wanted, more)
        return f"{sql} UNION ALL {long if columns == 'row_no' else self._all_rows(long, columns)}"

    def _in_one_row(self, values: Values, wanted: Wanted, more: str, columns: str) -> str:
        narrowed = self._narrowed(values, wanted) + more
        held = row_condition(wanted.node, values, self._near_rows)
        return f"SELECT {columns} FROM note_search WHERE {self._scope} AND parts = 1 AND {held}{narrowed}"

    def _in_several(self, values: Values, wanted: Wanted, more: str) -> str:
        narrowed = self._narrowed(values, wanted) + more
        held = note_condition(wanted.node, values, self._scope, self._near_rows)
        return f"SELECT row_no FROM note_search WHERE {self._scope} AND part = 0 AND parts > 1 AND {held}{narrowed}"

    def _all_rows(self, long: str, columns: str) -> str:
        """All rows of long notes: with some of them a note would have a wrong score."""
        return f"SELECT {columns} FROM note_search WHERE {self._scope} AND parts > 1 AND {rows_in(long)}"

    def _narrowed(self, values: Values, wanted: Wanted) -> str:
        """The filters as conditions on a row: terms of the index, and sets of row numbers."""
        conditions = fulltext_conditions(wanted.filters, wanted.newest_row, "row_no")
        values.values.update(conditions.values)
        sql = conditions.where()
        groups = [" | ".join(quoted(FILTER + term) for term in group) for group in filter_terms(wanted.filters)]
        if groups:
            sql += f" AND terms @@ {values.query(' & '.join(f'({group})' for group in groups))}"
        if wanted.without_rows:
            sql += f" AND row_no NOT IN ({', '.join(map(str, wanted.without_rows))})"
        if wanted.only_row is not None:
            sql += f" AND row_no = {values.parameter(wanted.only_row)}"
        return sql + self._campaign(values, wanted.filters)

    def _campaign(self, values: Values, filters: Filters) -> str:
        if not isinstance(filters, ResearchFilters) or filters.campaign_id is None:
            return ""
        campaign = values.parameter(filters.campaign_id)
        return f" AND space_id IN (SELECT id FROM problems WHERE campaign_id = {campaign} AND is_public = 1)"

    def _leaf_counts(self, leaves: Iterable[Leaf]) -> dict[Leaf, int]:
        """How many notes hold each leaf, in what is ranked together; where there are very many, about how many."""
        new = [leaf for leaf in dict.fromkeys(leaves) if leaf not in self._counts]
        if new:
            values = Values()
            parts = [f"({self._leaf_count(leaf, values)}) AS n{number}" for number, leaf in enumerate(new)]
            row = self._rows(f"SELECT {', '.join(parts)}", values)[0]
            for number, leaf in enumerate(new):
                count = int(row[f"n{number}"])
                self._counts[leaf] = count if count <= MAX_COUNTED else self._estimated(leaf)
        return self._counts

    def _leaf_count(self, leaf: Leaf, values: Values) -> str:
        held = f"{self._ranked_among} AND {column_of(leaf)} @@ {values.query(leaf_query(leaf))}"
        rows = f"SELECT 1 FROM note_search WHERE {held} AND parts = 1 LIMIT {MAX_COUNTED + 1}"
        sql = f"SELECT count(*) FROM ({rows}) AS held"
        if self._has_long:
            sql += f") + (SELECT count(DISTINCT row_no) FROM note_search WHERE {held} AND parts > 1"
        return sql

    def _estimated(self, leaf: Leaf) -> int:
        """What the planner expects of a leaf that very many notes hold."""
        values = Values()
        held = f"{column_of(leaf)} @@ {values.query(leaf_query(leaf))}"
        plan = self._rows(
            f"EXPLAIN (FORMAT JSON) SELECT 1 FROM note_search WHERE {self._ranked_among} AND {held}", values
        )
        expected = int(plan[0]["QUERY PLAN"][0]["Plan"]["Plan Rows"])
        return min(max(expected, MAX_COUNTED), self._home.notes)

    def _scored(self, values: Values, wanted: Wanted, counts: dict[Leaf, int], extra: list[str] | None) -> str:
        """A SELECT of row_no, score (smaller is better, rounded) and archived for each wanted note."""
        phrases = [leaf for leaf in wanted.leaves if isinstance(leaf, Phrase)]
        words = [leaf for leaf in wanted.leaves if not isinstance(leaf, Phrase)][:MAX_SCORED_WORD_LEAVES]
        found = [
            f"round(3 * ts_rank_cd('{RANK_WEIGHTS}', terms, {values.query(leaf_query(counted_phrase(leaf)))}))"
            for leaf in phrases
        ]
        names = [f"f{number}" for number in range(len(found))]
        added = [self._word_score(values, leaf, counts[leaf]) for leaf in words]
        scores = [f"w{number}" for number in range(len(added))]
        columns = "".join(f", {sql} AS {name}" for sql, name in zip(found + added, names + scores, strict=True))
        # Deleting no lexeme hands on the vector itself, read once: each function would read it again from its place
        # out of line, which takes five times as long as what it computes. OFFSET 0 keeps the planner from undoing it.
        read = "row_no, tokens, sign, ts_delete(terms, '') AS terms, ts_delete(words, '') AS words"
        chosen = f"SELECT {read} FROM ({self._chosen(values, wanted, extra)}) AS chosen OFFSET 0"
        rows = f"SELECT row_no, tokens, sign{columns} FROM ({chosen}) AS read"
        if self._has_long:
            sums = [f"sum(sign * {name}) AS {name}" for name in names] + [f"min({name}) AS {name}" for name in scores]
            listed = "".join(f", {sql}" for sql in sums)
            rows = f"SELECT row_no, max(tokens) AS tokens{listed} FROM ({rows}) AS parted GROUP BY row_no"
        length = f"{K1} * ({1 - B} + {B} * tokens / {values.parameter(max(self._home.average_length, 1e-9))})"
        total = [
            f"- {values.parameter(idf(self._home.notes, counts[leaf]))} * {name} * {K1 + 1} / ({name} + {length})"
            for leaf, name in zip(phrases, names, strict=True)
        ] + [f"+ {name}" for name in scores]
        return (
            f"SELECT row_no, round(CAST((0.0 {' '.join(total)}) * {SCORE_UNITS}.0 AS double precision)) AS score,"
            f" {self._archived} AS archived FROM ({rows}) AS found"
        )

    def _chosen(self, values: Values, wanted: Wanted, extra: list[str] | None) -> str:
        """The rows to be scored: all that are wanted, or by branches those that promise most."""
        columns = "row_no, part, tokens, sign, terms, words"
        if extra is None:
            return self._selected(values, wanted, columns=columns)
        most = most_candidates(wanted)
        selects = [self._in_one_row(values, wanted, more, columns) for more in extra]
        if not any(isinstance(leaf, Phrase) for leaf in wanted.leaves):  # what a word adds is alike for most notes
            # Of equal scores the newest, and the same ones for the next page, whatever the planner does by then. The
            # sum keeps it from reading each note's words by row number.
            selects = [f"SELECT * FROM ({select}) AS branch ORDER BY row_no + 0 DESC" for select in selects]
        sql = _first(selects, most)
        sql = f"SELECT DISTINCT ON (row_no) {columns} FROM ({sql}) AS candidates"
        if self._has_long:
            long = _first([self._in_several(values, wanted, more) for more in extra], most)
            sql = f"({sql}) UNION ALL {self._all_rows(long, columns)}"
        return sql

    def _word_score(self, values: Values, leaf: Leaf, holding: int) -> str:
        """What a prefix or a fragment adds: once, by the heaviest column that holds it."""
        weight = idf(self._home.notes, holding)
        cases = []
        for labels, count in (("", _TIER_OF_FIELD[leaf.field]),) if leaf.field else _TIERS:
            score = values.parameter(-weight * saturated(count))
            cases.append(f"WHEN words @@ {values.query(leaf_query(leaf, labels))} THEN {score}")
        return f"CASE {' '.join(cases)} ELSE 0.0 END"


def _first(selects: Sequence[str], most: int) -> str:
    """The first rows of some SELECTs, in their order."""
    parts = " UNION ALL ".join(f"({sql} LIMIT {most})" for sql in selects)
    return f"SELECT * FROM ({parts}) AS branch LIMIT {most}"
