"""What the tests of the research record share: people, problems, attempts and notes in a few words.

Also a store that stops inside its transaction: two writers meet at a known moment, and no test waits for a clock.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import apsw
import psycopg
from postgres_stores import TestDatabase

from notewell.domain.access import Actor
from notewell.domain.research import Attempt, Campaign, Problem
from notewell.errors import NotewellError
from notewell.services import accounts, research, research_notes, research_search
from notewell.services.research import CampaignDraft, ProblemDraft
from notewell.services.research_search import ResearchCards, ResearchSearch
from notewell.store import fts5
from notewell.store.database import Database, Reader, Row, Tx
from notewell.store.postgres import PostgresDatabase
from notewell.store.sqlite import SqliteDatabase

SECONDS = 20
"""After which a writer that was never let go fails its test."""


@dataclass(frozen=True, slots=True)
class People:
    """Who looks at the record."""

    owner: Actor
    """Of the problems."""
    author: Actor
    """Of the attempts."""
    other: Actor
    admin: Actor


def person(store: Database, handle: str, *, is_admin: bool = False) -> Actor:
    """Somebody with an account of their own, who acts through an agent."""
    accounts.create_account(store, handle, is_admin=is_admin, may_exist=True)
    return accounts.account_actor(store, handle, f"agent-of-{handle}")


def people(store: Database) -> People:
    """One of each."""
    return People(
        person(store, "olga"), person(store, "ana"), person(store, "cy"), person(store, "root", is_admin=True)
    )


def campaign(store: Database, owner: Actor, slug: str, *, publishes: bool = True) -> Campaign:
    """A campaign."""
    return research.create_campaign(store, owner, CampaignDraft(slug, f"Campaign {slug}", publishes=publishes))


def problem(store: Database, owner: Actor, slug: str = "sat", **options: Any) -> Problem:
    """A problem, published unless the options say otherwise."""
    draft = ProblemDraft(slug, f"Problem {slug}", f"Solve {slug}.", **{"publishes": True, **options})
    return research.create_problem(store, owner, draft)


def attempt(store: Database, author: Actor, of: Problem, model: str = "") -> Attempt:
    """A running attempt."""
    return research.start_attempt(store, author, of.id, model)[0]


def attempt_at_all(store: Database, author: Actor, of: Problem) -> Attempt:
    """A running attempt at a problem that its author may no longer see."""
    return attempt(store, replace(author, is_admin=True), of)


def write(store: Database, author: Actor, on: Attempt, body_md: str) -> str:
    """The id of a new note."""
    return research_notes.add_note(store, author, on.id, body_md).note.id


def found(store: Database, viewer: Actor, query: str | None = None, **options: Any) -> ResearchCards:
    """The first page of a search, 50 cards unless the options say otherwise."""
    return research_search.find(store, viewer, ResearchSearch(query, **{"limit": 50, **options}))


def ids(cards: ResearchCards) -> list[str]:
    """The ids of a page of cards, in their order."""
    return [card.row.note.id for card in cards.cards]


def rows(store: Database, sql: str, **values: Any) -> list[Row]:
    """What a statement finds in the tables."""
    with store.read() as reader:
        return reader.rows_of(sql, values)


class StoppingStore:
    """The same store, but something else happens inside each of its writing transactions, before it is committed."""

    def __init__(self, inner: Database, before_commit: Callable[[], None]) -> None:
        self._inner = inner
        self._before_commit = before_commit

    @contextmanager
    def write(self) -> Iterator[Tx]:
        """A writing transaction that is held open while the other thing happens."""
        with self._inner.write() as tx:
            yield tx
            self._before_commit()

    @contextmanager
    def read(self, *, may_lag: bool = False) -> Iterator[Reader]:
        """A reading transaction like any other."""
        with self._inner.read(may_lag=may_lag) as reader:
            yield reader

    def empty_log(self) -> None:
        """As the inner store does."""
        self._inner.empty_log()

    def close(self) -> None:
        """As the inner store does."""
        self._inner.close()


class Rival:
    """A second writer on the same store, as another process would be: it waits for the first one to commit."""

    def __init__(self, first: Database, clock: Callable[[], int]) -> None:
        self._is_waiting = threading.Event()
        self._may_go_on = threading.Event()
        self._thread: threading.Thread | None = None
        self.error: NotewellError | None = None
        self._url = ""
        self.store: Database
        if isinstance(first, SqliteDatabase):
            self.store = SqliteDatabase(first.path, clock=clock, prepare=self._prepare)
        else:
            assert isinstance(first, TestDatabase)
            self._url = first.url
            self.store = PostgresDatabase(first.url, clock=clock)

    def _prepare(self, connection: apsw.Connection) -> None:
        fts5.prepare(connection)
        connection.set_busy_handler(self._wait)

    def _wait(self, _tries: int) -> bool:
        self._is_waiting.set()
        return self._may_go_on.wait(SECONDS)

    def meet(self, winner: Database, first: Callable[[Database], object], second: Callable[[Database], object]) -> None:
        """Does the first thing; the second begins while the first one's transaction is open, and ends after it."""
        first(StoppingStore(winner, lambda: self._begin(second)))
        self._may_go_on.set()
        assert self._thread is not None
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()
        self.store.close()

    def _begin(self, work: Callable[[Database], object]) -> None:
        def attempted() -> None:
            try:
                work(self.store)
            except NotewellError as error:
                self.error = error

        self._thread = threading.Thread(target=attempted)
        self._thread.start()
        assert self._waits(), "the second writer never came to wait for the first"

    def _waits(self) -> bool:
        """Whether the second writer comes to wait for the first in time."""
        if not self._url:
            return self._is_waiting.wait(SECONDS)
        asked = b"SELECT count(*) FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity"
        asked += b" WHERE datname = current_database())"
        deadline = time.monotonic() + SECONDS
        with psycopg.connect(self._url, autocommit=True) as connection:
            while connection.execute(asked).fetchone() == (0,):
                if time.monotonic() > deadline:
                    return False
                self._may_go_on.wait(0.01)
        return True
