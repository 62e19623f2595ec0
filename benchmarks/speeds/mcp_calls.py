"""What a call of noteRead costs beside a trivial tool on the same SDK: real client sessions over stdio, in turns."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from benchmarks.common.report import Figure
from benchmarks.common.stores import REPOSITORY
from benchmarks.speeds import rpc
from benchmarks.speeds.trivial_server import TOOL
from notewell.app import App
from notewell.config import Config
from notewell.domain.notes import Draft
from notewell.services import memory

ROUNDS = 12
CALLS = 20
"""Calls in one turn."""
RATIO_BAR = 2.0
"""DESIGN 13: at most twice a trivial tool."""


def call_figures(folder: Path) -> list[Figure]:
    """Round trips through the SDK's client, and the CPU of the server alone, for both protocol revisions."""
    home = folder / "calls"
    note_id = _one_note(home)
    figures = [anyio.run(_round_trips, revision, home, note_id) for revision in rpc.REVISIONS]
    return [*figures, *(_server_cpu(revision, home, note_id) for revision in rpc.REVISIONS)]


def _one_note(home: Path) -> str:
    app = App(Config(home))
    draft = Draft("Rate decision", "The committee kept the rate; the next date is in March.", "What was decided.")
    made = memory.create(app.store, app.default_actor(), draft)
    app.close()
    return made.view.note.id


async def _round_trips(revision: str, home: Path, note_id: str) -> Figure:
    mode = revision if revision == rpc.MODERN else "legacy"
    async with AsyncExitStack() as stack:
        clients = []
        for command in (rpc.NOTEWELL_MCP, rpc.TRIVIAL):
            server = StdioServerParameters(
                command=command[0], args=command[1:], env=rpc.environment(home), cwd=REPOSITORY
            )
            client = await stack.enter_async_context(Client(server, mode=mode))
            await client.list_tools()
            clients.append(client)
        ours, theirs = await _in_turns(
            _checked(clients[0], "noteRead", {"ids": [note_id]}), _checked(clients[1], TOOL, {})
        )
    return Figure(
        f"call, client's round trip, {revision}",
        median(ours),
        "ms",
        reference=median(theirs),
        at_most=RATIO_BAR,
        bar_on="ratio",
        remark=f"fastest {min(ours):.2f} / {min(theirs):.2f} ms",
    )


def _checked(client: Client, tool: str, arguments: dict[str, Any]) -> Callable[[], Awaitable[None]]:
    async def call() -> None:
        result = await client.call_tool(tool, arguments)
        if result.is_error:
            raise RuntimeError(f"{tool} failed: {result.content}")

    return call


async def _in_turns(
    one: Callable[[], Awaitable[None]], other: Callable[[], Awaitable[None]]
) -> tuple[list[float], list[float]]:
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(-1, ROUNDS):
        turns = [(times[0], one), (times[1], other)]
        for kept, call in turns if number % 2 else reversed(turns):
            for _ in range(CALLS):
                begun = time.perf_counter()
                await call()
                if number >= 0:
                    kept.append(1000 * (time.perf_counter() - begun))
    return times


def _server_cpu(revision: str, home: Path, note_id: str) -> Figure:
    """CPU of the server process for one call, without any client's own work."""
    servers = [rpc.StdioServer(command, home) for command in (rpc.NOTEWELL_MCP, rpc.TRIVIAL)]
    asked = [
        {"name": "noteRead", "arguments": {"ids": [note_id]}},
        {"name": TOOL, "arguments": {}},
    ]
    spent: list[list[float]] = [[], []]
    for server in servers:
        server.greet(revision)
    for number in range(-1, ROUNDS):
        for server, params, kept in zip(servers, asked, spent, strict=True):
            before = server.cpu()
            for _ in range(CALLS):
                server.ask(revision, "tools/call", params)
            if number >= 0:
                kept.append((server.cpu() - before) / CALLS)
    for server in servers:
        server.stop()
    return Figure(
        f"call, CPU of the server, {revision}",
        median(spent[0]),
        "ms",
        reference=median(spent[1]),
        at_most=RATIO_BAR,
        bar_on="ratio",
    )
