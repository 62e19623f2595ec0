"""A store filled with believable notes of both kinds, so that somebody who looks around finds everything alive.

The memory comes from a file that ``notewell import`` could read, with times counted back from now; the research record
is made by the services themselves. Filling twice changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from io import BytesIO
from typing import Any

from notewell.domain import ids
from notewell.domain.access import Actor
from notewell.domain.times import format_time
from notewell.errors import NotFound
from notewell.services import accounts, research, research_notes, transfer
from notewell.services.progress import Progress, no_progress
from notewell.services.research import CampaignDraft, ProblemDraft
from notewell.store.database import Database

HOUR_MILLISECONDS = 3_600_000
COLLEAGUE = "ada"
"""The second account of the record, who builds on the owner's notes."""


@dataclass(frozen=True, slots=True)
class DemoReport:
    """What was made; all zero where it was there before."""

    memory_notes: int
    research_notes: int
    problems: int
    campaign: str
    """Its slug: where to begin."""


def fill(store: Database, owner: Actor, progress: Progress = no_progress) -> DemoReport:
    """Gives an account a memory, and a campaign with problems, attempts and notes that build on each other."""
    told = json.loads(files("notewell.services").joinpath("demo.json").read_text(encoding="utf-8"))
    with store.read() as reader:
        now = reader.now
    lines = [json.dumps(line, ensure_ascii=False) for line in _lines(told["memory"], owner, now)]
    report = transfer.import_notes(store, owner, BytesIO("\n".join(lines).encode()), progress)
    record = _Record(store, owner, told)
    return DemoReport(report.created, record.notes, record.problems, told["campaign"]["slug"])


def _lines(memory: list[dict[str, Any]], owner: Actor, now: int) -> Iterator[dict[str, Any]]:
    """The notes of a memory as lines to import; a second run meets them by their ids."""
    for number, note in enumerate(memory):
        line = dict(note)
        written_at = now - line.pop("hoursAgo") * HOUR_MILLISECONDS
        line["id"] = ids.id_from_text("nte", f"demo {owner.account_id} {number}")
        line["createdAt"] = line["updatedAt"] = format_time(written_at)
        yield line


class _Record:
    """The research record of the demonstration, made as its authors would make it."""

    def __init__(self, store: Database, owner: Actor, told: Mapping[str, Any]) -> None:
        self.notes = self.problems = 0
        self._store = store
        self._owner = owner
        self._named: dict[str, str] = {}
        campaign = told["campaign"]
        try:
            research.campaign(store, owner, campaign["slug"])
        except NotFound:
            draft = CampaignDraft(campaign["slug"], campaign["title"], campaign["description"], publishes=True)
            research.create_campaign(store, owner, draft)
            accounts.create_account(store, COLLEAGUE, may_exist=True)
            for problem in told["problems"]:
                self._problem(problem, campaign["slug"])

    def _problem(self, problem: Mapping[str, Any], campaign: str) -> None:
        first, *later = problem["statements"]
        draft = ProblemDraft(problem["slug"], problem["title"], first, campaign=campaign, publishes=True)
        research.create_problem(self._store, self._owner, draft)
        self.problems += 1
        for attempt in problem["attempts"]:
            if attempt.get("revises") and later:
                research.revise_problem(self._store, self._owner, problem["slug"], later.pop(0))
            self._attempt(attempt, problem["slug"])

    def _attempt(self, attempt: Mapping[str, Any], slug: str) -> None:
        """One attempt; a note's name in braces stands for its id in the notes after it."""
        actor = replace(self._author(attempt["author"]), agent=attempt["agent"])
        on, _ = research.start_attempt(self._store, actor, slug, attempt["model"])
        for note in attempt["notes"]:
            made = research_notes.add_note(self._store, actor, on.id, self._filled(note["body"]))
            self._named[note.get("name", "")] = made.note.id
            self.notes += 1
        for name in attempt.get("reads", ()):
            research_notes.record_read(self._store, actor, on.id, self._named[name])
        if "outcome" in attempt:
            summary = self._filled(attempt["summary"])
            research_notes.end_attempt(self._store, actor, on.id, attempt["outcome"], summary)
            self.notes += 1

    def _author(self, handle: str) -> Actor:
        return self._owner if handle == "owner" else accounts.account_actor(self._store, handle)

    def _filled(self, text: str) -> str:
        for name, note_id in self._named.items():
            text = text.replace("{" + name + "}", note_id)
        return text
