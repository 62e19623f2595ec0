"""A running server in trouble: what it acknowledged is kept, what fails says so, and its health turns red.

Each fault is done to ``notewell serve`` as a process of its own, over HTTP.
"""

from __future__ import annotations

import resource
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchmarks.common.postgres import start_server, wait_until
from benchmarks.common.served import Served, served

pytestmark = pytest.mark.slow

NOTES = "/api/memory/notes"
RATE = 6_000
"""Requests a minute that a caller has, as ``HttpSettings`` says."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """A server with an empty store in a file."""
    with served(tmp_path) as running:
        yield running


def save(client: httpx2.Client, title: str, body: str = "What it says.") -> httpx2.Response:
    """Saves a note."""
    return client.post(NOTES, json={"title": title, "body": body})


def titles(client: httpx2.Client) -> set[str]:
    """The titles of all notes."""
    found: set[str] = set()
    cursor = None
    while True:
        page = client.get(NOTES, params={"limit": 50, **({"cursor": cursor} if cursor else {})}).raise_for_status()
        answer = page.json()
        found |= {each["title"] for each in answer["cards"]}
        cursor = answer.get("cursor")
        if not cursor:
            return found


def refused(response: httpx2.Response) -> str:
    """The code of an error, whose message shows nothing of the inside."""
    error: dict[str, Any] = response.json()["error"]
    assert "Traceback" not in response.text
    assert "apsw" not in response.text
    assert error["message"]
    return str(error["code"])


def test_a_full_disk_turns_health_red_and_loses_nothing(server: Served, tmp_path: Path) -> None:
    with server.client() as client:
        kept = {title for title in map(str, range(20)) if save(client, title).is_success}
        usual = resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        full = save(client, "on a full disk")
        health = client.get("/api/health")
        read = titles(client)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, usual)

        assert (full.status_code, refused(full)) == (503, "unavailable")
        assert (health.status_code, refused(health)) == (503, "unavailable")
        assert len(kept) == 20
        assert read == kept
        assert save(client, "after").is_success
        assert client.get("/api/health").status_code == 200
        assert titles(client) == {*kept, "after"}


def test_a_damaged_store_answers_or_says_that_it_is_damaged(tmp_path: Path) -> None:
    with served(tmp_path) as running, running.client() as client:
        for number in range(120):
            save(client, f"note {number}", "word " * 200).raise_for_status()
    file = tmp_path / "notewell.db"
    raw = bytearray(file.read_bytes())
    for start in range(4_096 * 8, len(raw) - 4_096, 4_096 * 3):
        raw[start : start + 4_096] = bytes(4_096)
    file.write_bytes(raw)

    with ExitStack() as stack:
        try:
            running = stack.enter_context(served(tmp_path))
        except RuntimeError:
            return  # it said so and did not start
        client = stack.enter_context(running.client())
        answers = [
            client.get(NOTES),
            client.get(NOTES, params={"query": "word"}),
            save(client, "new"),
            client.get("/notes"),
        ]

    assert {each.status_code for each in answers} <= {200, 201, 503}
    told = [each for each in answers if each.status_code == 503]
    assert told
    assert all("damaged" in each.text for each in told)


def test_many_open_connections_keep_nobody_out(server: Served) -> None:
    address = ("127.0.0.1", int(server.url.rpartition(":")[2]))
    with ExitStack() as stack:
        for number in range(500):
            idle = stack.enter_context(socket.create_connection(address, timeout=10))
            if number % 2:  # half of them say something and never come to its end
                idle.sendall(b"POST /api/memory/notes HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{")
        with server.client() as client:
            assert client.get("/api/health").status_code == 200
            assert save(client, "among them").is_success
            assert client.get("/notes").status_code == 200
        assert server.held().now < 250
    with server.client() as client:
        assert titles(client) == {"among them"}


def test_a_slow_client_delays_nobody(server: Served) -> None:
    address = ("127.0.0.1", int(server.url.rpartition(":")[2]))
    body = b'{"title": "slow", "body": "' + b"x" * 300 + b'"}'
    head = f"POST {NOTES} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    with socket.create_connection(address, timeout=30) as slow, server.client() as client:
        slow.sendall(head.encode())
        for place in range(len(body) - 1):
            slow.sendall(body[place : place + 1])
            if place % 10 == 0:
                assert client.get(NOTES, params={"limit": 1}).status_code == 200
        assert titles(client) == set()
        slow.sendall(body[-1:])
        answer = b"".join(iter(lambda: slow.recv(65_536), b""))

        assert answer.startswith(b"HTTP/1.1 201")
        assert titles(client) == {"slow"}


def test_ten_thousand_requests_are_answered_or_told_to_wait(server: Served) -> None:
    statuses: list[int] = []
    lock = threading.Lock()

    def ask(count: int) -> None:
        with server.client() as client:
            mine = []
            for _ in range(count):
                response = client.get("/api/memory/collections")
                mine.append(response.status_code)
                if response.status_code == 429:
                    assert refused(response) == "rate_limited"
                    assert response.headers["retry-after"]
                if len(mine) % 100 == 0:
                    assert client.get("/api/health").status_code == 200
        with lock:
            statuses.extend(mine)

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(ask, [500] * 20))

    assert len(statuses) == 10_000
    assert set(statuses) <= {200, 429}
    assert statuses.count(200) >= RATE


def test_a_model_that_never_answers_leaves_the_rest_alone(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        model = f"http:http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with (
            served(tmp_path, NOTEWELL_EMBEDDER=model, NOTEWELL_EMBEDDER_MODEL="any") as running,
            running.client() as client,
        ):
            assert save(client, "kept").status_code == 201
            assert client.get("/api/health").status_code == 200
            found = client.get(NOTES, params={"query": "kept"})
            meant = client.get(NOTES, params={"query": "kept", "mode": "semantic"})

    assert [each["title"] for each in found.json()["cards"]] == ["kept"]
    assert refused(meant) == "semantic_unavailable"


@pytest.mark.postgres
def test_a_database_that_restarts_under_load_loses_nothing_acknowledged(tmp_path: Path) -> None:
    with start_server() as database:
        database.execute("CREATE DATABASE notewell")
        url = database.url("notewell")
        stop = threading.Event()
        kept: set[str] = set()
        told: set[str] = set()

        def write(name: int) -> None:
            with running.client() as client:
                number = 0
                while not stop.is_set():
                    title = f"{name} {number}"
                    response = save(client, title)
                    if response.is_success:
                        kept.add(title)
                    else:
                        told.add(refused(response))
                    number += 1

        with served(tmp_path, NOTEWELL_DATABASE_URL=url) as running, ThreadPoolExecutor(4) as pool:
            writers = [pool.submit(write, name) for name in range(4)]
            try:
                with running.client() as client:
                    for _ in range(2):
                        before = len(kept)
                        database.stop()
                        database.start()
                        wait_until(partial(lambda before: len(kept) > before + 20, before), "writes go on")
                    stop.set()
                    [each.result() for each in writers]
                    assert client.get("/api/health").status_code == 200
                    there = titles(client)
            finally:
                stop.set()

    assert told <= {"unavailable"}
    assert kept <= there
