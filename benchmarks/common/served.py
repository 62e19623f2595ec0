"""``notewell serve`` as a process of its own, on a free port of this machine."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from benchmarks.speeds import rpc
from notewell.config import DEFAULT_HOST

MEGABYTE = 1_000_000
STARTS_WITHIN_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Held:
    """Resident memory of a process in megabytes."""

    now: float
    peak: float


@dataclass(frozen=True, slots=True)
class Served:
    """A running server."""

    url: str
    pid: int

    def client(self) -> httpx2.Client:
        """Somebody who asks it; whoever opens it closes it."""
        return httpx2.Client(base_url=self.url, timeout=60)

    def held(self) -> Held:
        """What the system says of its memory."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        kilobytes = {name: int(fields[name].split()[0]) for name in ("VmRSS", "VmHWM")}
        return Held(kilobytes["VmRSS"] * 1024 / MEGABYTE, kilobytes["VmHWM"] * 1024 / MEGABYTE)


@contextmanager
def served(home: Path, **environment: str) -> Iterator[Served]:
    """A server of a data folder that answers; raises ``RuntimeError`` where it does not within a minute."""
    with socket.socket() as free:
        free.bind((DEFAULT_HOST, 0))
        port = free.getsockname()[1]
    command = [*rpc.NOTEWELL, "serve", "--host", DEFAULT_HOST, "--port", str(port)]
    process = subprocess.Popen(
        command,
        env={**rpc.environment(home), "NOTEWELL_EMBEDDER": "none", **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        running = Served(f"http://{DEFAULT_HOST}:{port}", process.pid)
        _wait(running, process)
        yield running
    finally:
        process.terminate()
        process.wait(30)


def _wait(running: Served, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + STARTS_WITHIN_SECONDS
    with running.client() as client:
        while process.poll() is None and time.monotonic() < until:
            try:
                client.get("/api/health")
            except httpx2.TransportError:
                time.sleep(0.1)
            else:
                return
    raise RuntimeError("notewell serve did not answer")
