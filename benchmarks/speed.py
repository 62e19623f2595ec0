"""Speed, start and memory of the product, each beside the bare engine or a trivial server in the same run.

    ./dev bench speed [--notes 10000,100000] [--only PART] [--keep FOLDER] [--disk FOLDER] [--json]

Parts: search, write, call, start, memory. Notes come from a seeded generator; ``--keep`` keeps the filled stores for
the next run, ``--disk`` says where writes are flushed to (default: beside the repository). Searches are told in CPU
time of the thread, which is what an idle machine would take; other times are wall times, taken in turns with the
reference.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from benchmarks.common.progress import say
from benchmarks.common.report import Figure, print_report
from benchmarks.common.stores import temporary_folder
from benchmarks.speeds import rpc
from benchmarks.speeds.filled_store import fill
from benchmarks.speeds.mcp_calls import call_figures
from benchmarks.speeds.memory import memory_figures
from benchmarks.speeds.search import search_figures
from benchmarks.speeds.start import start_figures
from benchmarks.speeds.writes import write_figures

DEFAULT_NOTES = "10000,100000"
PARTS = ("search", "write", "call", "start", "memory")
_NEEDS = {"call": "mcp", "start": "mcp", "memory": "serve"}
"""The command that a part drives."""


def main(arguments: list[str] | None = None) -> int:
    """Measures what the arguments ask for; the exit code: 1 where a bar is missed."""
    parser = argparse.ArgumentParser(prog="./dev bench speed", description="Speed, start and memory.")
    parser.add_argument("--notes", default=DEFAULT_NOTES, help=f"sizes of the store (default: {DEFAULT_NOTES})")
    parser.add_argument("--only", choices=PARTS, help="measure this part alone")
    parser.add_argument("--keep", type=Path, help="a folder that keeps the filled stores")
    parser.add_argument("--disk", help="a folder on the disk that writes are to be flushed to")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args(arguments)
    parts = [given.only] if given.only else list(PARTS)
    absent = [part for part in parts if part in _NEEDS and not rpc.has_command(_NEEDS[part])]
    for part in absent:
        say(f"Not measured: {part} ('notewell {_NEEDS[part]}' does not start here).")
    sizes = sorted(int(size.replace("_", "")) for size in given.notes.split(","))
    figures = list(_figures([part for part in parts if part not in absent], sizes, given.keep, given.disk))
    return print_report("Speed", figures, as_json=given.json)


def _figures(parts: list[str], sizes: list[int], keep: Path | None, disk: str | None) -> Iterator[Figure]:
    per_size: dict[str, Callable[[Path], list[Figure]]] = {
        "search": search_figures,
        "write": lambda home: write_figures(home, disk),
        "memory": memory_figures,
    }
    with temporary_folder(in_memory=True) as folder:
        for size in sizes if set(parts) & set(per_size) else []:
            with _filled(keep, size) as home:
                for part in parts:
                    if part in per_size:
                        yield from (_of_size(figure, size) for figure in per_size[part](home))
        if "call" in parts:
            yield from call_figures(folder)
        if "start" in parts:
            yield from start_figures(folder)


def _of_size(figure: Figure, size: int) -> Figure:
    return replace(figure, name=f"{size:,}: {figure.name}")


@contextmanager
def _filled(keep: Path | None, size: int) -> Iterator[Path]:
    """The data folder of a store with so many notes."""
    with temporary_folder(in_memory=True) as folder:
        home = (keep or folder) / f"{size}-notes"
        fill(home, size)
        yield home


if __name__ == "__main__":
    sys.exit(main())
