"""Full text in SQLite: writing index entries, finding, ranking and counting the notes a query tree holds for.

A home is a pair of tables, ``fts_N`` (terms) and ``words_N`` (unstemmed words). In a home of one scope
FTS5's own statistics are those of the scope. In the shared home the scope's statistics are counted and handed to a
ranking function of ours: same formula, same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace

import apsw

from notewell.domain.filters import Filters, ResearchFilters
from notewell.domain.index import WEIGHTS, IndexEntry, scope_term
from notewell.domain.query import Leaf, Node, Phrase, WordLeaf
from notewell.domain.ranking import idf, saturated
from notewell.store.database import Reader, Row, Tx, Value
from notewell.store.dialect import create_fulltext
from notewell.store.filters import ARCHIVED_ROWS, Conditions, filter_terms, fulltext_conditions
from notewell.store.fts5_match import TEXT_COLUMNS, Sets, is_flat, leaf_match, pieces_match, quoted, tree_match
from notewell.store.homes import PUBLIC_HOME, SHARED_HOME, Home
from notewell.store.migrate import run_script
from notewell.store.wanted import MAX_SCORED_WORD_LEAVES, SCORE_UNITS, Hit, Wanted

_NATIVE_RANK = f"bm25(fts_{{home}}, {', '.join(map(str, WEIGHTS))}, 0.0)"
LARGE_MEMORY_NOTES = 500
"""A memory with more notes gets full-text tables of its own; tables cost every connection, so small ones share."""
_TIERS = (("{title}", WEIGHTS[0]), ("{summary labels}", WEIGHTS[1]), (TEXT_COLUMNS, WEIGHTS[3]))
"""In which columns a prefix may stand, heaviest first, and what it counts there."""


def prepare(connection: apsw.Connection) -> None:
    """Gives a connection the ranking function of the shared home."""
    connection.register_fts5_function("scope_bm25", _scope_bm25)


def _scope_bm25(api: apsw.FTS5ExtensionApi, /, *values: apsw.SQLiteValue) -> float:
    """FTS5's ``bm25()`` with statistics handed in; phrases past the given idfs (the scope's term) do not count."""
    average_length, *idfs = (float(value) for value in values if isinstance(value, int | float))
    length = api.column_size(-1)
    score = 0.0
    for phrase, weight in enumerate(idfs):
        frequency = 0.0
        for column in api.phrase_columns(phrase):
            if column < len(WEIGHTS):
                frequency += WEIGHTS[column] * len(api.phrase_column_offsets(phrase, column))
        if frequency:
            score -= weight * saturated(frequency, length, average_length)
    return score


def write_entry(tx: Tx, home: int, entry: IndexEntry) -> None:
    """Puts a note's terms and words into its home; the note must not be there yet."""
    for table, columns in (("fts", entry.texts), ("words", entry.words)):
        tx.run_sql(
            f"INSERT INTO {table}_{home} (rowid, title, summary, labels, body, f)"
            " VALUES (:row_no, :title, :summary, :labels, :body, :f)",
            {
                "row_no": entry.row_no,
                "title": columns[0],
                "summary": columns[1],
                "labels": columns[2],
                "body": columns[3],
                "f": entry.filters,
            },
        )


def remove_entry(tx: Tx, home: int, entry: IndexEntry) -> None:
    """Takes a note's terms and words out of its home."""
    for table in ("fts", "words"):
        tx.run_sql(f"DELETE FROM {table}_{home} WHERE rowid = :row_no", {"row_no": entry.row_no})


def move(tx: Tx, home: Home, number: int, entries: Iterable[IndexEntry]) -> None:
    """Brings everything of a space from its home into another."""
    for entry in entries:
        remove_entry(tx, home.number, entry)
        write_entry(tx, number, entry)
    tx.run("mark_uncleaned", home=home.number)


def home_for_more(tx: Tx, home: Home) -> int | None:
    """New full-text tables for a memory that has outgrown the shared ones with its next note."""
    if not home.is_shared or home.notes + 1 <= LARGE_MEMORY_NOTES:
        return None
    number = max(int(tx.rows("last_home")[0]["home"]), PUBLIC_HOME) + 1
    run_script(tx, create_fulltext(str(number)))
    return number


def clear(tx: Tx, home: Home) -> None:
    """Takes everything of a space out of its home.

    By the term of the space, and by row number where that term was lost: FTS5 adds to what a row number of a
    contentless table holds already, so a rebuild must start from nothing.
    """
    for table in (f"fts_{home.number}", f"words_{home.number}"):
        if home.scope is None:
            tx.run_sql(f"INSERT INTO {table} ({table}) VALUES ('delete-all')", {})
            continue
        tx.run_sql(
            f"DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} WHERE {table} MATCH :match"
            " UNION SELECT row_no FROM notes WHERE space_id = :space_id)",
            {"match": f"f : {quoted(home.scope)}", "space_id": home.space_id},
        )


def optimize(tx: Tx, home: int) -> None:
    """Rewrites a home's tables in one piece: only then are the words of deleted notes gone from the file's pages."""
    for table in (f"fts_{home}", f"words_{home}", "word_pieces"):
        tx.run_sql(f"INSERT INTO {table} ({table}) VALUES ('optimize')", {})


def words_with_fragment(reader: Reader, space_id: str, fragment: str, count: int) -> list[str]:
    """The most used words that hold a text inside; the pieces of three letters find candidates."""
    rows = reader.rows_of(
        "SELECT w.word FROM space_words AS w"
        " WHERE w.rowid IN (SELECT rowid FROM word_pieces WHERE word_pieces MATCH :pieces)"
        " AND +w.space_id = :space_id AND instr(w.word, :fragment) > 0 AND w.word <> :fragment"
        " ORDER BY w.uses DESC, w.word LIMIT :count",
        {"space_id": space_id, "pieces": pieces_match(fragment), "fragment": fragment, "count": count},
    )
    return [row["word"] for row in rows]


def add_words(tx: Tx, space_id: str, words: Counter[str]) -> None:
    """Counts so many more notes for each of these words of a memory."""
    tx.run_many(
        "add_word", [{"space_id": space_id, "word": word, "uses": uses} for word, uses in sorted(words.items())]
    )


def remove_words(tx: Tx, space_id: str, words: Collection[str]) -> None:
    """Counts one note less for each; a word of no note is gone."""
    ordered = sorted(words)
    tx.run_many("remove_word", [{"space_id": space_id, "word": word} for word in ordered])
    for start in range(0, len(ordered), 500):
        tx.run("drop_unused_words", space_id=space_id, words=ordered[start : start + 500])


def search(reader: Reader, home: Home) -> Search:
    """A search over one home."""
    return Search(reader, home)


class Search:
    """Answers over one home, in one transaction."""

    def __init__(self, reader: Reader, home: Home) -> None:
        self._reader = reader
        self._home = home
        has_archived = home.is_memory and self._has_archived()
        self._archived = f"rowid IN ({ARCHIVED_ROWS})" if has_archived else "0"

    def _has_archived(self) -> bool:
        values = {"space_id": self._home.space_id}
        return bool(self._reader.rows_of(f"SELECT EXISTS ({ARCHIVED_ROWS}) AS found", values)[0]["found"])

    def _sets(self) -> Sets:
        spaces = "space_id = :space_id"
        if self._home.space_id is None:
            spaces = "space_id IN (SELECT id FROM problems WHERE is_public = 1)"
        return Sets(str(self._home.number), self._home.scope, f"SELECT row_no AS rowid FROM note_index WHERE {spaces}")

    def count(self, wanted: Wanted) -> int:
        """How many notes are wanted, exactly."""
        sets = self._sets()
        sql = f"SELECT count(*) AS notes FROM ({self._selected(sets, wanted)})"
        return int(self._rows(sql, sets)[0]["notes"])

    def rank(self, wanted: Wanted, limit: int, after: Hit | None = None) -> list[Hit]:
        """The best of the wanted notes: by score, then active before archived, then newest; those after a hit."""
        sets = self._sets()
        scored = self._scored(sets, wanted)
        order = f"ORDER BY score, archived, row_no DESC LIMIT {sets.parameter(limit)}"
        if after is None:  # the best rows are kept while ranking
            return [Hit.of(row) for row in self._rows(f"SELECT row_no, score, archived FROM ({scored}) {order}", sets)]
        # With a condition on it, each score is made once and kept.
        place = ", ".join(map(sets.parameter, after.place))
        sql = (
            f"WITH scored AS MATERIALIZED ({scored}) SELECT row_no, score, archived FROM scored"
            f" WHERE (score, archived, -row_no) > ({place}) {order}"
        )
        return [Hit.of(row) for row in self._rows(sql, sets)]

    def hit_of(self, wanted: Wanted, row_no: int) -> Hit | None:
        """How one of the wanted notes scores now; None where it is not wanted any more."""
        sets = self._sets()
        scored = self._scored(sets, replace(wanted, only_row=row_no))
        rows = self._rows(f"SELECT row_no, score, archived FROM ({scored})", sets)
        return Hit.of(rows[0]) if rows else None

    def selected(self, wanted: Wanted) -> tuple[str, dict[str, Value]]:
        """A SELECT of the wanted row numbers as ``rowid``, and its values."""
        sets = self._sets()
        return self._selected(sets, wanted), sets.values

    def holding(self, node: Node, row_nos: list[int]) -> set[int]:
        """Which of these notes hold a tree."""
        if not row_nos:
            return set()
        sets = self._sets()
        listed = ", ".join(map(str, row_nos))
        text = tree_match(node)
        if text is not None:
            table = f"fts_{self._home.number}"
            sql = f"SELECT rowid FROM {table} WHERE {table} MATCH {sets.match(text)} AND rowid IN ({listed})"
        else:
            sql = f"SELECT rowid FROM ({sets.select(node)}) WHERE rowid IN ({listed})"
        return {row["rowid"] for row in self._rows(sql, sets)}

    def _rows(self, sql: str, sets: Sets) -> list[Row]:
        return self._reader.rows_of(sql, {**sets.values, "space_id": self._home.space_id})

    def _conditions(self, sets: Sets, wanted: Wanted) -> str:
        conditions: Conditions = fulltext_conditions(wanted.filters, wanted.newest_row)
        sets.values.update(conditions.values)
        without = ", ".join(map(str, wanted.without_rows))
        only = "" if wanted.only_row is None else f" AND rowid = {sets.parameter(wanted.only_row)}"
        return conditions.where() + (f" AND rowid NOT IN ({without})" if without else "") + only

    def _term_groups(self, filters: Filters) -> list[tuple[str, ...]]:
        """The filters that are terms; a campaign is one of the terms of its public problems."""
        groups = filter_terms(filters)
        if isinstance(filters, ResearchFilters) and filters.campaign_id is not None:
            rows = self._reader.rows("problems_of_campaign", campaign_id=filters.campaign_id)
            groups.append(tuple(scope_term(row["id"]) for row in rows if row["is_public"]) or (scope_term(""),))
        return groups

    def _filtered(self, text: str, wanted: Wanted) -> str:
        """A MATCH text with the scope and the filters that are terms."""
        groups = [(self._home.scope,)] if self._home.scope else []
        parts = [f"{TEXT_COLUMNS} : ({text})"]
        for group in [*groups, *self._term_groups(wanted.filters)]:
            parts.append(f"f : ({' OR '.join(map(quoted, group))})")
        return " AND ".join(parts)

    def _selected(self, sets: Sets, wanted: Wanted) -> str:
        """A SELECT of the wanted row numbers."""
        table = f"fts_{self._home.number}"
        conditions = self._conditions(sets, wanted)
        text = tree_match(wanted.node)
        if text is not None:
            match = sets.parameter(self._filtered(text, wanted))
            return f"SELECT rowid FROM {table} WHERE {table} MATCH {match}{conditions}"
        sql = f"SELECT rowid FROM ({sets.select(wanted.node)}) WHERE 1{conditions}"
        for group in self._term_groups(wanted.filters):
            listed = sets.parameter(f"f : ({' OR '.join(map(quoted, group))})")
            sql += f" AND rowid IN (SELECT rowid FROM {table} WHERE {table} MATCH {listed})"
        return sql

    def _scored(self, sets: Sets, wanted: Wanted) -> str:
        """A SELECT of row_no, score (smaller is better, rounded) and archived for each wanted note."""
        phrases = [leaf for leaf in wanted.leaves if isinstance(leaf, Phrase)]
        word_leaves = [leaf for leaf in wanted.leaves if not isinstance(leaf, Phrase)][:MAX_SCORED_WORD_LEAVES]
        shown = (
            f"row_no, round(score * {SCORE_UNITS}.0) AS score, {self._archived.replace('rowid', 'row_no')} AS archived"
        )
        if not word_leaves and phrases and tree_match(wanted.node) is not None:
            return f"SELECT {shown} FROM ({self._ranked(sets, wanted, phrases)})"
        selected = self._selected(sets, wanted)
        parts = ["SELECT rowid AS row_no, 0.0 AS score FROM chosen"]
        if phrases:
            parts.append(self._ranked(sets, wanted, phrases, is_chosen=True))
        parts += [self._word_scores(sets, leaf, is_alone=leaf == wanted.node) for leaf in word_leaves]
        summed = f"SELECT row_no, sum(score) AS score FROM ({' UNION ALL '.join(parts)}) GROUP BY row_no"
        return f"WITH chosen AS MATERIALIZED ({selected}) SELECT {shown} FROM ({summed})"

    def _ranked(self, sets: Sets, wanted: Wanted, phrases: list[Phrase], *, is_chosen: bool = False) -> str:
        """Row numbers and BM25 scores: over the tree itself where FTS5 scores it exactly, else over its leaves."""
        table = f"fts_{self._home.number}"
        rank = self._rank_call(sets, phrases)
        flat = " OR ".join(leaf_match(leaf) for leaf in phrases)
        text = tree_match(wanted.node)
        if is_chosen:
            match = sets.match(flat)
            condition = " AND +rowid IN (SELECT rowid FROM chosen)"
        elif text is not None and is_flat(wanted.node) and set(phrases) == set(_phrases_of(wanted.node)):
            match = sets.parameter(self._filtered(text, wanted))
            condition = self._conditions(sets, wanted)
        else:
            match = sets.parameter(self._filtered(flat, wanted))
            condition = f" AND +rowid IN ({self._selected(sets, wanted)})"
        return f"SELECT rowid AS row_no, {rank} AS score FROM {table} WHERE {table} MATCH {match}{condition}"

    def _rank_call(self, sets: Sets, phrases: list[Phrase]) -> str:
        if not self._home.is_shared:
            return _NATIVE_RANK.format(home=self._home.number)
        weights = [self._idf("fts", leaf) for leaf in phrases]
        values = ", ".join(map(sets.parameter, (self._home.average_length, *weights)))
        return f"scope_bm25(fts_{SHARED_HOME}, {values})"

    def _idf(self, table: str, leaf: Leaf) -> float:
        """How telling a leaf is among the notes that it is ranked among, for a public problem the whole record."""
        sets = Sets(str(self._home.number), None if self._home.is_public else self._home.scope, "")
        match = sets.match(leaf_match(leaf))
        name = f"{table}_{self._home.number}"
        rows = self._rows(f"SELECT count(*) AS notes FROM {name} WHERE {name} MATCH {match}", sets)
        return idf(self._home.notes, rows[0]["notes"])

    def _word_scores(self, sets: Sets, leaf: WordLeaf, *, is_alone: bool) -> str:
        """What a prefix or a fragment adds to the chosen notes: once, by the heaviest column that holds it.

        Where it is the whole query, each chosen note holds it in some column.
        """
        table = f"words_{self._home.number}"
        weight = self._idf("words", leaf)
        tiers = []
        for columns, occurrences in _TIERS:
            score: Value = -weight * saturated(occurrences)
            if is_alone and columns == TEXT_COLUMNS:
                tiers.append(f"SELECT rowid, {sets.parameter(score)} AS score FROM chosen")
                continue
            match = sets.parameter(f"{columns} : ({leaf_match(leaf)})")
            tiers.append(
                f"SELECT rowid, {sets.parameter(score)} AS score FROM {table}"
                f" WHERE {table} MATCH {match} AND +rowid IN (SELECT rowid FROM chosen)"
            )
        return f"SELECT rowid AS row_no, min(score) AS score FROM ({' UNION ALL '.join(tiers)}) GROUP BY rowid"


def _phrases_of(node: Node) -> list[Node]:
    return [node] if isinstance(node, Phrase) else list(node.children)  # type: ignore[union-attr]  # is_flat held
