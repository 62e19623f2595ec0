"""What only PostgreSQL can tell of a store: its version and extensions, its standbys, what ``note_search`` holds.

Each row's vectors are summed into one number, the same for the rebuilt entry, so that a million notes are compared in
one pass without holding their terms.
"""

from __future__ import annotations

from collections.abc import Callable

from notewell.domain.index import IndexEntry
from notewell.store.database import Reader, Tx
from notewell.store.health_types import HomeSums
from notewell.store.homes import PUBLIC_HOME, SHARED_HOME
from notewell.store.tsearch_rows import rows_of

_STRETCH_ROWS = 500
_FACTS = """
SELECT 'PostgreSQL' AS name, current_setting('server_version') AS value, 1 AS place
UNION ALL SELECT 'Extension', extname || ' ' || extversion, 2 FROM pg_extension WHERE extname <> 'plpgsql'
UNION ALL SELECT 'Commits', 'synchronous_commit ' || current_setting('synchronous_commit')
  || CASE WHEN current_setting('synchronous_standby_names') = '' THEN ', no synchronous standby'
     ELSE ', standbys ' || current_setting('synchronous_standby_names') END, 3
UNION ALL SELECT 'Standby', coalesce(application_name, '') || ' ' || coalesce(state, 'unknown') || ', '
  || coalesce(sync_state, 'unknown'), 4 FROM pg_stat_replication
UNION ALL SELECT 'Size', pg_size_pretty(pg_database_size(current_database())), 5
ORDER BY place, value
"""


def facts(reader: Reader) -> list[tuple[str, str]]:
    """The server's version, extensions, how commits are kept, its standbys, the size of the database."""
    return [(row["name"], row["value"]) for row in reader.rows_of(_FACTS, {})]


def damage(reader: Reader) -> list[str]:
    """None: a server looks after its own files (``amcheck``, page checksums)."""
    return []


def homes(reader: Reader) -> list[int]:
    """The homes of private and of public notes, which lie in one table."""
    return [SHARED_HOME, PUBLIC_HOME]


def sums(reader: Reader, home: int, on_rows: Callable[[], None]) -> HomeSums:
    """What every row of a home holds; a row that is shown or hidden against its home counts as another text."""
    found = HomeSums({}, {})
    space, row_no, part = "", -(2**63), -1
    while True:
        rows = reader.rows_of(
            "SELECT s.space_id, s.row_no, s.part, s.parts, s.sign, s.start, s.tokens, s.is_public,"
            " CAST(s.terms AS text) AS terms, CAST(s.words AS text) AS words"
            " FROM note_search AS s LEFT JOIN space_stats ON space_stats.space_id = s.space_id"
            " WHERE coalesce(space_stats.home, 0) = :home AND (s.space_id, s.row_no, s.part) > (:space, :row_no, :part)"
            " ORDER BY s.space_id, s.row_no, s.part LIMIT :count",
            {"home": home, "space": space, "row_no": row_no, "part": part, "count": _STRETCH_ROWS},
        )
        if not rows:
            return found
        on_rows()
        for row in rows:
            is_in_step = row["is_public"] == int(home == PUBLIC_HOME)
            kept = (row["parts"], row["sign"], row["start"], row["tokens"], is_in_step)
            number = row["row_no"]
            found.fts[number] = found.fts.get(number, 0) + _sum(row["part"], row["terms"], kept)
            found.words[number] = found.words.get(number, 0) + _sum(row["part"], row["words"], kept)
        space, row_no, part = rows[-1]["space_id"], rows[-1]["row_no"], rows[-1]["part"]


def _sum(part: int, vector: str, kept: tuple[int, int, int, int, bool]) -> int:
    return hash(f"{part} {vector} {kept}")


def entry_sums(entry: IndexEntry) -> tuple[int, int]:
    """What the rows of a note should hold, as ``sums`` adds it up."""
    terms = words = 0
    for row in rows_of(entry):
        kept = (row.parts, row.sign, row.start, entry.tokens, True)
        terms += _sum(row.part, row.terms, kept)
        words += _sum(row.part, row.words, kept)
    return terms, words


def remove_strays(tx: Tx, home: int) -> int:
    """Takes out what belongs to no note, with the first of the homes for both."""
    if home != SHARED_HOME:
        return 0
    return tx.run_sql(
        "DELETE FROM note_search AS s WHERE NOT EXISTS"
        " (SELECT 1 FROM notes WHERE notes.space_id = s.space_id AND notes.row_no = s.row_no)",
        {},
    )
