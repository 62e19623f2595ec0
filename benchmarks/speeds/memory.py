"""What the web server holds in memory after searches over many notes."""

from __future__ import annotations

from pathlib import Path

from benchmarks.common.report import Figure
from benchmarks.common.served import served
from benchmarks.common.stores import file_of
from benchmarks.speeds.queries import QueryMaker
from notewell.app import App
from notewell.config import Config

RSS_BAR = 250.0
"""DESIGN 13: megabytes with 100,000 notes, without a model."""
ROUNDS = 3


def memory_figures(home: Path) -> list[Figure]:
    """Resident memory of ``notewell serve`` when it is ready, and after some hundred searches over REST."""
    texts = _texts(home)
    with served(home) as server, server.client() as client:
        before = server.held()
        for text in texts * ROUNDS:
            client.get("/api/memory/notes", params={"query": text}).raise_for_status()
        after = server.held()
    return [
        Figure("serve: memory when ready", before.now, "MB"),
        Figure(
            f"serve: memory after {len(texts) * ROUNDS} searches",
            after.now,
            "MB",
            at_most=RSS_BAR,
            remark=f"peak {after.peak:.0f} MB",
        ),
    ]


def _texts(home: Path) -> list[str]:
    app = App(Config(home))
    actor = app.default_actor()
    with file_of(app).connection() as connection:
        classes = QueryMaker(connection, actor.account_id).classes()
    app.close()
    return [query.wanted.query for queries in classes.values() for query in queries if query.wanted.query]
