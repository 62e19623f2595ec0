"""Search by meaning: exact cosines over all vectors of a scope, kept apart from search by words.

Where the database compares vectors (``store/pgvector.py``) it is asked. Else they lie in one 8-bit matrix in memory,
loaded with the first search and kept in step with other processes by a sequence number; filters are row numbers from
the same conditions as keyword search has. It must not know surfaces.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from notewell.domain.access import SearchScope
from notewell.domain.cursor import decode
from notewell.errors import InvalidArgument
from notewell.services.ports import Embedder
from notewell.services.search import Coverage, Found, Page, SearchRequest, check_limit, first_place, hash_of
from notewell.store import pgvector, pgvector_search, vectors
from notewell.store.database import Database, Reader, Row
from notewell.store.listing import Listing
from notewell.store.nearest import SCORE_DIGITS, Asked, Nearest
from notewell.store.pgvector_search import PublicCount

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Rows = NDArray[np.int64]
    Places = NDArray[np.intp]
    Mask = NDArray[np.bool_]

BLOCK_NUMBERS = 196_608
"""So many 8-bit numbers are turned into floats at once: they stay in the processor's cache, and the product of a block
stays below the size from which OpenBLAS wakes other threads and waits for them (on a busy machine 20 times longer)."""
SCORE_UNIT = 1e-6
GROWTH = 1.5
STRETCH = 2_000
"""Sequence numbers whose vectors are loaded at once; each stands for one note."""
MAX_DEAD_SHARE = 0.25
WEAK_Z = 2.5
"""Where the best note stands out less than this from its scope, the list says that it is weak."""
MIN_NOTES_FOR_Z = 10
"""In a smaller scope there is no distribution to stand out from."""
TESTED = 512
"""So many of the best notes are held against the filters; where too few of them pass, all that pass are asked for."""


class Matrix:
    """All vectors of one model, by row number and space; follows the store when asked to."""

    def __init__(self, model_id: str) -> None:
        self.model_id = model_id
        self._lock = threading.Lock()
        self._clear()

    def _clear(self) -> None:
        """Forgets everything; snapshots keep the arrays that they have."""
        self.count = self.dead = self._expected = 0
        self.seen = vectors.UNNUMBERED - 1
        self.numbers: NDArray[np.int8] = np.zeros((0, 0), np.int8)
        self.scales: Floats = np.zeros(0, np.float32)
        self.rows: Rows = np.zeros(0, np.int64)
        self.spaces: NDArray[np.int32] = np.zeros(0, np.int32)
        self.is_first: Mask = np.zeros(0, np.bool_)
        self.codes: dict[str, int] = {}

    @property
    def bytes(self) -> int:
        """How much memory the arrays take."""
        return sum(each.nbytes for each in (self.numbers, self.scales, self.rows, self.spaces, self.is_first))

    def follow(self, reader: Reader) -> Snapshot:
        """Takes in what changed since the last time, and returns what there is now."""
        with self._lock:
            newest, forgotten = vectors.seq(reader)
            if forgotten > self.seen:
                self._clear()
            if newest > self.seen:
                self._take_in(reader, newest)
                if self.dead > MAX_DEAD_SHARE * self.count:
                    self._compact()
            end = self.count
            return Snapshot(
                self.numbers[:end],
                self.scales[:end],
                self.rows[:end],
                self.spaces[:end],
                self.is_first[:end],
                dict(self.codes),
            )

    def _take_in(self, reader: Reader, newest: int) -> None:
        """What changed up to a sequence number, a stretch at a time: as rows, vectors take four times their size."""
        is_new = not self.count
        self._kill([row["row_no"] for row in reader.rows("vectors_gone_since", seen=self.seen)])
        self._expected = reader.rows("vector_count", model_id=self.model_id)[0]["vectors"]
        while self.seen < newest:
            until = min(self.seen + STRETCH, newest)
            changed = reader.rows("vectors_since", model_id=self.model_id, seen=self.seen, until=until)
            if not is_new:  # else no note can be there already
                self._kill([row["row_no"] for row in changed])
            if changed:
                self._append(changed)
            self.seen = until

    def _kill(self, row_nos: Sequence[int]) -> None:
        """Marks the vectors of some notes as gone."""
        if not row_nos or not self.count:
            return
        end = self.count
        dying = np.isin(self.rows[:end], np.array(row_nos, np.int64)) & (self.spaces[:end] >= 0)
        self.spaces[:end][dying] = -1
        self.dead += int(np.count_nonzero(dying))

    def _append(self, changed: Sequence[Row]) -> None:
        width = len(changed[0]["numbers"])
        self._make_room(len(changed), width)
        start, end = self.count, self.count + len(changed)
        joined = b"".join(row["numbers"] for row in changed)
        self.numbers[start:end] = np.frombuffer(joined, np.int8).reshape(len(changed), width)
        self.scales[start:end] = [row["scale"] for row in changed]
        self.rows[start:end] = [row["row_no"] for row in changed]
        self.spaces[start:end] = [self.codes.setdefault(row["space_id"], len(self.codes)) for row in changed]
        # All chunks of a note have one sequence number, so they come together.
        self.is_first[start:end] = False
        self.is_first[start + np.unique(self.rows[start:end], return_index=True)[1]] = True
        self.count = end

    def _make_room(self, more: int, width: int) -> None:
        """Grows the arrays; snapshots keep the old ones."""
        wanted = self.count + more
        if wanted <= len(self.rows) and self.numbers.shape[1] == width:
            return
        size = max(wanted, int(len(self.rows) * GROWTH) if self.count else self._expected)
        end = self.count
        numbers = np.zeros((size, width), np.int8)
        if end:
            numbers[:end] = self.numbers[:end]
        self.numbers = numbers
        self.scales = np.concatenate([self.scales[:end], np.zeros(size - end, np.float32)])
        self.rows = np.concatenate([self.rows[:end], np.zeros(size - end, np.int64)])
        self.spaces = np.concatenate([self.spaces[:end], np.full(size - end, -1, np.int32)])
        self.is_first = np.concatenate([self.is_first[:end], np.zeros(size - end, np.bool_)])

    def _compact(self) -> None:
        alive = np.flatnonzero(self.spaces[: self.count] >= 0)
        self.numbers, self.scales = self.numbers[alive], self.scales[alive]
        self.rows, self.spaces, self.is_first = self.rows[alive], self.spaces[alive], self.is_first[alive]
        self.count, self.dead = len(alive), 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The vectors at one moment; a space below zero marks a row that is gone."""

    numbers: NDArray[np.int8]
    scales: Floats
    rows: Rows
    spaces: NDArray[np.int32]
    is_first: Mask
    """True for one row of each note."""
    codes: dict[str, int]

    def places(self, space_ids: Sequence[str]) -> Places:
        """Where the rows of these spaces lie."""
        known = [self.codes[space_id] for space_id in space_ids if space_id in self.codes]
        if len(known) == 1:
            return np.flatnonzero(self.spaces == known[0])
        return np.flatnonzero(np.isin(self.spaces, known))

    def cosines(self, query: Floats, places: Places) -> Floats:
        """The cosine of each of these rows with the query."""
        # Picking rows one by one costs more than computing some that nobody asked for.
        is_most = 2 * len(places) > len(self.rows)
        numbers = self.numbers if is_most else self.numbers[places]
        result = np.empty(len(numbers), np.float32)
        step = max(1, BLOCK_NUMBERS // max(1, numbers.shape[1]))
        for start in range(0, len(numbers), step):
            block = numbers[start : start + step]
            result[start : start + step] = block.astype(np.float32) @ query
        return (result[places] if is_most else result) * self.scales[places]


class SemanticSearch:
    """Search by meaning over one store with one embedder."""

    def __init__(self, store: Database, embedder: Embedder) -> None:
        self._store = store
        self.embedder = embedder
        self.matrix = Matrix(embedder.model_id)
        self._counted = PublicCount()

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
        return Question(self.matrix, self.embedder.embed_queries([asked])[0], self._counted)


@dataclass(frozen=True, slots=True)
class Question:
    """A question by meaning: the ``Finder`` that looks for what is near it."""

    matrix: Matrix
    vector: Floats
    counted: PublicCount

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
        asked = Asked(
            self.matrix.model_id,
            tuple(self.vector.tolist()),
            Listing(scope, request.filters, "created"),
            place.newest_row,
            request.limit + 1,
            after=None if start is None else (float(start.key), start.row_no),
            notes=_note_count(reader, scope),
        )
        nearest = self._nearest(reader, asked)
        found = tuple(
            Found(row_no, score, part="semantic", key=score, z_score=_z(nearest, score))
            for row_no, score in nearest.found
        )
        best_z = None if nearest.best is None else _z(nearest, nearest.best)
        is_weak = best_z is not None and best_z < WEAK_Z
        coverage = Coverage(nearest.embedded, asked.notes)
        limit = request.limit
        return Page(found[:limit], None, (), None, len(found) > limit, place, coverage, is_weak)

    def _nearest(self, reader: Reader, asked: Asked) -> Nearest:
        if pgvector.is_there(reader):
            return pgvector_search.nearest(reader, asked, self.counted)
        return self._nearest_in_memory(reader, asked)

    def _nearest_in_memory(self, reader: Reader, asked: Asked) -> Nearest:
        snapshot = self.matrix.follow(reader)
        everything = snapshot.places(_spaces(reader, asked.listing.scope))
        embedded = int(np.count_nonzero(snapshot.is_first[everything]))
        scores = np.round(snapshot.cosines(self.vector, everything), SCORE_DIGITS)
        is_shown = snapshot.rows[everything] <= asked.newest_row
        ranking = _Ranking(snapshot.rows[everything[is_shown]], scores[is_shown])
        rows, found = _wanted(reader, ranking, asked)
        best = found if asked.after is None else _wanted(reader, ranking, replace(asked, after=None, count=1))[1]
        return Nearest(
            tuple(zip(rows.tolist(), _floats(found), strict=True)),
            _floats(best)[0] if len(best) else None,
            embedded,
            float(scores.mean()) if embedded else 0.0,
            float(scores.std()) if embedded else 0.0,
        )


def _floats(scores: Floats) -> list[float]:
    return [round(score, SCORE_DIGITS) for score in scores.tolist()]


def _spaces(reader: Reader, scope: SearchScope) -> list[str]:
    if scope.space_id is not None:
        return [scope.space_id]
    return [row["id"] for row in reader.rows("public_spaces")]


def _note_count(reader: Reader, scope: SearchScope) -> int:
    if scope.space_id is not None:
        rows = reader.rows("space_stats", space_id=scope.space_id)
        return int(rows[0]["notes"]) if rows else 0
    return int(reader.rows("public_note_count")[0]["notes"])


def _z(nearest: Nearest, score: float) -> float | None:
    """By how many standard deviations a score stands out; None where there is nothing to stand out from."""
    if nearest.embedded < MIN_NOTES_FOR_Z or nearest.deviation <= SCORE_UNIT:
        return None
    return round((score - nearest.mean) / nearest.deviation, 2)


@dataclass(frozen=True, slots=True)
class _Ranking:
    """The vectors of some notes with their scores; a note counts once, with its best chunk."""

    rows: Rows
    scores: Floats

    def best(self, count: int) -> tuple[Rows, Floats]:
        """The first notes by score, then newest: at least ``count`` where there are so many. No more is sorted."""
        size, total = count, len(self.scores)
        while True:
            size = min(4 * size, total)
            chosen = np.arange(total)
            if size < total:
                chosen = np.flatnonzero(self.scores >= np.partition(self.scores, total - size)[total - size])
            rows, scores = _best_by_note(self.rows[chosen], self.scores[chosen])
            if len(rows) >= count or size == total:
                return rows, scores

    def behind(self, after: tuple[float, int] | None, count: int) -> tuple[Rows, Floats]:
        """The same for the notes behind one of a score: behind the note, or its place where it moved or went."""
        if after is None:
            return self.best(count)
        key, row_no = after
        passed = int(np.count_nonzero(self.scores >= key - 2 * SCORE_UNIT))
        rows, scores = self.best(passed + count)
        # Other blocks may round a score the other way, so the note itself is looked for first.
        is_anchor = (rows == row_no) & (np.abs(scores - key) < 2 * SCORE_UNIT)
        begin = int(np.argmax(is_anchor)) + 1
        if not is_anchor.any():
            begin = int(np.count_nonzero((scores > key) | ((scores == key) & (rows >= row_no))))
        return rows[begin:], scores[begin:]

    def only(self, row_nos: Sequence[int]) -> _Ranking:
        """Of some notes alone."""
        is_kept = np.isin(self.rows, np.array(row_nos, np.int64))
        return _Ranking(self.rows[is_kept], self.scores[is_kept])


def _wanted(reader: Reader, ranking: _Ranking, asked: Asked) -> tuple[Rows, Floats]:
    """The notes that are asked for: the first ones behind a note that the filters leave."""
    listing, after, count = asked.listing, asked.after, asked.count
    if not listing.is_filtered:
        rows, scores = ranking.behind(after, count)
        return rows[:count], scores[:count]
    rows, scores = ranking.behind(after, TESTED)
    tested = ", ".join(map(str, rows[:TESTED].tolist()))
    passing = replace(listing, within=tested).row_numbers(reader)
    is_kept = np.isin(rows[:TESTED], np.array(passing, np.int64))
    if len(rows) > TESTED and np.count_nonzero(is_kept) < count:
        rows, scores = ranking.only(listing.row_numbers(reader)).behind(after, count)
        return rows[:count], scores[:count]
    return rows[:TESTED][is_kept][:count], scores[:TESTED][is_kept][:count]


def _best_by_note(rows: Rows, scores: Floats) -> tuple[Rows, Floats]:
    """Each note once with its best chunk: by score, then newest."""
    order = np.lexsort((-rows, -scores))
    rows, scores = rows[order], scores[order]
    _, first = np.unique(rows, return_index=True)
    first.sort()
    return rows[first], scores[first]
