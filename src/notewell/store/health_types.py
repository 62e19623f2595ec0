"""What checks of every engine answer with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoreFile:
    """A file of the store and its size."""

    name: str
    bytes: int


@dataclass(slots=True)
class HomeSums:
    """By table, what each row number holds as one number."""

    fts: dict[int, int]
    words: dict[int, int]
