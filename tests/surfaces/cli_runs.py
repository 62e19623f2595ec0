"""Running the command line in a test, in this process (the fixture ``run``) or in one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

from click.testing import Result

Run = Callable[..., Result]
Finished: TypeAlias = subprocess.CompletedProcess[bytes]


def read(result: Result) -> dict[str, Any]:
    """The JSON of a result: one line, and nothing else."""
    assert result.stdout.count("\n") == 1
    value = json.loads(result.stdout)
    assert isinstance(value, dict)
    return value


def add(run: Run, title: str = "Fed outlook", *words: str, body: str = "Cuts are priced in.") -> str:
    note_id = read(run("note", "add", title, "--body", body, *words, "--json"))["id"]
    assert isinstance(note_id, str)
    return note_id


def process(
    *words: str, stdin: bytes = b"", environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """One command line in a process of its own."""
    command = [sys.executable, "-m", "notewell", *words]
    return subprocess.run(
        command, input=stdin, capture_output=True, env={**os.environ, **(environment or {})}, timeout=60, check=False
    )
