"""Memory notes and their history as rows; every change takes its derived rows along in the same transaction."""

from __future__ import annotations

from dataclasses import dataclass, replace

from notewell.domain import ids
from notewell.domain.collections import fold
from notewell.domain.embedding import memory_texts
from notewell.domain.index import as_json, memory_entry
from notewell.domain.notes import Note
from notewell.errors import Unavailable
from notewell.store import index
from notewell.store.database import Reader, Tx, Value
from notewell.store.note_rows import Readable, note_of, readable


def _changing_values(note: Note) -> dict[str, Value]:
    return {
        "space_id": note.space_id,
        "id": note.id,
        "version": note.version,
        "status": note.status,
        "collection_id": note.collection_id,
        "account_id": note.account_id,
        "agent": note.agent,
        "updated_at": note.updated_at,
        "title": note.title,
        "title_key": fold(note.title),
        "summary": note.summary,
        "tags": as_json(note.tags),
        "symbols": as_json(note.symbols),
        "body_bytes": len(note.body.encode()),
        "body": note.body,
    }


def next_row_no(tx: Tx, created_at: int) -> int:
    """A row number of that moment that no note has yet: notes of one moment stay in the order they came."""
    first = ids.first_row_no(created_at)
    return int(tx.rows("next_row_no", first=first, last=first + 2**ids.ROW_BITS - 1)[0]["row_no"])


def insert(tx: Tx, note: Note) -> None:
    """Adds a note that has its row number already, with its derived rows."""
    tx.run(
        "insert_note",
        **_changing_values(note),
        row_no=note.row_no,
        source=note.source,
        created_at=note.created_at,
    )
    index.add(tx, memory_entry(note))


def update(tx: Tx, old: Note, new: Note, *, keeps_history: bool = True) -> Note | None:
    """Puts a changed note in the place of its old state; None, and nothing changed, where the version moved on.

    The old state goes into the history; the note comes back with its new version.
    """
    if not tx.run("update_note", **{**_changing_values(new), "version": old.version}):
        return None
    if keeps_history:
        tx.run("insert_version", **_version_values(old))
    if _indexed(old) != _indexed(new):
        is_same = memory_texts(old) == memory_texts(new)
        index.replace(tx, memory_entry(old), memory_entry(new), keeps_vectors=is_same)
    return replace(new, version=old.version + 1)


def _indexed(note: Note) -> tuple[object, ...]:
    """The fields that the index is derived from."""
    return note.title, note.summary, note.body, note.tags, note.symbols


def _version_values(note: Note) -> dict[str, Value]:
    values = _changing_values(note)
    values["note_id"] = values.pop("id")
    del values["body_bytes"], values["title_key"]
    return values


def insert_version(tx: Tx, note: Note) -> None:
    """Adds an earlier state of a note to its history (an import brings them along)."""
    tx.run("insert_version", **_version_values(note))


def versions(reader: Reader, note: Note) -> list[Note]:
    """The earlier states of a note, oldest first."""
    rows = reader.rows("versions_of_note", space_id=note.space_id, note_id=note.id)
    return [
        note_of({**row, "id": note.id, "row_no": note.row_no, "source": note.source, "created_at": note.created_at})
        for row in rows
    ]


def delete(tx: Tx, note: Note) -> None:
    """Removes a note, its history, its derived rows and its idempotency keys."""
    index.remove(tx, memory_entry(note))
    tx.run("delete_versions", space_id=note.space_id, note_id=note.id)
    tx.run("delete_idempotency_keys", space_id=note.space_id, note_id=note.id)
    tx.run("delete_note", space_id=note.space_id, id=note.id)


def by_ids(reader: Reader, space_id: str, note_ids: list[str]) -> dict[str, Note]:
    """The notes of a space that have these ids, by id. Raises ``unavailable`` where one is damaged."""
    try:
        rows = reader.rows("notes_by_id", space_id=space_id, ids=note_ids)
        return {row["id"]: note_of(row) for row in rows}
    except ValueError:
        raise Unavailable(
            f"{'The note is' if len(note_ids) == 1 else 'One of these notes is'} damaged: its bytes are no text any"
            " more. All others can be read. Take this one from a backup or an export; 'notewell doctor' says more."
        ) from None


def by_rows(reader: Reader, space_id: str, row_nos: list[int]) -> Readable[Note]:
    """The notes of a space that have these row numbers, but for damaged ones."""
    return readable(reader, "notes_by_row", note_of, row_nos, space_id=space_id)


@dataclass(frozen=True, slots=True)
class RememberedRequest:
    """A request that made a note, by its idempotency key."""

    note_id: str
    request_hash: str


def remembered_request(reader: Reader, space_id: str, key: str) -> RememberedRequest | None:
    """The request that came with a key before; None where there was none or its note is deleted."""
    rows = reader.rows("idempotency_key", space_id=space_id, key=key)
    return RememberedRequest(rows[0]["note_id"], rows[0]["request_hash"]) if rows else None


def remember_request(tx: Tx, note: Note, key: str, request_hash: str) -> None:
    """Keeps a key with the note that its request made."""
    tx.run(
        "insert_idempotency_key",
        space_id=note.space_id,
        key=key,
        request_hash=request_hash,
        note_id=note.id,
        now=tx.now,
    )
