"""A person's memory notes: what somebody can ask to have made, read, changed, filed and removed.

Each function is one request: it checks the actor's scope, opens one transaction, and returns what it found or changed.
It must not know surfaces. Rules: DESIGN 6.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from hashlib import blake2b

from notewell.domain import ids
from notewell.domain.access import Actor
from notewell.domain.collections import collection_key, nearest
from notewell.domain.notes import (
    MAX_IDEMPOTENCY_KEY_CHARS,
    Draft,
    Edit,
    Note,
    check_collection_name,
    check_text,
)
from notewell.errors import InvalidArgument, NotFound, UnknownCollection, VersionConflict
from notewell.store import collections, notes
from notewell.store.collections import Collection
from notewell.store.database import Database, Reader, Tx

MAX_READ_IDS = 5
MAX_READ_CHARS = 40_000
"""Characters of body in one reply, unless the caller asks for more."""
MAX_EDIT_TRIES = 20
SUMMARY_ADVICE = (
    "This note has no summary. Searches show titles and summaries, never bodies: add one or two sentences with"
    " noteUpdate, so that it can be told from fifty others."
)


@dataclass(frozen=True, slots=True)
class Filing:
    """Where a note is to be filed; None leaves it where it is."""

    collection: str | None = None
    creates: bool = False
    """Whether an unknown name makes a new collection."""
    unfiles: bool = False


NO_FILING = Filing()


@dataclass(frozen=True, slots=True)
class NoteView:
    """A note with the names that its ids stand for."""

    note: Note
    collection: str | None
    account: str
    """The handle of the account that wrote it."""


@dataclass(frozen=True, slots=True)
class Created:
    """A note that was made, or made before by the same request."""

    view: NoteView
    is_repeated: bool
    advice: str | None


@dataclass(frozen=True, slots=True)
class Updated:
    """A note after an edit, and the names of the fields that changed."""

    view: NoteView
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A note with the part of its body that fitted into the reply."""

    view: NoteView
    body: str
    start: int
    end: int
    length: int
    """All in characters; the body is whole where ``start`` is 0 and ``end`` is ``length``."""


def create(
    store: Database, actor: Actor, draft: Draft, filing: Filing = NO_FILING, idempotency_key: str | None = None
) -> Created:
    """Makes a note of the actor's memory; a repeated request with the same key returns the note it made.

    Raises ``invalid_argument``, ``invalid_symbol``, ``too_large`` or ``unknown_collection``; then nothing is written.
    """
    actor.require("memory:write")
    checked = draft.checked()
    request = request_digest(checked, filing.collection)
    if idempotency_key is not None:
        check_text(idempotency_key, "idempotencyKey", MAX_IDEMPOTENCY_KEY_CHARS)
    with store.write() as tx:
        tx.lock(actor.account_id)
        if idempotency_key is not None and (made := _made_before(tx, actor, idempotency_key, request)):
            return Created(_view(tx, actor, made), True, None)
        collection = _filed(tx, actor, filing, None)
        note = Note(
            id=tx.new_id("nte"),
            space_id=actor.account_id,
            row_no=notes.next_row_no(tx, tx.now),
            version=1,
            title=checked.title,
            summary=checked.summary,
            body=checked.body,
            tags=checked.tags,
            symbols=checked.symbols,
            collection_id=collection,
            status="active",
            source=checked.source,
            account_id=actor.account_id,
            agent=actor.agent,
            created_at=tx.now,
            updated_at=tx.now,
        )
        notes.insert(tx, note)
        if idempotency_key is not None:
            notes.remember_request(tx, note, idempotency_key, request)
        return Created(_view(tx, actor, note), False, None if note.summary else SUMMARY_ADVICE)


def request_digest(draft: Draft, *more: object) -> str:
    """What tells a repeated request from another one that came with the same key."""
    return blake2b(json.dumps([astuple(draft), *more]).encode(), digest_size=16).hexdigest()


def _made_before(tx: Tx, actor: Actor, key: str, request: str) -> Note | None:
    known = notes.remembered_request(tx, actor.account_id, key)
    if known is None:
        return None
    if known.request_hash != request:
        raise InvalidArgument(
            f"idempotencyKey: {key[:60]!r} was used for another note ({known.note_id}). Use a new key for each note.",
            argument="idempotencyKey",
        )
    return notes.by_ids(tx, actor.account_id, [known.note_id]).get(known.note_id)


def read(
    store: Database, actor: Actor, note_ids: Sequence[str], start: int = 0, max_chars: int = MAX_READ_CHARS
) -> tuple[list[ReadNote], list[str]]:
    """The notes with these ids in the order asked, and the ids that no note of the actor has.

    Together at most ``max_chars`` characters of body; ``start`` is where to read on in a single note.
    """
    actor.require("memory:read")
    wanted = list(dict.fromkeys(note_ids))
    if not 1 <= len(wanted) <= MAX_READ_IDS:
        raise InvalidArgument(
            f"ids: {len(wanted)} ids; name 1 to {MAX_READ_IDS}, as notesSearch returns them.", argument="ids"
        )
    for note_id in wanted:
        ids.check_id(note_id, "nte", "ids")
    if start < 0 or max_chars < 1:
        name, value, least = ("from", start, 0) if start < 0 else ("maxChars", max_chars, 1)
        raise InvalidArgument(f"{name}: {value} is less than {least}.", argument=name)
    if start and len(wanted) > 1:
        raise InvalidArgument("from reads on in one note: name one id with it.", argument="from")
    with store.read() as reader:
        found = notes.by_ids(reader, actor.account_id, wanted)
        views = _views(reader, actor, [found[note_id] for note_id in wanted if note_id in found])
    answers = []
    left = max_chars
    for view in views:
        body = view.note.body[start : start + left]
        begin = min(start, len(view.note.body))
        answers.append(ReadNote(view, body, begin, begin + len(body), len(view.note.body)))
        left -= len(body)
    return answers, [note_id for note_id in wanted if note_id not in found]


def update(store: Database, actor: Actor, note_id: str, edit: Edit, filing: Filing = NO_FILING) -> Updated:
    """Changes one note of the actor's and keeps its earlier state in the history.

    Raises ``not_found``; ``version_conflict`` where ``edit.if_version`` is not the current one; ``invalid_argument``
    where nothing is asked for, or the whole body is replaced without a version. Then nothing is written.
    """
    actor.require("memory:write")
    ids.check_id(note_id, "nte", "id")
    if edit.asks_for_nothing and filing == NO_FILING:
        raise InvalidArgument(
            "Nothing to change: name at least one of title, summary, body, append, tags, addTags, removeTags, symbols,"
            " addSymbols, removeSymbols, collection, unfile, status."
        )
    if edit.body is not None and edit.if_version is None:
        raise InvalidArgument(
            "Replacing the whole body needs ifVersion, so that nobody's text is lost: read the note with noteRead and"
            " send the version that it returns. To add text, use append instead.",
            argument="ifVersion",
        )
    for _ in range(MAX_EDIT_TRIES):
        with store.write() as tx:
            tx.lock(actor.account_id)
            done = _update(tx, actor, note_id, edit, filing)
            if done:
                return done
    raise VersionConflict("The note is being changed by many at once. Try again.", argument="id")


def _update(tx: Tx, actor: Actor, note_id: str, edit: Edit, filing: Filing) -> Updated | None:
    note = _get(tx, actor, note_id)
    if edit.if_version is not None and edit.if_version != note.version:
        raise VersionConflict(
            f"ifVersion: {edit.if_version} is not the current version of {note_id}, which is {note.version}. Read the"
            " note again, redo your change on what it says now, and send that version.",
            currentVersion=note.version,
        )
    changed = replace(edit.applied(note), collection_id=_filed(tx, actor, filing, note.collection_id))
    names = tuple(each.name for each in fields(Note) if getattr(changed, each.name) != getattr(note, each.name))
    if not names:
        return Updated(_view(tx, actor, note), ())
    changed = replace(changed, account_id=actor.account_id, agent=actor.agent, updated_at=max(tx.now, note.updated_at))
    written = notes.update(tx, note, changed)
    if written is None:
        return None
    shown = tuple("collection" if name == "collection_id" else name for name in names)
    return Updated(_view(tx, actor, written), shown)


def delete(store: Database, actor: Actor, note_id: str) -> Note:
    """Removes one note of the actor's for good, with its history; returns what is gone. Raises ``not_found``."""
    actor.require("memory:write")
    ids.check_id(note_id, "nte", "id")
    with store.write() as tx:
        tx.lock(actor.account_id)
        note = _get(tx, actor, note_id)
        notes.delete(tx, note)
    return note


def history(store: Database, actor: Actor, note_id: str) -> tuple[NoteView, list[NoteView]]:
    """A note as it is, and its earlier states, newest first. Raises ``not_found``."""
    actor.require("memory:read")
    ids.check_id(note_id, "nte", "id")
    with store.read() as reader:
        note = _get(reader, actor, note_id)
        current, *earlier = _views(reader, actor, [note, *reversed(notes.versions(reader, note))])
    return current, earlier


def restore(store: Database, actor: Actor, note_id: str, version: int) -> Updated:
    """Brings back the title, summary, body, tags and symbols of an earlier state, as a new version."""
    actor.require("memory:write")
    current, earlier = history(store, actor, note_id)
    old = next((view.note for view in earlier if view.note.version == version), None)
    if old is None:
        known = ", ".join(str(view.note.version) for view in earlier) or "none"
        raise NotFound(f"version: {version} of {note_id} is not in its history (there are: {known}).")
    edit = Edit(title=old.title, summary=old.summary, body=old.body, tags=old.tags, symbols=old.symbols)
    return update(store, actor, note_id, replace(edit, if_version=current.note.version))


def _get(reader: Reader, actor: Actor, note_id: str) -> Note:
    note = notes.by_ids(reader, actor.account_id, [note_id]).get(note_id)
    if note is None:
        raise NotFound(f"There is no note {note_id} in this memory. It may have been deleted; search for it by words.")
    return note


def _filed(tx: Tx, actor: Actor, filing: Filing, current: str | None) -> str | None:
    """The id of the collection that a note is to be in; None for no collection."""
    if filing.unfiles and filing.collection is not None:
        raise InvalidArgument("unfile and collection exclude each other.", argument="unfile")
    if filing.unfiles:
        return None
    if filing.collection is None:
        return current
    name = check_collection_name(filing.collection)
    known = collections.of_space(tx, actor.account_id)
    match = find_collection(known, name)
    if match is None and filing.creates:
        match = collections.insert(tx, actor.account_id, name)
    if match is None:
        raise unknown_collection(name, known)
    return match.id


def find_collection(known: Sequence[Collection], name: str) -> Collection | None:
    """The collection that a name means, however its case, spaces, hyphens and underscores are written."""
    key = collection_key(name)
    return next((each for each in known if each.key == key), None)


def unknown_collection(name: str, known: Sequence[Collection]) -> UnknownCollection:
    """The error for a name that no collection has: it lists the real ones, nearest first."""
    names = nearest(name, [each.name for each in known])[:50]
    there_are = (
        f"There are, nearest first: {', '.join(map(repr, names))}." if names else "There are no collections yet."
    )
    return UnknownCollection(
        f"There is no collection {name[:60]!r}. {there_are} Use one of these, or pass createCollection: true to make a"
        " new one.",
        argument="collection",
        collections=names,
    )


def _view(reader: Reader, actor: Actor, note: Note) -> NoteView:
    return _views(reader, actor, [note])[0]


def _views(reader: Reader, actor: Actor, found: Sequence[Note]) -> list[NoteView]:
    names = {each.id: each.name for each in collections.of_space(reader, actor.account_id)}
    return [NoteView(note, names.get(note.collection_id or ""), actor.handle) for note in found]
