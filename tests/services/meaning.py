"""What the tests of search by meaning share: embedders that are watched, rows of queue and vectors, notes, walks."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from conftest import SettableClock

from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit, Note
from notewell.embedders.fake import FakeEmbedder
from notewell.services import accounts, memory, memory_search, research, research_notes, research_search
from notewell.services.embedding import StepReport, step
from notewell.services.memory import Filing
from notewell.services.memory_search import NoteSearch
from notewell.services.research import CampaignDraft, ProblemDraft
from notewell.services.research_search import ResearchSearch
from notewell.services.search import Found
from notewell.services.semantic import SemanticSearch
from notewell.store import pgvector, vectors
from notewell.store.database import Database, Reader, Row, Tx

if TYPE_CHECKING:
    from notewell.services.ports import Embedder, Vectors

DAY = 86_400_000
DIMENSION = 48
WORDS = ("rate", "cut", "bond", "yield", "fed", "bank", "gold", "oil", "tax", "debt", "chip", "risk")
MAX_PAGES = 300
MAX_STEPS = 500
"""More than any test needs; a queue that does not empty is a failure, not a hang."""


def save(store: Database, actor: Actor, title: str = "Rates", body: str = "The Fed cuts.") -> Note:
    """A new memory note."""
    return memory.create(store, actor, Draft(title, body)).view.note


def drain(store: Database, embedder: Embedder, count: int = 16) -> StepReport:
    """Works until nothing is due; the sum of what was done."""
    stored = lost = failed = 0
    for _ in range(MAX_STEPS):
        report = step(store, embedder, count)
        if report.is_idle:
            return StepReport(stored, lost, failed)
        stored, lost, failed = stored + report.stored, lost + report.lost, failed + report.failed
    raise AssertionError("the queue does not empty")


def rows(store: Database, sql: str) -> list[Row]:
    """What a statement finds."""
    with store.read() as reader:
        return reader.rows_of(sql, {})


def jobs(store: Database) -> list[Row]:
    """The queue."""
    return rows(store, "SELECT * FROM jobs ORDER BY note_id")


def vector_rows(store: Database) -> list[Row]:
    """All vectors, in the order they were stored."""
    return rows(store, "SELECT * FROM note_vectors ORDER BY seq, note_id, chunk")


def stale_vectors(store: Database) -> list[str]:
    """The ids of notes with a vector of another text than theirs."""
    sql = "SELECT v.content_hash AS hash, notes.* FROM note_vectors AS v JOIN notes ON notes.id = v.note_id"
    return [row["id"] for row in rows(store, sql) if vectors.texts_of(row).content_hash != row["hash"]]


def text(chance: random.Random, count: int = 6) -> str:
    """Some words."""
    return " ".join(chance.choices(WORDS, k=count))


def fill(store: Database, actor: Actor, clock: SettableClock, count: int = 40) -> list[Note]:
    """Notes of all kinds, a day apart; every tenth is long enough for several chunks."""
    chance = random.Random(count)
    made = []
    for number in range(count):
        clock.advance(DAY)
        body = text(chance, 500 if number % 10 == 9 else 6)
        tags = ("even",) if number % 2 == 0 else ("odd", *(["third"] if number % 3 == 0 else []))
        draft = Draft(f"{number} {text(chance, 2)}", body, tags=tags, symbols=("NVDA",) if number % 5 == 0 else ())
        filing = Filing("Half" if number % 4 < 2 else None, creates=number % 4 < 2)
        note = memory.create(store, actor, draft, filing).view.note
        if number % 7 == 0:
            note = memory.update(store, actor, note.id, Edit(status="archived")).view.note
        made.append(note)
    return made


@dataclass(frozen=True)
class Meaning:
    """One store, searched by meaning by somebody."""

    store: Database
    actor: Actor
    ben: Actor
    """Somebody else."""
    search: SemanticSearch

    def memory(self, wanted: NoteSearch) -> memory_search.Cards:
        """One page of a memory."""
        return memory_search.find(self.store, self.actor, wanted, self.search.question(wanted.query))

    def research(self, wanted: ResearchSearch) -> research_search.ResearchCards:
        """One page of the research record."""
        return research_search.find(self.store, self.actor, wanted, self.search.question(wanted.query))

    def page(self, wanted: NoteSearch | ResearchSearch) -> memory_search.Cards | research_search.ResearchCards:
        """One page."""
        return self.memory(wanted) if isinstance(wanted, NoteSearch) else self.research(wanted)

    def walk(self, wanted: NoteSearch | ResearchSearch) -> list[Found]:
        """What all pages show, in order."""
        found: list[Found] = []
        for _ in range(MAX_PAGES):
            page = self.page(wanted)
            found += [card.found for card in page.cards]
            if page.cursor is None:
                return found
            wanted = replace(wanted, cursor=page.cursor)
        raise AssertionError("the walk does not end")


def open_meaning(store: Database) -> Meaning:
    """Search by meaning in an empty store, and two accounts."""
    ana, ben = (accounts.account_actor(store, accounts.create_account(store, name).handle) for name in ("ana", "ben"))
    return Meaning(store, ana, ben, SemanticSearch(store, FakeEmbedder(DIMENSION)))


def compare_in_memory(patch: pytest.MonkeyPatch) -> None:
    """Has vectors compared by the matrix on every engine, as where a database cannot."""
    patch.setattr(pgvector, "is_there", lambda _reader: False)
    patch.setattr(pgvector, "take_up", lambda _tx: None)


def brute_force(meaning: Meaning, query: str, wanted: Iterable[int]) -> dict[int, float]:
    """The cosine of each of these notes' best chunk, one by one from the stored rows."""
    (vector,) = FakeEmbedder(DIMENSION).embed_queries([query])
    best: dict[int, float] = {}
    chosen = set(wanted)
    for row in rows(meaning.store, "SELECT row_no, scale, numbers FROM note_vectors WHERE model_id = 'fake;1'"):
        numbers = np.frombuffer(row["numbers"], np.int8).astype(np.float32)
        score = float(numbers @ vector * np.float32(row["scale"]))
        if row["row_no"] in chosen:
            best[row["row_no"]] = max(score, best.get(row["row_no"], -2.0))
    return best


def write_record(meaning: Meaning, clock: SettableClock) -> dict[str, str]:
    """Two public problems, one of a campaign, one hidden problem of Ben's; ids by name."""
    store, actor, ben = meaning.store, meaning.actor, meaning.ben
    chance = random.Random(4)
    campaign = research.create_campaign(store, actor, CampaignDraft("solvers", "Solvers", publishes=True))
    names = {"campaign": campaign.slug}
    for owner, slug, group, is_public in (
        (actor, "sat", campaign.slug, True),
        (actor, "tsp", None, True),
        (ben, "hidden", None, False),
    ):
        problem = research.create_problem(
            store, owner, ProblemDraft(slug, slug.upper(), "Is it?", campaign=group, publishes=is_public)
        )
        for who in (actor, ben) if is_public else (ben,):
            clock.advance(DAY)
            attempt, _ = research.start_attempt(store, who, problem.id, "model-x")
            for number in range(8):
                kind = "finding" if number % 2 else "plan"
                cites = f"\nbuilds_on: {names['first']}" if "first" in names and number == 3 else ""
                header = f"title: {text(chance, 2)}\nkind: {kind}\ntags: t{number % 3}{cites}\nmodel: M{number % 2}"
                note = research_notes.add_note(store, who, attempt.id, f"---\n{header}\n---\n{text(chance)}").note
                names.setdefault("first", note.id)
            research_notes.end_attempt(store, who, attempt.id, "progress" if who is ben else "failed", text(chance))
            names.setdefault("attempt", attempt.id)
    drain(store, FakeEmbedder(DIMENSION))
    return names


class DisturbedEmbedder(FakeEmbedder):
    """Calls a function while it embeds documents: what happens meanwhile, in a fixed place."""

    def __init__(self, disturb: Callable[[Sequence[str]], object]) -> None:
        super().__init__()
        self.disturb = disturb

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As the fake embedder, after the disturbance."""
        self.disturb(texts)
        return super().embed_documents(texts)


class WatchedStore:
    """A store that knows whether this thread has a transaction open."""

    def __init__(self, store: Database) -> None:
        self._store = store
        self._local = threading.local()

    @property
    def is_open(self) -> bool:
        """Whether a transaction of this thread is open."""
        return bool(getattr(self._local, "open", 0))

    def read(self, *, may_lag: bool = False) -> AbstractContextManager[Reader]:
        """A reading transaction."""
        return self._counted(self._store.read(may_lag=may_lag))

    def write(self) -> AbstractContextManager[Tx]:
        """A writing transaction."""
        return self._counted(self._store.write())

    @contextmanager
    def _counted(self, transaction: AbstractContextManager[Reader]) -> Iterator[Tx]:
        with transaction as tx:
            self._local.open = getattr(self._local, "open", 0) + 1
            try:
                yield tx  # type: ignore[misc]  # of a reading one only what a Reader has is used
            finally:
                self._local.open -= 1

    def empty_log(self) -> None:
        """As the store's."""
        self._store.empty_log()

    def close(self) -> None:
        """As the store's."""
        self._store.close()
