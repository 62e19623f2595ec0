"""Search by meaning: exact cosines over all vectors of a scope, kept apart from search by words.

The vectors lie in one 8-bit matrix in memory, loaded with the first search and kept in step with other processes by a
sequence number. Filters are row numbers from the same conditions as keyword search has. It must not know surfaces.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from notewell.domain.access import SearchScope
from notewell.domain.cursor import Cursor, decode
from notewell.domain.filters import NO_FILTERS, ResearchFilters
from notewell.errors import InvalidArgument
from notewell.services.ports import Embedder
from notewell.services.search import Coverage, Found, Page, SearchRequest, check_limit, first_place, hash_of
from notewell.store import vectors
from notewell.store.database import Database, Reader, Row
from notewell.store.listing import Listing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Rows = NDArray[np.int64]

BLOCK_ROWS = 8_192
"""Rows that are turned into floats at once: they stay in the processor's cache."""
SCORE_DIGITS = 6
GROWTH = 1.5
MAX_DEAD_SHARE = 0.25
WEAK_Z = 2.5
"""Where the best note stands out less than this from its scope, the list says that it is weak."""
MIN_NOTES_FOR_Z = 10
"""In a smaller scope there is no distribution to stand out from."""


class Matrix:
    """All vectors of one model, by row number and space; follows the store when asked to."""

    def __init__(self, model_id: str) -> None:
        self.model_id = model_id
        self.seen = 0
        self.count = 0
        self.dead = 0
        self.numbers: NDArray[np.int8] = np.zeros((0, 0), np.int8)
        self.scales: Floats = np.zeros(0, np.float32)
        self.rows: Rows = np.zeros(0, np.int64)
        self.spaces: NDArray[np.int32] = np.zeros(0, np.int32)
        self.codes: dict[str, int] = {}
        self._places: dict[int, list[int]] = {}
        self._lock = threading.Lock()

    @property
    def bytes(self) -> int:
        """How much memory the arrays take."""
        return self.numbers.nbytes + self.scales.nbytes + self.rows.nbytes + self.spaces.nbytes

    def follow(self, reader: Reader) -> Snapshot:
        """Takes in what changed since the last time, and returns what there is now."""
        with self._lock:
            newest, forgotten = vectors.seq(reader)
            if forgotten > self.seen:
                self._clear()
            if newest > self.seen:
                for row in reader.rows("vectors_gone_since", seen=self.seen):
                    self._kill(row["row_no"])
                changed = reader.rows("vectors_since", model_id=self.model_id, seen=self.seen)
                for row_no in {row["row_no"] for row in changed}:
                    self._kill(row_no)
                if changed:
                    self._append(changed)
                self.seen = newest
                if self.dead > MAX_DEAD_SHARE * self.count:
                    self._compact()
            end = self.count
            return Snapshot(self.numbers[:end], self.scales[:end], self.rows[:end], self.spaces[:end], dict(self.codes))

    def _clear(self) -> None:
        self.seen = self.count = self.dead = 0
        self._places.clear()

    def _kill(self, row_no: int) -> None:
        for place in self._places.pop(row_no, ()):
            self.spaces[place] = -1
            self.dead += 1

    def _append(self, changed: Sequence[Row]) -> None:
        width = len(changed[0]["numbers"])
        self._make_room(len(changed), width)
        start, end = self.count, self.count + len(changed)
        joined = b"".join(row["numbers"] for row in changed)
        self.numbers[start:end] = np.frombuffer(joined, np.int8).reshape(len(changed), width)
        self.scales[start:end] = [row["scale"] for row in changed]
        self.rows[start:end] = [row["row_no"] for row in changed]
        self.spaces[start:end] = [self.codes.setdefault(row["space_id"], len(self.codes)) for row in changed]
        for place, row in enumerate(changed, start):
            self._places.setdefault(row["row_no"], []).append(place)
        self.count = end

    def _make_room(self, more: int, width: int) -> None:
        """Grows the arrays; snapshots keep the old ones."""
        wanted = self.count + more
        if wanted <= len(self.rows) and self.numbers.shape[1] == width:
            return
        size = max(wanted, int(len(self.rows) * GROWTH))
        end = self.count
        numbers = np.zeros((size, width), np.int8)
        if end:
            numbers[:end] = self.numbers[:end]
        self.numbers = numbers
        self.scales = np.concatenate([self.scales[:end], np.zeros(size - end, np.float32)])
        self.rows = np.concatenate([self.rows[:end], np.zeros(size - end, np.int64)])
        self.spaces = np.concatenate([self.spaces[:end], np.full(size - end, -1, np.int32)])

    def _compact(self) -> None:
        alive = np.flatnonzero(self.spaces[: self.count] >= 0)
        self.numbers, self.scales = self.numbers[alive].copy(), self.scales[alive].copy()
        self.rows, self.spaces = self.rows[alive].copy(), self.spaces[alive].copy()
        self.count, self.dead = len(alive), 0
        self._places.clear()
        for place, row_no in enumerate(self.rows.tolist()):
            self._places.setdefault(row_no, []).append(place)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The vectors at one moment; a space below zero marks a row that is gone."""

    numbers: NDArray[np.int8]
    scales: Floats
    rows: Rows
    spaces: NDArray[np.int32]
    codes: dict[str, int]

    def places(self, space_ids: Sequence[str]) -> NDArray[np.intp]:
        """Where the rows of these spaces lie."""
        known = [self.codes[space_id] for space_id in space_ids if space_id in self.codes]
        if len(known) == 1:
            return np.flatnonzero(self.spaces == known[0])
        return np.flatnonzero(np.isin(self.spaces, known))

    def cosines(self, query: Floats, places: NDArray[np.intp]) -> Floats:
        """The cosine of each of these rows with the query."""
        result = np.empty(len(places), np.float32)
        is_all = len(places) == len(self.rows)
        for start in range(0, len(places), BLOCK_ROWS):
            end = min(start + BLOCK_ROWS, len(places))
            block = self.numbers[start:end] if is_all else self.numbers[places[start:end]]
            result[start:end] = block.astype(np.float32) @ query
        return result * (self.scales if is_all else self.scales[places])


class SemanticSearch:
    """Search by meaning over one store with one embedder."""

    def __init__(self, store: Database, embedder: Embedder) -> None:
        self._store = store
        self.embedder = embedder
        self.matrix = Matrix(embedder.model_id)

    def question(self, words: str | None) -> Question:
        """What to look for, embedded now, so that no model works inside a transaction.

        Raises ``semantic_unavailable`` where the model fails, ``invalid_argument`` without words.
        """
        asked = (words or "").strip()
        if not asked:
            raise InvalidArgument(
                "Search by meaning needs a query: say in a few words what you look for. To list notes, use mode"
                " 'keyword' without a query.",
                argument="query",
            )
        return Question(self.matrix, self.embedder.embed_queries([asked])[0])


@dataclass(frozen=True, slots=True)
class Question:
    """A question by meaning: the ``Finder`` that looks for what is near it."""

    matrix: Matrix
    vector: Floats

    def __call__(self, reader: Reader, scope: SearchScope, request: SearchRequest, /) -> Page:
        """One page of the notes of a scope, nearest in meaning first. Raises ``invalid_argument``."""
        check_limit(request.limit)
        if request.sort not in (None, "relevance"):
            raise InvalidArgument("sort: a list by meaning is sorted by relevance only.", argument="sort")
        start = None if request.cursor is None else decode(request.cursor, hash_of(scope, request))
        if start is not None and start.part != "semantic":
            raise InvalidArgument(
                "The cursor is one of a list by words; send it with mode 'keyword'.", argument="cursor"
            )
        place = start or first_place(reader, scope, request)
        snapshot = self.matrix.follow(reader)
        everything = snapshot.places(_spaces(reader, scope))
        listing = Listing(scope, request.filters, "created", place.newest_row)
        wanted = _narrowed(reader, snapshot, everything, listing)
        coverage = Coverage(len(np.unique(snapshot.rows[everything])), _note_count(reader, scope))
        return _Ranked(snapshot, self.vector, everything, wanted).page(request, place, start, coverage)


def _spaces(reader: Reader, scope: SearchScope) -> list[str]:
    if scope.space_id is not None:
        return [scope.space_id]
    return [row["id"] for row in reader.rows("public_spaces")]


def _note_count(reader: Reader, scope: SearchScope) -> int:
    if scope.space_id is not None:
        rows = reader.rows("space_stats", space_id=scope.space_id)
        return int(rows[0]["notes"]) if rows else 0
    return int(reader.rows("public_note_count")[0]["notes"])


def _narrowed(reader: Reader, snapshot: Snapshot, everything: NDArray[np.intp], listing: Listing) -> NDArray[np.intp]:
    """The places of the scope that the filters of a listing leave."""
    if listing.filters in (NO_FILTERS, ResearchFilters()) and listing.newest_row is not None:
        return everything[snapshot.rows[everything] <= listing.newest_row]
    rows = np.array(listing.row_numbers(reader), np.int64)
    return everything[np.isin(snapshot.rows[everything], rows)]


class _Ranked:
    """The notes of a scope by their best chunk's cosine."""

    def __init__(
        self, snapshot: Snapshot, query: Floats, everything: NDArray[np.intp], wanted: NDArray[np.intp]
    ) -> None:
        all_cosines = snapshot.cosines(query, everything)
        self._mean = float(all_cosines.mean()) if len(all_cosines) else 0.0
        self._deviation = float(all_cosines.std()) if len(all_cosines) else 0.0
        self._has_distribution = len(all_cosines) >= MIN_NOTES_FOR_Z and self._deviation > 0
        cosines = all_cosines
        if len(wanted) != len(everything):
            cosines = all_cosines[np.searchsorted(everything, wanted)]
        self._rows, self._scores = _best_by_note(snapshot.rows[wanted], np.round(cosines, SCORE_DIGITS))

    def page(self, request: SearchRequest, place: Cursor, start: Cursor | None, coverage: Coverage) -> Page:
        """The notes behind a cursor, at most the request's limit."""
        begin = 0 if start is None else self._behind(start)
        end = begin + request.limit
        rows, scores = self._rows[begin:end].tolist(), self._scores[begin:end].tolist()
        found = tuple(
            Found(
                row, round(score, SCORE_DIGITS), part="semantic", key=round(score, SCORE_DIGITS), z_score=self._z(score)
            )
            for row, score in zip(rows, scores, strict=True)
        )
        best = self._z(float(self._scores[0])) if len(self._scores) else None
        is_weak = best is not None and best < WEAK_Z
        return Page(found, None, (), None, len(self._rows) > end, place, coverage, is_weak)

    def _behind(self, start: Cursor) -> int:
        """The place behind the note where the page before ended, or behind its score where the note is gone."""
        found = np.flatnonzero(self._rows == start.row_no)
        if len(found):
            return int(found[0]) + 1
        return int(np.count_nonzero(self._scores >= float(start.key)))

    def _z(self, score: float) -> float | None:
        return round((score - self._mean) / self._deviation, 2) if self._has_distribution else None


def _best_by_note(rows: Rows, scores: Floats) -> tuple[Rows, Floats]:
    """Each note once with its best chunk: by score, then newest."""
    order = np.lexsort((-rows, -scores))
    rows, scores = rows[order], scores[order]
    _, first = np.unique(rows, return_index=True)
    first.sort()
    return rows[first], scores[first]
