"""Research notes as rows: they change only while their attempt runs, and their derived rows change with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from notewell.domain.embedding import research_texts
from notewell.domain.index import research_entry
from notewell.domain.research import Attempt, NoteKind, Outcome, ResearchNote
from notewell.store import index
from notewell.store.database import Reader, Row, Tx, Value
from notewell.store.note_rows import Readable, readable, research_note_of, texts_of


@dataclass(frozen=True, slots=True)
class CardRow:
    """What the store knows of a research note for its card."""

    note: ResearchNote
    title: str
    kind: str | None
    model: str | None
    tags: tuple[str, ...]
    builds_on: tuple[str, ...]
    body_bytes: int
    outcome: Outcome | None
    ended_at: int | None
    author_handle: str


@dataclass(frozen=True, slots=True)
class Citation:
    """A note that builds on another one."""

    note_id: str
    title: str
    kind: str | None
    attempt_id: str
    problem_id: str
    problem_slug: str


def insert(tx: Tx, note: ResearchNote, revision: int) -> bool:
    """Adds a note with its derived rows; False, and nothing written, where its attempt does not run for its author."""
    is_new = tx.run(
        "insert_research_note",
        space_id=note.problem_id,
        id=note.id,
        row_no=note.row_no,
        attempt_id=note.attempt_id,
        note_kind=note.note_kind,
        account_id=note.account_id,
        agent=note.agent,
        now=note.created_at,
        body=note.body_md,
        body_bytes=len(note.body_md.encode()),
    )
    if is_new:
        index.add(tx, research_entry(note, revision))
    return bool(is_new)


def update(tx: Tx, old: ResearchNote, new: ResearchNote, revision: int) -> ResearchNote | None:
    """Puts a changed note in place of its old state; None, and nothing changed, where it may not change (any more)."""
    is_done = tx.run(
        "update_research_note",
        space_id=old.problem_id,
        id=old.id,
        version=old.version,
        account_id=new.account_id,
        agent=new.agent,
        updated_at=new.updated_at,
        body=new.body_md,
        body_bytes=len(new.body_md.encode()),
    )
    if not is_done:
        return None
    _keep(tx, old)
    is_same = research_texts(old) == research_texts(new)
    index.replace(tx, research_entry(old, revision), research_entry(new, revision), keeps_vectors=is_same)
    return replace(new, version=old.version + 1)


def _keep(tx: Tx, old: ResearchNote) -> None:
    tx.run(
        "insert_version",
        space_id=old.problem_id,
        note_id=old.id,
        version=old.version,
        status="active",
        collection_id=None,
        account_id=old.account_id,
        agent=old.agent,
        updated_at=old.updated_at,
        title="",
        summary="",
        tags="[]",
        symbols="[]",
        body=old.body_md,
    )


def delete(tx: Tx, note: ResearchNote, revision: int) -> None:
    """Removes a note, its history and its derived rows."""
    index.remove(tx, research_entry(note, revision))
    tx.run("delete_versions", space_id=note.problem_id, note_id=note.id)
    tx.run("delete_note", space_id=note.problem_id, id=note.id)


def by_id(reader: Reader, note_id: str) -> ResearchNote | None:
    """A note by its id alone."""
    rows = reader.rows("research_note_anywhere", id=note_id)
    return research_note_of(rows[0]) if rows else None


def cards(reader: Reader, row_nos: Sequence[int]) -> Readable[CardRow]:
    """What cards show of these notes, but for damaged ones."""
    return readable(reader, "research_cards", _card, row_nos)


def _card(row: Row) -> CardRow:
    kind: NoteKind = row["note_kind"]
    note = ResearchNote(
        id=row["note_id"],
        problem_id=row["space_id"],
        attempt_id=row["attempt_id"],
        row_no=row["row_no"],
        version=row["version"],
        note_kind=kind,
        body_md=row["body"],
        account_id="",
        agent=row["agent"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
    return CardRow(
        note,
        row["title"],
        row["kind"],
        row["model"],
        texts_of(row["tags"]),
        texts_of(row["builds_on"]),
        row["body_bytes"],
        row["outcome"],
        row["ended_at"],
        row["handle"],
    )


def citing(reader: Reader, note_id: str, viewer: str, *, is_admin: bool, limit: int) -> list[Citation]:
    """The notes that build on one, newest first, as far as the viewer may see them."""
    rows = reader.rows("citing_notes", target_id=note_id, viewer=viewer, is_admin=int(is_admin), count=limit)
    return [
        Citation(row["note_id"], row["title"], row["kind"], row["attempt_id"], row["space_id"], row["slug"])
        for row in rows
    ]


def record_read(tx: Tx, attempt_id: str, space_id: str, note_id: str, account_id: str) -> bool:
    """Notes down that a running attempt of the account read a note; once per note."""
    return bool(
        tx.run(
            "record_read",
            space_id=space_id,
            attempt_id=attempt_id,
            note_id=note_id,
            account_id=account_id,
            now=tx.now,
        )
    )


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """A search to be noted down on an attempt."""

    attempt_id: str
    space_id: str
    account_id: str
    words: str
    mode: str
    cards: int


def record_search(tx: Tx, search: SearchRecord) -> bool:
    """Notes down what a running attempt of the account searched for."""
    key: dict[str, Value] = {"space_id": search.space_id, "attempt_id": search.attempt_id, "now": tx.now}
    number = tx.rows("last_search_number", **key)[0]["number"]
    return bool(
        tx.run(
            "record_search",
            **key,
            account_id=search.account_id,
            number=0 if number is None else number + 1,
            words=search.words,
            mode=search.mode,
            cards=search.cards,
        )
    )


def history(reader: Reader, note: ResearchNote) -> list[ResearchNote]:
    """The earlier states of a note, oldest first."""
    rows = reader.rows("versions_of_note", space_id=note.problem_id, note_id=note.id)
    return [
        replace(
            note,
            version=row["version"],
            body_md=row["body"],
            account_id=row["account_id"],
            agent=row["agent"],
            updated_at=row["updated_at"],
        )
        for row in rows
    ]


def of_attempt(reader: Reader, attempt: Attempt) -> list[ResearchNote]:
    """The notes of an attempt, oldest first."""
    rows = reader.rows("notes_of_attempt", space_id=attempt.problem_id, attempt_id=attempt.id)
    return [research_note_of(row) for row in rows]
