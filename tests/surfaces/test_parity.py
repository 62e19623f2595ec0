"""Every operation means the same on every surface: one scripted session, equal transcripts, one table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from clients import ALL, Json, Surface, mcp_memory, open_app, open_surface
from fastapi.routing import APIRoute

from notewell.surfaces.cli.main import cli
from notewell.surfaces.operations import OPERATIONS, Operation, of_surface
from notewell.surfaces.rest import make_rest

REFERENCE = "mcp-memory-2026"
NO_TOOLS = [operation for operation in OPERATIONS if "mcp" in operation.left_out]
_ID = re.compile(r"nte_[0-9a-z]{16}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class Talk:
    """A session with one surface; what was answered is kept as any surface should have answered it."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._numbers: dict[str, int] = {}
        self.transcript: list[tuple[str, Json, Any]] = []

    def __call__(self, operation: str, **arguments: Any) -> Json:
        """What the surface answered; an argument's trailing ``_`` is dropped."""
        given = {name.rstrip("_"): value for name, value in arguments.items()}
        answer = self._surface.call(operation, given)
        self.transcript.append((operation, self._same(given), self._same(answer)))
        return answer

    def refused(self, code: str, operation: str, **arguments: Any) -> Json:
        """The error that the surface answered with, which must have that code."""
        answer = self(operation, **arguments)
        assert answer.get("error", {}).get("code") == code, answer
        error: Json = answer["error"]
        return error

    def _same(self, value: Any, name: str = "") -> Any:
        """A value without what differs between two runs: ids, times, cursors and who acts."""
        if isinstance(value, dict):
            return {key: self._same(item, key) for key, item in value.items() if key != "agent"}
        if isinstance(value, list):
            return [self._same(item) for item in value]
        if not isinstance(value, str):
            return value
        if name == "cursor":
            return "<cursor>"
        return _TIME.sub("<time>", _ID.sub(lambda found: f"<note {self._number(found.group())}>", value))

    def _number(self, note_id: str) -> int:
        return self._numbers.setdefault(note_id, len(self._numbers) + 1)


def session(surface: Surface) -> list[tuple[str, Json, Any]]:
    """The transcript of everything that the script says."""
    talk = Talk(surface)
    ids = _save(talk)
    _find(talk)
    _page(talk)
    _read(talk, ids)
    _change(talk, ids)
    _refuse(talk, ids)
    _delete(talk, ids)
    return talk.transcript


def _save(talk: Talk) -> dict[str, str]:
    fed = talk(
        "memory.create",
        title="Fed outlook",
        summary="What the market expects.",
        body="# Fed\r\nA rate cut is priced in.\r\n降息预期升温\r\n",
        tags=["Macro", "#rates", "macro"],
        symbols=["$brk.b", "700.HK"],
        collection="Market Notes",
        createCollection=True,
        source="a talk on Monday",
        idempotencyKey="fed-1",
    )
    again = talk(
        "memory.create",
        title="Fed outlook",
        summary="What the market expects.",
        body="# Fed\r\nA rate cut is priced in.\r\n降息预期升温\r\n",
        tags=["Macro", "#rates", "macro"],
        symbols=["$brk.b", "700.HK"],
        collection="Market Notes",
        createCollection=True,
        source="a talk on Monday",
        idempotencyKey="fed-1",
    )
    assert (again["id"], again["repeated"], fed["repeated"]) == (fed["id"], True, False)
    table = talk("memory.create", title="Tables", body="Column order matters.", collection="market-notes")
    bare = talk("memory.create", title="  Bare\n note ", body="")
    assert "advice" in bare
    assert (bare["title"], table["collection"]) == ("Bare note", "Market Notes")
    long = talk("memory.create", title="Long", body="0123456789" * 10, summary="Ten digits, ten times.")
    return {"fed": fed["id"], "table": table["id"], "bare": bare["id"], "long": long["id"]}


def _find(talk: Talk) -> None:
    talk("memory.search")
    talk("memory.search", query="rate cut")
    rest = talk("memory.search", query="rate kangaroo")
    assert [card["missing"] for card in rest["cards"]] == [["kangaroo"]]
    partial = talk("memory.search", query="olumn")
    assert [card["partial"] for card in partial["cards"]] == [["olumn"]]
    talk("memory.search", query="rate kangaroo", match="all")
    talk("memory.search", query="降息", tags=["MACRO"], symbols=["BRK-B", "NVDA"], collection="market notes")
    talk("memory.search", query="rate", mode="both")
    talk("memory.search", tags=["macroo"])
    talk("memory.search", query="order", unfiled=True)
    talk("memory.search", createdFrom="2020-01-01", createdTo="2100-01-01", updatedFrom="2020-01-01T00:00:00+08:00")
    talk("memory.search", status="archived")
    talk("memory.search", query="", sort="title", limit=2)


def _page(talk: Talk) -> None:
    for number in range(7):
        talk("memory.create", title=f"Page {number}", body="paging words" + " paging" * number)
    for arguments in ({}, {"query": "paging"}, {"query": "paging absent"}, {"sort": "created"}):
        shown = list(_walk(talk, arguments))
        assert len(shown) == len(set(shown)) >= 7


def _walk(talk: Talk, arguments: Json) -> Iterator[str]:
    """The ids of all pages of a search."""
    cursor = None
    while True:
        page = talk("memory.search", **arguments, limit=3, **({"cursor": cursor} if cursor else {}))
        yield from (card["id"] for card in page["cards"])
        cursor = page.get("cursor")
        if cursor is None:
            return


def _read(talk: Talk, ids: dict[str, str]) -> None:
    found = talk("memory.read", ids=[ids["long"], ids["fed"], "nte_0000000000", ids["bare"]])
    assert [note["id"] for note in found["notes"]] == [ids["long"], ids["fed"], ids["bare"]]
    assert found["notFound"] == ["nte_0000000000"]
    assert found["notes"][1]["body"] == "# Fed\r\nA rate cut is priced in.\r\n降息预期升温\r\n"
    body = ""
    start: int | None = 0
    while start is not None:
        (note,) = talk("memory.read", ids=[ids["long"]], from_=start, maxChars=42)["notes"]
        body += note["body"]
        start = note["part"].get("next")
    assert body == "0123456789" * 10
    talk("memory.read", ids=[ids["long"]], from_=1_000)


def _change(talk: Talk, ids: dict[str, str]) -> None:
    talk("memory.update", id=ids["fed"], append="One more line.", addTags=["done"], removeTags=["RATES"])
    talk("memory.update", id=ids["fed"], symbols=[], title="Fed", summary="Changed.")
    talk("memory.update", id=ids["fed"], status="archived")
    talk("memory.update", id=ids["fed"], status="archived")
    talk("memory.search", query="rate")
    talk("memory.search", status="any", sort="title")
    talk("memory.update", id=ids["fed"], status="active", tags=["x", "y"], addSymbols=["nvda", "TSM"])
    talk("memory.update", id=ids["table"], unfile=True, removeSymbols=["NVDA"])
    talk("memory.update", id=ids["bare"], collection="New place", createCollection=True)
    read = talk("memory.read", ids=[ids["bare"]])["notes"][0]
    talk("memory.update", id=ids["bare"], body='{"a": 1}', ifVersion=read["version"])
    stale = talk.refused("version_conflict", "memory.update", id=ids["bare"], body="x", ifVersion=read["version"])
    assert stale["currentVersion"] == read["version"] + 1
    talk("memory.read", ids=list(ids.values()))
    talk("memory.collections")
    talk("memory.collections", startsWith="n", limit=1)


def _refuse(talk: Talk, ids: dict[str, str]) -> None:
    listed = talk.refused("unknown_collection", "memory.create", title="t", body="b", collection="Markt Notes")
    assert listed["collections"][0] == "Market Notes"
    talk.refused("invalid_symbol", "memory.create", title="t", body="b", symbols=["not a symbol"])
    talk.refused("invalid_argument", "memory.create", title="Other", body="b", idempotencyKey="fed-1")
    talk.refused("invalid_argument", "memory.update", id=ids["fed"], body="blind")
    talk.refused("invalid_argument", "memory.update", id=ids["fed"])
    talk.refused("invalid_query", "memory.search", query="***")
    talk.refused("semantic_unavailable", "memory.search", query="rate", mode="semantic")
    talk.refused("not_found", "memory.update", id="nte_0000000000", title="t")
    talk.refused("invalid_argument", "memory.search", limit=51)


def _delete(talk: Talk, ids: dict[str, str]) -> None:
    talk("memory.delete", id=ids["table"])
    talk.refused("not_found", "memory.delete", id=ids["table"])
    gone = talk("memory.search", query="column order", match="all")
    assert gone["cards"] == []
    talk("memory.collections")


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Json, Any]]:
    """What the first surface answered."""
    with open_surface(REFERENCE, tmp_path_factory.mktemp("reference")) as surface:
        return session(surface)


@pytest.mark.report("E3")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * ("stdio" in name)) for name in ALL if name != REFERENCE],
)
def test_a_session_is_answered_alike_on_every_surface(
    name: str, reference: list[tuple[str, Json, Any]], tmp_path: Path
) -> None:
    with open_surface(name, tmp_path) as surface:
        transcript = session(surface)

    for expected, answered in zip(reference, transcript, strict=True):
        assert answered == expected


# The table


def test_every_operation_left_out_of_a_surface_has_a_reason() -> None:
    reasons = {operation.name: list(operation.left_out.values()) for operation in OPERATIONS}

    assert [name for name, given in reasons.items() if any(len(reason.split()) < 4 for reason in given)] == []


def test_the_tools_are_the_table_in_its_order(tmp_path: Path) -> None:
    with mcp_memory(tmp_path, "2026") as surface:
        tools = [tool.name for tool in surface.portal.call(surface.client.list_tools).tools]

    assert tools == [operation.tool for operation in OPERATIONS if "mcp" not in operation.left_out]


@pytest.mark.parametrize("operation", NO_TOOLS, ids=lambda each: each.name)
def test_what_is_left_out_of_mcp_cannot_be_called_there(operation: Operation, tmp_path: Path) -> None:
    with mcp_memory(tmp_path, "2026") as surface:
        answer = surface.call_tool(operation.tool, {})

    assert answer["error"]["code"] == "invalid_argument"
    assert "There is no tool" in answer["error"]["message"]


def test_the_routes_are_the_table(tmp_path: Path) -> None:
    with open_app(tmp_path) as app:
        routes = [route for route in make_rest(app).routes if isinstance(route, APIRoute)]
    served = {(method, route.path) for route in routes for method in route.methods or ()}

    assert served == {
        (route.method, route.path)
        for operation in OPERATIONS
        if "rest" not in operation.left_out
        for route in operation.routes
    }


def test_what_is_left_out_of_the_command_line_has_no_command() -> None:
    assert [each.name for each in OPERATIONS if "cli" in each.left_out and has_command(each.command)] == []


@pytest.mark.parametrize("operation", of_surface("cli"), ids=lambda each: each.name)
def test_every_operation_is_a_command_with_an_option_for_each_argument(operation: Operation) -> None:
    command = command_named(operation.command)
    names = {_plain(name) for parameter in command.params for name in (parameter.name or "", *parameter.opts)}

    missing = [name for name in operation.arguments.model_fields if _plain(name) not in names]

    assert missing == []


def _plain(name: str) -> str:
    """A name of an argument or option without what the command line writes differently: ``--add-tag``, ``addTags``."""
    return name.replace("-", "").replace("_", "").lower().removesuffix("s").removeprefix("note")


def has_command(words: str) -> bool:
    """Whether the command line has a command of some words."""
    command: click.Command | None = cli
    for word in words.split():
        command = command.get_command(click.Context(command), word) if isinstance(command, click.Group) else None
    return command is not None


def command_named(words: str) -> click.Command:
    """The command of some words; fails where there is none."""
    assert has_command(words), f"there is no command {words!r}"
    command: click.Command = cli
    for word in words.split():
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None
        command = found
    return command
