"""Writer processes, started together and read from: what the drills see of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.common.stores import REPOSITORY


@dataclass(frozen=True, slots=True)
class Kept:
    """A write that was acknowledged: the note holds the word."""

    note_id: str
    word: str


@dataclass(slots=True)
class Told:
    """What a writer said before it ended."""

    kept: list[Kept] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


class Writer:
    """One writer process; it begins when it is told to go."""

    def __init__(self, home: Path, name: str, *options: str) -> None:
        command = [sys.executable, "-m", "benchmarks.drills.writer", str(home), name, *options]
        self._process = subprocess.Popen(
            command,
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._first = ""

    def wait_ready(self) -> None:
        """Returns when the process has loaded everything and waits for ``go``."""
        if self._stdout.readline().strip() != "ready":
            raise RuntimeError(f"the writer did not start: {self._process.communicate()[1]}")

    def go(self) -> None:
        """Lets it begin."""
        self._stdin.write("go\n")
        self._stdin.flush()

    def wait_first(self) -> None:
        """Returns when the first write is acknowledged, or the process ended."""
        self._first = self._stdout.readline()

    def kill(self) -> None:
        """Ends the process as a crash does."""
        self._process.kill()

    def told(self) -> Told:
        """Everything that the process said, when it has ended; a line that was cut by its end counts for nothing."""
        out, errors = self._process.communicate()
        told = Told()
        for line in (self._first + out).splitlines(keepends=True):
            kind, _, rest = line.rstrip("\n").partition(" ")
            if kind == "kept" and line.endswith("\n"):
                told.kept.append(Kept(*rest.split(" ", 1)))
            elif kind == "failed":
                told.failures.append(rest)
        if errors.strip():
            told.failures.append(errors.strip().splitlines()[-1])
        return told


def run_together(writers: Iterable[Writer]) -> list[Told]:
    """Lets all of them go at once, and waits for their ends."""
    ready = list(writers)
    for writer in ready:
        writer.wait_ready()
    for writer in ready:
        writer.go()
    return [writer.told() for writer in ready]
