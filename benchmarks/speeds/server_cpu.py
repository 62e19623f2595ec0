"""The CPU time of a PostgreSQL server's process, read from the kernel: the server must run on this machine (Linux).

It must not know what is asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

Work = Callable[[], object]


def cpu_nanoseconds(pid: int) -> int:
    """What a process has had of the CPU since it began."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


@dataclass(slots=True)
class ServerTimes:
    """How long one thing took, each time it was done, in milliseconds."""

    pid: int
    """Of the server's process that does it."""
    cpu: list[float] = field(default_factory=list)
    """Of that process."""
    wall: list[float] = field(default_factory=list)

    def run(self, work: Work, *, counts: bool = True) -> None:
        """Does it once; keeps the times unless it only warms up."""
        cpu, wall = cpu_nanoseconds(self.pid), time.perf_counter_ns()
        work()
        taken = time.perf_counter_ns() - wall
        if counts:
            self.cpu.append((cpu_nanoseconds(self.pid) - cpu) / 1e6)
            self.wall.append(taken / 1e6)

    @property
    def cpu_p50(self) -> float:
        """The median of CPU times."""
        return median(self.cpu)

    @property
    def wall_p50(self) -> float:
        """The median of wall times."""
        return median(self.wall)
