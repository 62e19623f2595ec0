"""Clients that call tools over MCP HTTP without a pause, each with its own token, and what became of their calls."""

from __future__ import annotations

import asyncio
import json
import random
import time
from dataclasses import dataclass, field
from typing import Any

import httpx2

from benchmarks.speeds.natural_notes import NoteMaker

REVISION = "2025-11-25"
TIMEOUT_SECONDS = 30.0
TURN = ("search",) * 7 + ("read",) * 2 + ("write",)
"""What a client does in ten calls, in an order of its own."""
WORDS = (
    "market",
    "rate",
    "model",
    "agent",
    "降息",
    "search note",
    "plan OR draft",
    "nothingofthekind",
    "re*",
    '"the rate"',
)


@dataclass(slots=True)
class Times:
    """How long calls took, in milliseconds."""

    taken: list[float] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many there were."""
        return len(self.taken)

    def at(self, share: float) -> float:
        """What so great a share of the calls did not exceed."""
        ordered = sorted(self.taken)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0


@dataclass(slots=True)
class Told:
    """What became of the calls of all clients."""

    seconds: float
    times: dict[str, Times]
    failed: int = 0
    example: str = ""
    """What one of the failed calls was told."""

    @property
    def calls(self) -> int:
        """How many were made."""
        return sum(each.count for each in self.times.values())


def run_clients(urls: list[str], tokens: list[str], seconds: float, *, only_pings: bool = False) -> Told:
    """Lets one client for each token call for so long; the servers take turns."""
    return asyncio.run(_run(urls, tokens, seconds, only_pings=only_pings))


async def _run(urls: list[str], tokens: list[str], seconds: float, *, only_pings: bool) -> Told:
    kinds = ("ping",) if only_pings else ("search", "read", "write")
    told = Told(seconds, {kind: Times() for kind in kinds})
    until = time.monotonic() + seconds
    clients = [_Client(urls[number % len(urls)], token, number, told) for number, token in enumerate(tokens)]
    await asyncio.gather(*(each.ping(until) if only_pings else each.work(until) for each in clients))
    return told


class _Client:
    def __init__(self, url: str, token: str, number: int, told: Told) -> None:
        self._url, self._told = url, told
        self._headers = {
            "authorization": f"Bearer {token}",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": REVISION,
        }
        self._random = random.Random(number)
        self._notes = NoteMaker(seed=1_000 + number).notes(100_000)
        self._ids: list[str] = []

    async def work(self, until: float) -> None:
        async with httpx2.AsyncClient(headers=self._headers, timeout=TIMEOUT_SECONDS, verify=False) as http:
            while time.monotonic() < until:
                for kind in self._random.sample(TURN, len(TURN)):
                    await self._call(http, kind)

    async def ping(self, until: float) -> None:
        async with httpx2.AsyncClient(headers=self._headers, timeout=TIMEOUT_SECONDS, verify=False) as http:
            while time.monotonic() < until:
                await self._timed(http, "ping", "ping", {})

    async def _call(self, http: httpx2.AsyncClient, kind: str) -> None:
        if kind == "read" and not self._ids:
            kind = "search"
        tool, arguments = self._wanted(kind)
        result = await self._timed(http, kind, "tools/call", {"name": tool, "arguments": arguments})
        cards = result.get("structuredContent", {}).get("cards", [])
        self._ids = [card["id"] for card in cards[:3]] or self._ids

    def _wanted(self, kind: str) -> tuple[str, dict[str, Any]]:
        if kind == "search":
            return "notesSearch", {"query": self._random.choice(WORDS), "limit": 10}
        if kind == "read":
            return "noteRead", {"ids": self._ids}
        draft = next(self._notes).draft
        return "noteCreate", {"title": draft.title, "body": draft.body, "summary": draft.summary}

    async def _timed(self, http: httpx2.AsyncClient, kind: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request; an empty one where it failed."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        begun = time.perf_counter()
        try:
            response = await http.post(f"{self._url}/mcp", json=message)
            response.raise_for_status()
            answer: dict[str, Any] = response.json()
        except (httpx2.HTTPError, json.JSONDecodeError) as error:
            answer = {"error": repr(error)}
        self._told.times[kind].taken.append((time.perf_counter() - begun) * 1000)
        result: dict[str, Any] = answer.get("result", {})
        if "error" in answer or result.get("isError"):
            self._told.failed += 1
            self._told.example = str(answer)[:200]
        return result
