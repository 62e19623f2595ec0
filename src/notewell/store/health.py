"""What an engine can tell of a store's health: what its full text really holds, and facts that only it knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from notewell.domain.index import IndexEntry
from notewell.store import fts5_check, tsearch_check
from notewell.store.database import Reader, Tx
from notewell.store.health_types import HomeSums, StoreFile

__all__ = ["Health", "HomeSums", "StoreFile", "engine_of", "of", "store_files"]


class Health(Protocol):
    """What an engine's module for checks offers."""

    def facts(self, reader: Reader, /) -> list[tuple[str, str]]:
        """What somebody who looks after the engine wants to see, by name."""

    def damage(self, reader: Reader, /) -> list[str]:
        """What the engine's own check finds wrong, at most 20 lines; empty where it is sound."""

    def homes(self, reader: Reader, /) -> list[int]:
        """The numbers of the homes that are there."""

    def sums(self, reader: Reader, home: int, on_rows: Callable[[], None], /) -> HomeSums:
        """What every row of a home holds; ``on_rows`` is called now and then."""

    def entry_sums(self, entry: IndexEntry, /) -> tuple[int, int]:
        """What a note should hold, terms and words, as ``sums`` adds it up."""

    def remove_strays(self, tx: Tx, home: int, /) -> int:
        """Takes out of a home what belongs to none of its notes; returns how many that were."""


def of(reader: Reader) -> Health:
    """The checks of the engine that a transaction runs on."""
    return tsearch_check if reader.dialect.engine == "postgres" else fts5_check


def engine_of(path: Path | None) -> str:
    """The engine that keeps a store, and its version where this process brings it along."""
    return "PostgreSQL" if path is None else fts5_check.engine_version()


def store_files(path: Path | None) -> tuple[StoreFile, ...]:
    """The files of a store that are there; none where a server has it."""
    return () if path is None else fts5_check.files(path)
