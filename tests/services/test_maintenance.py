"""Doctor and reindex: whatever is not what a rebuild makes is found, named and mended; nothing else is."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from conftest import SettableClock, is_postgres, new_actor

from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit
from notewell.errors import Unavailable
from notewell.services import accounts, maintenance, memory, transfer
from notewell.services.memory import Filing
from notewell.store import fts5, fulltext, health, index
from notewell.store.database import Database
from notewell.store.homes import SHARED_HOME, home_of_space
from notewell.store.migrate import migrate
from notewell.store.sqlite import SqliteDatabase

PATH = Path("notewell.db")


def errors_of(database: Database) -> set[str]:
    """Which checks find an error."""
    return {each.check for each in maintenance.doctor(database, PATH).findings if each.severity == "error"}


def spoil(database: Database, sql: str) -> None:
    with database.write() as tx:
        assert tx.run_sql(sql, {}) > 0


def save(database: Database, actor: Actor, title: str = "Fed cuts", body: str = "降息预期 rate cuts, rate cuts") -> str:
    draft = Draft(title, body, "What the Fed does.", ("macro", "rates"), ("NVDA",))
    return memory.create(database, actor, draft, Filing("Rates", creates=True), "key-" + title).view.note.id


def test_a_sound_store_has_no_findings(database: Database) -> None:
    local = accounts.local_actor(database)
    other = accounts.create_account(database, "ben")
    note_id = save(database, local)
    save(database, local, "Other", "")
    memory.update(database, local, note_id, Edit(append="more", status="archived"))
    save(database, accounts.account_actor(database, other.handle), "Theirs")

    report = maintenance.doctor(database, PATH)

    assert report.findings == ()
    assert report.is_healthy
    assert (report.compared, report.schema) == (3, report.newest_schema)
    assert [(each.handle, each.active, each.archived) for each in report.accounts] == [("ben", 1, 0), ("local", 1, 1)]
    assert report.engine == health.engine_of(PATH)


def test_a_large_memory_in_tables_of_its_own_is_sound(
    sqlite_database: SqliteDatabase, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fts5, "LARGE_MEMORY_NOTES", 10)
    lines = [json.dumps({"title": f"note {number}", "body": "some words"}) for number in range(130)]
    transfer.import_notes(sqlite_database, actor, BytesIO("\n".join(lines).encode()))
    save(sqlite_database, new_actor("ben"))

    report = maintenance.doctor(sqlite_database, PATH)

    assert errors_of(sqlite_database) == set()
    assert report.compared == 131
    with sqlite_database.read() as reader:
        assert home_of_space(reader, actor.account_id).number > SHARED_HOME


SPOILED = {
    "a row of the index gone": ("DELETE FROM note_index", "note_index"),
    "a wrong number of tokens": ("UPDATE note_index SET tokens = tokens + 1", "note_index"),
    "another analyzer's row": ("UPDATE note_index SET analyzer_version = 0", "note_index"),
    "a tag gone": ("DELETE FROM note_tags WHERE tag_key = 'macro'", "note_tags"),
    "a tag spelt another way": ("UPDATE note_tags SET tag = 'MACRO' WHERE tag_key = 'macro'", "note_tags"),
    "a symbol too many": ("INSERT INTO note_symbols SELECT space_id, 'AMD', row_no FROM notes", "note_symbols"),
    "a link too many": ("INSERT INTO note_links SELECT space_id, row_no, 'nte_0123456789' FROM notes", "note_links"),
    "a wrong count of a word": ("UPDATE space_words SET uses = uses + 1 WHERE word = 'cuts'", "space_words"),
    "a word too many": ("INSERT INTO space_words SELECT space_id, 'zzz', 1 FROM notes", "space_words"),
    "a word gone": ("DELETE FROM space_words WHERE word = 'cuts'", "space_words"),
    "wrong statistics": ("UPDATE space_stats SET tokens = tokens + 1", "space_stats"),
    "a row of no note": ("INSERT INTO note_tags SELECT space_id, 'gone', 77, 'gone' FROM notes", "leftovers"),
}


_SEARCH_ROW = (
    "INSERT INTO note_search SELECT space_id, 77, part, parts, sign, start, is_public, tokens, {} FROM note_search"
)
SPOILED_FULL_TEXT = {
    "no terms": (
        "DELETE FROM fts_0 WHERE rowid IN (SELECT row_no FROM notes)",
        "UPDATE note_search SET terms = ''",
        {"terms"},
    ),
    "no words": (
        "DELETE FROM words_0 WHERE rowid IN (SELECT row_no FROM notes)",
        "UPDATE note_search SET words = ''",
        {"words"},
    ),
    "a term too many": (
        "INSERT INTO fts_0 (rowid, title) SELECT row_no, 'zzz' FROM notes",
        "UPDATE note_search SET terms = terms || CAST('zzz' AS tsvector)",
        {"terms"},
    ),
    "a word's column changed": (
        "INSERT INTO words_0 (rowid, title) SELECT row_no, 'rate' FROM notes",
        "UPDATE note_search SET words = setweight(words, 'A')",
        {"words"},
    ),
    "terms of no note": (
        "INSERT INTO fts_0 (rowid, title) VALUES (77, 'secret')",
        _SEARCH_ROW.format("terms, words"),
        {"terms"},
    ),
    "words of no note": (
        "INSERT INTO words_0 (rowid, title) VALUES (77, 'secret')",
        _SEARCH_ROW.format("terms, words"),
        {"words"},
    ),
    "shown against its home": (
        "INSERT INTO fts_0 (rowid, title) SELECT row_no, 'zzz' FROM notes",
        "UPDATE note_search SET is_public = 1",
        {"terms"},
    ),
}
"""What is done on SQLite, and on PostgreSQL, where a row holds both terms and words; and what must be found."""


@pytest.mark.parametrize("kind", SPOILED_FULL_TEXT)
def test_full_text_that_is_not_as_a_rebuild_makes_it_is_found_and_mended(
    database: Database, actor: Actor, kind: str
) -> None:
    save(database, actor)
    on_sqlite, on_postgres, checks = SPOILED_FULL_TEXT[kind]

    spoil(database, on_postgres if is_postgres(database) else on_sqlite)

    assert checks <= errors_of(database) <= {"terms", "words"}
    maintenance.reindex(database)
    assert errors_of(database) == set()


@pytest.mark.parametrize("kind", SPOILED)
def test_what_is_not_as_a_rebuild_makes_it_is_found_and_mended(database: Database, actor: Actor, kind: str) -> None:
    save(database, actor)
    sql, check = SPOILED[kind]
    assert errors_of(database) == set()

    spoil(database, sql)

    assert errors_of(database) == {check}
    maintenance.reindex(database)
    assert errors_of(database) == set()


def test_a_term_that_moved_is_found(database: Database, actor: Actor) -> None:
    save(database, actor, body="one two three four")
    with database.write() as tx:
        (entry,) = index.entries(tx, actor.account_id)
        fulltext.of(tx).remove_entry(tx, SHARED_HOME, entry)
        *others, body = entry.texts
        moved = " ".join(reversed(body.split(" ")))
        fulltext.of(tx).write_entry(tx, SHARED_HOME, replace(entry, texts=(*others, moved)))

    assert errors_of(database) == {"terms"}


def test_a_note_that_lost_the_term_of_its_space_is_mended(database: Database, actor: Actor) -> None:
    save(database, actor)
    with database.write() as tx:
        (entry,) = index.entries(tx, actor.account_id)
        fulltext.of(tx).remove_entry(tx, SHARED_HOME, entry)
        fulltext.of(tx).write_entry(tx, SHARED_HOME, replace(entry, filters="s:acc_somebodyelse"))
    assert errors_of(database) >= {"terms"}

    maintenance.reindex(database)

    assert errors_of(database) == set()


@pytest.mark.parametrize(
    ("sql", "check"),
    [
        ("UPDATE notes SET body_bytes = 1", "notes"),
        ("UPDATE notes SET created_at = created_at + 1", "notes"),
        ("DELETE FROM collections", "collections"),
        ("UPDATE note_versions SET version = 9", "history"),
        ("UPDATE note_versions SET note_id = 'nte_0000000000'", "leftovers"),
        ("UPDATE idempotency_keys SET note_id = 'nte_0000000000'", "leftovers"),
    ],
)
def test_notes_at_odds_with_themselves_are_found(database: Database, actor: Actor, sql: str, check: str) -> None:
    memory.update(database, actor, save(database, actor), Edit(append="more"))

    spoil(database, sql)

    assert errors_of(database) == {check}


def test_a_finding_names_ids_and_never_a_text(database: Database, actor: Actor) -> None:
    note_ids = {save(database, actor, f"Secret {number}") for number in range(30)}
    spoil(database, "UPDATE note_index SET tokens = 0")

    finding = maintenance.doctor(database, PATH).findings[0]

    assert finding.check == "note_index"
    assert finding.count == 30
    assert len(finding.examples) == 20
    assert set(finding.examples) <= note_ids
    assert "Secret" not in repr(finding)


def test_a_deleted_note_leaves_no_row(database: Database, actor: Actor) -> None:
    note_id = save(database, actor)
    memory.update(database, actor, note_id, Edit(append="more"))

    memory.delete(database, actor, note_id)

    assert errors_of(database) == set()
    tables = ("notes", "note_index", "note_tags", "note_symbols", "note_versions", "idempotency_keys", "space_words")
    with database.read() as reader:
        assert {table: len(reader.rows_of(f"SELECT * FROM {table}", {})) for table in tables} == dict.fromkeys(
            tables, 0
        )


def test_notes_of_no_account_are_a_warning(database: Database, actor: Actor) -> None:
    save(database, actor)

    report = maintenance.doctor(database, PATH)

    assert [(each.severity, each.check) for each in report.findings] == [("warning", "accounts")]
    assert report.is_healthy


def test_reindex_tells_what_it_made_and_how_far_it_is(database: Database, actor: Actor) -> None:
    save(database, actor)
    save(database, actor, "Other")
    save(database, new_actor("ben"))
    told: list[tuple[str, int, int]] = []

    report = maintenance.reindex(database, lambda *now: told.append(now))

    assert (report.memories, report.notes, report.strays) == (2, 3, 0)
    assert told == [("reindex", number, 3) for number in (1, 2, 3)]


def test_the_doctor_works_while_somebody_writes(database: Database, actor: Actor) -> None:
    save(database, actor)

    with database.write() as tx:
        tx.run("insert_collection", space_id=actor.account_id, id="col_0123456789", name="x", name_key="x", now=0)
        assert errors_of(database) == set()


@pytest.fixture
def damaged(tmp_path: Path, clock: SettableClock) -> Path:
    """A store's file of a few hundred notes, closed and about to be damaged."""
    path = tmp_path / "notewell.db"
    store = SqliteDatabase(path, clock=clock, prepare=fts5.prepare)
    migrate(store)
    owner = accounts.local_actor(store)
    lines = [json.dumps({"title": f"note {number}", "body": f"words {number} " * 40}) for number in range(300)]
    transfer.import_notes(store, owner, BytesIO("\n".join(lines).encode()))
    with store.connection() as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    store.close()
    return path


def examined(path: Path) -> maintenance.DoctorReport:
    store = SqliteDatabase(path, prepare=fts5.prepare)
    try:
        return maintenance.doctor(store, path)
    except Unavailable as error:
        return maintenance.unopened(path, error)
    finally:
        store.close()


def test_the_file_of_these_tests_is_sound_before_it_is_damaged(damaged: Path) -> None:
    report = examined(damaged)

    assert report.findings == ()
    assert report.files[0].bytes == damaged.stat().st_size


@pytest.mark.parametrize("place", [0.2, 0.4, 0.6, 0.8])
def test_garbage_in_the_middle_of_the_file_is_a_finding(damaged: Path, place: float) -> None:
    raw = bytearray(damaged.read_bytes())
    page = int(len(raw) * place) // 4096 * 4096
    raw[page : page + 4096] = bytes((7 * number + 13) % 251 for number in range(4096))
    damaged.write_bytes(raw)

    report = examined(damaged)

    assert not report.is_healthy
    assert report.findings[0].message


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9])
def test_a_truncated_file_is_a_finding(damaged: Path, share: float) -> None:
    raw = damaged.read_bytes()
    damaged.write_bytes(raw[: int(len(raw) * share)])

    report = examined(damaged)

    assert not report.is_healthy


def test_a_file_that_is_no_store_is_a_finding(damaged: Path) -> None:
    damaged.write_bytes(b"this is a text, and no database at all" * 200)

    finding = examined(damaged).findings[0]

    assert (finding.severity, finding.check) == ("error", "file")


def test_text_that_is_no_utf8_is_a_finding(sqlite_database: SqliteDatabase, actor: Actor) -> None:
    save(sqlite_database, actor)
    spoil(sqlite_database, "UPDATE notes SET title = CAST(X'FF41' AS TEXT)")

    assert errors_of(sqlite_database) == {"index"}
