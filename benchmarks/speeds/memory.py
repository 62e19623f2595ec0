"""What the web server holds in memory after searches over many notes."""

from __future__ import annotations

import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import httpx2

from benchmarks.common.report import Figure
from benchmarks.common.stores import file_of
from benchmarks.speeds import rpc
from benchmarks.speeds.queries import QueryMaker
from notewell.app import App
from notewell.config import DEFAULT_HOST, Config

MEGABYTE = 1_000_000
RSS_BAR = 250.0
"""DESIGN 13: megabytes with 100,000 notes, without a model."""
STARTS_WITHIN_SECONDS = 60
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Held:
    """Resident memory of a process in megabytes."""

    now: float
    peak: float


def memory_figures(home: Path) -> list[Figure]:
    """Resident memory of ``notewell serve`` when it is ready, and after some hundred searches over REST."""
    texts = _texts(home)
    with socket.socket() as free:
        free.bind((DEFAULT_HOST, 0))
        port = free.getsockname()[1]
    command = [*rpc.NOTEWELL, "serve", "--host", DEFAULT_HOST, "--port", str(port)]
    environment = {**rpc.environment(home), "NOTEWELL_EMBEDDER": "none"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with httpx2.Client(base_url=f"http://{DEFAULT_HOST}:{port}", timeout=60) as client:
            _wait(client, process)
            before = _held(process.pid)
            for text in texts * ROUNDS:
                client.get("/api/memory/notes", params={"query": text}).raise_for_status()
            after = _held(process.pid)
    finally:
        process.terminate()
        process.wait(30)
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


def _wait(client: httpx2.Client, process: subprocess.Popen[bytes]) -> None:
    """Returns when the server answers; raises ``RuntimeError`` where it ends before or takes too long."""
    until = time.monotonic() + STARTS_WITHIN_SECONDS
    while process.poll() is None and time.monotonic() < until:
        try:
            client.get("/api/memory/collections").raise_for_status()
        except httpx2.TransportError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("notewell serve did not answer")


def _held(pid: int) -> Held:
    """What the system says of the process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    kilobytes = {name: int(fields[name].split()[0]) for name in ("VmRSS", "VmHWM")}
    return Held(kilobytes["VmRSS"] * 1024 / MEGABYTE, kilobytes["VmHWM"] * 1024 / MEGABYTE)
