"""What a copy of a store consists of: its base tables with their keys, read and written a stretch of rows at a time.

A test holds the lists against the schema of each engine, so a migration that adds a table or a column has to say here
whether it is copied or made again. It must not know how far a copy is (``copies.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from notewell.store.database import Reader, Row, Tx, Value

NO_SPACE = ""
"""Stands for the space of rows that belong to none: accounts, problems, …"""
TEXT_ROWS = 20
"""Rows in memory at once of tables whose rows may hold a body of 1 MiB."""
SMALL_ROWS = 200
DIGEST_BYTES = 16

Key = tuple[str | int, ...]
"""The values of a table's key columns in one row."""


@dataclass(frozen=True, slots=True)
class Table:
    """A base table: everything in it is copied as it is."""

    name: str
    key: tuple[str, ...]
    """What its rows are walked by, besides the space; unique within it."""
    rest: tuple[str, ...]
    """Its other columns."""
    has_spaces: bool = True
    stretch_rows: int = SMALL_ROWS
    is_compared: bool = True
    """False where a change means nothing to whoever copies."""

    @property
    def columns(self) -> tuple[str, ...]:
        """All its columns, on every engine."""
        return (("space_id",) if self.has_spaces else ()) + self.key + self.rest

    def key_of(self, row: Row) -> Key:
        """Where a row stands among those of its space."""
        return tuple(row[column] for column in self.key)


_ACCOUNT = ("handle", "handle_key", "is_admin", "created_at")
_TOKEN = ("account_id", "secret_hash", "hint", "agent", "scopes", "created_at", "expires_at", "last_used_at")
_SESSION = ("account_id", "secret_hash", "browser", "created_at", "expires_at", "last_used_at")
_CAMPAIGN = ("slug", "title", "description", "owner_id", "is_published", "created_at")
_PROBLEM = ("slug", "title", "owner_id", "campaign_id", "is_published", "is_validation_copy", "is_public", "revision")
_ATTEMPT = ("revision", "account_id", "agent", "model", "started_at", "ended_at", "outcome")
_STATE = ("status", "collection_id", "account_id", "agent", "updated_at", "title", "summary", "tags", "symbols", "body")
_NOTE = ("id", "version", "attempt_id", "note_kind", "source", "created_at", "title_key", "body_bytes", *_STATE)
_VECTOR = ("row_no", "seq", "content_hash", "scale", "numbers")

EVERYWHERE = (
    Table("accounts", ("id",), _ACCOUNT, has_spaces=False),
    Table("tokens", ("id",), (*_TOKEN, "revoked_at"), has_spaces=False),
    Table("passwords", ("account_id",), ("hash", "updated_at"), has_spaces=False),
    # Whoever is signed in stays so; each request of theirs is a change.
    Table("sessions", ("id",), _SESSION, has_spaces=False, is_compared=False),
    Table("campaigns", ("id",), _CAMPAIGN, has_spaces=False, stretch_rows=TEXT_ROWS),
    Table("problems", ("id",), (*_PROBLEM, "created_at"), has_spaces=False),
    Table(
        "problem_revisions",
        ("problem_id", "number"),
        ("created_at", "statement_md"),
        has_spaces=False,
        stretch_rows=TEXT_ROWS,
    ),
    Table("vector_clock", ("id",), ("seq", "forgotten_seq"), has_spaces=False),
    # A server that only reads sweeps, too.
    Table("sweeps", ("id",), ("last_at",), has_spaces=False, is_compared=False),
)
"""What belongs to no space, in an order in which each row finds those that it names."""

OF_SPACES = (
    Table("collections", ("id",), ("name", "name_key", "created_at")),
    Table("attempts", ("id",), _ATTEMPT),
    # In the order of creation: full text is written fastest that way.
    Table("notes", ("row_no",), _NOTE, stretch_rows=TEXT_ROWS),
    Table("note_versions", ("note_id", "version"), _STATE, stretch_rows=TEXT_ROWS),
    Table("idempotency_keys", ("idempotency_key",), ("request_hash", "note_id", "created_at")),
    Table("attempt_reads", ("attempt_id", "note_id"), ("read_at",)),
    Table("attempt_searches", ("attempt_id", "searched_at", "number"), ("words", "mode", "cards")),
    Table("jobs", ("note_id",), ("due_at", "lease", "attempts", "reason")),
    Table("note_vectors", ("note_id", "model_id", "chunk"), _VECTOR),
    Table("vector_tombstones", ("row_no",), ("seq", "gone_at")),
)
"""What belongs to a space, in an order in which the index of a note finds what it is made of."""

BY_NAME = {table.name: table for table in (*EVERYWHERE, *OF_SPACES)}
ALWAYS_THERE = ("vector_clock", "sweeps")
"""Tables of one row, which an empty store has, too."""
DERIVED = (
    "space_stats",
    "note_index",
    "note_tags",
    "note_symbols",
    "note_links",
    "space_words",
    "note_search",
    "note_embeddings",
)
"""Made again from the notes and vectors; of ``space_stats`` it is copied which spaces are public."""
OWN = ("migrations", "store_identity", "copies", "copied_spaces", "uncleaned_homes")
"""What each store has of its own."""


def tables_of(space_id: str) -> tuple[Table, ...]:
    """The tables that hold rows of a space, in the order in which they are copied."""
    return OF_SPACES if space_id != NO_SPACE else EVERYWHERE


def counts(reader: Reader) -> dict[str, dict[str, int]]:
    """How many rows each table has, by space and table; a space without rows is left out."""
    found: dict[str, dict[str, int]] = {}
    for table in BY_NAME.values():
        if table.has_spaces:
            sql = f"SELECT space_id, count(*) AS number FROM {table.name} GROUP BY space_id"
        else:
            sql = f"SELECT '{NO_SPACE}' AS space_id, count(*) AS number FROM {table.name}"
        for row in reader.rows_of(sql, {}):
            if row["number"]:
                found.setdefault(row["space_id"], {})[table.name] = row["number"]
    return found


def counts_of(reader: Reader, space_id: str) -> dict[str, int]:
    """How many rows each table has of one space; those without any are left out."""
    found = {}
    for table in tables_of(space_id):
        where = " WHERE space_id = :space_id" if table.has_spaces else ""
        sql = f"SELECT count(*) AS number FROM {table.name}{where}"
        found[table.name] = int(reader.rows_of(sql, {"space_id": space_id} if where else {})[0]["number"])
    return {name: number for name, number in found.items() if number}


def holds_rows(reader: Reader, names: frozenset[str]) -> bool:
    """Whether those of the base tables that are there hold anything that an empty store does not."""
    asked = [name for name in BY_NAME if name in names and name not in ALWAYS_THERE]
    return any(reader.rows_of(f"SELECT EXISTS (SELECT 1 FROM {name}) AS found", {})[0]["found"] for name in asked)


def rows_after(reader: Reader, table: Table, space_id: str, after: Key | None) -> list[Row]:
    """A stretch of a table's rows of a space in the order of their keys: the first ones, or those after a key."""
    values: dict[str, Value] = {"count": table.stretch_rows}
    conditions = []
    if table.has_spaces:
        conditions.append("space_id = :space_id")
        values["space_id"] = space_id
    if after is not None:
        names = ", ".join(f":after_{number}" for number in range(len(after)))
        conditions.append(f"({', '.join(table.key)}) > ({names})")
        values.update({f"after_{number}": value for number, value in enumerate(after)})
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    sql = f"SELECT {', '.join(table.columns)} FROM {table.name}{where} ORDER BY {', '.join(table.key)} LIMIT :count"
    return reader.rows_of(sql, values)


def insert(tx: Tx, table: Table, rows: Sequence[Row]) -> None:
    """Writes rows of a table in one statement; a row that every store has is replaced."""
    if table.name in ALWAYS_THERE:
        tx.run_sql(f"DELETE FROM {table.name}", {})
    values: dict[str, Value] = {}
    listed = []
    for number, row in enumerate(rows):
        values.update({f"{column}_{number}": row[column] for column in table.columns})
        listed.append(f"({', '.join(f':{column}_{number}' for column in table.columns)})")
    tx.run_sql(f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES {', '.join(listed)}", values)


def delete(tx: Tx, space_id: str) -> None:
    """Removes a space's rows of every base table, but not those that every store has."""
    for table in reversed(tables_of(space_id)):
        if table.has_spaces:
            tx.run_sql(f"DELETE FROM {table.name} WHERE space_id = :space_id", {"space_id": space_id})
        elif table.name not in ALWAYS_THERE:
            tx.run_sql(f"DELETE FROM {table.name}", {})


def digest_of(table: Table, row: Row) -> int:
    """A number of 128 bits that tells the row from any other; those of many rows are added up.

    A sum does not depend on the order and goes on where it was, so that a copy which was stopped needs no second look
    at what it had.
    """
    if not table.is_compared:
        return 0
    made = blake2b(table.name.encode(), digest_size=DIGEST_BYTES)
    for column in table.columns:
        made.update(_encoded(row[column]))
    return int.from_bytes(made.digest())


def public_digest(space_id: str) -> int:
    """What counts besides its rows of a space whose notes lie in the public record."""
    return int.from_bytes(blake2b(f"public {space_id}".encode(), digest_size=DIGEST_BYTES).digest())


def _encoded(value: Value) -> bytes:
    """A value with its kind and length before it, the same on every engine."""
    if value is None:
        return b"-"
    if isinstance(value, str):
        value = value.encode()
        return b"t%d:%b" % (len(value), value)
    if isinstance(value, bytes):
        return b"b%d:%b" % (len(value), value)
    return f"n{value!r};".encode()
