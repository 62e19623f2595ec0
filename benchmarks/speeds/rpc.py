"""A stdio server as a process that answers JSON-RPC lines, with nothing between it and the clock.

For what the SDK's own client would blur: the time of a start, and the CPU that the server alone takes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from benchmarks.common.stores import REPOSITORY

REVISIONS = ("2025-11-25", "2026-07-28")
MODERN = "2026-07-28"
NOTEWELL = [sys.executable, "-m", "notewell"]
NOTEWELL_MCP = [*NOTEWELL, "mcp"]
TRIVIAL = [sys.executable, "-m", "benchmarks.speeds.trivial_server"]
_CLIENT = {"name": "benchmark", "version": "1"}


def environment(home: Path) -> dict[str, str]:
    """This process's environment with the data folder."""
    return {**os.environ, "NOTEWELL_HOME": str(home)}


def has_command(name: str) -> bool:
    """Whether ``notewell NAME`` exists."""
    ran = subprocess.run([*NOTEWELL, name, "--help"], capture_output=True, check=False, timeout=60)
    return ran.returncode == 0


@dataclass(frozen=True, slots=True)
class Spent:
    """What a process had taken when it was stopped, in milliseconds."""

    wall: float
    cpu: float


class StdioServer:
    """A server process that has been started just now."""

    def __init__(self, command: list[str], home: Path) -> None:
        self._begun = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(home),
        )
        self._requests = 0

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    def greet(self, revision: str) -> None:
        """Opens a session as a client of that revision does, up to the list of tools."""
        if revision == MODERN:
            self.ask(revision, "server/discover", {})
        else:
            hello = {"protocolVersion": revision, "capabilities": {}, "clientInfo": _CLIENT}
            self.ask(revision, "initialize", hello)
            self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.ask(revision, "tools/list", {})

    def ask(self, revision: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request; raises ``RuntimeError`` where the server ends or answers with an error."""
        if revision == MODERN:
            meta = {"protocolVersion": revision, "clientInfo": _CLIENT, "clientCapabilities": {}}
            params = {**params, "_meta": {f"io.modelcontextprotocol/{name}": value for name, value in meta.items()}}
        self._requests += 1
        self._send({"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params})
        for line in self._pipes()[1]:
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._requests:
                if "result" not in answer:
                    raise RuntimeError(f"{method} at {revision}: {answer.get('error')}")
                result: dict[str, Any] = answer["result"]
                return result
        raise RuntimeError(f"the server ended while it was asked for {method}")

    def _send(self, message: dict[str, Any]) -> None:
        stdin, _ = self._pipes()
        stdin.write(json.dumps(message).encode() + b"\n")
        stdin.flush()

    def cpu(self) -> float:
        """Milliseconds of CPU that the process has taken so far."""
        folder = Path("/proc", str(self._process.pid), "task")
        return sum(int(file.read_text().split()[0]) for file in folder.glob("*/schedstat")) / 1e6

    def stop(self) -> Spent:
        """Ends the process at once; what it had taken until now."""
        wall = 1000 * (time.perf_counter() - self._begun)
        self._process.kill()
        _, _, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = 0
        for pipe in self._pipes():
            pipe.close()
        return Spent(wall, 1000 * (usage.ru_utime + usage.ru_stime))


def spent_by(command: list[str], home: Path) -> Spent:
    """What a command takes from its start to its end."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(home))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return Spent(1000 * (time.perf_counter() - begun), 1000 * (usage.ru_utime + usage.ru_stime))
