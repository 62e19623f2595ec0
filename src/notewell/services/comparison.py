"""Every derived row of one space against what a rebuild would make, a stretch of notes at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from notewell.domain.index import IndexEntry
from notewell.domain.terms import ANALYZER_VERSION
from notewell.services.findings import Findings
from notewell.store import health, index
from notewell.store.database import Reader, Row
from notewell.store.health import HomeSums

STRETCH_NOTES = 100
_WORDS = 5_000
_REMEDY = "is not what a rebuild makes. Run 'notewell reindex'."


class SpaceComparison:
    """One space; ``found`` loses the rows of the notes that were compared, so that what stays belongs to no note."""

    def __init__(self, reader: Reader, space_id: str, found: HomeSums, findings: Findings) -> None:
        self._reader = reader
        self._space_id = space_id
        self._found = found
        self._findings = findings
        self._words: Counter[str] = Counter()
        self._notes = 0
        self._tokens = 0

    def run(self) -> Iterator[int]:
        """Compares all; yields how many notes each stretch had."""
        entries = index.entries(self._reader, self._space_id)
        while stretch := list(islice(entries, STRETCH_NOTES)):
            self._compare(stretch)
            yield len(stretch)
        self._compare_words()
        self._compare_stats()

    def _compare(self, stretch: Sequence[IndexEntry]) -> None:
        note_ids = [entry.note_id for entry in stretch]
        rows = self._reader.rows("index_of_notes", space_id=self._space_id, ids=note_ids)
        indexed = {row["note_id"]: row for row in rows}
        row_nos = [entry.row_no for entry in stretch]
        tags = self._by_row("tags_of_rows", row_nos)
        symbols = self._by_row("symbols_of_rows", row_nos)
        links = self._by_row("links_of_rows", row_nos)
        for entry in stretch:
            self._compare_index(entry, indexed.get(entry.note_id))
            self._expect("note_tags", tags[entry.row_no] == set(entry.tags), entry)
            self._expect("note_symbols", symbols[entry.row_no] == {(symbol,) for symbol in entry.symbols}, entry)
            targets = entry.header.builds_on if entry.header else ()
            self._expect("note_links", links[entry.row_no] == {(target,) for target in targets}, entry)
            self._compare_fulltext(entry)
            self._words.update(entry.vocabulary)
            self._notes += 1
            self._tokens += entry.tokens

    def _by_row(self, name: str, row_nos: Sequence[int]) -> dict[int, set[tuple[object, ...]]]:
        """The rows of a statement by the note they belong to, without its number."""
        found: dict[int, set[tuple[object, ...]]] = defaultdict(set)
        for row in self._reader.rows(name, space_id=self._space_id, row_nos=row_nos):
            row_no, *values = row.values()
            found[row_no].add(tuple(values))
        return found

    def _expect(self, check: str, is_right: bool, entry: IndexEntry) -> None:
        if not is_right:
            self._findings.add("error", check, f"{check} {_REMEDY}", entry.note_id)

    def _compare_index(self, entry: IndexEntry, row: Row | None) -> None:
        if row is not None and row["analyzer_version"] != ANALYZER_VERSION:
            message = "The note was indexed by another version of the analyzer. Run 'notewell reindex'."
            self._findings.add("error", "note_index", message, entry.note_id)
            return
        self._expect("note_index", row is not None and dict(row) == index.index_values(entry), entry)

    def _compare_fulltext(self, entry: IndexEntry) -> None:
        terms, words = health.of(self._reader).entry_sums(entry)
        self._expect("terms", self._found.fts.pop(entry.row_no, 0) == terms, entry)
        self._expect("words", self._found.words.pop(entry.row_no, 0) == words, entry)

    def _compare_words(self) -> None:
        after = ""
        wrong = 0
        while rows := self._reader.rows("words_after", space_id=self._space_id, after=after, count=_WORDS):
            wrong += sum(self._words.pop(row["word"], 0) != row["uses"] for row in rows)
            after = rows[-1]["word"]
        wrong += len(self._words)
        if wrong:
            message = f"{wrong:,} words of a memory: the count {_REMEDY}"
            self._findings.add("error", "space_words", message, self._space_id)

    def _compare_stats(self) -> None:
        rows = self._reader.rows("space_stats", space_id=self._space_id)
        kept = (rows[0]["notes"], rows[0]["tokens"]) if rows else (0, 0)
        if kept != (self._notes, self._tokens):
            self._findings.add("error", "space_stats", f"space_stats {_REMEDY}", self._space_id)
