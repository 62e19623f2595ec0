"""Fault drills on one store: many processes, parallel appends, kills, racing first starts, a full disk.

    ./dev bench faults [--writes 1000] [--processes 8] [--kills 100] [--races 20] [--only DRILL] [--disk FOLDER]
                       [--json]

What is shown is how many promises were broken: lost notes, lock errors, differences from a rebuild. The bar is none.
Kills end the process, not the machine: that a power cut loses nothing rests on ``synchronous=FULL`` and the disk.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.common.progress import say
from benchmarks.common.report import Figure, print_report
from benchmarks.common.stores import temporary_folder
from benchmarks.drills import drills
from benchmarks.drills.drills import Outcome
from benchmarks.speeds import rpc

SHOWN_PROBLEMS = 10
APPEND_PROCESSES = 5
APPENDS = 10
FILLED = 1_900
"""So many notes before the first kill that the move into tables of one's own, at 2,001, falls among the kills."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the drills that the arguments ask for; the exit code: 1 where a promise was broken."""
    parser = argparse.ArgumentParser(prog="./dev bench faults", description="Fault drills.")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--writes", type=int, default=1_000, help="by each process")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--races", type=int, default=20)
    parser.add_argument("--disk", help="a folder on the disk to write to (default: beside the repository)")
    parser.add_argument("--only", choices=("processes", "appends", "kills", "races", "full"))
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args(arguments)
    runs: dict[str, tuple[str, Callable[[Path], Outcome]]] = {
        "processes": (
            f"{given.processes} processes x {given.writes:,} writes",
            lambda home: drills.many_processes(home, given.processes, given.writes),
        ),
        "appends": (
            f"{APPEND_PROCESSES * APPENDS} parallel appends to one note",
            lambda home: drills.parallel_appends(home, APPEND_PROCESSES, APPENDS),
        ),
        "kills": (f"kill -9, {given.kills} times", lambda home: drills.kills(home, given.kills, filled=FILLED)),
        "races": (f"{given.races} racing first starts", lambda home: drills.first_starts(home, given.races)),
        "full": ("a full disk", drills.full_disk),
    }
    chosen = [given.only] if given.only else list(runs)
    figures = [_figure(*runs[name], given.disk) for name in chosen]
    return print_report("Broken promises", figures, as_json=given.json)


def _figure(name: str, drill: Callable[[Path], Outcome], disk: str | None) -> Figure:
    with temporary_folder(in_memory=False, on=disk) as home:
        outcome = drill(home)
        outcome.problems += _doctor(home)
    for problem in outcome.problems[:SHOWN_PROBLEMS]:
        say(f"{name}: {problem}")
    rate = outcome.writes / outcome.seconds if outcome.seconds else 0.0
    return Figure(
        name,
        len(outcome.problems),
        at_most=0.0,
        remark=f"{outcome.writes:,} acknowledged writes in {outcome.seconds:.1f} s ({rate:.0f}/s)",
    )


def _doctor(home: Path) -> list[str]:
    """What ``notewell doctor`` says of the store, where there is that command and a store."""
    if not (home / "notewell.db").exists() or not rpc.has_command("doctor"):
        return []
    ran = subprocess.run(
        [*rpc.NOTEWELL, "doctor"], env=rpc.environment(home), capture_output=True, text=True, check=False
    )
    return [] if ran.returncode == 0 else [f"doctor: {(ran.stdout + ran.stderr).strip()[-300:]}"]


if __name__ == "__main__":
    sys.exit(main())
