"""Restoring: an intact backup comes back, all or nothing, and no store that holds notes is lost for it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from backup_files import (
    contents,
    cut_in_a_page,
    damage,
    damage_one_table,
    empty,
    foreign,
    gone,
    newer,
    text,
    titles,
    truncate,
    unfinished,
    write,
)
from conftest import SettableClock, open_store
from whole_store import errors_of

from notewell.errors import InvalidArgument, NotewellError, Unavailable
from notewell.services import backup
from notewell.store import backups, migrate, sqlite

pytest_plugins = ["backup_fixtures"]


def test_a_backup_is_put_into_a_folder_that_is_not_there_yet(file: Path, tmp_path: Path, clock: SettableClock) -> None:
    there = tmp_path / "new" / "folder"

    report = backup.restore(file, there / "notewell.db")

    assert (report.notes, report.kept) == (1, None)
    assert [each.name for each in there.iterdir()] == ["notewell.db"]
    assert there.stat().st_mode & 0o777 == 0o700
    assert (there / "notewell.db").stat().st_mode & 0o777 == 0o600
    opened = open_store("sqlite", there, clock)
    write(opened, "Goes on")
    assert errors_of(opened) == []
    opened.close()


def test_a_store_without_notes_gives_way_and_is_kept(file: Path, tmp_path: Path, clock: SettableClock) -> None:
    there = tmp_path / "there"
    there.mkdir()
    open_store("sqlite", there, clock).close()

    report = backup.restore(file, there / "notewell.db")

    assert titles(there / "notewell.db") == ["Before"]
    assert report.kept is not None
    assert titles(Path(report.kept)) == []


def test_a_store_with_notes_gives_way_only_where_that_is_asked_for_and_is_kept(
    file: Path, path: Path, home: Path, clock: SettableClock
) -> None:
    before = contents(home)

    with pytest.raises(InvalidArgument, match=r"holds 2 notes.*--force"):
        backup.restore(file, path)
    assert contents(home) == before

    first = backup.restore(file, path, replaces=True, clock=clock)
    second = backup.restore(file, path, replaces=True, clock=clock)

    assert first.kept == f"{path}.before-restore-20260528T202640.000Z"
    assert second.kept == f"{first.kept}-2"
    assert titles(Path(first.kept)) == ["Before", "After"]
    assert titles(path) == titles(Path(second.kept)) == ["Before"]


def test_the_log_of_a_store_that_was_killed_is_kept_with_it(
    file: Path, path: Path, home: Path, clock: SettableClock
) -> None:
    script = "import os, sys, apsw; c = apsw.Connection(sys.argv[1]); c.execute('PRAGMA journal_mode = WAL').fetchall()"
    script += "; c.execute(\"UPDATE notes SET title = 'In the log'\"); os._exit(0)"
    subprocess.run([sys.executable, "-c", script, path], check=True, env=os.environ, timeout=60)
    assert path.with_name("notewell.db-wal").stat().st_size > 0

    report = backup.restore(file, path, replaces=True)

    assert report.kept is not None
    assert titles(Path(report.kept)) == ["In the log", "In the log"]
    assert titles(path) == ["Before"]
    assert not path.with_name("notewell.db-wal").exists()


def test_the_log_of_a_store_that_is_damaged_stays_with_it(file: Path, path: Path) -> None:
    text(path)
    log = path.with_name("notewell.db-wal")
    log.write_bytes(b"of the old one")

    report = backup.restore(file, path, replaces=True)

    assert Path(f"{report.kept}-wal").read_bytes() == b"of the old one"
    assert not log.exists()
    assert titles(path) == ["Before"]


def test_a_backup_that_another_tool_made_is_read_without_a_file_beside_it(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "others"
    folder.mkdir()
    made = file.rename(folder / "notes.db")
    connection = apsw.Connection(str(made))
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.close()
    before = contents(folder)

    backup.restore(made, tmp_path / "new" / "notewell.db")

    assert contents(folder) == before
    assert titles(tmp_path / "new" / "notewell.db") == ["Before"]


def test_a_store_that_is_in_use_does_not_give_way(
    file: Path, path: Path, home: Path, clock: SettableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "_TAKE_SECONDS", 0)
    opened = open_store("sqlite", home, clock)

    with pytest.raises(Unavailable, match=r"in use.*Stop every Notewell"):
        backup.restore(file, path, replaces=True)

    write(opened, "Goes on")
    opened.close()
    assert len(titles(path)) == 3


def test_whoever_comes_while_a_store_is_replaced_writes_nothing_into_the_old_one(
    file: Path, path: Path, monkeypatch: pytest.MonkeyPatch, clock: SettableClock
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0)
    refused: list[NotewellError] = []

    def come(stage: str, done: int, total: int) -> None:
        with pytest.raises(NotewellError) as caught:
            open_store("sqlite", path.parent, clock)
        refused.append(caught.value)

    backup.restore(file, path, replaces=True, progress=come)

    assert {each.code for each in refused} == {"unavailable"}
    assert titles(path) == ["Before"]


@pytest.mark.parametrize("replaces", [False, True], ids=["into a new folder", "over a store"])
@pytest.mark.parametrize(
    "spoil", [damage, damage_one_table, truncate, cut_in_a_page, empty, text, foreign, newer, unfinished, gone]
)
def test_what_is_no_intact_store_is_refused_and_nothing_changes(
    file: Path, home: Path, tmp_path: Path, spoil: Callable[[Path], None], replaces: bool
) -> None:
    folder = home if replaces else tmp_path / "new"
    before = contents(home)
    spoil(file)
    given = contents(tmp_path)

    with pytest.raises(InvalidArgument) as caught:
        backup.restore(file, folder / "notewell.db", replaces=replaces)

    assert caught.value.details["argument"] == "file"
    assert str(file) in caught.value.message
    assert contents(home) == before
    assert contents(tmp_path) == given
    assert not (tmp_path / "new").exists()


def test_the_store_itself_is_no_backup_of_it(file: Path, path: Path) -> None:
    with pytest.raises(InvalidArgument, match="itself"):
        backup.restore(path, path, replaces=True)


@pytest.mark.parametrize(("spoil", "word"), [(text, "damaged"), (truncate, "--force"), (foreign, "no Notewell")])
def test_what_is_in_the_place_and_cannot_be_read_gives_way_only_where_that_is_asked_for(
    file: Path, path: Path, spoil: Callable[[Path], None], word: str
) -> None:
    spoil(path)
    spoiled = path.read_bytes()

    with pytest.raises(InvalidArgument, match=word):
        backup.restore(file, path)
    assert path.read_bytes() == spoiled

    report = backup.restore(file, path, replaces=True)

    assert report.kept is not None
    assert Path(report.kept).read_bytes() == spoiled
    assert titles(path) == ["Before"]


def test_a_backup_of_an_older_schema_is_brought_up_to_date_when_it_is_opened(
    tmp_path: Path, clock: SettableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    older, known, there = tmp_path / "older", migrate.migrations(), tmp_path / "there"
    older.mkdir()
    with monkeypatch.context() as earlier:
        earlier.setattr(migrate, "migrations", lambda: known[:-1])
        open_store("sqlite", older, clock).close()

    made = backup.backup(older / "notewell.db", tmp_path / "backup.db")
    assert backup.restore(tmp_path / "backup.db", there / "notewell.db").schema == made.schema == known[-2].number

    opened = open_store("sqlite", there, clock)
    write(opened, "Goes on")
    opened.close()
