"""Fixtures of the tests of backups; a plugin, so that it is loaded once for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from backup_files import write
from conftest import SettableClock, open_store

from notewell.services import backup
from notewell.store.database import Database


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of the store."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def path(home: Path) -> Path:
    """The file of the store."""
    return home / "notewell.db"


@pytest.fixture
def store(path: Path, home: Path, clock: SettableClock) -> Iterator[Database]:
    """A store with a note that stays open, as in a server."""
    opened = open_store("sqlite", home, clock)
    write(opened, "Before")
    yield opened
    opened.close()


@pytest.fixture
def file(store: Database, path: Path, tmp_path: Path) -> Path:
    """A backup with one note, of a store that is closed and has two."""
    target = tmp_path / "backup.db"
    backup.backup(path, target)
    write(store, "After")
    store.close()
    return target
