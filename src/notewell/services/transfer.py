"""Export and import of one memory: JSON lines, one note a line (``domain/transfer.py`` says what a line holds).

An export and an import of it give the same notes: bodies byte for byte, ids, times, status, agent, version, history.
An import is all or nothing: every line is checked before the store is locked, and all are written in one transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import BinaryIO

from notewell.domain import ids
from notewell.domain.access import Actor
from notewell.domain.collections import collection_key
from notewell.domain.notes import Note
from notewell.domain.transfer import Line, State, line_of, parse_line
from notewell.errors import InvalidArgument, NotewellError
from notewell.services.progress import Progress, no_progress
from notewell.store import collections, notes
from notewell.store.database import Database, Tx
from notewell.store.note_rows import walk

MAX_SHOWN = 20
"""How many bad lines, kept notes or new ids a report names; it counts them all."""
MAX_SHOWN_FIELDS = 100
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PROGRESS_LINES = 50


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote."""

    notes: int
    bytes: int


@dataclass(frozen=True, slots=True)
class KeptNote:
    """A line whose note was there with other content, and stayed as it was."""

    line: int
    id: str


@dataclass(frozen=True, slots=True)
class NewId:
    """A line whose id another account's note has, and the id that its note got."""

    line: int
    given: str
    id: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did; each line read is created, unchanged or kept."""

    read: int
    created: int
    unchanged: int
    """Lines whose note was there already, just so."""
    kept: int
    """Lines whose note was there with other content: the store's stayed."""
    kept_notes: tuple[KeptNote, ...]
    """The first of them."""
    new_ids: int
    new_id_notes: tuple[NewId, ...]
    """The first of them."""
    new_collections: tuple[str, ...]
    not_kept: dict[str, int]
    """Fields that a note does not have, by name, with how many lines gave them."""


def export_notes(store: Database, actor: Actor, out: BinaryIO, progress: Progress = no_progress) -> ExportReport:
    """Writes every note of the actor's memory, archived ones too, oldest first, as of one moment."""
    actor.require("memory:read")
    count = size = 0
    with store.read() as reader:
        total = sum(row["notes"] for row in reader.rows("space_counts", space_id=actor.account_id))
        names = {each.id: each.name for each in collections.of_space(reader, actor.account_id)}
        for note in walk(reader, actor.account_id):
            earlier = notes.versions(reader, note) if note.version > 1 else []
            history = [(state, names.get(state.collection_id or "")) for state in earlier]
            line = line_of(note, names.get(note.collection_id or ""), history).encode() + b"\n"
            out.write(line)
            size += len(line)
            count += 1
            if count % _PROGRESS_LINES == 0:
                progress("write", count, total)
    progress("write", count, total)
    return ExportReport(count, size)


def import_notes(store: Database, actor: Actor, source: BinaryIO, progress: Progress = no_progress) -> ImportReport:
    """Makes a note of each line of a seekable file; lines that were imported before change nothing.

    Raises ``invalid_argument`` with the first bad lines in ``details["lines"]`` where any line is bad; then nothing is
    written.
    """
    actor.require("memory:write")
    size = source.seek(0, 2)
    fingerprint = _check(source, size, progress)
    with store.write() as tx:
        tx.lock(actor.account_id)
        importer = _Importer(tx, actor)
        again = blake2b(digest_size=16)
        for number, raw, done in _lines(source):
            again.update(raw)
            importer.add(number, parse_line(raw))
            if number % _PROGRESS_LINES == 0:
                progress("write", done, size)
        if again.digest() != fingerprint:
            raise InvalidArgument("The file changed while it was read, so nothing was written. Import it again.")
        report = importer.report()
    progress("write", size, size)
    return report


def _lines(source: BinaryIO) -> Iterator[tuple[int, bytes, int]]:
    """Each line that is not blank: its number, its bytes, and how far the file is read after it."""
    source.seek(0)
    done = 0
    for number, raw in enumerate(source, 1):
        done += len(raw)
        line = raw.removeprefix(_BYTE_ORDER_MARK) if number == 1 else raw
        if line.strip():
            yield number, line, done


def _check(source: BinaryIO, size: int, progress: Progress) -> bytes:
    """Reads every line without a lock; returns what tells whether the file is still the same."""
    fingerprint = blake2b(digest_size=16)
    read = bad = 0
    errors: list[dict[str, object]] = []
    for number, raw, done in _lines(source):
        fingerprint.update(raw)
        read += 1
        try:
            parse_line(raw)
        except NotewellError as error:
            bad += 1
            if len(errors) < MAX_SHOWN:
                errors.append({"line": number, "code": error.code, "message": error.message})
        if number % _PROGRESS_LINES == 0:
            progress("check", done, size)
    progress("check", size, size)
    if bad:
        shown = "\n".join(f"  line {error['line']}: {error['message']}" for error in errors)
        more = f"\n  and {bad - len(errors):,} more lines" if bad > len(errors) else ""
        raise InvalidArgument(
            f"{bad:,} of {read:,} lines cannot be imported, so nothing was written. Mend them and import the file"
            f" again.\n{shown}{more}",
            badLines=bad,
            lines=errors,
        )
    return fingerprint.digest()


class _Importer:
    """The second pass: writes lines inside one transaction and counts what became of them."""

    def __init__(self, tx: Tx, actor: Actor) -> None:
        self._tx = tx
        self._actor = actor
        self._collections = {each.key: each.id for each in collections.of_space(tx, actor.account_id)}
        self._outcomes: Counter[str] = Counter()
        self._kept: list[KeptNote] = []
        self._new_ids: list[NewId] = []
        self._new_collections: list[str] = []
        self._not_kept: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()

    def add(self, number: int, line: Line) -> None:
        """Makes the note of a line, unless it is there already."""
        self._outcomes["read"] += 1
        self._count_not_kept(line)
        key = None if line.id else self._key(line)
        existing = self._existing(line, key)
        if existing is None:
            note_id = self._id_for(number, line)
            self._create(line, note_id, key)
            self._outcomes["created"] += 1
        elif self._is_same(line, existing):
            self._outcomes["unchanged"] += 1
        else:
            self._outcomes["kept"] += 1
            if len(self._kept) < MAX_SHOWN:
                self._kept.append(KeptNote(number, existing.id))

    def report(self) -> ImportReport:
        """What was done so far."""
        return ImportReport(
            read=self._outcomes["read"],
            created=self._outcomes["created"],
            unchanged=self._outcomes["unchanged"],
            kept=self._outcomes["kept"],
            kept_notes=tuple(self._kept),
            new_ids=self._outcomes["new_ids"],
            new_id_notes=tuple(self._new_ids),
            new_collections=tuple(self._new_collections),
            not_kept=dict(self._not_kept),
        )

    def _count_not_kept(self, line: Line) -> None:
        for name in set(line.not_kept):
            shown = name if name in self._not_kept or len(self._not_kept) < MAX_SHOWN_FIELDS else "other fields"
            self._not_kept[shown] += 1

    def _key(self, line: Line) -> str:
        """The idempotency key of a line without an id: its content, and how often that stood in the file before."""
        self._seen[line.digest] += 1
        return f"import:{line.digest}:{self._seen[line.digest]}"

    def _existing(self, line: Line, key: str | None) -> Note | None:
        space_id = self._actor.account_id
        if key is not None:
            made = notes.remembered_request(self._tx, space_id, key)
            return None if made is None else notes.by_ids(self._tx, space_id, [made.note_id]).get(made.note_id)
        given = line.id or ""
        derived = self._derived_id(given)
        found = notes.by_ids(self._tx, space_id, [given, derived])
        return found.get(given) or found.get(derived)

    def _derived_id(self, given: str) -> str:
        """The id of a note whose own is taken by another account: always the same, so that a second import meets it."""
        return ids.id_from_text("nte", f"{self._actor.account_id}\n{given}")

    def _id_for(self, number: int, line: Line) -> str:
        if line.id is None:
            return self._tx.new_id("nte")
        if not self._tx.rows("note_exists_elsewhere", id=line.id, space_id=self._actor.account_id):
            return line.id
        derived = self._derived_id(line.id)
        self._outcomes["new_ids"] += 1
        if len(self._new_ids) < MAX_SHOWN:
            self._new_ids.append(NewId(number, line.id, derived))
        return derived

    def _collection(self, name: str | None) -> str | None:
        if name is None:
            return None
        key = collection_key(name)
        if key not in self._collections:
            made = collections.insert(self._tx, self._actor.account_id, name)
            self._collections[key] = made.id
            self._new_collections.append(made.name)
        return self._collections[key]

    def _create(self, line: Line, note_id: str, key: str | None) -> None:
        updated_at = line.now.updated_at
        created_at = line.created_at
        if created_at is None:
            created_at = self._tx.now if updated_at is None else updated_at
        note = self._note(line.now, note_id, created_at)
        note = replace(note, row_no=notes.next_row_no(self._tx, created_at))
        notes.insert(self._tx, note)
        for state in line.history:
            notes.insert_version(self._tx, self._note(state, note_id, created_at))
        if key is not None:
            notes.remember_request(self._tx, note, key, line.digest)

    def _note(self, state: State, note_id: str, created_at: int) -> Note:
        draft = state.draft
        return Note(
            id=note_id,
            space_id=self._actor.account_id,
            row_no=0,
            version=state.version,
            title=draft.title,
            summary=draft.summary,
            body=draft.body,
            tags=draft.tags,
            symbols=draft.symbols,
            collection_id=self._collection(state.collection),
            status=state.status,
            source=draft.source,
            account_id=self._actor.account_id,
            agent=self._actor.agent if state.agent is None else state.agent,
            created_at=created_at,
            updated_at=created_at if state.updated_at is None else state.updated_at,
        )

    def _is_same(self, line: Line, note: Note) -> bool:
        """Whether a note holds all that a line says."""
        if line.created_at not in (None, note.created_at) or note.source != line.now.draft.source:
            return False
        if not self._holds(note, line.now):
            return False
        if not line.history:
            return True
        earlier = notes.versions(self._tx, note)
        return len(earlier) == len(line.history) and all(map(self._holds, earlier, line.history))

    def _holds(self, note: Note, state: State) -> bool:
        draft = state.draft
        collection = None if state.collection is None else self._collections.get(collection_key(state.collection), "")
        return (
            (note.title, note.summary, note.body) == (draft.title, draft.summary, draft.body)
            and (note.tags, note.symbols) == (draft.tags, draft.symbols)
            and (note.collection_id, note.status, note.version) == (collection, state.status, state.version)
            and state.agent in (None, note.agent)
            and state.updated_at in (None, note.updated_at)
        )
