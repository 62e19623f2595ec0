"""A store that fails and a defect of ours are told with their code, and never with the engine's words or a trace."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, NoReturn

import apsw
import httpx2
import pytest
from clients import ERAS, LOCAL, CliSurface, Json, mcp_surface, open_app, rest_at
from serving import serving

from benchmarks.common.stores import file_of
from notewell.app import App
from notewell.surfaces.mcp import make_server
from notewell.surfaces.server import make_asgi

SECRET = "SELECT secret FROM notes near line 7"
_LEAKS = re.compile(
    r"SELECT|secret|sqlite|apsw|SQL|Traceback|File \"|\.py|RuntimeError|Error:|site-packages|database (?:or|disk|is)"
    r"|disk image",
    re.IGNORECASE,
)
NOTE: Json = {"title": "T", "body": "B", "summary": "S"}


class Fault(NamedTuple):
    """A way in which the store fails, and the words that a caller needs."""

    make: Callable[[App], None]
    says: str
    breaks_reading: bool = False


def _fill_disk(app: App) -> None:
    with file_of(app).connection() as connection:
        connection.execute("PRAGMA max_page_count = 1")


def _make_read_only(app: App) -> None:
    with file_of(app).connection() as connection:
        connection.execute("PRAGMA query_only = ON")


def _damage(app: App) -> None:
    app.store.close()
    file_of(app)._is_closed = False  # the same store goes on with new connections
    for file in app.config.home.glob("notewell.db*"):
        file.write_bytes(b"this is no database " * 1_000)


def _remove(app: App) -> None:
    app.store.close()
    file_of(app)._is_closed = False
    for file in app.config.home.glob("notewell.db*"):
        file.unlink()
    app.config.home.rmdir()


def _lock(app: App) -> None:
    with file_of(app).connection() as connection:
        connection.set_busy_timeout(20)
    other = apsw.Connection(str(app.config.database_path))
    other.execute("BEGIN IMMEDIATE")
    _kept_open.append(other)


_kept_open: list[apsw.Connection] = []

FAULTS = {
    "full": Fault(_fill_disk, "disk is full"),
    "read-only": Fault(_make_read_only, "read-only"),
    "damaged": Fault(_damage, "damaged", breaks_reading=True),
    "removed": Fault(_remove, "missing", breaks_reading=True),
    "busy": Fault(_lock, "busy"),
}


@contextmanager
def answers_of(app: App) -> Iterator[dict[str, Callable[[str, Json], Json]]]:
    """Ways to ask an open store: MCP and REST."""
    server = make_server(app, "all", lambda _context: app.default_actor())
    with mcp_surface(server, "2026") as tools, serving(make_asgi(app, LOCAL)) as url, rest_at(url) as rest:
        yield {"mcp": tools.call, "rest": rest.call}
    while _kept_open:
        _kept_open.pop().close()


@pytest.mark.report("E7")
@pytest.mark.report("E13")
@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
def test_a_store_that_fails_is_unavailable(fault: Fault, tmp_path: Path) -> None:
    with open_app(tmp_path / "home") as app, answers_of(app) as answers:
        for ask in answers.values():
            assert "id" in ask("memory.create", NOTE)
        fault.make(app)
        big = {**NOTE, "body": "降息 word " * 20_000}
        told = {name: ask("memory.create", big)["error"] for name, ask in answers.items()}
        if fault.breaks_reading:
            told |= {f"{name} search": ask("memory.search", {"query": "b"})["error"] for name, ask in answers.items()}

    for error in told.values():
        assert error["code"] == "unavailable"
        assert fault.says in error["message"]
        assert _LEAKS.search(json.dumps(error)) is None


@pytest.mark.report("E7")
@pytest.mark.parametrize("name", ["damaged", "removed"])
def test_health_tells_that_the_store_is_gone(name: str, tmp_path: Path) -> None:
    with (
        open_app(tmp_path / "home") as app,
        serving(make_asgi(app, LOCAL)) as url,
        httpx2.Client(base_url=url, timeout=30, verify=False) as client,
    ):
        assert client.get("/api/health").json() == {"status": "ok"}
        FAULTS[name].make(app)
        response = client.get("/api/health")
        page = client.get("/")

    assert (response.status_code, response.json()["error"]["code"]) == (503, "unavailable")
    assert _LEAKS.search(response.text) is None
    assert page.status_code == 200


def _defect(*_arguments: object, **_options: object) -> NoReturn:
    raise RuntimeError(SECRET)


OPERATIONS_WITH_DEFECTS = {
    "memory.create": ("notewell.services.memory.create", NOTE),
    "memory.search": ("notewell.services.memory_search.find", {"query": "x"}),
    "memory.collections": ("notewell.services.memory_search.overview", {}),
}


@pytest.mark.parametrize("operation", OPERATIONS_WITH_DEFECTS)
def test_a_defect_is_internal_and_tells_nothing(
    operation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, arguments = OPERATIONS_WITH_DEFECTS[operation]
    monkeypatch.setattr(place, _defect)
    with open_app(tmp_path) as app, answers_of(app) as answers:
        told = {name: ask(operation, arguments)["error"] for name, ask in answers.items()}
    told["cli"] = CliSurface(tmp_path).call(operation, arguments)["error"]

    for error in told.values():
        assert error["code"] == "internal"
        assert "report" in error["message"]
        assert _LEAKS.search(json.dumps(error)) is None


@pytest.mark.parametrize("path", ["/api/memory/notes", "/mcp", "/api/nope"])
def test_a_defect_in_the_guard_is_a_problem_too(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        open_app(tmp_path) as app,
        serving(make_asgi(app, LOCAL)) as url,
        httpx2.Client(base_url=url, timeout=30, verify=False) as client,
    ):
        monkeypatch.setattr("notewell.services.accounts.local_actor", _defect)
        response = client.get(path)

    assert response.status_code == 500
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["error"]["code"] == "internal"
    assert _LEAKS.search(response.text) is None


@pytest.mark.parametrize("era", ERAS)
def test_a_list_of_tools_that_cannot_be_made_tells_nothing(era: str, tmp_path: Path) -> None:
    with open_app(tmp_path) as app, mcp_surface(make_server(app, "all", _defect), era) as tools:
        with pytest.raises(Exception, match=r".") as told:
            tools.portal.call(tools.client.list_tools)
        error = tools.call("memory.search", {})["error"]

    assert _LEAKS.search(str(told.value)) is None
    assert error["code"] == "internal"


@pytest.mark.parametrize("case", ["damaged", "a file", "newer"])
def test_the_command_line_tells_that_the_store_does_not_open(case: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    if case == "a file":
        home.write_text("not a folder")
    else:
        with open_app(home) as app:
            if case == "newer":
                with app.store.write() as tx:
                    tx.run("record_migration", number=9_999, name="later", now=tx.now)
            else:
                _damage(app)

    error = CliSurface(home).call("memory.create", NOTE)["error"]

    assert error["code"] == "unavailable"
    assert _LEAKS.search(json.dumps(error).replace(str(tmp_path), "")) is None
