"""Keyword search on PostgreSQL: CPU of the server through the service beside a plain full-text statement, and nDCG.

The plain statement finds the same notes in the same table and orders them by ``ts_rank_cd``: what somebody writes who
has PostgreSQL and no product. The order is judged against BM25 of all matches, which is what the service gives where
it may rank them all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from statistics import fmean
from typing import Any

import psycopg

from benchmarks.common.progress import progressing
from benchmarks.common.report import Figure
from benchmarks.speeds.filled_server import LARGE
from benchmarks.speeds.server_cpu import ServerTimes, Work
from benchmarks.speeds.server_queries import LIMIT, Scope, ServerQueries, ServerQuery
from notewell.domain.access import Actor
from notewell.services import accounts, memory_search, research_search
from notewell.services.memory_search import NoteSearch
from notewell.services.research_search import ResearchSearch
from notewell.store import tsearch, tsearch_candidates
from notewell.store.postgres import PostgresDatabase

ROUNDS = 4
MAX_CPU_MILLISECONDS = 50.0
"""Of the server, for a public search for a common word."""
BARRED = "common word (10 to 40 %)"
NDCG_BAR = 0.95
NO_BOUND = 10**9
SMALL = "small-0"


def search_figures(store: PostgresDatabase, url: str) -> list[Figure]:
    """The median server CPU of each class in each scope; what the order is worth where not all matches are ranked."""
    figures: list[Figure] = []
    with psycopg.connect(url, autocommit=True) as bare:
        for scope in _scopes(store):
            actor = accounts.account_actor(store, scope.handle, "benchmark")
            classes = ServerQueries(bare, scope).classes()
            for kind in progressing(list(classes), f"searching: {scope.name}"):
                searcher = _Searcher(store, actor, scope)
                figures.append(_cpu_figure(searcher, bare, kind, classes[kind]))
                figures += _order_figures(searcher, kind, classes[kind])
    return figures


def _scopes(store: PostgresDatabase) -> list[Scope]:
    large, small = (accounts.account_actor(store, handle).account_id for handle in (LARGE, SMALL))
    return [
        Scope("public", LARGE, None),
        Scope("memory", LARGE, large),
        Scope("small memory", SMALL, small),
    ]


class _Searcher:
    """Searches one scope through the service."""

    def __init__(self, store: PostgresDatabase, actor: Actor, scope: Scope) -> None:
        self.store = store
        self.scope = scope
        self._actor = actor

    def cards(self, text: str) -> Sequence[Any]:
        """The cards of the first page."""
        if self.scope.space_id is None:
            return research_search.find(self.store, self._actor, ResearchSearch(text, limit=LIMIT)).cards
        return memory_search.find(self.store, self._actor, NoteSearch(text, limit=LIMIT)).cards

    def scores(self, text: str) -> list[float]:
        """The scores of the first page, of its last part: exact matches, or those that hold some words."""
        cards = self.cards(text)
        return [card.found.score for card in cards if card.found.part == cards[-1].found.part]


def _cpu_figure(
    searcher: _Searcher, bare: psycopg.Connection[Any], kind: str, queries: Sequence[ServerQuery]
) -> Figure:
    with searcher.store.direct() as direct:  # the store takes the same connection for each search of one thread
        ours = ServerTimes(direct.info.backend_pid)
    theirs = ServerTimes(bare.info.backend_pid)
    for number in range(-1, ROUNDS):
        for query in queries:
            turns: list[tuple[ServerTimes, Work]] = [
                (ours, partial(searcher.cards, query.text)),
                (theirs, partial(_rows, bare, query.bare)),
            ]
            for times, work in turns if number % 2 else reversed(turns):
                times.run(work, counts=number >= 0)
    is_barred = searcher.scope.space_id is None and kind == BARRED
    matches = [query.matches for query in queries]
    return Figure(
        f"{searcher.scope.name}: {kind}",
        ours.cpu_p50,
        "ms",
        reference=theirs.cpu_p50,
        at_most=MAX_CPU_MILLISECONDS if is_barred else None,
        remark=(
            f"wall {ours.wall_p50:.1f} / {theirs.wall_p50:.1f} ms; most {max(ours.cpu):.1f} / {max(theirs.cpu):.1f} ms;"
            f" {min(matches):,} to {max(matches):,} notes"
        ),
    )


def _rows(connection: psycopg.Connection[Any], sql: str) -> list[Any]:
    return connection.execute(sql.encode()).fetchall()


def _order_figures(searcher: _Searcher, kind: str, queries: Sequence[ServerQuery]) -> Iterator[Figure]:
    many = [query for query in queries if query.matches > tsearch_candidates.MAX_RANKED]
    if not many:
        return
    values = []
    for query in many:
        found = searcher.scores(query.text)
        with _everything_ranked():
            ideal = searcher.scores(query.text)
        values.append(_discounted(found) / _discounted(ideal) if ideal else 1.0)
    remark = f"least {min(values):.3f}, {len(values)} queries"
    yield Figure(f"{searcher.scope.name}: {kind}, nDCG@10", fmean(values), at_least=NDCG_BAR, remark=remark)


@contextmanager
def _everything_ranked() -> Iterator[None]:
    """The service without its bound: BM25 of every match."""
    modules: tuple[Any, ...] = (tsearch, tsearch_candidates)
    kept = tsearch_candidates.MAX_RANKED
    for module in modules:
        module.MAX_RANKED = NO_BOUND
    try:
        yield
    finally:
        for module in modules:
            module.MAX_RANKED = kept


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))
