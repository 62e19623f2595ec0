"""The worker of the embedding queue, killed between its steps while notes are written.

    ./dev bench worker [--kills 100] [--disk FOLDER] [--json]

What is shown is how many promises were broken: a vector of an old text at any time; after one sweep and an empty queue
a note without its vectors, or a job. The bar is none.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.common.progress import say
from benchmarks.common.report import Figure, print_report
from benchmarks.common.stores import temporary_folder
from benchmarks.drills.worker_kills import worker_kills

SHOWN_PROBLEMS = 10


def main(arguments: list[str] | None = None) -> int:
    """Runs the drill; the exit code: 1 where a promise was broken."""
    parser = argparse.ArgumentParser(prog="./dev bench worker", description="Kills of the worker.")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--disk", help="a folder on the disk to write to (default: beside the repository)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args(arguments)
    with temporary_folder(in_memory=False, on=given.disk) as home:
        outcome = worker_kills(home, given.kills)
    for problem in outcome.problems[:SHOWN_PROBLEMS]:
        say(problem)
    remark = f"{outcome.writes:,} writes in {outcome.seconds:.1f} s"
    figure = Figure(f"worker killed {given.kills} times", len(outcome.problems), at_most=0.0, remark=remark)
    return print_report("Broken promises", [figure], as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
