"""How the tests of the pages of notes write notes, look at them, and fill the editor's form."""

from __future__ import annotations

import re

from browsing import Site

from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Note
from notewell.services import memory, memory_search
from notewell.services.memory import NO_FILING, Filing

AGENT = "paper-reader"
CARD = re.compile(r'<h3 dir="auto"><a href="/notes/(nte_[0-9a-z]+)">')
POSTS = (
    *("new", "{id}/edit", "{id}/file", "{id}/labels", "{id}/status", "{id}/delete", "{id}/history/1/restore"),
    *("collections", "collections/rename", "collections/delete"),
)
"""Where forms are sent to, below ``/notes/``."""
GETS = (
    *("new", "labels?kind=tags", "labels?kind=symbols"),
    *("collections", "collections/rename?name=Macro", "collections/delete?name=Macro"),
    *("{id}", "{id}/edit", "{id}/raw", "{id}/history", "{id}/history/1", "{id}/history/1/restore", "{id}/delete"),
)
"""The pages below ``/notes/``."""


def agent(here: Site) -> Actor:
    """The account's agent."""
    return here.app.default_actor(AGENT)


def add(
    here: Site, title: str = "Rates", body: str = "Rates fall.", filing: Filing = NO_FILING, **more: object
) -> Note:
    """A note that the agent wrote."""
    return memory.create(here.app.store, agent(here), Draft(title, body, **more), filing).view.note  # type: ignore[arg-type]  # a draft's fields


def stored(here: Site, note_id: str) -> memory.NoteView:
    """A note as it is in the store."""
    return memory.read(here.app.store, agent(here), [note_id], max_chars=2_000_000)[0][0].view


def only_note(here: Site) -> memory.NoteView:
    """The single note of the store."""
    (card,) = memory_search.find(here.app.store, agent(here), memory_search.NoteSearch(status="any")).cards
    return stored(here, card.note.id)


def form_of(note: Note, **changes: str) -> dict[str, str]:
    """The fields of the editor as a browser sends them."""
    fields = {"title": note.title, "summary": note.summary, "body": note.body, "tags": "\n".join(note.tags)}
    fields |= {"symbols": " ".join(note.symbols), "version": str(note.version), **changes}
    return {name: re.sub(r"\r\n|\r|\n", "\r\n", value) for name, value in fields.items()}
