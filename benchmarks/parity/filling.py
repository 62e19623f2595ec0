"""Fills a store through the services: memories with tags, symbols, collections and a history, and a research record.

What is done depends on the corpora and a seed alone, so two stores that are filled hold the same.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.common.progress import progressing
from benchmarks.parity.corpora import COLLECTIONS, Corpora
from benchmarks.parity.twins import Twin
from benchmarks.quality import note_arguments
from benchmarks.retrieval.test_collection import Text
from benchmarks.speeds.natural_notes import zipf
from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit
from notewell.domain.research import OUTCOMES
from notewell.services import accounts, memory, research, research_notes
from notewell.services.memory import Filing
from notewell.services.research import CampaignDraft, ProblemDraft

MINUTE = 60_000
SAME_MOMENT_SHARE = 0.1
"""How many notes are made in the millisecond of the one before."""
TAGS = (
    "macro",
    "rates",
    "Q3-plan",
    "降息",
    "C++",
    "flight",
    "to do",
    "wing",
    "paint",
    "历史",
    "music",
    "shock-wave",
    "todo",
)
SYMBOLS = ("NVDA", "AAPL", "BRK-B", "0700.HK", "600519", "^GSPC", "TSLA", "000834")
KINDS = ("finding", "dead-end", "question", "decision", "digest")
MODELS = ("Opus 4", "sonnet", "Haiku")
FOLDERS = ("Inbox", "Trips 2026", "研究", "Flow")
OWNER, OTHER, MIXED = "owner", "other", "mixed"
"""Accounts: the research record's owner, somebody who sees what is public, a memory of everything."""
CAMPAIGNS = {"air": True, "talk": True, "hidden": False}
"""Campaigns by their slugs, and whether they are published."""
ATTEMPTS = 4
"""At each problem."""
EDITED, DELETED = 300, 80
"""Notes of the mixed memory, and half as many of the record."""
LONG_CHARS = (100_000, 250_000)
"""Of texts that one row of a full-text index does not hold."""


@dataclass(frozen=True, slots=True)
class ProblemPlan:
    """A problem to be made, and what stands on it."""

    slug: str
    campaign: str | None
    is_published: bool
    texts: Sequence[Text]


@dataclass(slots=True)
class Contents:
    """What a store was filled with, as far as questions name it."""

    attempts: list[str]
    cited: list[str]
    """Ids that notes build on."""
    problems: list[str]
    """Slugs."""


def fill(twin: Twin, corpora: Corpora, name: str) -> Contents:
    """Fills an empty store; ``name`` is for the progress bar."""
    filler = _Filler(twin, name)
    for each in COLLECTIONS:
        filler.memory(each, corpora.of(each))
    filler.memory(MIXED, [*corpora.of(*COLLECTIONS)[::2], *_long_texts(corpora)])
    filler.edits(MIXED)
    for case in corpora.cases:
        actor = filler.actor(f"case-{case.id}"[:40])
        for title, body in case.notes:
            filler.tick()
            memory.create(twin.store, actor, Draft(title, body))
    filler.record(_plans(corpora))
    return filler.contents


def _long_texts(corpora: Corpora) -> list[Text]:
    """Many texts of a collection in one, twice."""
    found = []
    for name in COLLECTIONS:
        joined = "\n\n".join(text.text for text in corpora.of(name))
        found += [Text(f"long-{name}-{end}", joined[:end], None) for end in LONG_CHARS]
    return found


def _plans(corpora: Corpora) -> list[ProblemPlan]:
    talks: dict[str, list[Text]] = {}
    for text in corpora.of("locomo"):
        talks.setdefault(text.group or "", []).append(text)
    plans = [
        ProblemPlan(f"talk-{number}", "talk", number % 5 != 4, texts) for number, texts in enumerate(talks.values())
    ]
    abstracts, passages = corpora.of("cranfield"), corpora.of("cmrc2018_dev")
    plans += [ProblemPlan(f"air-{number}", "air", True, abstracts[number::6]) for number in range(6)]
    plans += [ProblemPlan(f"wiki-{number}", None, True, passages[number::3]) for number in range(3)]
    plans.append(ProblemPlan("hidden", "hidden", True, [*abstracts[::4], *passages[::4]]))
    plans.append(ProblemPlan("long", None, True, [*_long_texts(corpora), *passages[:20]]))
    plans.append(ProblemPlan("withdrawn", None, True, abstracts[::3]))
    return plans


class _Filler:
    """Writes into one store."""

    def __init__(self, twin: Twin, name: str) -> None:
        self._store = twin.store
        self._clock = twin.clock
        self._name = name
        self._random = random.Random(29)
        self.contents = Contents([], [], [])

    def tick(self) -> None:
        """Lets time pass, mostly."""
        if self._random.random() > SAME_MOMENT_SHARE:
            self._clock.advance(self._random.randint(1, 10 * MINUTE))

    def actor(self, handle: str) -> Actor:
        """A new account that acts."""
        self.tick()
        accounts.create_account(self._store, handle)
        return accounts.account_actor(self._store, handle, "benchmark")

    def memory(self, handle: str, texts: Sequence[Text]) -> None:
        """A memory with these texts."""
        actor = self.actor(handle)
        for text in progressing(texts, f"{self._name}: {handle}"):
            self.tick()
            arguments = note_arguments(text)
            lines = [line for line in text.text.splitlines() if line.strip()]
            is_summed = self._random.random() < 0.6
            draft = Draft(
                arguments["title"],
                arguments["body"],
                summary=lines[len(lines) // 2][:300] if is_summed else "",
                tags=self._some(TAGS, 3),
                symbols=self._some(SYMBOLS, 2),
            )
            filed = text.group or (self._random.choice(FOLDERS) if self._random.random() < 0.7 else None)
            memory.create(self._store, actor, draft, Filing(filed, creates=filed is not None))

    def _some(self, things: Sequence[str], most: int) -> tuple[str, ...]:
        count = self._random.randint(0, most)
        return tuple(dict.fromkeys(self._random.choices(things, cum_weights=zipf(len(things)), k=count)))

    def _ids(self, sql: str, **values: str) -> list[str]:
        with self._store.read() as reader:
            return [row["id"] for row in reader.rows_of(sql, values)]

    def edits(self, handle: str) -> None:
        """Changes, archives and deletes notes of a memory."""
        actor = accounts.account_actor(self._store, handle, "benchmark")
        sql = "SELECT id FROM notes WHERE space_id = :space ORDER BY row_no"
        chosen = self._random.sample(self._ids(sql, space=actor.account_id), EDITED + DELETED)
        for number, note_id in enumerate(chosen[:EDITED]):
            self.tick()
            edit = (
                Edit(append="\nAn afterthought about 降息 and C++."),
                Edit(status="archived"),
                Edit(add_tags=("todo",)),
            )
            memory.update(self._store, actor, note_id, edit[number % 3])
        for note_id in chosen[EDITED:]:
            memory.delete(self._store, actor, note_id)

    def record(self, plans: Sequence[ProblemPlan]) -> None:
        """A research record: some of it published at once, some later, some withdrawn."""
        owner = self.actor(OWNER)
        self.actor(OTHER)
        for slug, is_published in CAMPAIGNS.items():
            self.tick()
            research.create_campaign(self._store, owner, CampaignDraft(slug, slug.title(), publishes=is_published))
        for number, plan in enumerate(plans):
            is_first = number % 3 == 0
            self._problem(owner, plan, is_published_first=is_first and plan.is_published)
            if plan.is_published and not is_first:
                research.publish_problem(self._store, owner, plan.slug, is_published=True)
        research.publish_problem(self._store, owner, "withdrawn", is_published=False)
        self._delete_some(owner)

    def _problem(self, owner: Actor, plan: ProblemPlan, *, is_published_first: bool) -> None:
        self.tick()
        draft = ProblemDraft(plan.slug, plan.slug.title(), "Solve it.", plan.campaign, publishes=is_published_first)
        research.create_problem(self._store, owner, draft)
        self.contents.problems.append(plan.slug)
        attempts = [
            research.start_attempt(self._store, owner, plan.slug, self._random.choice(MODELS))[0].id
            for _ in range(ATTEMPTS)
        ]
        self.contents.attempts += attempts
        for text in progressing(plan.texts, f"{self._name}: {plan.slug}"):
            self.tick()
            attempt = self._random.choice(attempts)
            made = research_notes.add_note(self._store, owner, attempt, self._research_body(text))
            if self._random.random() < 0.02:
                self.contents.cited.append(made.note.id)
        for attempt, outcome in zip(attempts[1:], OUTCOMES, strict=False):
            self.tick()
            research_notes.end_attempt(
                self._store, owner, attempt, outcome, f"It {outcome}: {plan.texts[0].text[:200]}"
            )

    def _research_body(self, text: Text) -> str:
        if self._random.random() < 0.3:
            return text.text
        title = note_arguments(replace(text, group=None))["title"].replace('"', "'")
        lines = [f'title: "{title}"'] if self._random.random() < 0.8 else []
        lines += [f"kind: {self._random.choice(KINDS)}", f"tags: [{', '.join(self._some(TAGS, 3))}]"]
        lines.append(f"model: {self._random.choice(MODELS)}")
        if self.contents.cited:
            lines.append(f"builds_on: [{self._random.choice(self.contents.cited)}]")
        return "\n".join(["---", *lines, "---", "", text.text])

    def _delete_some(self, owner: Actor) -> None:
        sql = (
            "SELECT n.id FROM notes AS n JOIN attempts AS a ON a.space_id = n.space_id AND a.id = n.attempt_id"
            " WHERE a.outcome IS NULL ORDER BY n.row_no"
        )
        for note_id in self._random.sample(self._ids(sql), DELETED // 2):
            research_notes.delete_note(self._store, owner, note_id)
