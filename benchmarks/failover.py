"""The failover drill: four processes write notes to PostgreSQL, its primary is killed, its standby takes over.

    ./dev bench failover [--writers 4] [--before SECONDS] [--after SECONDS] [--only SCENARIO] [--json]

Shown is how many promises were broken: acknowledged notes lost, notes without their rows for search, notes made twice.
The bar is none, but for what an asynchronous standby may lose; the longest time without an acknowledged note is shown
without a bar. Servers that run on one machine stand for two: a network that parts them is not tried here.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from benchmarks.common.progress import say
from benchmarks.common.report import Figure, print_report
from benchmarks.common.stores import temporary_folder
from benchmarks.drills.failover import SCENARIOS, FailoverOutcome, Load, Scenario, failover

SHOWN_PROBLEMS = 5


def main(arguments: list[str] | None = None) -> int:
    """Runs the scenarios that the arguments ask for; the exit code: 1 where a promise was broken."""
    usual = Load()
    parser = argparse.ArgumentParser(prog="./dev bench failover", description="The failover drill.")
    parser.add_argument("--writers", type=int, default=usual.writers)
    parser.add_argument(
        "--before", type=float, default=usual.before_seconds, help="seconds of writing before the primary is killed"
    )
    parser.add_argument(
        "--after", type=float, default=usual.after_seconds, help="seconds of writing after the standby took over"
    )
    parser.add_argument("--only", choices=tuple(SCENARIOS))
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args(arguments)
    load = Load(given.writers, given.before, given.after)
    figures = []
    for name in [given.only] if given.only else list(SCENARIOS):
        with temporary_folder(in_memory=False) as home:
            figures += _figures(SCENARIOS[name], failover(home, SCENARIOS[name], load))
    return print_report("Failover", figures, as_json=given.json)


def _figures(scenario: Scenario, outcome: FailoverOutcome) -> list[Figure]:
    said, found = outcome.said, outcome.found
    for problem in [*said.problems, *found.lost, *found.unindexed, *found.duplicates][:SHOWN_PROBLEMS]:
        say(f"{scenario.name}: {problem}")
    for failure, times in said.failures.most_common():
        say(f"{scenario.name}: {times} calls were told: {failure}")
    counted = f"{len(said.acknowledged):,} acknowledged"
    retried = f"{said.failures.total()} calls failed, {len(said.repeated)} of them had made their note"
    rows = [
        Figure("lost", len(found.lost), at_most=0.0 if scenario.is_synchronous else None, remark=counted),
        Figure("not as a rebuild indexes it", len(found.unindexed), at_most=0.0),
        Figure("made twice", len(found.duplicates), at_most=0.0, remark=retried),
        Figure("writers failed, hung or misled", len(said.problems), at_most=0.0),
        Figure(
            "longest gap",
            said.longest_gap_seconds,
            "s",
            remark=f"{outcome.promoted_seconds:.1f} s until the standby took writes",
        ),
    ]
    return [replace(row, name=f"{scenario.name}: {row.name}") for row in rows]


if __name__ == "__main__":
    sys.exit(main())
