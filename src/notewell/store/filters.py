"""Filters as SQL: on the notes' own tables for listings, on the full-text tables for searches.

Filters act inside the search, never after a top-k. What rarely changes (tags, symbols, kind) stands as terms in the
index; what changes without the text (status, collection, outcome) is a set of row numbers (DESIGN 11).
"""

from __future__ import annotations

from dataclasses import dataclass

from notewell.domain import ids
from notewell.domain.filters import Filters, NoteFilters, ResearchFilters
from notewell.domain.index import kind_term, symbol_term, tag_term
from notewell.store.database import Value
from notewell.store.dialect import Dialect


@dataclass(frozen=True, slots=True)
class Conditions:
    """SQL conditions to be joined by AND, and the values of their parameters."""

    clauses: tuple[str, ...]
    values: dict[str, Value]

    def where(self) -> str:
        """The clauses, each behind an AND."""
        return "".join(f" AND {clause}" for clause in self.clauses)


class _Gathered:
    """Conditions while they are put together."""

    def __init__(self) -> None:
        self.clauses: list[str] = []
        self.values: dict[str, Value] = {}

    def add(self, clause: str, **values: Value) -> None:
        """Adds a condition and the values of its parameters."""
        self.clauses.append(clause)
        self.values.update(values)

    def equal(self, column: str, name: str, value: Value) -> None:
        """Adds that a column has a value, unless that is None."""
        if value is not None:
            self.add(f"{column} = :{name}", **{name: value})

    def done(self) -> Conditions:
        """What was gathered."""
        return Conditions(tuple(self.clauses), self.values)


def _add_rows(gathered: _Gathered, filters: Filters, row: str, newest_row: int | None) -> None:
    """Conditions on a row number: the time of creation, and the newest note that a cursor had seen."""
    if filters.created_from is not None:
        gathered.add(f"{row} >= :first_row", first_row=ids.first_row_no(filters.created_from))
    if filters.created_to is not None:
        gathered.add(f"{row} < :end_row", end_row=ids.first_row_no(filters.created_to + 1))
    if newest_row is not None:
        gathered.add(f"{row} <= :newest_row", newest_row=newest_row)


def _add_changes(gathered: _Gathered, filters: NoteFilters) -> None:
    """Conditions on columns of ``notes AS n`` that change without the text, apart from the status."""
    gathered.equal("n.collection_id", "collection_id", filters.collection_id)
    if filters.is_unfiled:
        gathered.add("n.collection_id IS NULL")
    if filters.updated_from is not None:
        gathered.add("n.updated_at >= :updated_from", updated_from=filters.updated_from)
    if filters.updated_to is not None:
        gathered.add("n.updated_at <= :updated_to", updated_to=filters.updated_to)


def _add_standing(gathered: _Gathered, filters: ResearchFilters) -> None:
    """Conditions on columns of ``note_index AS i`` that are no terms of the full-text index."""
    gathered.equal("i.note_kind", "note_kind", filters.note_kind)
    gathered.equal("i.model_key", "model_key", filters.model_key)
    gathered.equal("i.account_id", "author_id", filters.author_id)
    gathered.equal("i.revision", "revision", filters.revision)
    gathered.equal("i.attempt_id", "attempt_id", filters.attempt_id)
    if filters.outcome is not None:
        gathered.add(
            "(i.space_id, i.attempt_id) IN (SELECT a.space_id, a.id FROM attempts AS a WHERE a.outcome = :outcome)",
            outcome=filters.outcome,
        )
    if filters.builds_on is not None:
        gathered.add(
            "EXISTS (SELECT 1 FROM note_links AS l WHERE l.space_id = i.space_id AND l.row_no = i.row_no"
            " AND l.target_id = :builds_on)",
            builds_on=filters.builds_on,
        )


PUBLIC_SPACES = "(SELECT id FROM problems WHERE is_public = 1)"


def tag_joins(filters: Filters) -> str:
    """The tags as joins: what takes or counts all notes then begins at the rarest tag, not at all notes of a space."""
    alias = "n" if isinstance(filters, NoteFilters) else "i"
    return "".join(
        f" JOIN note_tags AS t{number} ON t{number}.space_id = {alias}.space_id AND t{number}.tag_key = :tag{number}"
        f" AND t{number}.row_no = {alias}.row_no"
        for number in range(len(filters.tags))
    )


def listing_conditions(
    filters: Filters, newest_row: int | None, dialect: Dialect, *, is_public: bool = False
) -> Conditions:
    """All filters as conditions on ``notes AS n``, or ``note_index AS i`` for research; not the space itself."""
    gathered = _Gathered()
    alias = "n" if isinstance(filters, NoteFilters) else "i"
    _add_rows(gathered, filters, f"{alias}.row_no", newest_row)
    if isinstance(filters, NoteFilters):
        _add_changes(gathered, filters)
        gathered.equal("n.status", "status", filters.status)
        if filters.symbols:
            listed = ", ".join(f":symbol{number}" for number in range(len(filters.symbols)))
            gathered.add(
                f"n.row_no IN (SELECT row_no FROM note_symbols WHERE space_id = :space_id AND symbol IN ({listed}))",
                **{f"symbol{number}": symbol for number, symbol in enumerate(filters.symbols)},
            )
    else:
        _add_standing(gathered, filters)
        gathered.equal("i.kind", "kind", filters.kind)
        if filters.campaign_id is not None:
            gathered.add(
                f"{dialect.unindexed('i.space_id')} IN (SELECT id FROM problems WHERE campaign_id = :campaign_id)",
                campaign_id=filters.campaign_id,
            )
    for number, key in enumerate(filters.tags):
        tagged = f"FROM note_tags AS t WHERE t.tag_key = :tag{number} AND t.space_id"
        if is_public:
            # Over many spaces the notes of a tag are found once; asking of each note takes twenty times as long.
            clause = f"{alias}.row_no IN (SELECT t.row_no {tagged} IN {PUBLIC_SPACES})"
        else:
            clause = f"EXISTS (SELECT 1 {tagged} = {alias}.space_id AND t.row_no = {alias}.row_no)"
        gathered.add(clause, **{f"tag{number}": key})
    return gathered.done()


ARCHIVED_ROWS = "SELECT n.row_no FROM notes AS n WHERE n.space_id = :space_id AND n.status = 'archived'"
"""Few in most memories, so both states are told apart by this set."""


def fulltext_conditions(filters: Filters, newest_row: int | None, row: str = "rowid") -> Conditions:
    """The filters that are not terms, as conditions on the row number of a full-text table.

    The plus sign keeps SQLite from looking each row number of a set up in the index: it tests membership per match.
    """
    gathered = _Gathered()
    _add_rows(gathered, filters, row, newest_row)
    inner = _Gathered()
    if isinstance(filters, NoteFilters):
        _add_changes(inner, filters)
        rows = "SELECT n.row_no FROM notes AS n WHERE n.space_id = :space_id"
        if filters.status is not None:
            gathered.add(f"+{row} {'IN' if filters.status == 'archived' else 'NOT IN'} ({ARCHIVED_ROWS})")
    else:
        _add_standing(inner, filters)
        rows = "SELECT i.row_no FROM note_index AS i WHERE i.attempt_id IS NOT NULL"
    if inner.clauses:
        gathered.add(f"+{row} IN ({rows}{inner.done().where()})", **inner.values)
    return gathered.done()


def filter_terms(filters: Filters) -> list[tuple[str, ...]]:
    """The filters that are terms of the index: of each group at least one must be there."""
    groups: list[tuple[str, ...]] = [(tag_term(key),) for key in filters.tags]
    if isinstance(filters, NoteFilters) and filters.symbols:
        groups.append(tuple(symbol_term(symbol) for symbol in filters.symbols))
    if isinstance(filters, ResearchFilters) and filters.kind is not None:
        groups.append((kind_term(filters.kind),))
    return groups
