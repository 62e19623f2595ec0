"""What cannot be done is refused with the code of its kind on every surface, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import httpx2
import pytest
from bad_inputs import BAD_INPUTS, HALF, NOTE, UNKNOWN, Bad
from clients import LOCAL, ONE_OF_EACH, Json, Surface, open_app, open_surface, stdio_process, tool_request
from serving import serving

from notewell.surfaces.server import make_asgi


class Memory(NamedTuple):
    """A surface, and a note that is there."""

    name: str
    surface: Surface
    note_id: str
    file: apsw.Connection
    """Another way to what is stored, which sees every byte of it."""

    def call(self, operation: str, arguments: Json) -> Json:
        """The answer, with the note's id in its place."""
        return self.surface.call(operation, _with_note(arguments, self.note_id))

    def contents(self) -> dict[str, list[object]]:
        """The rows of all tables: notes, their index, collections, keys, history."""
        tables = self.file.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
        return {str(name): list(self.file.execute(f'SELECT * FROM "{name}"')) for (name,) in tables.fetchall()}


def _with_note(value: Any, note_id: str) -> Any:
    if isinstance(value, dict):
        return {key: _with_note(item, note_id) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_note(item, note_id) for item in value]
    return note_id if value == NOTE else value


@pytest.fixture(scope="module", params=ONE_OF_EACH)
def memory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Two notes in two collections."""
    home = tmp_path_factory.mktemp("home")
    with open_surface(request.param, home) as surface:
        filed = {"title": "Soup", "body": "Leeks.", "collection": "Recipes", "createCollection": True}
        surface.call("memory.create", filed)
        filed = {"title": "Fed", "body": "Rates.", "collection": "Market Notes", "createCollection": True}
        note = surface.call("memory.create", filed)
        file = apsw.Connection(str(home / "notewell.db"), flags=apsw.SQLITE_OPEN_READONLY)
        yield Memory(request.param, surface, note["id"], file)
        file.close()


@pytest.mark.report("F7")
@pytest.mark.parametrize("bad", BAD_INPUTS, ids=lambda bad: bad.id)
def test_a_bad_input_is_refused_with_its_code_and_changes_nothing(bad: Bad, memory: Memory) -> None:
    if memory.name not in bad.surfaces:
        return
    before = memory.contents()

    answer = memory.call(bad.operation, bad.arguments)

    assert answer.get("error", {}).get("code") == bad.code, answer
    assert [words for words in bad.says if words not in answer["error"]["message"]] == [], answer
    assert memory.contents() == before


def test_unknown_ids_are_named_beside_the_notes_that_are_there(memory: Memory) -> None:
    found = memory.call("memory.read", {"ids": [UNKNOWN, NOTE]})

    assert [note["id"] for note in found["notes"]] == [memory.note_id]
    assert found["notFound"] == [UNKNOWN]


def test_a_cursor_of_another_search_is_refused(memory: Memory) -> None:
    cursor = memory.call("memory.search", {"limit": 1})["cursor"]

    answers = [
        memory.call("memory.search", {"limit": 1, "cursor": cursor, "query": "soup"}),
        memory.call("memory.search", {"limit": 1, "cursor": cursor, "status": "any"}),
        memory.call("memory.search", {"limit": 1, "cursor": cursor[:-2]}),
    ]

    assert [answer["error"]["code"] for answer in answers] == ["invalid_argument"] * 3


@pytest.mark.report("E3")
def test_a_stale_version_says_which_one_is_current(memory: Memory) -> None:
    note_id = memory.call("memory.create", {"title": "T", "body": "B"})["id"]
    edit = {"id": note_id, "body": "Lost?", "ifVersion": 1}
    assert memory.call("memory.update", edit)["version"] == 2

    error = memory.call("memory.update", {**edit, "body": "Mine."})["error"]

    (note,) = memory.call("memory.read", {"ids": [note_id]})["notes"]
    memory.call("memory.delete", {"id": note_id})
    assert (error["code"], error["currentVersion"]) == ("version_conflict", 2)
    assert (note["body"], note["version"]) == ("Lost?", 2)


# What looks bad and is not


@pytest.mark.parametrize(
    "body", ["null", '{"a":1}', '["x"]', "ON", "true", "0700", "1.10", "", " ", "\ufeff---\r\na: 1\r\n---\r\n", "-"]
)
def test_a_body_is_kept_as_it_was_typed(body: str, memory: Memory) -> None:
    made = memory.call("memory.create", {"title": "As typed", "body": body, "summary": "null"})

    (note,) = memory.call("memory.read", {"ids": [made["id"]]})["notes"]

    memory.call("memory.delete", {"id": made["id"]})
    assert (note["body"], note["summary"]) == (body, "null")
    assert note["bodyBytes"] == len(body.encode())


@pytest.mark.report("F4")
@pytest.mark.parametrize("tags", ['["macro", "rates"]', ' ["macro","rates"] '])
@pytest.mark.parametrize("name", ["mcp-memory-2026", "mcp-memory-2025", "rest"])
def test_a_list_that_comes_as_json_text_is_a_list(name: str, tags: str, tmp_path: Path) -> None:
    with open_surface(name, tmp_path) as surface:
        made = surface.call("memory.create", {"title": "T", "body": "B", "tags": tags})
        found = surface.call("memory.search", {"tags": tags})

    assert made["tags"] == ["macro", "rates"]
    assert [card["id"] for card in found["cards"]] == [made["id"]]


def test_nothing_is_no_filter(memory: Memory) -> None:
    everything = memory.call("memory.search", {"query": "soup"})

    empty = {"collection": "", "status": "", "cursor": "", "createdFrom": "", "sort": ""}

    assert memory.call("memory.search", {"query": "soup", **empty}) == everything
    if memory.name != "cli":
        assert memory.call("memory.search", {"query": "soup", **dict.fromkeys(empty)}) == everything


# The wire


@pytest.mark.slow
@pytest.mark.parametrize("era", ["2025", "2026"])
@pytest.mark.parametrize("tool", ["noteCreate", "notesSearch"])
def test_half_a_surrogate_pair_is_answered_over_stdio(era: str, tool: str, tmp_path: Path) -> None:
    arguments = {"title": HALF, "body": "B"} if tool == "noteCreate" else {"query": HALF}
    with stdio_process(tmp_path, era) as server:
        refused = server.ask(tool_request(era, tool, arguments, 1), seconds=10)
        listed = server.ask(tool_request(era, "notesSearch", {}, 2))

    assert refused["id"] == 1
    assert "invalid_argument" in str(refused)
    assert listed["result"]["structuredContent"]["total"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("line", ["not JSON", "[]", "{}", '{"jsonrpc": "2.0"}'])
def test_a_line_that_is_no_message_does_not_stop_the_stdio_server(line: str, tmp_path: Path) -> None:
    with stdio_process(tmp_path) as server:
        server.send(line)
        answer = server.ask(tool_request("2026", "notesSearch", {}, 2))
        while answer.get("id") != 2:
            answer = server.ask("")

    assert answer["result"]["structuredContent"]["total"] == 0


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A client of a server with an empty memory."""
    with (
        open_app(tmp_path_factory.mktemp("http")) as app,
        serving(make_asgi(app, LOCAL)) as url,
        httpx2.Client(base_url=url, timeout=30, verify=False, headers={"content-type": "application/json"}) as opened,
    ):
        yield opened


def _count(client: httpx2.Client) -> int:
    total: int = client.get("/api/memory/notes", params={"status": "any"}).json()["total"]
    return total


@pytest.mark.parametrize("era", ["2025", "2026"])
def test_half_a_surrogate_pair_is_answered_over_http(era: str, client: httpx2.Client) -> None:
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
    if era == "2026":
        headers |= {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "noteCreate"}

    request = tool_request(era, "noteCreate", {"title": HALF, "body": "B"})
    answer = client.post("/mcp", content=request, headers=headers)

    assert answer.json()["id"] == 1
    assert "invalid_argument" in answer.text
    assert _count(client) == 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"x"',
        b"{",
        b"\xff\xfe{",
        b'{"title": NaN}',
        b"[" * 100_000,
        b'{"title":"T","body":"\xe9"}',
    ],
    ids=lambda body: repr(body[:20]),
)
def test_a_body_that_is_no_json_object_is_refused(body: bytes, client: httpx2.Client) -> None:
    answer = client.post("/api/memory/notes", content=body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_argument")
    assert _count(client) == 0


def test_a_name_given_twice_is_refused(client: httpx2.Client) -> None:
    answers = [
        client.get("/api/memory/notes?limit=1&limit=2"),
        client.post("/api/memory/notes?title=A", json={"title": "T", "body": "B"}),
        client.patch(f"/api/memory/notes/{UNKNOWN}", json={"id": "nte_1111111111", "title": "T"}),
    ]

    assert [answer.json()["error"]["code"] for answer in answers] == ["invalid_argument"] * 3
    assert _count(client) == 0


def test_etags_name_versions(client: httpx2.Client) -> None:
    made = client.post("/api/memory/notes", json={"title": "T", "body": "B"}, headers={"idempotency-key": "k"})
    path = f"/api/memory/notes/{made.json()['id']}"
    assert made.headers["etag"] == '"1"'
    assert client.get(path, headers={"if-none-match": '"1"'}).status_code == 304

    edited = client.patch(path, json={"title": "U"}, headers={"if-match": '"1"'})
    stale = client.patch(path, json={"title": "V"}, headers={"if-match": '"1"'})
    bad = client.patch(path, json={"title": "V"}, headers={"if-match": "newest"})
    torn = client.patch(path, json={"title": "V", "ifVersion": 1}, headers={"if-match": '"2"'})
    repeated = client.post("/api/memory/notes", json={"title": "T", "body": "B"}, headers={"idempotency-key": "k"})

    assert (edited.status_code, edited.headers["etag"]) == (200, '"2"')
    assert (stale.status_code, stale.json()["error"]["code"]) == (412, "version_conflict")
    assert [answer.json()["error"]["code"] for answer in (bad, torn)] == ["invalid_argument"] * 2
    assert (repeated.json()["repeated"], repeated.json()["title"]) == (True, "U")
    assert client.get(path).json()["title"] == "U"
    client.delete(path)
