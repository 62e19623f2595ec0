"""Whatever a file holds: an import makes its notes, once, or refuses it in words and writes nothing."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

from budget import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notewell.domain.access import Actor
from notewell.errors import InvalidArgument
from notewell.services import transfer
from notewell.store.sqlite import SqliteDatabase

STATE = {
    "title": "降息",
    "body": "text",
    "summary": "short",
    "tags": ["macro"],
    "symbols": ["NVDA"],
    "collection": "Folder",
    "status": "archived",
    "source": "a talk",
    "version": 2,
    "agent": "claude",
    "updatedAt": "2026-05-02T10:00:00.000Z",
}
LINE = {
    **STATE,
    "id": "nte_06h34sn0000000ab",
    "createdAt": "2026-05-01T10:00:00.000Z",
    "history": [{**STATE, "version": 1, "body": "before"}],
}
"""Every field of a line as an export writes it."""
TEXTS = st.text(st.characters(exclude_categories=()), max_size=30)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=6
)
CHANGES = st.dictionaries(st.sampled_from(sorted(LINE)) | TEXTS, VALUES, max_size=2)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A line as it is exported, with fields left out, changed or added, in it or in its history."""
    line: dict[str, Any] = {**LINE, "history": [{**STATE, **draw(CHANGES)}]} if draw(st.booleans()) else dict(LINE)
    for name in draw(st.sets(st.sampled_from(sorted(LINE)), max_size=4)):
        del line[name]
    return json.dumps({**line, **draw(CHANGES)}).encode()


def note_count(database: SqliteDatabase, actor: Actor) -> int:
    """How many notes a memory holds."""
    return transfer.export_notes(database, actor, BytesIO()).notes


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(lines() | st.binary(max_size=40), max_size=3))
def test_a_file_is_imported_once_or_refused_whole(
    sqlite_database: SqliteDatabase, actor: Actor, given_lines: list[bytes]
) -> None:
    file = b"\n".join(given_lines)
    before = note_count(sqlite_database, actor)

    try:
        report = transfer.import_notes(sqlite_database, actor, BytesIO(file))
    except InvalidArgument:
        assert note_count(sqlite_database, actor) == before
        return

    assert report.created + report.unchanged + report.kept == report.read
    assert note_count(sqlite_database, actor) == before + report.created
    again = transfer.import_notes(sqlite_database, actor, BytesIO(file))
    assert (again.read, again.created) == (report.read, 0)
