"""Search and writes on a large PostgreSQL store, beside plain SQL on the same tables in the same run.

    ./dev bench postgres [--notes 200000] [--only PART] [--url URL] [--json]

Parts: search, write. A sixth of the notes is public, a tenth lies in one memory, the rest in memories of some 490; a
server of its own is started and filled, which takes a quarter of an hour for 200,000 notes. ``--url`` names an empty
database on this machine instead, which stays filled for the next run. Times are CPU times of the server's process.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from benchmarks.common.postgres import start_server
from benchmarks.common.report import Figure, print_report
from benchmarks.speeds.filled_server import fill_server
from benchmarks.speeds.server_search import search_figures
from benchmarks.speeds.server_writes import write_figures
from notewell.store.migrate import migrate
from notewell.store.postgres import PostgresDatabase

PARTS = ("search", "write")
SETTINGS = {
    "shared_buffers": "1GB",
    "max_wal_size": "4GB",
    "max_parallel_workers_per_gather": "0",  # so that all the work is that of the process that is watched
}
"""Of a small server for so many notes; the rest as PostgreSQL has it."""


def main(arguments: list[str] | None = None) -> int:
    """Measures what the arguments ask for; the exit code: 1 where a bar is missed."""
    parser = argparse.ArgumentParser(prog="./dev bench postgres", description="A large PostgreSQL store.")
    parser.add_argument("--notes", type=int, default=200_000, help="in the store (default: 200000)")
    parser.add_argument("--only", choices=PARTS, help="measure this part alone")
    parser.add_argument("--url", help="an empty database on this machine to fill, or one that was filled before")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args(arguments)
    parts = [given.only] if given.only else list(PARTS)
    with _filled(given.url, given.notes) as url:
        figures = [replace(figure, name=f"{given.notes:,}: {figure.name}") for figure in _figures(parts, url)]
    return print_report("PostgreSQL", figures, as_json=given.json)


def _figures(parts: list[str], url: str) -> Iterator[Figure]:
    if "search" in parts:
        store = PostgresDatabase(url)
        yield from search_figures(store, url)
        store.close()
    if "write" in parts:
        yield from write_figures(url)


@contextmanager
def _filled(given: str | None, count: int) -> Iterator[str]:
    """The address of a store with so many notes."""
    if given is not None:
        yield _made(given, count)
        return
    with start_server(SETTINGS, is_durable=True) as server:
        server.execute("CREATE DATABASE notewell")
        yield _made(server.url("notewell"), count)


def _made(url: str, count: int) -> str:
    store = PostgresDatabase(url)
    migrate(store)
    store.close()
    fill_server(url, count)
    return url


if __name__ == "__main__":
    sys.exit(main())
