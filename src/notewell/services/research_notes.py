"""Notes on attempts: added and changed by the attempt's author while it runs, frozen when it ends, read by who may see.

Rules: DESIGN 7 and the note-discovery spec. The checks that must hold at the moment of writing stand inside the
writing statements; here they are only explained.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from notewell.domain import header, ids
from notewell.domain.access import Actor
from notewell.domain.header import ParsedHeader
from notewell.domain.notes import check_body
from notewell.domain.research import Attempt, NoteKind, Problem, ResearchNote, check_markdown, check_outcome
from notewell.errors import Forbidden, Frozen, InvalidArgument, NotFound, VersionConflict
from notewell.services.research import seen_attempt
from notewell.store import notes, research, research_notes
from notewell.store.database import Database, Reader, Tx
from notewell.store.research_notes import Citation

MAX_READ_CHARS = 40_000
MAX_CITATIONS = 20


@dataclass(frozen=True, slots=True)
class NoteInContext:
    """A note, its header, and where it stands."""

    note: ResearchNote
    header: ParsedHeader
    title: str
    """The header's title, else the one that cards show instead."""
    attempt: Attempt
    problem: Problem
    author_handle: str


@dataclass(frozen=True, slots=True)
class FullNote:
    """A note as ``get_note`` returns it, with the part of its body that was asked for."""

    view: NoteInContext
    body_md: str
    start: int
    end: int
    length: int
    """All in characters of ``body_md``."""
    built_on_by: tuple[Citation, ...]
    """The newest that cite it, as far as the viewer may see them."""
    citations_cut: str | None
    """What a reply says where more notes cite it than are named."""
    is_read_recorded: bool


def _in_context(reader: Reader, note: ResearchNote, attempt: Attempt, problem: Problem) -> NoteInContext:
    parsed = header.parse(note.body_md)
    author = reader.rows("account_by_id", id=note.account_id)
    handle = author[0]["handle"] if author else ""
    return NoteInContext(note, parsed, header.shown_title(parsed), attempt, problem, handle)


def _writable(tx: Tx, actor: Actor, attempt_id: str) -> tuple[Attempt, Problem]:
    """A running attempt of the actor's, which nobody else can end or write to until the transaction ends.

    Raises ``not_found``, ``forbidden`` or ``frozen``.
    """
    attempt, problem = seen_attempt(tx, actor, ids.check_id(attempt_id, "att", "attempt_id"))
    tx.lock(problem.id)
    attempt, problem = seen_attempt(tx, actor, attempt_id)
    if attempt.account_id != actor.account_id:
        raise Forbidden(
            f"Attempt {attempt.id} belongs to somebody else. Start your own on this problem with start_attempt.",
            argument="attempt_id",
        )
    if not attempt.is_running:
        raise _frozen(attempt)
    return attempt, problem


def _frozen(attempt: Attempt) -> Frozen:
    return Frozen(
        f"Attempt {attempt.id} has ended ({attempt.outcome}), so its notes change no more. Start a new attempt and cite"
        " the earlier notes in builds_on.",
        argument="attempt_id",
    )


def _insert(tx: Tx, actor: Actor, attempt: Attempt, note_kind: NoteKind, body_md: str) -> ResearchNote:
    note = ResearchNote(
        id=tx.new_id("nte"),
        problem_id=attempt.problem_id,
        attempt_id=attempt.id,
        row_no=notes.next_row_no(tx, tx.now),
        version=1,
        note_kind=note_kind,
        body_md=body_md,
        account_id=actor.account_id,
        agent=actor.agent,
        created_at=tx.now,
        updated_at=tx.now,
    )
    if not research_notes.insert(tx, note, attempt.revision):
        raise _frozen(attempt)
    return note


def add_note(store: Database, actor: Actor, attempt_id: str, body_md: str) -> NoteInContext:
    """Adds a note to a running attempt of the actor's; its body is kept byte for byte, whatever its header says."""
    actor.require("research:write")
    body = check_body(body_md, "body_md")
    with store.write() as tx:
        attempt, problem = _writable(tx, actor, attempt_id)
        return _in_context(tx, _insert(tx, actor, attempt, "note", body), attempt, problem)


def edit_note(
    store: Database, actor: Actor, note_id: str, body_md: str, if_version: int | None = None
) -> NoteInContext:
    """Replaces the body of a note while its attempt runs; the earlier text is kept in the history.

    Raises ``not_found``, ``forbidden``, ``frozen``; ``version_conflict`` where ``if_version`` is not the current one.
    """
    actor.require("research:write")
    body = check_body(body_md, "body_md")
    with store.write() as tx:
        attempt, problem = _writable(tx, actor, _seen_note(tx, actor, note_id).attempt_id)
        note = _seen_note(tx, actor, note_id)
        if if_version is not None and if_version != note.version:
            raise VersionConflict(
                f"if_version: {if_version} is not the current version of {note_id}, which is {note.version}. Read the"
                " note again with get_note, redo your change on what it says now, and send that version.",
                currentVersion=note.version,
            )
        if body == note.body_md:
            return _in_context(tx, note, attempt, problem)
        changed = replace(note, body_md=body, agent=actor.agent, updated_at=max(tx.now, note.updated_at))
        written = research_notes.update(tx, note, changed, attempt.revision)
        if written is None:
            raise _frozen(attempt)
        return _in_context(tx, written, attempt, problem)


def end_attempt(store: Database, actor: Actor, attempt_id: str, outcome: str, summary_md: str) -> NoteInContext:
    """Writes the summary note of a running attempt of the actor's and ends it, which freezes its notes."""
    actor.require("research:write")
    checked = check_outcome(outcome)
    summary = check_markdown(summary_md, "summary_md")
    with store.write() as tx:
        attempt, problem = _writable(tx, actor, attempt_id)
        note = _insert(tx, actor, attempt, "summary", summary)
        if not research.end_attempt(tx, attempt, checked):
            raise _frozen(attempt)
        ended = replace(attempt, ended_at=tx.now, outcome=checked)
        return _in_context(tx, note, ended, problem)


def delete_note(store: Database, actor: Actor, note_id: str) -> ResearchNote:
    """Removes a note for good: by its author while the attempt runs, by an administrator at any time."""
    actor.require("research:write")
    with store.write() as tx:
        note = _seen_note(tx, actor, note_id)
        tx.lock(note.problem_id)
        note = _seen_note(tx, actor, note_id)
        attempt = research.attempt(tx, note.attempt_id)
        if attempt is None:
            raise _no_note(note_id)
        if not actor.is_admin:
            _writable(tx, actor, note.attempt_id)
        research_notes.delete(tx, note, attempt.revision)
    return note


def _no_note(note_id: str) -> NotFound:
    return NotFound(f"There is no note {note_id[:60]!r}, or you may not see it.", argument="id")


def _seen_note(reader: Reader, actor: Actor, note_id: str) -> ResearchNote:
    """A note whose attempt the actor may see. Raises ``not_found``."""
    note = research_notes.by_id(reader, ids.check_id(note_id, "nte", "id"))
    if note is None:
        raise _no_note(note_id)
    try:
        seen_attempt(reader, actor, note.attempt_id)
    except NotFound:
        raise _no_note(note_id) from None
    return note


@dataclass(frozen=True, slots=True)
class Reading:
    """Which part of a note to read, and for which attempt of the reader's."""

    start: int = 0
    max_chars: int = MAX_READ_CHARS
    working_attempt_id: str | None = None


WHOLE = Reading()


def get_note(store: Database, actor: Actor, note_id: str, reading: Reading = WHOLE) -> FullNote:
    """A note with its header, the attempt it belongs to, and the notes that build on it. Raises ``not_found``.

    With ``working_attempt_id`` the read is recorded on that attempt, once, if it runs and is the actor's.
    """
    actor.require("research:read")
    if reading.start < 0 or reading.max_chars < 1:
        name, value, least = ("from", reading.start, 0) if reading.start < 0 else ("max_chars", reading.max_chars, 1)
        raise InvalidArgument(f"{name}: {value} is less than {least}.", argument=name)
    with store.read() as reader:
        note = _seen_note(reader, actor, note_id)
        attempt, problem = seen_attempt(reader, actor, note.attempt_id)
        view = _in_context(reader, note, attempt, problem)
        citations = research_notes.citing(
            reader, note.id, actor.account_id, is_admin=actor.is_admin, limit=MAX_CITATIONS + 1
        )
    body = note.body_md[reading.start : reading.start + reading.max_chars]
    begin = min(reading.start, len(note.body_md))
    is_recorded = False
    if reading.working_attempt_id is not None:
        is_recorded = record_read(store, actor, reading.working_attempt_id, note_id)
    cut = None
    if len(citations) > MAX_CITATIONS:
        cut = f"The newest {MAX_CITATIONS} are named; search_notes with builds_on {note.id} lists them all."
    return FullNote(
        view=view,
        body_md=body,
        start=begin,
        end=begin + len(body),
        length=len(note.body_md),
        built_on_by=tuple(citations[:MAX_CITATIONS]),
        citations_cut=cut,
        is_read_recorded=is_recorded,
    )


def working_attempt(store: Database, actor: Actor, attempt_id: str) -> Attempt | None:
    """The running attempt of the actor's with this id; None where it is not theirs or has ended."""
    ids.check_id(attempt_id, "att", "working_attempt_id")
    with store.read() as reader:
        attempt = research.attempt(reader, attempt_id)
    is_theirs = attempt is not None and bool(actor.account_id) and attempt.account_id == actor.account_id
    return attempt if attempt is not None and is_theirs and attempt.is_running else None


def record_read(store: Database, actor: Actor, attempt_id: str, note_id: str) -> bool:
    """Notes down that an attempt of the actor's has read a note; whether it is noted down (now or before)."""
    attempt = working_attempt(store, actor, attempt_id)
    if attempt is None:
        return False
    with store.write() as tx:
        tx.lock(attempt.problem_id)
        research_notes.record_read(tx, attempt.id, attempt.problem_id, note_id, actor.account_id)
    return True


@dataclass(frozen=True, slots=True)
class AttemptView:
    """An attempt with its notes, oldest first, and what it has read."""

    attempt: Attempt
    problem: Problem
    author_handle: str
    notes: tuple[NoteInContext, ...]
    reads: tuple[str, ...]


def get_attempt(store: Database, actor: Actor, attempt_id: str) -> AttemptView:
    """An attempt that the actor may see, its notes, and those notes it read that they may see, too.

    Raises ``not_found``.
    """
    actor.require("research:read")
    with store.read() as reader:
        attempt, problem = seen_attempt(reader, actor, ids.check_id(attempt_id, "att", "attempt_id"))
        found = [_in_context(reader, note, attempt, problem) for note in research_notes.of_attempt(reader, attempt)]
        author = reader.rows("account_by_id", id=attempt.account_id)
        reads = reader.rows(
            "reads_of_attempt",
            space_id=attempt.problem_id,
            attempt_id=attempt.id,
            viewer=actor.account_id,
            is_admin=int(actor.is_admin),
        )
    handle = author[0]["handle"] if author else ""
    return AttemptView(attempt, problem, handle, tuple(found), tuple(row["note_id"] for row in reads))
