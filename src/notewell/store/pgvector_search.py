"""Search by meaning inside PostgreSQL: exact in one space, and by an index among very many public vectors.

Exact answers compare every vector of the scope, or where a filter leaves few public notes every vector of these. The
index (HNSW) finds nearly all of the nearest notes; what it finds is ordered exactly. Where it finds less than a page,
as at the end of a long list, the page is exact.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence

from notewell.domain.filters import ResearchFilters
from notewell.store import pgvector
from notewell.store.database import Reader, Row, Value
from notewell.store.filters import listing_conditions
from notewell.store.nearest import SCORE_DIGITS, Asked, Nearest

UNITS: int = 10**SCORE_DIGITS
"""Scores are ranked as whole numbers of their last digit; smaller is nearer."""
SAMPLE = 1_000
"""So many public vectors, drawn once and for all, say how scores are spread: in 19 of 20 questions a z-score of 2.5 is
then within 0.13 of what it would be by all vectors."""
EF_SEARCH = 100
CANDIDATES = 200
"""The index is asked for so many and the best of them are taken. Over 20,000 vectors like those of texts the first ten
are then 99 of 100 times the true ones; of 40 candidates, in half the time, 96 times."""
NARROW = 20
"""Times the square root of how many notes there are: of so few notes every vector is compared. The index passes by the
notes that a filter leaves out one by one, so it takes longer the fewer are left; there both take about as long."""
RECOUNT_MILLISECONDS = 60_000

_OF_MODEL = "e.model_id = :model_id AND e.dimensions = :dimensions"
"""Vectors of another length, which a model's server may have sent once, cannot be compared."""
_COMPARED = f"round((e.embedding <#> CAST(:vector AS vector)) * {UNITS})"
# The settings hold until the end of the transaction: without them a filter would leave less than a page.
_IS_INDEXED = f"""SELECT EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(:index) AND indisvalid) AS found,
  set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '{EF_SEARCH}', true) AS ef"""
# scatter: the public record
_EMBEDDED = f"""SELECT count(*) AS notes FROM note_embeddings AS e
WHERE e.is_public = 1 AND {_OF_MODEL} AND e.chunk = 0"""
# scatter: the public record
_SPREAD = f"""SELECT avg(units) AS mean, stddev_pop(units) AS deviation FROM (
  SELECT {_COMPARED} AS units FROM note_embeddings AS e
  WHERE e.is_public = 1 AND {_OF_MODEL} AND e.chunk = 0 ORDER BY reverse(e.note_id) LIMIT {SAMPLE}
) AS drawn"""
_PAGE = """
WITH {passing}scored AS MATERIALIZED ({scored}),
best AS MATERIALIZED (SELECT row_no, min(units) AS units FROM scored GROUP BY row_no),
shown AS MATERIALIZED (SELECT row_no, units FROM best WHERE row_no <= :newest_row{filtered}),
page AS (SELECT row_no, units FROM shown{behind} ORDER BY units, row_no DESC LIMIT :count)
SELECT spread.*, page.row_no, page.units FROM (
  SELECT avg(units) AS mean, stddev_pop(units) AS deviation, {passed} AS passed,
    (SELECT count(*) FROM best) AS embedded, (SELECT min(units) FROM shown) AS best FROM scored
) AS spread LEFT JOIN page ON true ORDER BY page.units, page.row_no DESC
"""
# A note may score a little otherwise than when it was shown (another machine embedded the question): it is looked for.
_BEHIND = """ WHERE (units, -row_no) > (coalesce((SELECT units FROM shown WHERE row_no = :after_row
  AND abs(units - :after_units) < 2), :after_units), -:after_row)"""


class PublicCount:
    """How many public notes have a vector, counted at most once a minute: it takes longer than a search."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counted = 0, -RECOUNT_MILLISECONDS

    def known(self, now: int) -> int | None:
        """The number, if it was counted within a minute."""
        with self._lock:
            count, at = self._counted
        return count if at <= now < at + RECOUNT_MILLISECONDS else None

    def keep(self, count: int, now: int) -> int:
        """Remembers the number and returns it."""
        with self._lock:
            self._counted = count, now
        return count


def nearest(reader: Reader, asked: Asked, counted: PublicCount) -> Nearest:
    """The notes nearest to a question. Among many public notes ``mean`` and ``deviation`` are those of a sample."""
    search = _Search(reader, asked)
    found = search.among_public() if asked.listing.scope.space_id is None else None
    if found is None:
        return search.exact()
    row = search.rows(_SPREAD)[0]
    embedded = counted.known(reader.now)
    if embedded is None:
        embedded = counted.keep(search.rows(_EMBEDDED)[0]["notes"], reader.now)
    return Nearest(*found, min(embedded, asked.notes), _score(row["mean"]), _deviation(row))


Found = tuple[tuple[tuple[int, float], ...], float | None]
"""A page, and the score of the first note of all."""


class _Search:
    """One question in one transaction."""

    def __init__(self, reader: Reader, asked: Asked) -> None:
        self._reader = reader
        self._asked = asked
        self._listing = asked.listing
        self._values: dict[str, Value] = {
            "vector": f"[{','.join(map(repr, asked.vector))}]",
            "model_id": asked.model_id,
            "dimensions": len(asked.vector),
            "space_id": asked.listing.scope.space_id,
            "newest_row": asked.newest_row,
            "count": asked.count,
        }
        if asked.after is not None:
            score, row_no = asked.after
            self._values |= {"after_units": float(-round(score * UNITS)), "after_row": row_no}

    def rows(self, sql: str, values: dict[str, Value] | None = None) -> list[Row]:
        """The rows of a statement about this question."""
        return self._reader.rows_of(sql, self._values | (values or {}))

    def exact(self) -> Nearest:
        """Every vector of the scope compared."""
        scope = "e.is_public = 1" if self._listing.scope.space_id is None else "e.space_id = :space_id"
        scored = f"SELECT e.row_no, {_COMPARED} AS units FROM note_embeddings AS e WHERE {scope}"
        filtered, values = "", dict[str, Value]()
        if self._listing.is_filtered:
            rows, values = self._listing.selected(self._reader.dialect, "row_no")
            filtered = f" AND row_no IN ({rows})"
        parts = {"passing": "", "passed": "0", "scored": f"{scored} AND {_OF_MODEL}"}
        page = self._page(parts, filtered, values)
        row = page[0]
        return Nearest(*_found(page), row["embedded"], _score(row["mean"]), _deviation(row))

    def among_public(self) -> Found | None:
        """What is found without comparing every public vector; None where only that would answer."""
        name = pgvector.index_name(self._asked.model_id, len(self._asked.vector))
        if not self.rows(_IS_INDEXED, {"index": name})[0]["found"]:
            return None
        return self._narrowed() or self._by_index()

    def _narrowed(self) -> Found | None:
        """Every vector of the notes compared that the filters leave; None where these are many."""
        if not self._listing.is_filtered:
            return None
        most = NARROW * math.isqrt(self._asked.notes)
        rows, values = self._listing.selected(self._reader.dialect, "space_id", "note_id", "row_no")
        # One by one by their keys: no engine would guess right how few they are.
        best = (
            f"SELECT min({_COMPARED}) FROM note_embeddings AS e"
            f" WHERE e.space_id = p.space_id AND e.note_id = p.note_id AND {_OF_MODEL}"
        )
        parts = {
            "passing": f"passing AS MATERIALIZED ({rows} LIMIT {most + 1}), ",
            "passed": "(SELECT count(*) FROM passing)",
            "scored": f"SELECT p.row_no, ({best}) AS units FROM passing AS p"
            f" WHERE (SELECT count(*) FROM passing) <= {most}",
        }
        page = self._page(parts, " AND units IS NOT NULL", values)
        return _found(page) if page[0]["passed"] <= most else None

    def _page(self, parts: dict[str, str], filtered: str, values: dict[str, Value]) -> list[Row]:
        behind = "" if self._asked.after is None else _BEHIND
        return self.rows(_PAGE.format(filtered=filtered, behind=behind, **parts), values)

    def _by_index(self) -> Found | None:
        """What the index finds; None where that is less than was asked for."""
        behind = ""
        if self._asked.after is not None:
            behind = f" AND e.row_no <> :after_row AND ({_COMPARED}, -e.row_no) > (:after_units, -:after_row)"
        page = self._indexed(behind, self._asked.count)
        if len(page) < self._asked.count:
            return None
        best = page if not behind else self._indexed("", 1)
        return _pairs(page), _score(best[0]["units"]) if best else None

    def _indexed(self, behind: str, count: int) -> list[Row]:
        """The first notes; the index may leave some out, and a public note has one vector alone."""
        width = f"vector({len(self._asked.vector)})"
        filtered, values = self._filter()
        # scatter: the public record
        sql = f"""SELECT row_no, min(units) AS units FROM (
          SELECT e.row_no, {_COMPARED} AS units FROM note_embeddings AS e
          WHERE e.is_public = 1 AND {_OF_MODEL} AND e.row_no <= :newest_row{filtered}{behind}
          ORDER BY CAST(e.embedding AS {width}) <=> CAST(:vector AS {width}) LIMIT {max(CANDIDATES, 4 * count)}
        ) AS near GROUP BY row_no ORDER BY units, row_no DESC LIMIT {count}"""
        return self.rows(sql, values)

    def _filter(self) -> tuple[str, dict[str, Value]]:
        """The filters as a question about one note, asked of each that the index comes to."""
        filters = self._listing.filters
        if not self._listing.is_filtered or not isinstance(filters, ResearchFilters):
            return "", {}
        conditions = listing_conditions(filters, None, self._reader.dialect)
        # Not EXISTS: as a join of two tables it would be planned without the order of the index.
        return (
            " AND (SELECT 1 FROM note_index AS i WHERE i.space_id = e.space_id AND i.note_id = e.note_id"
            f"{conditions.where()}) IS NOT NULL"
        ), conditions.values


def _found(rows: Sequence[Row]) -> Found:
    best = rows[0]["best"]
    page = [row for row in rows if row["row_no"] is not None]
    return _pairs(page), None if best is None else _score(best)


def _pairs(page: Sequence[Row]) -> tuple[tuple[int, float], ...]:
    return tuple((row["row_no"], _score(row["units"])) for row in page)


def _score(units: float | None) -> float:
    """The score of so many units, or a mean of scores; 0 where there are none."""
    return round(0.0 - float(units or 0) / UNITS, SCORE_DIGITS)


def _deviation(row: Row) -> float:
    return float(row["deviation"] or 0) / UNITS
