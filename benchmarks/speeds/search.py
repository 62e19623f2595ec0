"""Keyword search through the service beside the same FTS5 statement run bare on the same file."""

from __future__ import annotations

from pathlib import Path

import apsw

from benchmarks.common.progress import progressing
from benchmarks.common.report import Figure
from benchmarks.common.stores import file_of
from benchmarks.common.timing import Work, interleaved
from benchmarks.speeds.queries import QueryMaker, SpeedQuery
from notewell.app import App
from notewell.config import Config
from notewell.domain.access import Actor
from notewell.services import memory_search

ROUNDS = 6
RATIO_BAR = 1.5
ADDED_MILLISECONDS = 3.0
"""DESIGN 13: at most 1.5 times the bare statement, plus 3 ms."""


def search_figures(home: Path) -> list[Figure]:
    """The median CPU time of each class of queries; wall times as a remark."""
    app = App(Config(home, agent="benchmark"))
    try:
        actor = app.default_actor()
        with file_of(app).connection() as connection:
            classes = QueryMaker(connection, actor.account_id).classes()
        bare = _bare_connection(app.config.database_path)
        return [_figure(app, actor, bare, kind, classes[kind]) for kind in progressing(list(classes), "searching")]
    finally:
        app.close()


def _bare_connection(path: Path) -> apsw.Connection:
    """A connection with the product's page cache, and nothing else of it."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.execute("PRAGMA cache_size = -16000").fetchall()
    return connection


def _figure(app: App, actor: Actor, bare: apsw.Connection, kind: str, queries: list[SpeedQuery]) -> Figure:
    pairs = [(_service(app, actor, query), _bare(bare, query)) for query in queries]
    ours, theirs = interleaved(pairs, ROUNDS)
    found = [len(memory_search.find(app.store, actor, query.wanted).cards) for query in queries]
    return Figure(
        kind,
        ours.cpu_p50,
        "ms",
        reference=theirs.cpu_p50,
        at_most=RATIO_BAR * theirs.cpu_p50 + ADDED_MILLISECONDS,
        remark=f"wall {ours.wall_p50:.1f} / {theirs.wall_p50:.1f} ms; {min(found)} to {max(found)} cards",
    )


def _service(app: App, actor: Actor, query: SpeedQuery) -> Work:
    return lambda: memory_search.find(app.store, actor, query.wanted)


def _bare(connection: apsw.Connection, query: SpeedQuery) -> Work:
    return lambda: connection.execute(query.bare.sql, query.bare.values).fetchall()
