"""Search by meaning: time and memory over many vectors, writes beside a worker, and one model for five servers.

    ./dev bench semantic [--notes 100000] [--only PART] [--keep FOLDER] [--disk FOLDER] [--json]

Parts: search, write, servers. Vectors are synthetic (384 numbers, random around a common mean) and questions cost
nothing, so what is timed is the search through the service. Times are CPU times of the thread, which is what an idle
machine takes; wall times stand in the remark. ``servers`` needs the default model.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.common.progress import say
from benchmarks.common.report import Figure, print_report
from benchmarks.common.stores import temporary_folder
from benchmarks.speeds.embedding_writes import paired_write_figure
from benchmarks.speeds.semantic import claim_figure, fill, search_figures
from benchmarks.speeds.shared_model import shared_model_figures
from notewell.embedders.local import missing_package

PARTS = ("search", "write", "servers")


def main(arguments: list[str] | None = None) -> int:
    """Measures what the arguments ask for; the exit code: 1 where a bar is missed."""
    parser = argparse.ArgumentParser(prog="./dev bench semantic", description="Search by meaning.")
    parser.add_argument("--notes", default="100000", help="sizes of the store (default: 100000)")
    parser.add_argument("--only", choices=PARTS, help="measure this part alone")
    parser.add_argument("--keep", type=Path, help="a folder that keeps the filled stores")
    parser.add_argument("--disk", help="a folder on the disk that writes are to be flushed to")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args(arguments)
    sizes = [int(size.replace("_", "")) for size in given.notes.split(",")]
    parts = [given.only] if given.only else list(PARTS)
    return print_report("Semantic", list(_figures(parts, sizes, given.keep, given.disk)), as_json=given.json)


def _figures(parts: list[str], sizes: list[int], keep: Path | None, disk: str | None) -> Iterator[Figure]:
    for size in sizes if "search" in parts else []:
        with temporary_folder(in_memory=True) as folder:
            home = (keep or folder) / f"{size}-vectors"
            fill(home, size)
            for figure in (*search_figures(home, size), claim_figure(home, size)):
                yield replace(figure, name=f"{size:,}: {figure.name}")
    if "write" in parts:
        with temporary_folder(in_memory=False, on=disk) as folder:
            yield paired_write_figure(folder)
    if "servers" in parts:
        if missing_package() is not None:
            say("Not measured: servers (the default model is not installed).")
            return
        with temporary_folder(in_memory=False, on=disk) as folder:
            yield from shared_model_figures(folder.resolve())


if __name__ == "__main__":
    sys.exit(main())
