"""Research notes as the points of a graph: what they build on, and what builds on them.

Every statement leaves out what the viewer may not see.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from notewell.store.database import Reader


@dataclass(frozen=True, slots=True)
class LineageNote:
    """What a graph shows of a note."""

    id: str
    title: str
    kind: str | None
    attempt_id: str
    problem_slug: str
    author_handle: str
    builds_on: tuple[str, ...]
    """Ids of notes, attempts, problems and campaigns, as its header names them."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks at the graph."""

    account_id: str
    """Empty where nobody signed in."""
    is_admin: bool


def notes(reader: Reader, note_ids: Sequence[str], viewer: Viewer) -> dict[str, LineageNote]:
    """Those of these notes that are there and that the viewer may see, by id."""
    if not note_ids:
        return {}
    rows = reader.rows("lineage_notes", ids=list(note_ids), viewer=viewer.account_id, is_admin=int(viewer.is_admin))
    return {
        row["note_id"]: LineageNote(
            row["note_id"],
            row["title"] or "",
            row["kind"],
            row["attempt_id"],
            row["slug"],
            row["handle"] or "",
            tuple(json.loads(row["builds_on"] or "[]")),
        )
        for row in rows
    }


def citing(reader: Reader, note_ids: Sequence[str], viewer: Viewer, limit: int) -> list[str]:
    """The ids of the notes that build on any of these, newest first, as far as the viewer may see them."""
    if not note_ids:
        return []
    rows = reader.rows(
        "lineage_citing",
        ids=list(note_ids),
        viewer=viewer.account_id,
        is_admin=int(viewer.is_admin),
        count=limit,
    )
    return [row["note_id"] for row in rows]
