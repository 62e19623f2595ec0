"""What the tests of the reported inputs share: notes that are there for one test, and what of them a search shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from clients import ONE_OF_EACH, Json, Surface

from notewell.domain.access import Actor
from notewell.services.memory_search import NoteSearch, find
from notewell.store.database import Database

OTHER_WIRES = ("mcp-http-2025", "mcp-stdio-2026")
EVERY = (*map(pytest.param, ONE_OF_EACH), *(pytest.param(name, marks=pytest.mark.slow) for name in OTHER_WIRES))
"""Each kind of surface, each wire and each revision of the protocol; all their pairs are the parity test's."""
UNKNOWN = "nte_0000000000"


@contextmanager
def noted(surface: Surface, *bodies: str | Json) -> Iterator[list[str]]:
    """Notes for the time of a test, each a body or its arguments; their ids, in order."""
    made = []
    for number, body in enumerate(bodies):
        given = {"body": body} if isinstance(body, str) else body
        note = surface.call("memory.create", {"title": f"Entry {number}", "body": "", "summary": "s", **given})
        assert "error" not in note, note
        made.append(note["id"])
    try:
        yield made
    finally:
        for note_id in made:
            surface.call("memory.delete", {"id": note_id})


def found_by(surface: Surface, **search: object) -> list[str]:
    """The ids of the first 50 notes that hold every word and pass the filters of a search, in order."""
    found = surface.call("memory.search", {"limit": 50, **({"match": "all"} if "query" in search else {}), **search})
    assert "error" not in found, found
    assert len(found["cards"]) == found["total"]
    return [card["id"] for card in found["cards"]]


def read_one(surface: Surface, note_id: str) -> Json:
    """A note as it is now."""
    (note,) = surface.call("memory.read", {"ids": [note_id], "maxChars": 2_000_000})["notes"]
    value: Json = note
    return value


def count_all(surface: Surface) -> int:
    """How many notes there are, archived ones too."""
    total: int = surface.call("memory.search", {"status": "any", "limit": 1})["total"]
    return total


def code_of(answer: Json) -> str | None:
    """The code of an error; None where there is none."""
    code: str | None = answer.get("error", {}).get("code")
    return code


def titles_found(store: Database, actor: Actor, query: str) -> list[str]:
    """The titles of the notes that hold every word of a query, by the service."""
    return [card.note.title for card in find(store, actor, NoteSearch(query=query, match="all", limit=50)).cards]
