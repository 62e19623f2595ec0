"""One note as one line of JSON: what an export writes and an import reads, with every rule of a note checked.

Pure: no file, no store. A line needs only ``title`` and ``body``; the fields are those of DESIGN 6, with the earlier
states of the note, oldest first, under ``history``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeAlias, TypeVar

from notewell.domain import ids
from notewell.domain.notes import (
    MAX_AGENT_CHARS,
    STATUSES,
    Draft,
    Note,
    Status,
    check_collection_name,
    check_text,
)
from notewell.domain.times import format_time, parse_time
from notewell.errors import InvalidArgument, NotewellError

JsonObject: TypeAlias = dict[str, object]
_Item = TypeVar("_Item")

MAX_VERSION = 2**31 - 1
MAX_SHOWN_NAME_CHARS = 60
_STATE_FIELDS = (
    "title",
    "summary",
    "body",
    "tags",
    "symbols",
    "collection",
    "status",
    "agent",
    "version",
    "updatedAt",
)
_LINE_FIELDS = frozenset(("id", *_STATE_FIELDS, "source", "createdAt", "history"))


@dataclass(frozen=True, slots=True)
class State:
    """One state of a note as a line gives it, checked; None where the line does not say."""

    draft: Draft
    collection: str | None
    """The name; None for unfiled."""
    status: Status
    agent: str | None
    version: int
    updated_at: int | None


@dataclass(frozen=True, slots=True)
class Line:
    """One note of an import, checked."""

    id: str | None
    now: State
    created_at: int | None
    history: tuple[State, ...]
    """Oldest first, each version below the next one's."""
    digest: str
    """The same for the same content, however its fields are ordered."""
    not_kept: tuple[str, ...]
    """The names of fields that a note does not have, fit to be shown."""


def line_of(note: Note, collection: str | None, history: Sequence[tuple[Note, str | None]]) -> str:
    """A note as a line without its end; earlier states come with the names of their collections, oldest first."""
    fields = {
        "id": note.id,
        **state_fields(note, collection),
        "source": note.source,
        "createdAt": format_time(note.created_at),
        "history": [state_fields(earlier, name) for earlier, name in history],
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def state_fields(note: Note, collection: str | None) -> JsonObject:
    """What one state of a note holds, by the names that a line gives it."""
    return {
        "title": note.title,
        "summary": note.summary,
        "body": note.body,
        "tags": list(note.tags),
        "symbols": list(note.symbols),
        "collection": collection,
        "status": note.status,
        "agent": note.agent,
        "version": note.version,
        "updatedAt": format_time(note.updated_at),
    }


def parse_line(raw: bytes) -> Line:
    """The note that a line holds. Raises ``invalid_argument``, ``invalid_symbol`` or ``too_large``."""
    values = _Fields(_read_json(raw), "", _LINE_FIELDS)
    note_id = values.text("id")
    if note_id is not None:
        ids.check_id(note_id, "nte", "id")
    created_at = values.time("createdAt")
    history, strays = _history(values)
    now = _state(values, 1 + (history[-1].version if history else 0), values.text("source"))
    if history and history[-1].version >= now.version:
        raise InvalidArgument(
            f"version: {now.version} is not after version {history[-1].version} of the history.", argument="version"
        )
    if created_at is not None and now.updated_at is not None and now.updated_at < created_at:
        raise InvalidArgument("updatedAt is before createdAt.", argument="updatedAt")
    return Line(note_id, now, created_at, history, values.digest(), (*values.strays, *strays))


def _read_json(raw: bytes) -> object:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidArgument(
            f"byte {error.start + 1} of the line is no UTF-8. Save the file as UTF-8 and import it again."
        ) from None
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise InvalidArgument(
            f"no JSON: {error.msg} (at character {error.pos + 1}). Write one whole object a line."
        ) from None
    except (ValueError, RecursionError):
        # A number of thousands of digits, or brackets nested thousands deep.
        raise InvalidArgument("the line holds a number or a nesting that is too long to read.") from None


def _object(pairs: list[tuple[str, object]]) -> JsonObject:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise InvalidArgument(f"the name {_shown(twice)!r} stands twice in one object; keep one of them.")
    return values


def _shown(name: str) -> str:
    """A name from outside as text that can be printed and sent."""
    return name[:MAX_SHOWN_NAME_CHARS].encode("utf-8", "backslashreplace").decode("utf-8")


class _Fields:
    """The fields of one object, read by name and type; null is the same as absent."""

    def __init__(self, values: object, place: str, known: frozenset[str]) -> None:
        if not isinstance(values, dict):
            raise InvalidArgument(f'{place or "the line"} is no JSON object: write {{"title": …, "body": …}}.')
        self._values: JsonObject = values
        self.strays = tuple(_shown(name) for name in values if name not in known)

    def digest(self) -> str:
        """The same for the same content, however its fields are ordered."""
        return blake2b(json.dumps(self._values, sort_keys=True).encode(), digest_size=16).hexdigest()

    def text(self, name: str) -> str | None:
        """A text, checked for what cannot be stored."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise _wrong(name, value, "text")
        return check_text(value, name)

    def needed(self, name: str) -> str:
        """A text that must be there."""
        value = self.text(name)
        if value is None:
            raise InvalidArgument(f"{name} is missing; every note needs a title and a body.", argument=name)
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; empty where absent."""
        return tuple(self._items(name, str, 'a list of texts, such as ["a", "b"]'))

    def objects(self, name: str) -> list[JsonObject]:
        """A list of objects; empty where absent."""
        return self._items(name, dict, "a list of objects")

    def _items(self, name: str, kind: type[_Item], words: str) -> list[_Item]:
        value = self._values.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
            raise _wrong(name, value, words)
        return value

    def whole(self, name: str) -> int | None:
        """A whole number of at least 1."""
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_VERSION:
            raise _wrong(name, value, f"a whole number from 1 to {MAX_VERSION}")
        return value

    def time(self, name: str) -> int | None:
        """A moment in milliseconds since 1970."""
        value = self.text(name)
        return None if value is None else parse_time(value, name)


def _wrong(name: str, value: object, words: str) -> InvalidArgument:
    shown = json.dumps(value)
    shown = shown if len(shown) <= MAX_SHOWN_NAME_CHARS else f"{shown[:MAX_SHOWN_NAME_CHARS]}…"
    return InvalidArgument(f"{name}: {shown} is not {words}.", argument=name)


def _state(values: _Fields, version: int, source: str | None = None) -> State:
    """One state; ``version`` is its number where the object gives none."""
    draft = Draft(
        title=values.needed("title"),
        body=values.needed("body"),
        summary=values.text("summary") or "",
        tags=values.texts("tags"),
        symbols=values.texts("symbols"),
        source=source or "",
    ).checked()
    collection = values.text("collection")
    agent = values.text("agent")
    return State(
        draft=draft,
        collection=None if collection is None else check_collection_name(collection),
        status=_status(values.text("status")),
        agent=None if agent is None else check_text(" ".join(agent.split()), "agent", MAX_AGENT_CHARS),
        version=values.whole("version") or version,
        updated_at=values.time("updatedAt"),
    )


def _status(text: str | None) -> Status:
    if text is None:
        return "active"
    for status in STATUSES:
        if status == text:
            return status
    raise InvalidArgument(f"status: {text[:40]!r} is neither 'active' nor 'archived'.", argument="status")


_HISTORY_FIELDS = frozenset(_STATE_FIELDS)


def _history(values: _Fields) -> tuple[tuple[State, ...], list[str]]:
    """The earlier states, and the names of their fields that no state has."""
    states: list[State] = []
    strays: list[str] = []
    last = 0
    for number, item in enumerate(values.objects("history")):
        place = f"history[{number}]"
        try:
            fields = _Fields(item, place, _HISTORY_FIELDS)
            state = _state(fields, last + 1)
        except NotewellError as error:
            raise type(error)(f"{place}: {error.message}", **error.details) from None
        if state.version <= last:
            raise InvalidArgument(
                f"{place}: version {state.version} is not after version {last}; the oldest state comes first.",
                argument="history",
            )
        last = state.version
        states.append(state)
        strays += [f"history.{name}" for name in fields.strays]
    return tuple(states), strays
