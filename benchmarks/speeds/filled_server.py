"""A PostgreSQL store with many natural notes: a public record, one large memory, hundreds of small ones.

The rows are those that single calls would have left; the full-text indexes are made after them, as a bulk load does.
Notes of all spaces come mixed, as time would have it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from benchmarks.common.progress import progressing, say
from benchmarks.speeds.copied_rows import CopyTx
from benchmarks.speeds.filled_record import ATTEMPTS, CAMPAIGNS, KINDS, MODELS, TAGS
from benchmarks.speeds.filled_store import MINUTE
from benchmarks.speeds.natural_notes import NaturalNote, NoteMaker, zipf
from notewell.domain import ids
from notewell.domain.access import Actor
from notewell.domain.notes import Note
from notewell.domain.research import Attempt, ResearchNote
from notewell.services import accounts, research
from notewell.services.research import CampaignDraft, ProblemDraft
from notewell.store import notes, research_notes
from notewell.store.database import Database, Row, random_id
from notewell.store.postgres import PostgresDatabase

PUBLIC_SHARE = 0.165
"""33,000 of 200,000 notes."""
LARGE_SHARE = 0.1
"""In one memory: 20,000 of 200,000."""
SMALL_NOTES = 490
"""In each other memory, about."""
PROBLEMS = 200
BATCH = 2_000
LARGE = "large"
"""The handle of the large memory."""
WRITERS = tuple(f"writer-{number}" for number in range(4))
"""Handles of memories to write to."""
_FULLTEXT = "tablename IN ('note_search', 'space_words') AND indexdef LIKE '% USING gin %'"


@dataclass(frozen=True, slots=True)
class Places:
    """Where notes go."""

    attempts: tuple[Attempt, ...]
    memories: tuple[Actor, ...]
    weights: tuple[float, ...]


def fill_server(url: str, count: int) -> None:
    """Writes ``count`` notes into an empty database, the last one now; does nothing where they are there already.

    Raises ``RuntimeError`` where some are there: a fill that was broken off has left no indexes.
    """
    store = PostgresDatabase(url)
    with store.read() as reader:
        there = reader.rows_of("SELECT count(*) AS notes FROM notes", {})[0]["notes"]
    if 0 < there < count:
        raise RuntimeError(f"The database holds {there:,} of {count:,} notes. Name an empty one.")
    if not there:
        places = _places(store, count)
        with psycopg.connect(url) as connection:
            connection.execute("SET synchronous_commit = off")
            indexes = _dropped(connection)
            _write(connection, places, count)
            say("making the full-text indexes")
            connection.execute("SET maintenance_work_mem = '512MB'")
            for definition in indexes:
                connection.execute(definition.encode())
            connection.commit()
        with store.direct() as direct:
            direct.execute("VACUUM ANALYZE")
    store.close()


def _dropped(connection: psycopg.Connection[Any]) -> list[str]:
    """Drops the full-text indexes; their definitions."""
    rows = connection.execute(f"SELECT indexname, indexdef FROM pg_indexes WHERE {_FULLTEXT}".encode()).fetchall()
    for name, _ in rows:
        connection.execute(f"DROP INDEX {name}".encode())
    connection.commit()
    return [definition for _, definition in rows]


def _places(store: Database, count: int) -> Places:
    """Accounts, and public problems with attempts."""
    owner = accounts.local_actor(store, "benchmark")
    for number in range(CAMPAIGNS):
        research.create_campaign(store, owner, CampaignDraft(f"campaign-{number}", "Campaign", publishes=True))
    attempts = []
    for number in range(PROBLEMS):
        draft = ProblemDraft(
            f"problem-{number}", "Problem", "Solve it.", f"campaign-{number % CAMPAIGNS}", publishes=True
        )
        problem = research.create_problem(store, owner, draft)
        attempts += [research.start_attempt(store, owner, problem.id)[0] for _ in range(ATTEMPTS)]
    small = max(1, round(count * (1 - PUBLIC_SHARE - LARGE_SHARE) / SMALL_NOTES))
    handles = [LARGE, *(f"small-{number}" for number in range(small))]
    for handle in (*handles, *WRITERS):
        accounts.create_account(store, handle)
    memories = tuple(accounts.account_actor(store, handle, "benchmark") for handle in handles)
    weights = (LARGE_SHARE, *[(1 - PUBLIC_SHARE - LARGE_SHARE) / small] * small)
    return Places(tuple(attempts), memories, weights)


def _write(connection: psycopg.Connection[Any], places: Places, count: int) -> None:
    public = {attempt.problem_id for attempt in places.attempts}

    def reads(name: str, values: Mapping[str, Any]) -> list[Row]:
        """The homes of spaces: all that inserting asks."""
        if name != "space_stats":
            raise ValueError(name)
        return [{"home": int(values["space_id"] in public), "notes": 0, "tokens": 0}]

    tx = CopyTx(connection, reads, random_id)
    writer = _Writer(tx, places, ids_time=_now(connection))
    natural = NoteMaker().notes(count)
    for start in progressing(range(0, count, BATCH), f"writing {count:,} notes"):
        for number in range(start, min(start + BATCH, count)):
            writer.write(next(natural), (count - number) * MINUTE)
        tx.flush()
    tx.finish()


def _now(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute("SELECT CAST(extract(epoch FROM now()) * 1000 AS bigint)").fetchone()
    assert row is not None
    return int(row[0])


class _Writer:
    """Writes each note to a place at random."""

    def __init__(self, tx: CopyTx, places: Places, ids_time: int) -> None:
        self._tx = tx
        self._places = places
        self._end = ids_time
        self._random = random.Random(3)
        self._tags = [f"tag-{number}" for number in range(TAGS)]

    def write(self, natural: NaturalNote, age: int) -> None:
        """Writes one note that was made so many milliseconds ago."""
        self._tx.now = self._end - age
        if self._random.random() < PUBLIC_SHARE:
            attempt = self._random.choice(self._places.attempts)
            research_notes.insert(self._tx, self._research_note(attempt, natural), attempt.revision)
        else:
            actor = self._random.choices(self._places.memories, self._places.weights)[0]
            notes.insert(self._tx, self._note(actor, natural))

    def _note(self, actor: Actor, natural: NaturalNote) -> Note:
        draft = natural.draft.checked()
        return Note(
            id=self._tx.new_id("nte"),
            space_id=actor.account_id,
            row_no=ids.first_row_no(self._tx.now),
            version=1,
            title=draft.title,
            summary=draft.summary,
            body=draft.body,
            tags=draft.tags,
            symbols=draft.symbols,
            collection_id=None,
            status="active",
            source=draft.source,
            account_id=actor.account_id,
            agent=actor.agent,
            created_at=self._tx.now,
            updated_at=self._tx.now,
        )

    def _research_note(self, attempt: Attempt, natural: NaturalNote) -> ResearchNote:
        return ResearchNote(
            id=self._tx.new_id("nte"),
            problem_id=attempt.problem_id,
            attempt_id=attempt.id,
            row_no=ids.first_row_no(self._tx.now),
            version=1,
            note_kind="note",
            body_md=self._body(natural),
            account_id=attempt.account_id,
            agent=attempt.agent,
            created_at=self._tx.now,
            updated_at=self._tx.now,
        )

    def _body(self, natural: NaturalNote) -> str:
        count = min(6, round(self._random.expovariate(1 / 3)))
        tags: Sequence[str] = self._random.choices(self._tags, cum_weights=zipf(TAGS), k=count)
        kind = self._random.choices(KINDS, cum_weights=zipf(len(KINDS)))[0]
        lines = [f'title: "{natural.draft.title}"', f"kind: {kind}", f"tags: [{', '.join(tags)}]"]
        lines.append(f"model: {self._random.choice(MODELS)}")
        return "\n".join(["---", *lines, "---", "", natural.draft.body])
