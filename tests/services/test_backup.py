"""Backups: whole while others write, and there entirely or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from backup_files import damage, damage_one_table, titles, write
from conftest import SettableClock, open_store
from whole_store import errors_of, everything, fill

from notewell.errors import InvalidArgument, NotewellError, NotFound, Unavailable
from notewell.services import backup
from notewell.store import backups, sqlite
from notewell.store.database import Database

pytest_plugins = ["backup_fixtures"]

FULL = """
import resource, sys
from pathlib import Path
from notewell.services.backup import backup
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
backup(Path(sys.argv[1]), Path(sys.argv[2]))
"""
KILLED = """
import os, signal, sys
from pathlib import Path
from notewell.services.backup import backup
def kill(stage, done, total):
    if stage == sys.argv[3]:
        os.kill(os.getpid(), signal.SIGKILL)
backup(Path(sys.argv[1]), Path(sys.argv[2]), progress=kill)
"""


def test_a_backup_holds_every_row_of_the_store(home: Path, path: Path, tmp_path: Path, clock: SettableClock) -> None:
    source = open_store("sqlite", home, clock)
    fill(source, clock)
    (tmp_path / "other").mkdir()

    report = backup.backup(path, tmp_path / "other" / "notewell.db")

    restored = open_store("sqlite", tmp_path / "other", clock)
    assert everything(restored) == everything(source)
    assert errors_of(restored) == []
    assert report.notes == len(everything(source)["notes"])
    assert report.bytes == (tmp_path / "other" / "notewell.db").stat().st_size
    source.close()
    restored.close()


def test_what_is_written_while_a_backup_is_made_neither_harms_it_nor_begins_it_again(
    store: Database, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "_STEP_PAGES", 8)
    steps: list[int] = []

    def write_meanwhile(stage: str, done: int, total: int) -> None:
        if stage == "copy" and len(steps) < 10:
            steps.append(done)
            write(store, f"Meanwhile {done}")

    report = backup.backup(path, tmp_path / "backup.db", progress=write_meanwhile)

    assert steps == sorted(set(steps))
    assert len(steps) == 10
    assert titles(tmp_path / "backup.db") == ["Before"]
    assert report.notes == 1
    with store.read() as reader:
        assert len(reader.rows_of("SELECT id FROM notes", {})) == 11


def test_a_store_that_was_just_restored_can_be_used_while_it_is_backed_up(
    store: Database, path: Path, tmp_path: Path, clock: SettableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0)
    store.close()
    backup.backup(path, tmp_path / "first.db")
    backup.restore(tmp_path / "first.db", path, replaces=True)

    def begin(stage: str, done: int, total: int) -> None:
        if stage == "copy":
            opened = open_store("sqlite", path.parent, clock)
            write(opened, "Meanwhile")
            opened.close()

    backup.backup(path, tmp_path / "second.db", progress=begin)

    assert titles(tmp_path / "second.db") == ["Before"]


def test_a_backup_is_one_file_that_only_its_owner_reads(store: Database, path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()

    backup.backup(path, folder / "notes.db")

    assert [each.name for each in folder.iterdir()] == ["notes.db"]
    assert (folder / "notes.db").stat().st_mode & 0o777 == 0o600
    assert (folder / "notes.db").read_bytes()[18:20] == b"\x01\x01", "it asks for a log beside it"


def test_a_file_that_is_there_is_replaced_only_where_that_is_asked_for(
    store: Database, path: Path, tmp_path: Path
) -> None:
    target, link = tmp_path / "notes.db", tmp_path / "link.db"
    target.write_text("mine")
    link.symlink_to(target)

    with pytest.raises(InvalidArgument, match="--force"):
        backup.backup(path, link)
    assert target.read_text() == "mine"

    backup.backup(path, link, replaces=True)

    assert link.is_symlink()
    assert titles(target) == ["Before"]


def test_a_backup_goes_neither_over_a_store_in_use_nor_over_a_folder(
    store: Database, path: Path, tmp_path: Path
) -> None:
    for target in (path, tmp_path):
        with pytest.raises(InvalidArgument):
            backup.backup(path, target, replaces=True)
    with pytest.raises(Unavailable, match="No such file"):
        backup.backup(path, tmp_path / "absent" / "notes.db")

    write(store, "Still there")


@pytest.mark.parametrize("stage", ["copy", "check"])
def test_a_backup_that_is_killed_leaves_no_file_and_the_next_one_clears_up(
    store: Database, path: Path, tmp_path: Path, stage: Literal["copy", "check"]
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    target = folder / "notes.db"

    ended = subprocess.run([sys.executable, "-c", KILLED, path, target, stage], check=False, env=os.environ, timeout=60)

    assert ended.returncode == -signal.SIGKILL
    assert not target.exists()
    assert len(list(folder.iterdir())) == 1
    backup.backup(path, target)
    assert list(folder.iterdir()) == [target]


@pytest.mark.parametrize("stage", ["copy", "check"])
def test_a_backup_leaves_the_part_of_another_that_still_runs(
    store: Database, path: Path, tmp_path: Path, stage: str
) -> None:
    target = tmp_path / "backups" / "notes.db"
    target.parent.mkdir()
    runs: list[str] = []

    def begin_another(at: str, done: int, total: int) -> None:
        if at == stage and not runs:
            runs.append(at)
            with pytest.raises(NotewellError):
                backup.backup(path, target, progress=_stop)
            assert len(list(target.parent.iterdir())) == 1

    backup.backup(path, target, progress=begin_another)

    assert runs == [stage]
    assert list(target.parent.iterdir()) == [target]


def _stop(stage: str, done: int, total: int) -> None:
    raise Unavailable("The disk is full.")


def test_a_backup_for_which_there_is_no_room_leaves_nothing(store: Database, path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    command = [sys.executable, "-c", FULL, str(path), str(folder / "notes.db")]

    ended = subprocess.run(command, check=False, env=os.environ, timeout=60, stderr=subprocess.PIPE)

    assert b"notewell.errors.Unavailable" in ended.stderr
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("spoil", [damage, damage_one_table])
def test_a_damaged_store_is_not_backed_up(
    store: Database, path: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    store.close()
    spoil(path)

    with pytest.raises(Unavailable, match="damaged"):
        backup.backup(path, tmp_path / "notes.db")

    assert [each.name for each in tmp_path.iterdir()] == ["home"]


def test_where_there_is_no_store_there_is_nothing_to_back_up(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="NOTEWELL_HOME"):
        backup.backup(tmp_path / "notewell.db", tmp_path / "notes.db")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", [lambda: backup.backup(None, Path("a")), lambda: backup.restore(Path("a"), None)])
def test_a_store_on_a_server_is_for_its_own_tools(call: Callable[[], object]) -> None:
    with pytest.raises(InvalidArgument, match=r"pg_dump.*notewell copy"):
        call()
