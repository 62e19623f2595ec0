"""The speed of the public record: 100,000 research notes over 200 problems, and publishing a problem of 10,000.

    ./dev bench research [--notes 100000] [--large 10000] [--keep FOLDER] [--json]

Notes come from a seeded generator; ``--keep`` keeps the filled store for the next run. All is told in CPU time of the
thread, which is what an idle machine would take; searches beside the same FTS5 statement run bare, in turns.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.common.report import print_report
from benchmarks.common.stores import temporary_folder
from benchmarks.speeds.filled_record import fill_record
from benchmarks.speeds.research import research_figures


def main(arguments: list[str] | None = None) -> int:
    """Measures what the arguments ask for; the exit code: 1 where a bar is missed."""
    parser = argparse.ArgumentParser(prog="./dev bench research", description="Speed of the public record.")
    parser.add_argument("--notes", type=int, default=100_000, help="notes of public problems (default: 100,000)")
    parser.add_argument("--large", type=int, default=10_000, help="notes of the problem to publish (default: 10,000)")
    parser.add_argument("--keep", type=Path, help="a folder that keeps the filled store")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args(arguments)
    with temporary_folder(in_memory=True) as folder:
        home = (given.keep or folder) / f"record-{given.notes}-{given.large}"
        fill_record(home, given.notes, given.large)
        return print_report("Research", research_figures(home), as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
