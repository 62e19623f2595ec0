"""Two ways of doing one thing, timed in turns, so that whatever else the machine does hits both alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

Work = Callable[[], object]


@dataclass(slots=True)
class Times:
    """How long one thing took, each time it was done, in milliseconds."""

    cpu: list[float] = field(default_factory=list)
    """Of the calling thread: what an idle machine would take, where nothing waits for a disk."""
    wall: list[float] = field(default_factory=list)

    def run(self, work: Work) -> None:
        """Does it once and keeps the times."""
        cpu, wall = time.thread_time_ns(), time.perf_counter_ns()
        work()
        self.cpu.append((time.thread_time_ns() - cpu) / 1e6)
        self.wall.append((time.perf_counter_ns() - wall) / 1e6)

    @property
    def cpu_p50(self) -> float:
        """The median of CPU times."""
        return median(self.cpu)

    @property
    def wall_p50(self) -> float:
        """The median of wall times."""
        return median(self.wall)


def interleaved(pairs: Sequence[tuple[Work, Work]], rounds: int) -> tuple[Times, Times]:
    """The times of the first and of the second work of each pair: A B, then B A, …; the first round is not counted."""
    first, second = Times(), Times()
    for number in range(-1, rounds):
        for one, other in pairs:
            targets = (first, second) if number >= 0 else (Times(), Times())
            turns = [(targets[0], one), (targets[1], other)]
            for times, work in turns if number % 2 else reversed(turns):
                times.run(work)
    return first, second
