"""The writer processes of the failover drill, and what they said."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from benchmarks.common.postgres import wait_until
from benchmarks.common.stores import REPOSITORY
from benchmarks.drills.failover_writer import PATIENCE_SECONDS, STOP_NAME, draft_of

WRITER = "benchmarks.drills.failover_writer"
START_SECONDS = 60.0
STOP_SECONDS = PATIENCE_SECONDS + 10
"""A writer that has not ended so long after it was told to stop hangs."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A note that a writer was told is kept."""

    seconds: float
    """When, by the clock that all processes share."""
    note_id: str
    writer: str
    number: int

    @property
    def body(self) -> str:
        """The body that it has."""
        return draft_of(self.writer, self.number).body


@dataclass(slots=True)
class Said:
    """What the writers said altogether."""

    acknowledged: list[Acknowledged] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    """The notes that had been made by a call that failed."""
    failures: Counter[str] = field(default_factory=Counter)
    """How often a call failed with a code and message, and was repeated."""
    problems: list[str] = field(default_factory=list)
    """What ended a writer before it was told to stop or kept it from ending, and what it was told in error."""

    @property
    def longest_gap_seconds(self) -> float:
        """The longest time in which no writer had a note acknowledged."""
        moments = sorted(each.seconds for each in self.acknowledged)
        return max((late - early for early, late in pairwise(moments)), default=0.0)


class FailoverWriter:
    """One writer process; it begins when it is told to go."""

    def __init__(self, url: str, home: Path, name: str) -> None:
        self.name = name
        self._home = home
        # Files, since nobody reads while it writes: a pipe that is full would stop the writer.
        self._out, self._errors = home / f"{name}.out", home / f"{name}.err"
        with self._out.open("wb") as out, self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", WRITER, url, str(home), name],
                cwd=REPOSITORY,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=errors,
            )

    def wait_ready(self) -> None:
        """Returns when the process has opened the store. Raises ``RuntimeError`` where it could not."""
        wait_until(lambda: self._has_begun() or self._process.poll() is not None, "a writer is ready", START_SECONDS)
        if not self._has_begun():
            raise RuntimeError(f"the writer did not start: {self._errors.read_text()[-1000:]}")

    def go(self) -> None:
        """Lets it begin."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"go\n")
        self._process.stdin.close()

    def end(self, said: Said) -> None:
        """Waits for its end, and adds what it said; one that does not end is made to tell where it hangs."""
        try:
            code = self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGUSR1)
            wait_until(lambda: b"most recent call first" in self._errors.read_bytes(), "a stack is shown", 5)
            said.problems.append(f"writer {self.name} hangs: {self._errors.read_text()[-2000:]}")
            code = 0
        self.kill()
        if code:
            said.problems.append(f"writer {self.name} ended with {code}: {self._last_words()}")
        self._read(said)

    def kill(self) -> None:
        """Ends it at once, if it runs."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _has_begun(self) -> bool:
        return self._out.read_bytes().startswith(b"ready\n")

    def _last_words(self) -> str:
        lines = [*self._out.read_text().splitlines(), *self._errors.read_text().splitlines()]
        return lines[-1] if lines else "it said nothing"

    def _read(self, said: Said) -> None:
        for line in self._out.read_text().splitlines(keepends=True):
            kind, _, rest = line.rstrip("\n").partition(" ")
            if not line.endswith("\n"):
                continue  # cut by its end: it counts for nothing
            if kind == "kept":
                seconds, note_id, number = rest.split(" ")
                said.acknowledged.append(Acknowledged(float(seconds), note_id, self.name, int(number)))
            elif kind == "again":
                said.repeated.append(rest)
            elif kind == "untrue":
                said.repeated.append(rest)
                said.problems.append(f"{rest} was kept by a call that said that nothing was changed")
            elif kind == "failed":
                said.failures[rest] += 1


@contextmanager
def writing(url: str, home: Path, writers: int) -> Iterator[Said]:
    """Lets so many processes write while the block runs; what they said is there after it."""
    said = Said()
    started = [FailoverWriter(url, home, chr(ord("a") + number)) for number in range(writers)]
    try:
        for writer in started:
            writer.wait_ready()
        for writer in started:
            writer.go()
        yield said
        (home / STOP_NAME).touch()
        for writer in started:
            writer.end(said)
    finally:
        for writer in started:
            writer.kill()
