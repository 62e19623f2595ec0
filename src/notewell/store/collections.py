"""Collections as rows, and what a memory is labelled with."""

from __future__ import annotations

from dataclasses import dataclass

from notewell.domain.collections import collection_key
from notewell.store.database import Reader, Tx


@dataclass(frozen=True, slots=True)
class Collection:
    """A named folder of memory notes."""

    id: str
    name: str
    key: str
    created_at: int


@dataclass(frozen=True, slots=True)
class Count:
    """A label and how many notes carry it."""

    name: str
    notes: int


def of_space(reader: Reader, space_id: str) -> list[Collection]:
    """All collections of a memory, by name."""
    rows = reader.rows("collections_of_space", space_id=space_id)
    return [Collection(row["id"], row["name"], row["name_key"], row["created_at"]) for row in rows]


def insert(tx: Tx, space_id: str, name: str) -> Collection:
    """A new collection; the one that is there already, where its name means the same."""
    key = collection_key(name)
    tx.run("insert_collection", space_id=space_id, id=tx.new_id("col"), name=name, name_key=key, now=tx.now)
    return next(each for each in of_space(tx, space_id) if each.key == key)


def rename(tx: Tx, space_id: str, collection: Collection, name: str) -> None:
    """Gives a collection another name, which no other one may have."""
    tx.run("rename_collection", space_id=space_id, id=collection.id, name=name, name_key=collection_key(name))


def delete(tx: Tx, space_id: str, collection: Collection) -> int:
    """Removes a collection; its notes become unfiled, and come back as a count."""
    unfiled = tx.run("unfile_notes", space_id=space_id, id=collection.id, now=tx.now)
    tx.run("delete_collection", space_id=space_id, id=collection.id)
    return unfiled


_LAST = "\U0010ffff"


def tag_counts(reader: Reader, space_id: str, starts_with: str, limit: int) -> tuple[list[Count], int]:
    """The most used tags whose key starts with a text, as the oldest note spells them; and how many there are."""
    bounds = {"starts_with": starts_with, "ends_before": starts_with + _LAST}
    rows = reader.rows("tag_counts", space_id=space_id, count=limit, **bounds)
    total = reader.rows("tag_total", space_id=space_id, **bounds)[0]["total"] if len(rows) == limit else len(rows)
    return [Count(row["tag"], row["notes"]) for row in rows], total


def symbol_counts(reader: Reader, space_id: str, starts_with: str, limit: int) -> tuple[list[Count], int]:
    """The most used symbols that start with a text; and how many there are."""
    bounds = {"starts_with": starts_with, "ends_before": starts_with + _LAST}
    rows = reader.rows("symbol_counts", space_id=space_id, count=limit, **bounds)
    total = reader.rows("symbol_total", space_id=space_id, **bounds)[0]["total"] if len(rows) == limit else len(rows)
    return [Count(row["symbol"], row["notes"]) for row in rows], total
