"""Rows of ``copies`` and ``copied_spaces``: whose copy a store is, and how far that has come.

Each step of a copy records its progress in its own transaction, so a copy that was killed stands exactly where its rows
do. It must not know what is copied (``copied_tables.py``).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from notewell.errors import Unavailable
from notewell.store.copied_tables import DIGEST_BYTES, Key
from notewell.store.database import Reader, Tx

_MODULUS = 2 ** (8 * DIGEST_BYTES)


@dataclass(frozen=True, slots=True)
class Copy:
    """What a store that is a copy says of itself."""

    source_id: str
    started_at: int
    finished_at: int | None
    """None while something is missing."""
    digest: str
    """The sum of all that was copied; empty while something is missing."""


@dataclass(frozen=True, slots=True)
class Copied:
    """How far one space is copied."""

    space_id: str
    is_complete: bool = False
    at_table: str = ""
    at_key: Key = ()
    """The last row that came, with ``at_table``."""
    digest: int = 0
    """The sum of what came."""

    def plus(self, digest: int) -> Copied:
        """The same with more rows in the sum."""
        return replace(self, digest=(self.digest + digest) % _MODULUS)


def as_text(digest: int) -> str:
    """A sum as it is kept."""
    return f"{digest % _MODULUS:x}"


def table_names(reader: Reader) -> frozenset[str]:
    """Every table that is there, whoever made it."""
    return frozenset(row["name"] for row in reader.rows("table_names"))


def store_id(reader: Reader) -> str:
    """What tells this store from every other."""
    return str(reader.rows("store_id")[0]["store_id"])


def copy_of(reader: Reader) -> Copy | None:
    """What a store says of itself as a copy; None where it is none."""
    rows = reader.rows("copy_state")
    if not rows:
        return None
    return Copy(rows[0]["source_id"], rows[0]["started_at"], rows[0]["finished_at"], rows[0]["digest"])


def require_finished(reader: Reader) -> None:
    """Raises ``unavailable`` where a store is a copy that is not finished: it must not be read or written as it is."""
    if (found := copy_of(reader)) is not None and found.finished_at is None:
        raise Unavailable(
            "This store is a copy that is not finished: some of its notes are missing. Run the same 'notewell copy'"
            " again, which goes on where it was, or use the store that it is copied from."
        )


def begin(tx: Tx, source_id: str, run_id: str) -> bool:
    """Marks an empty store as the copy of another; False where somebody else has just done so."""
    return bool(tx.run("begin_copy", source_id=source_id, run_id=run_id, now=tx.now))


def take(tx: Tx, source_id: str, run_id: str) -> bool:
    """Makes a run the only one that may write; False where this is no unfinished copy of that store any more."""
    return bool(tx.run("take_copy", source_id=source_id, run_id=run_id))


def hold(tx: Tx, run_id: str) -> bool:
    """Lets no other run write until the transaction ends; False where one has taken over."""
    return bool(tx.run("hold_copy", run_id=run_id))


def finish(tx: Tx, digest: int) -> None:
    """Records that all is there."""
    tx.run("finish_copy", digest=as_text(digest), now=tx.now)
    tx.run("forget_copied_spaces")


def progress(reader: Reader) -> dict[str, Copied]:
    """How far each space is copied, by its id; those that were not begun are left out."""
    return {
        row["space_id"]: Copied(
            row["space_id"],
            bool(row["is_complete"]),
            row["at_table"],
            tuple(json.loads(row["at_key"])),
            int(row["digest"], 16),
        )
        for row in reader.rows("copied_spaces")
    }


def record(tx: Tx, copied: Copied) -> None:
    """Keeps how far a space is copied."""
    tx.run(
        "put_copied_space",
        space_id=copied.space_id,
        is_complete=int(copied.is_complete),
        at_table=copied.at_table,
        at_key=json.dumps(copied.at_key, ensure_ascii=False),
        digest=as_text(copied.digest),
    )


def forget(tx: Tx, space_id: str) -> None:
    """Forgets that a space was copied."""
    tx.run("forget_copied_space", space_id=space_id)
