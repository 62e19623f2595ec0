"""The web tier holds no state: two servers and two workers on one database answer as one does."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import postgres_stores
import pytest
from clients import Json, Surface, environment_of, mcp_surface, open_surface, rest_at
from test_parity import REFERENCE, session

pytestmark = [pytest.mark.slow, pytest.mark.postgres]

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


@contextmanager
def process(*words: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A command of ours that runs until the end."""
    command = [sys.executable, "-m", "notewell", *words]
    started = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        yield started
    finally:
        started.terminate()
        started.communicate(timeout=20)


@contextmanager
def server(environment: dict[str, str]) -> Iterator[str]:
    """The address of ``notewell serve`` on a free port."""
    with process("serve", "--port", "0", **environment) as started:
        assert started.stderr is not None
        for line in started.stderr:
            if found := _ADDRESS.search(line):
                yield found.group()
                return
        raise AssertionError("the server did not start")


@pytest.fixture
def addresses(tmp_path: Path) -> Iterator[list[str]]:
    """Two servers, beside which two workers work."""
    url = postgres_stores.new_database()
    with ExitStack() as stack:
        homes = [tmp_path / str(number) for number in range(4)]
        environments = [{**environment_of(home), "NOTEWELL_DATABASE_URL": url} for home in homes]
        found = [stack.enter_context(server(each)) for each in environments[:2]]
        for each in environments[2:]:
            stack.enter_context(process("worker", **each))
        yield found


@dataclass
class RoundRobin:
    """A balancer: each call goes to the next server."""

    surfaces: Iterator[Surface]

    def call(self, operation_name: str, arguments: Json) -> Json:
        """The answer of the server whose turn it is."""
        return next(self.surfaces).call(operation_name, arguments)


@pytest.mark.report("F13")
@pytest.mark.parametrize("kind", ["rest", "mcp"])
def test_a_session_through_a_balancer_is_answered_as_one_server_answers(
    kind: str, addresses: list[str], tmp_path: Path
) -> None:
    with open_surface(REFERENCE, tmp_path / "reference") as surface:
        reference = session(surface)
    with ExitStack() as stack:
        surfaces: list[Surface] = []
        for url in addresses:
            if kind == "rest":
                surfaces.append(stack.enter_context(rest_at(url)))
            else:
                surfaces.append(stack.enter_context(mcp_surface(f"{url}/mcp", "2026")))
        transcript = session(RoundRobin(cycle(surfaces)))

    for expected, answered in zip(reference, transcript, strict=True):
        assert answered == expected
