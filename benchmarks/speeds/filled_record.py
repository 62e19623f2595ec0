"""A public record with many natural notes over many problems, made fast: hundreds of notes in one transaction.

The rows are those that single add_note calls would have left; only the commits between them are missing.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common.progress import progressing
from benchmarks.speeds.filled_store import BATCH, MINUTE
from benchmarks.speeds.natural_notes import NaturalNote, NoteMaker, zipf
from notewell.app import App
from notewell.config import Config
from notewell.domain import ids
from notewell.domain.access import Actor
from notewell.domain.research import OUTCOMES, Attempt, Problem, ResearchNote
from notewell.services import research
from notewell.services.research import CampaignDraft, ProblemDraft
from notewell.store import research as research_rows
from notewell.store import research_notes
from notewell.store.database import Tx

PROBLEMS = 200
CAMPAIGNS = 10
ATTEMPTS = 10
"""At each problem."""
TAGS = 300
KINDS = ("finding", "dead_end", "question", "decision", "blocker", "plan", "digest")
MODELS = ("opus", "sonnet", "haiku")
LARGE_SLUG = "large"
"""A draft apart from the others, for the time that publishing takes."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where notes are written."""

    problem: Problem
    attempts: tuple[Attempt, ...]


def open_record(home: Path) -> App:
    """The store of a data folder, without a model."""
    return App(Config(home, agent="benchmark", embedder="none"))


def fill_record(home: Path, count: int, large: int) -> None:
    """Writes ``count`` notes over 200 public problems and ``large`` over a draft, a minute apart, the last one now.

    Does nothing where the store has as many already, so a folder can be kept and used again.
    """
    app = open_record(home)
    actor = app.default_actor()
    with app.store.read() as reader:
        there = reader.rows_of("SELECT count(*) AS notes FROM notes", {})[0]["notes"]
    if there < count + large:
        places = _places(app, actor)
        draft = _place(app, actor, ProblemDraft(LARGE_SLUG, "Large", "A draft."))
        writer = _Writer(actor, count + large)
        for start in progressing(range(0, count + large, BATCH), f"writing {count + large:,} research notes"):
            with app.store.write() as tx:
                writer.write(tx, places if start < count else [draft], start)
        _end_some(app, [*places, draft])
    app.store.empty_log()
    app.close()


def _places(app: App, actor: Actor) -> list[Place]:
    for number in range(CAMPAIGNS):
        research.create_campaign(app.store, actor, CampaignDraft(f"campaign-{number}", "Campaign", publishes=True))
    drafts = [
        ProblemDraft(
            f"problem-{number}", f"Problem {number}", "Solve it.", f"campaign-{number % CAMPAIGNS}", publishes=True
        )
        for number in range(PROBLEMS)
    ]
    return [_place(app, actor, draft) for draft in drafts]


def _place(app: App, actor: Actor, draft: ProblemDraft) -> Place:
    problem = research.create_problem(app.store, actor, draft)
    attempts = [research.start_attempt(app.store, actor, problem.id)[0] for _ in range(ATTEMPTS)]
    return Place(problem, tuple(attempts))


def _end_some(app: App, places: Sequence[Place]) -> None:
    """Ends four of five attempts, with each outcome alike."""
    with app.store.write() as tx:
        for place in places:
            for attempt, outcome in zip(place.attempts, OUTCOMES * 2, strict=False):
                research_rows.end_attempt(tx, attempt, outcome)


class _Writer:
    """Writes notes that are as unevenly tagged as memories are, evenly over the problems."""

    def __init__(self, actor: Actor, total: int) -> None:
        self._actor = actor
        self._total = total
        self._maker = NoteMaker()
        self._random = random.Random(3)
        self._tags = [word for word in self._maker.words[500:] if word.isalpha()][:TAGS]

    def write(self, tx: Tx, places: Sequence[Place], start: int) -> None:
        """The next batch of notes."""
        for number, natural in enumerate(self._maker.notes(BATCH), start):
            place = self._random.choice(places)
            attempt = self._random.choice(place.attempts)
            made = self._note(tx, attempt, natural, tx.now - (self._total - number) * MINUTE)
            if not research_notes.insert(tx, made, attempt.revision):
                raise RuntimeError("the attempt does not run")

    def _note(self, tx: Tx, attempt: Attempt, natural: NaturalNote, created_at: int) -> ResearchNote:
        return ResearchNote(
            id=tx.new_id("nte"),
            problem_id=attempt.problem_id,
            attempt_id=attempt.id,
            row_no=ids.first_row_no(created_at),
            version=1,
            note_kind="note",
            body_md=self._body(natural),
            account_id=self._actor.account_id,
            agent=self._actor.agent,
            created_at=created_at,
            updated_at=created_at,
        )

    def _body(self, natural: NaturalNote) -> str:
        count = min(6, round(self._random.expovariate(1 / 3)))
        tags = self._random.choices(self._tags, cum_weights=zipf(TAGS), k=count)
        kind = self._random.choices(KINDS, cum_weights=zipf(len(KINDS)))[0]
        title = natural.draft.title.replace("\n", " ")
        lines = [f'title: "{title}"', f"kind: {kind}", f"tags: [{', '.join(tags)}]"]
        lines.append(f"model: {self._random.choice(MODELS)}")
        return "\n".join(["---", *lines, "---", "", natural.draft.body])
