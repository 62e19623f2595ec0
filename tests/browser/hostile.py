"""A store whose every text is hostile: each vector in each field of a note that accepts it."""

from __future__ import annotations

from dataclasses import dataclass

from vectors import VECTORS

from notewell.app import App
from notewell.domain.notes import MAX_TAG_CHARS, Draft, Edit
from notewell.services import accounts, memory, research, research_notes
from notewell.services.memory import Filing
from notewell.services.research import CampaignDraft, ProblemDraft

SLUG = "hostile"
"""Of the campaign and the problem."""


@dataclass(frozen=True)
class Hostile:
    """Where the texts are."""

    note_ids: tuple[str, ...]
    """Of memory, one for each vector, each with a history."""
    problem_slug: str
    attempt_ids: tuple[str, ...]
    """One that ended and one that runs."""
    research_note_ids: tuple[str, ...]
    """One for each vector, on the attempt that ended."""


def fill_hostile(app: App) -> Hostile:
    """Writes every vector as title, summary, body, tag, collection, source and agent, and into headers."""
    return Hostile(tuple(_memory(app, vector) for vector in VECTORS), SLUG, *_research(app))


def _memory(app: App, vector: str) -> str:
    """A note of the vector; symbols accept letters, digits and four signs only, so that no vector passes for one."""
    writer = accounts.local_actor(app.store, vector)
    tags = (vector,) if len(vector) <= MAX_TAG_CHARS else ()
    draft = Draft(vector, vector, vector, tags, ("NVDA",), vector)
    note = memory.create(app.store, writer, draft, Filing(vector, creates=True)).view.note
    memory.update(app.store, writer, note.id, Edit(append=vector, summary=f"{vector} changed"))
    return note.id


def _research(app: App) -> tuple[tuple[str, ...], tuple[str, ...]]:
    owner = accounts.local_actor(app.store)
    every = "\n\n".join(VECTORS)
    research.create_campaign(app.store, owner, CampaignDraft(SLUG, VECTORS[0], every[:1900], publishes=True))
    research.create_problem(app.store, owner, ProblemDraft(SLUG, VECTORS[1], every, SLUG, publishes=True))
    writer = accounts.local_actor(app.store, VECTORS[0])
    ended, _ = research.start_attempt(app.store, writer, SLUG, VECTORS[1])
    found: list[str] = []
    for vector in VECTORS:
        note = research_notes.add_note(app.store, writer, ended.id, _with_header(vector, found[-1:]))
        found.append(note.note.id)
    research_notes.end_attempt(app.store, writer, ended.id, "progress", every)
    running, _ = research.start_attempt(app.store, writer, SLUG, VECTORS[2])
    return (ended.id, running.id), tuple(found)


def _with_header(vector: str, builds_on: list[str]) -> str:
    quoted = vector.replace("'", "''")
    fields = {"title": quoted, "kind": quoted[:40], "model": quoted[:100], "colour": quoted}
    lines = [*(f"{name}: '{value}'" for name, value in fields.items()), f"tags: ['{quoted}']", f"{vector}: {vector}"]
    return "\n".join(["---", *lines, f"builds_on: [{', '.join(builds_on)}]", "---", "", vector])
