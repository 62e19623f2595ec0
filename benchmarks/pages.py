"""How soon a page begins to come: lists of 5,000 notes and notes of one MiB, over HTTP from ``notewell serve``.

    ./dev bench pages [--notes 5000] [--json]

Each address is asked for once, some seconds after the start, so nothing of it is cached, and nine times more; shown are
the first time and the median of the others, in milliseconds of the clock until the first byte.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import httpx2

from benchmarks.common.report import Figure, print_report
from benchmarks.common.served import served
from benchmarks.common.stores import temporary_folder
from benchmarks.speeds.filled_store import fill
from notewell.app import App
from notewell.config import Config
from notewell.domain.notes import Draft
from notewell.services import accounts, memory, research, research_notes
from notewell.services.research import ProblemDraft

BAR_MILLISECONDS = 200.0
MEBIBYTE = 1 << 20
TIMES = 9
SETTLES_SECONDS = 5.0
"""A server loads its templates and libraries in the background when it starts."""
PROSE = (
    "The committee kept the *rate* because `inflation` stayed below **its** forecast for months, see"
    " [the minutes](https://example.org/{0}); nobody had expected more. 降息预期未变，黄金走强。\n\n"
)
DENSE = (
    PROSE + "## Point {0}\n\n- [x] one\n- two\n\n| a | b |\n|---|---|\n| 1 | {0} |\n\n```python\nrate = {0}\n```\n\n"
)


def main(arguments: list[str] | None = None) -> int:
    """Measures all pages; the exit code: 1 where one begins too late."""
    parser = argparse.ArgumentParser(prog="./dev bench pages", description="The first byte of pages.")
    parser.add_argument("--notes", type=int, default=5_000, help="in the lists (default: 5000)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args(arguments)
    with temporary_folder(in_memory=False) as home:
        fill(home, given.notes)
        addresses = _addresses(home)
        with served(home) as server, server.client() as client:
            time.sleep(SETTLES_SECONDS)
            figures = [figure for name, path in addresses.items() for figure in _figures(client, name, path)]
    return print_report("Pages: time to the first byte", figures, as_json=given.json)


def _addresses(home: Path) -> dict[str, str]:
    """The pages to look at, by what they show."""
    app = App(Config(home))
    actor = app.default_actor()
    prose = memory.create(app.store, actor, Draft("Prose", _text(PROSE))).view.note.id
    dense = memory.create(app.store, actor, Draft("Dense", _text(DENSE))).view.note.id
    line = memory.create(app.store, actor, Draft("One line", "word " * (MEBIBYTE // 5 - 1))).view.note.id
    owner = accounts.local_actor(app.store)
    problem = research.create_problem(app.store, owner, ProblemDraft("large", "Large", "Solve it.", publishes=True))
    attempt, _ = research.start_attempt(app.store, owner, problem.id, "")
    long = research_notes.add_note(app.store, owner, attempt.id, f"---\ntitle: Long\n---\n{_text(PROSE)}").note.id
    app.close()
    return {
        "the first page": "/",
        "the list of notes": "/notes",
        "a search": "/notes?q=rate",
        "a search and a tag": "/notes?q=rate&tag=macro",
        "tags": "/notes/labels?kind=tags",
        "collections": "/notes/collections",
        "the overview": "/overview",
        "the administrators' page": "/admin",
        "a note of 1 MiB, prose": f"/notes/{prose}",
        "a note of 1 MiB, its last part": f"/notes/{prose}?part=99",
        "a note of 1 MiB, tables and code": f"/notes/{dense}",
        "a note of 1 MiB, one line": f"/notes/{line}",
        "a note of 1 MiB, as it is": f"/notes/{prose}/raw",
        "a note of 1 MiB, the editor": f"/notes/{prose}/edit",
        "a note of 1 MiB, its history": f"/notes/{prose}/history",
        "a research note of 1 MiB": f"/research/notes/{long}",
        "its attempt": f"/attempts/{attempt.id}",
        "its problem's notes": "/problems/large/notes",
    }


def _text(unit: str) -> str:
    """About one MiB of paragraphs, each another one."""
    count = (MEBIBYTE - 1_000) // len(unit.format(100_000).encode())
    return "".join(unit.format(number) for number in range(count))


def _figures(client: httpx2.Client, name: str, path: str) -> Iterator[Figure]:
    first = _first_byte(client, path)
    later = median(_first_byte(client, path) for _ in range(TIMES))
    yield Figure(f"{name}, for the first time", first, "ms", at_most=BAR_MILLISECONDS)
    yield Figure(f"{name}, again", later, "ms", at_most=BAR_MILLISECONDS)


def _first_byte(client: httpx2.Client, path: str) -> float:
    begun = time.perf_counter()
    with client.stream("GET", path) as response:
        response.raise_for_status()
        for number, _ in enumerate(response.iter_raw()):
            if number == 0:
                milliseconds = (time.perf_counter() - begun) * 1000
    return milliseconds


if __name__ == "__main__":
    sys.exit(main())
