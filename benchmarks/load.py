"""Fifty agents at once: reads and writes over MCP HTTP, with one server process and with two on the same store.

    ./dev bench load [--clients 50] [--seconds 60] [--engine sqlite|postgres] [--notes 2000] [--json]

Each client has a token of its own and calls without a pause: seven searches, two reads and one write in ten. The
clients run on the same machine, so they take their part of its cores. Shown are calls a second beside pings of the same
clients in the same run (what the transport alone takes), failed calls, their time, and a server's memory.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.common.postgres import start_server
from benchmarks.common.report import Figure, print_report
from benchmarks.common.served import Served, served
from benchmarks.common.stores import temporary_folder
from benchmarks.speeds.load_clients import Told, run_clients
from benchmarks.speeds.natural_notes import NoteMaker
from notewell.app import App
from notewell.config import Config
from notewell.services import accounts, memory

ERROR_BAR = 0.0
RSS_BAR = 250.0
SERVERS = (1, 2)
PING_SECONDS = 10.0


def main(arguments: list[str] | None = None) -> int:
    """Runs the load; the exit code: 1 where a call failed or a server grew too large."""
    parser = argparse.ArgumentParser(prog="./dev bench load", description="Fifty agents at once.")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each number of servers (default: 60)")
    parser.add_argument("--engine", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--notes", type=int, default=2_000, help="in the store at the start (default: 2000)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args(arguments)
    figures: list[Figure] = []
    with _place(given.engine) as (home, environment):
        tokens = _prepare(home, environment, given.clients, given.notes)
        for count in SERVERS:
            with ExitStack() as stack:
                servers = [stack.enter_context(served(home, **environment)) for _ in range(count)]
                urls = [server.url for server in servers]
                pings = run_clients(urls, tokens, PING_SECONDS, only_pings=True)
                told = run_clients(urls, tokens, given.seconds)
                figures += _figures(f"{given.engine}, {count} server{'s' * (count > 1)}", told, pings, servers)
    return print_report(f"Load: {given.clients} clients", figures, as_json=given.json)


@contextmanager
def _place(engine: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """A data folder, and what the environment of its servers says."""
    with temporary_folder(in_memory=False) as home, ExitStack() as stack:
        if engine == "sqlite":
            yield home, {}
            return
        database = stack.enter_context(start_server(is_durable=True))
        database.execute("CREATE DATABASE notewell")
        yield home, {"NOTEWELL_DATABASE_URL": database.url("notewell")}


def _prepare(home: Path, environment: dict[str, str], clients: int, notes: int) -> list[str]:
    """Fills the memory of one account, and gives each client a token of it."""
    app = App(Config(home, database_url=environment.get("NOTEWELL_DATABASE_URL"), embedder="none"))
    actor = app.default_actor()
    for natural in NoteMaker().notes(notes):
        memory.create(app.store, actor, natural.draft)
    tokens = [accounts.create_token(app.store, actor.handle, f"client {number}")[1] for number in range(clients)]
    app.close()
    return tokens


def _figures(name: str, told: Told, pings: Told, servers: list[Served]) -> Iterator[Figure]:
    rate, transport = told.calls / told.seconds, pings.calls / pings.seconds
    yield Figure(
        f"{name}: calls", rate, "calls/s", reference=transport, remark=f"{told.calls:,} calls; reference: pings"
    )
    failed = (told.failed + pings.failed) / max(told.calls, 1) * 100
    yield Figure(f"{name}: failed", failed, "%", at_most=ERROR_BAR, remark=told.example or pings.example)
    for kind, times in told.times.items():
        yield Figure(f"{name}: {kind}, p50", times.at(0.5), "ms", reference=pings.times["ping"].at(0.5))
        yield Figure(f"{name}: {kind}, p99", times.at(0.99), "ms", reference=pings.times["ping"].at(0.99))
    peak = max(server.held().peak for server in servers)
    yield Figure(f"{name}: memory of a server, at most", peak, "MB", at_most=RSS_BAR)


if __name__ == "__main__":
    sys.exit(main())
