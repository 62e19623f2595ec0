"""Several stdio servers of one store that search by meaning at once: how many models there are, and who holds what."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common.report import Figure
from benchmarks.speeds import rpc
from notewell.app import App
from notewell.config import Config
from notewell.domain.notes import Draft
from notewell.services import memory

MEGABYTE = 1_000_000
NOTES = {
    "Fed outlook": "The Federal Reserve is expected to cut interest rates in March.",
    "Bread": "Flour, water, salt and yeast, overnight in the fridge.",
    "忘记密码": "如何重置忘记的密码：打开设置，选择账户，点击重置。",
    "Disk": "The backup disk failed its check; replace it this week.",
}
QUESTION, ANSWER = "How do I recover a lost password?", "忘记密码"


@dataclass(frozen=True, slots=True)
class Served:
    """What there was after every server had answered."""

    first_titles: tuple[str, ...]
    """The first card of each server's answer."""
    server_megabytes: tuple[float, ...]
    model_megabytes: tuple[float, ...]
    """Of each process that holds a model."""
    seconds: float
    """From the questions to the last answer, the model's loading included."""


def model_processes(home: Path) -> list[int]:
    """The processes that hold a model for a data folder."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"notewell.embedders.daemon" in words and os.fsencode(home) in words:
                found.append(int(folder.name))
    return found


@contextmanager
def model_ended(home: Path) -> Iterator[None]:
    """Ends the model's processes of a data folder at the end."""
    try:
        yield
    finally:
        for pid in model_processes(home):
            os.kill(pid, signal.SIGKILL)


def held(pid: int) -> float:
    """Resident memory in megabytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith("VmRSS"))
    return int(kilobytes) * 1024 / MEGABYTE


def search_from_many(home: Path, count: int) -> Served:
    """Asks so many stdio servers of one store the same question at once; ``home`` must be absolute."""
    with model_ended(home):
        app = App(Config(home))
        actor = app.default_actor()
        for title, body in NOTES.items():
            memory.create(app.store, actor, Draft(title, body))
        while app.embed_step():
            pass
        app.close()
        for pid in model_processes(home):  # the question finds no model at work
            os.kill(pid, signal.SIGKILL)
        servers = [rpc.StdioServer(rpc.NOTEWELL_MCP, home) for _ in range(count)]
        try:
            for server in servers:
                server.greet(rpc.MODERN)
            begun = time.monotonic()
            with ThreadPoolExecutor(count) as pool:
                titles = tuple(pool.map(_first_title, servers))
            seconds = time.monotonic() - begun
            return Served(
                titles,
                tuple(held(server._process.pid) for server in servers),
                tuple(held(pid) for pid in model_processes(home)),
                seconds,
            )
        finally:
            for server in servers:
                server.stop()


def _first_title(server: rpc.StdioServer) -> str:
    arguments = {"query": QUESTION, "mode": "semantic", "limit": 2}
    result = server.ask(rpc.MODERN, "tools/call", {"name": "notesSearch", "arguments": arguments})
    return str(result["structuredContent"]["cards"][0]["title"])


def shared_model_figures(home: Path, count: int = 5) -> list[Figure]:
    """The memory of each process, with the default model."""
    served = search_from_many(home, count)
    return [
        Figure(
            f"{count} stdio servers searching: models in memory",
            len(served.model_megabytes),
            at_most=1.0,
            at_least=1.0,
            remark=f"{served.seconds:.1f} s with the model's loading",
        ),
        *(Figure(f"stdio server {number}", held_, "MB") for number, held_ in enumerate(served.server_megabytes, 1)),
        *(Figure("the model's process", held_, "MB") for held_ in served.model_megabytes),
    ]
