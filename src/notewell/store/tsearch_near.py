"""NEAR on PostgreSQL, whose own distance operator is exact and ordered: positions are read and held side by side here.

The rule is that of FTS5: in one column, no phrase ends more than so many terms before the one that begins last.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

from notewell.domain.query_tree import Near, Phrase
from notewell.store.database import Reader, Value
from notewell.store.tsearch_match import Values, leaf_query

MAX_CANDIDATES = 10_000
"""Notes, the newest ones, that hold all phrases of a NEAR and are looked at."""

Places = dict[tuple[str, str], set[int]]
"""By column and term: the positions in the note."""


def near_rows(reader: Reader, node: Near, scope: str, values: Mapping[str, Value]) -> list[int]:
    """The row numbers of the notes of a scope that a NEAR holds for."""
    parameters = Values()
    queries = [leaf_query(phrase) for phrase in node.phrases]
    whole = parameters.query(" & ".join(f"({query})" for query in queries))
    some = parameters.query(" | ".join(f"({query})" for query in queries))
    terms = {term for phrase in node.phrases for term in phrase.terms}
    named = " OR ".join(f"u.lexeme = {parameters.parameter(term)}" for term in sorted(terms))
    for prefix in sorted({phrase.terms[-1] for phrase in node.phrases if phrase.is_open}):
        named += f" OR starts_with(u.lexeme, {parameters.parameter(prefix)})"
    rows = reader.rows_of(
        "SELECT s.row_no, s.start, u.lexeme, u.positions, u.weights FROM (SELECT * FROM note_search"
        f" WHERE {scope} AND sign > 0 AND (parts = 1 AND terms @@ {whole} OR parts > 1 AND terms @@ {some})"
        f" ORDER BY row_no + 0 DESC LIMIT {MAX_CANDIDATES}) AS s, unnest(s.terms) AS u WHERE {named}",
        {**values, **parameters.values},
    )
    notes: dict[int, Places] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        for position, label in zip(row["positions"] or (), row["weights"] or (), strict=True):
            notes[row["row_no"]][label, row["lexeme"]].add(row["start"] + position)
    return [row_no for row_no, places in notes.items() if _holds(node, places)]


def _holds(node: Near, places: Places) -> bool:
    labels = {label for label, _ in places}
    return any(_is_near([_starts(phrase, label, places) for phrase in node.phrases], node) for label in labels)


def _starts(phrase: Phrase, label: str, places: Places) -> set[int]:
    """Where a phrase begins in a column."""
    found: set[int] | None = None
    for number, term in enumerate(phrase.terms):
        is_open = phrase.is_open and number == len(phrase.terms) - 1
        at = _places_of(term, label, places, is_open=is_open)
        begins = {place - number for place in at}
        found = begins if found is None else found & begins
    return found or set()


def _places_of(term: str, label: str, places: Places, *, is_open: bool) -> set[int]:
    if not is_open:
        return places.get((label, term), set())
    return {
        at
        for (column, lexeme), all_at in places.items()
        if column == label and lexeme.startswith(term)
        for at in all_at
    }


def _is_near(starts: Sequence[set[int]], node: Near) -> bool:
    """Whether for some last beginning every phrase begins at most so far before it."""
    ordered = [sorted(each) for each in starts]
    return any(
        all(
            _is_between(last - len(phrase.terms) - node.distance, last, at)
            for phrase, at in zip(node.phrases, ordered, strict=True)
        )
        for last in set().union(*starts)
    )


def _is_between(first: int, last: int, places: Sequence[int]) -> bool:
    """Whether one of the ordered places lies there."""
    next_place = bisect_left(places, first)
    return next_place < len(places) and places[next_place] <= last
