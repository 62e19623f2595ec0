"""What must be true of a store after a drill: acknowledged notes are there and found, derived rows equal a rebuild."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

import apsw

from benchmarks.common.stores import DATABASE_NAME, config_of, temporary_folder
from benchmarks.drills.processes import Kept
from notewell.app import App
from notewell.services import maintenance, memory, memory_search
from notewell.services.memory_search import NoteSearch
from notewell.store import fts5, index
from notewell.store.note_rows import spaces
from notewell.store.sqlite import SqliteDatabase

_ROW_TABLES = ("note_index", "note_tags", "note_symbols", "space_words", "space_stats", "note_links")


def lost(home: Path, kept: Iterable[Kept]) -> list[str]:
    """The acknowledged writes that are not wholly there, and why: read by id, derived row, found by its word."""
    app = App(config_of(home))
    actor = app.default_actor()
    problems = []
    with app.store.read() as reader:
        indexed = {row["note_id"] for row in reader.rows("note_index_rows", space_id=actor.account_id)}
    for each in kept:
        notes, _ = memory.read(app.store, actor, [each.note_id])
        found = memory_search.find(app.store, actor, NoteSearch(query=each.word, match="all", limit=2))
        if not notes or each.word not in notes[0].body:
            problems.append(f"{each.note_id} does not hold {each.word}")
        elif each.note_id not in indexed:
            problems.append(f"{each.note_id} has no row in note_index")
        elif [card.note.id for card in found.cards] != [each.note_id]:
            problems.append(f"{each.word} does not find {each.note_id} alone")
    app.close()
    return problems


def note_count(home: Path) -> int:
    """How many notes the local account has."""
    app = App(config_of(home))
    actor = app.default_actor()
    with app.store.read() as reader:
        total = sum(int(row["notes"]) for row in reader.rows("space_counts", space_id=actor.account_id))
    app.close()
    return total


def differences_from_rebuild(home: Path) -> list[str]:
    """The derived tables of a copy of the store that a rebuild from the notes changes; and what SQLite itself finds.

    Of a store in PostgreSQL: what the doctor, who makes the same comparison, finds wrong.
    """
    if config_of(home).database_url is not None:
        app = App(config_of(home))
        report = maintenance.doctor(app.store, None)
        app.close()
        return [f"{each.check}: {each.message} {each.examples}" for each in report.findings if each.severity == "error"]
    with temporary_folder(in_memory=True) as folder:
        copy = folder / DATABASE_NAME
        source = apsw.Connection(str(home / DATABASE_NAME))
        integrity = [str(row[0]) for row in source.execute("PRAGMA integrity_check")]
        source.execute("VACUUM INTO ?", (str(copy),))
        source.close()
        store = SqliteDatabase(copy, prepare=fts5.prepare)
        before = _digests(store)
        with store.write() as tx:
            for space_id in spaces(tx):
                index.rebuild(tx, space_id)
        after = _digests(store)
        store.close()
    differing = [f"{name} differs from a rebuild" for name in before if before[name] != after.get(name)]
    return [*differing, *(text for text in integrity if text != "ok")]


def _digests(store: SqliteDatabase) -> dict[str, str]:
    """A digest of each derived table's content, whatever the order it was written in."""
    with store.connection() as connection:
        names = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        found = {name: _table_digest(connection, name) for name in names if name in _ROW_TABLES}
        fulltext = [name for name in names if name.rpartition("_")[2].isdigit()]
        for name in fulltext:
            connection.execute(f"CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, {name}, 'instance')")
            found[name] = _digest(connection.execute("SELECT term, doc, col, offset FROM temp.terms"))
            connection.execute("DROP TABLE temp.terms")
    return found


def _table_digest(connection: apsw.Connection, name: str) -> str:
    return _digest(sorted(connection.execute(f"SELECT * FROM {name}"), key=repr))


def _digest(rows: Iterable[object]) -> str:
    digest = blake2b(digest_size=16)
    for row in rows:
        digest.update(repr(row).encode())
    return digest.hexdigest()
