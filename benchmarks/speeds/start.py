"""How long the stdio server takes to its first answers, beside a trivial server; and what the command line takes."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from benchmarks.common.progress import progressing
from benchmarks.common.report import Figure
from benchmarks.speeds import rpc
from notewell.app import App
from notewell.config import Config

ROUNDS = 9
RATIO_BAR = 1.3
"""DESIGN 13: at most 1.3 times a trivial server on the same SDK."""
VERSION_BAR = 60.0
"""DESIGN 10: milliseconds of CPU of ``notewell --version``."""


def start_figures(folder: Path) -> list[Figure]:
    """From the start of the process to the list of tools, as clients of both revisions open a session."""
    home = folder / "start"
    App(Config(home)).close()
    figures = []
    for revision in rpc.REVISIONS:
        ours: list[rpc.Spent] = []
        theirs: list[rpc.Spent] = []
        for number in progressing(range(-1, ROUNDS), f"starting, {revision}"):
            turns = [(ours, rpc.NOTEWELL_MCP), (theirs, rpc.TRIVIAL)]
            for kept, command in turns if number % 2 else reversed(turns):
                server = rpc.StdioServer(command, home)
                server.greet(revision)
                spent = server.stop()
                if number >= 0:
                    kept.append(spent)
        figures += _compared(revision, ours, theirs)
    return [*figures, version_figure(home)]


def _compared(revision: str, ours: list[rpc.Spent], theirs: list[rpc.Spent]) -> list[Figure]:
    return [
        Figure(
            f"start to tools/list, {kind}, {revision}",
            median(getattr(spent, kind) for spent in ours),
            "ms",
            reference=median(getattr(spent, kind) for spent in theirs),
            at_most=RATIO_BAR,
            bar_on="ratio",
            remark=f"fastest {min(getattr(each, kind) for each in ours):.0f} / "
            f"{min(getattr(each, kind) for each in theirs):.0f} ms",
        )
        for kind in ("cpu", "wall")
    ]


def version_figure(home: Path) -> Figure:
    """CPU of ``notewell --version``, beside a Python that does nothing."""
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(2 * ROUNDS):
        ours.append(rpc.spent_by([*rpc.NOTEWELL, "--version"], home).cpu)
        theirs.append(rpc.spent_by([sys.executable, "-c", "pass"], home).cpu)
    return Figure(
        "notewell --version, CPU",
        median(ours),
        "ms",
        reference=median(theirs),
        at_most=VERSION_BAR,
        remark=f"fastest {min(ours):.0f} / {min(theirs):.0f} ms",
    )
