"""The examples of the pages run, each page's in a folder of its own, and show what the pages say that they show.

What differs from run to run does not count: ids, times, tokens, the sizes of files; ``…`` stands for any text.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from page_blocks import PAGES, ROOT, Example, examples_of, name_of

pytestmark = pytest.mark.outer

WITH_EXAMPLES = [page for page in PAGES if examples_of(page)]
_DIFFERS = (
    (re.compile(r"\b(nte|acc|tok|att|prb|cmp|col)_[0-9a-z]{10,}"), r"\1_ID"),
    (re.compile(r"\bnw_[\w-]{20,}"), "TOKEN"),
    (re.compile(r"\b\d{8}T\d{6}\.\d{3}Z|\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?"), "TIME"),
    (re.compile(r"\b[\d,]+ bytes"), "N bytes"),
    (re.compile(r"SQLite [\d.]+"), "SQLite N"),
)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A new user's: an empty home, no settings of Notewell, and its command where the pages say that it is."""
    commands = tmp_path / ".venv" / "bin"
    commands.mkdir(parents=True)
    command = commands / "notewell"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m notewell "$@"\n')
    command.chmod(0o755)
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("NOTEWELL_", "XDG_"))}
    return {
        **plain,
        "HOME": str(tmp_path),
        "PATH": f"{commands}:{plain['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "NOTEWELL_HOME": str(tmp_path / "notes"),
        "NOTEWELL_EMBEDDER": "none",
        "LANG": "C.UTF-8",
    }


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
def test_the_examples_of_a_page_do_what_it_says(page: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    for example in examples_of(page):
        assert difference(example, tmp_path, environment) is None


def difference(example: Example, folder: Path, environment: dict[str, str]) -> str | None:
    """What an example does otherwise than its page says; None where it does the same."""
    run = subprocess.run(
        ["sh", "-e", "-c", example.command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    is_refusal = example.shown is not None and example.shown.startswith("error:")
    if (run.returncode != 0) != is_refusal:
        return f"{example.command} exits with {run.returncode}:\n{run.stdout}"
    if example.shown is not None and not shows(example.shown, run.stdout.replace(str(folder), "~")):
        return f"{example.command} shows\n{run.stdout}"
    return None


def shows(page: str, output: str) -> bool:
    """Whether an output is what a page shows, as far as it can be the same twice."""
    parts = [re.escape(part) for part in _alike(page).split("…")]
    return re.fullmatch(".*".join(parts), _alike(output), re.DOTALL) is not None


def _alike(text: str) -> str:
    for pattern, name in _DIFFERS:
        text = pattern.sub(name, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def test_the_pages_that_begin_have_examples_that_run() -> None:
    assert {"README.md", "docs/start/first-ten-minutes.md"} <= set(map(name_of, WITH_EXAMPLES))


def test_an_example_that_does_something_else_is_found(tmp_path: Path, environment: dict[str, str]) -> None:
    for example in (
        Example("notewell --version", "notewell 9.9.9"),
        Example("notewell note show nte_0000000000", None),
        Example("notewell --version", "error: …"),
    ):
        assert difference(example, tmp_path, environment) is not None
    for example in (
        Example("notewell --version", "notewell …"),
        Example("NOTEWELL_HOME=nowhere notewell backup notes.db", "error: There is no store at …"),
        Example("echo nte_06h31mg452r7kwv2 2026-12-01 16:32Z", "nte_bz5zzbpht3kdkcd1 2025-01-01 00:00Z\n"),
    ):
        assert difference(example, tmp_path, environment) is None
