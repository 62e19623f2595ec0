"""Stores that vanish with the benchmark, on a disk or in memory."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from notewell.app import App
from notewell.config import Config
from notewell.store.sqlite import SqliteDatabase

MEMORY_FOLDER = Path("/dev/shm")
"""Linux's folder in memory, where a flush to disk costs nothing."""
REPOSITORY = Path(__file__).parents[2]
"""Where ``python -m benchmarks…`` finds its modules."""
DATABASE_NAME = Config(Path()).database_path.name


def config_of(home: Path, agent: str = "") -> Config:
    """The settings of a drill's store: in its folder, or in the database that ``NOTEWELL_DATABASE_URL`` names."""
    return Config(home, agent=agent, database_url=os.environ.get("NOTEWELL_DATABASE_URL"))


def file_of(app: App) -> SqliteDatabase:
    """The store of an app that keeps it in a file."""
    assert isinstance(app.store, SqliteDatabase)
    return app.store


@contextmanager
def temporary_folder(*, in_memory: bool, on: str | None = None) -> Iterator[Path]:
    """A folder that is removed at the end: in memory where the system has that, else (or if ``on``) on a disk.

    On disk it lies in ``on``, else in the repository (the usual folder for such things may lie in memory).
    """
    is_in_memory = in_memory and os.access(MEMORY_FOLDER, os.W_OK)
    parent = MEMORY_FOLDER if is_in_memory else Path(on or REPOSITORY)
    folder = Path(tempfile.mkdtemp(prefix=".notewell-bench-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def temporary_app(*, in_memory: bool = True) -> Iterator[App]:
    """An app over an empty store."""
    with temporary_folder(in_memory=in_memory) as folder:
        app = App(Config(folder, agent="benchmark"))
        try:
            yield app
        finally:
            app.close()


def copy_store(home: Path, target: Path) -> Path:
    """The store of a data folder in another one; nobody may have the first one open."""
    target.mkdir(parents=True, exist_ok=True)
    for file in home.glob(f"{DATABASE_NAME}*"):
        shutil.copyfile(file, target / file.name)
    return target
