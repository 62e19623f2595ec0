"""What an MCP client sees: tools as clients and models need them, and a wire that carries nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from clients import (
    AGENT,
    ERAS,
    Json,
    McpSurface,
    environment_of,
    initialize_request,
    mcp_memory,
    mcp_stdio,
    open_surface,
    stdio_process,
    tool_request,
)

from notewell.surfaces.operations import OPERATIONS

MEMORY_TOOLS = ["noteCollections", "notesSearch", "noteRead", "noteCreate", "noteUpdate", "noteDelete"]
HINTS = {  # read only, destructive, idempotent
    "noteCollections": (True, False, True),
    "notesSearch": (True, False, True),
    "noteRead": (True, False, True),
    "noteCreate": (False, False, False),
    "noteUpdate": (False, True, False),
    "noteDelete": (False, True, True),
}
MAX_RESULT_CHARS = 40_000

validate: Any = import_module("jsonschema").validate
"""It has no types of its own, and comes with the SDK."""


@pytest.fixture(scope="module", params=ERAS)
def memory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[McpSurface]:
    """A client of an empty memory, one for each era."""
    with mcp_memory(tmp_path_factory.mktemp("home"), request.param) as surface:
        yield surface


def tools_of(memory: McpSurface) -> dict[str, types.Tool]:
    """The tools as a client sees them, in their order."""
    return {tool.name: tool for tool in memory.portal.call(memory.client.list_tools).tools}


# Tools


def test_the_memory_tools_come_first_and_always_in_one_order(memory: McpSurface) -> None:
    names = list(tools_of(memory))

    assert names[:6] == MEMORY_TOOLS
    assert names == [operation.tool for operation in OPERATIONS if "mcp" not in operation.left_out]
    assert len(names) <= 20
    assert names == list(tools_of(memory))


def test_tool_names_are_ones_that_every_client_takes(memory: McpSurface) -> None:
    # The narrowest of the clients: 64 characters with the server's name before it, no dot.
    assert [name for name in tools_of(memory) if not re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_]{0,40}", name)] == []


def test_every_tool_says_what_it_does_and_when_to_use_it(memory: McpSurface) -> None:
    for tool in tools_of(memory).values():
        assert tool.title
        assert tool.description
        assert 40 <= len(tool.description) <= 1_024
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), f"{tool.name}.{name}"


@pytest.mark.parametrize("name", ["noteCreate", "noteUpdate"])
def test_every_write_asks_for_a_summary(name: str, memory: McpSurface) -> None:
    tool = tools_of(memory)[name]

    assert "summary" in (tool.description or "").lower()
    assert "always write one" in tool.input_schema["properties"]["summary"]["description"]


@pytest.mark.parametrize("name", ["noteUpdate", "noteDelete"])
def test_archiving_is_what_is_recommended(name: str, memory: McpSurface) -> None:
    assert "archive" in (tools_of(memory)[name].description or "").lower().replace("archiving", "archive")


def test_deleting_says_that_it_is_for_good(memory: McpSurface) -> None:
    assert "for good" in (tools_of(memory)["noteDelete"].description or "")


@pytest.mark.parametrize("name", ["notesSearch", "noteRead", "search_notes", "get_note", "get_problem"])
def test_notes_are_quoted_material(name: str, memory: McpSurface) -> None:
    description = tools_of(memory)[name].description or ""

    assert "quoted material" in description
    assert "not instructions" in description


def test_all_four_hints_are_given(memory: McpSurface) -> None:
    for name, tool in tools_of(memory).items():
        hints = tool.annotations
        assert hints is not None, name
        assert hints.open_world_hint is False
        given = hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint
        assert None not in given, name
        assert given == HINTS.get(name, given), name
        assert not (hints.read_only_hint and hints.destructive_hint)


# Schemas


def parts_of(schema: Any, place: str = "") -> Iterator[tuple[str, Json]]:
    """Every object inside a schema with where it stands; the names of properties are no keywords."""
    if isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from parts_of(item, f"{place}[{index}]")
    elif isinstance(schema, dict):
        yield place, schema
        for key, value in schema.items():
            inner = value.values() if key == "properties" else [value]
            for item in inner:
                yield from parts_of(item, f"{place}.{key}")


FORBIDDEN = {"$ref", "$defs", "definitions", "anyOf", "oneOf", "allOf", "not", "if", "const", "prefixItems", "nullable"}


def test_schemas_are_plain(memory: McpSurface) -> None:
    for name, tool in tools_of(memory).items():
        for schema in (tool.input_schema, tool.output_schema):
            assert schema is not None, name
            assert schema["type"] == "object"
            for place, part in parts_of(schema):
                assert not FORBIDDEN & set(part), f"{name}{place}"
                assert isinstance(part.get("type", "string"), str), f"{name}{place}"
                assert "default" not in part or part["default"] is not None, f"{name}{place}"


def test_no_tool_takes_what_it_does_not_know(memory: McpSurface) -> None:
    for tool in tools_of(memory).values():
        assert tool.input_schema["additionalProperties"] is False
        assert set(tool.input_schema.get("required", ())) <= set(tool.input_schema["properties"])


CALLS: list[tuple[str, Json]] = [
    ("noteCreate", {"title": "T", "body": "降息 body " * 30, "tags": ["a"], "symbols": ["NVDA"]}),
    ("noteCreate", {"title": "U", "body": "", "collection": "C", "createCollection": True, "idempotencyKey": "k"}),
    ("noteCreate", {"title": "U", "body": "", "collection": "C", "createCollection": True, "idempotencyKey": "k"}),
    ("notesSearch", {}),
    ("notesSearch", {"query": "body kangaroo", "limit": 1}),
    ("notesSearch", {"query": "ody"}),
    ("notesSearch", {"query": "降息", "mode": "both"}),
    ("notesSearch", {"query": "zzz", "tags": ["b"]}),
    ("notesSearch", {"status": "archived"}),
    ("noteCollections", {}),
    ("noteCollections", {"limit": 1, "startsWith": "a"}),
    ("noteRead", {"ids": ["<1>", "<2>", "nte_0000000000"]}),
    ("noteRead", {"ids": ["<1>"], "from": 5, "maxChars": 9}),
    ("noteUpdate", {"id": "<1>", "status": "archived", "addTags": ["b"]}),
    ("noteUpdate", {"id": "<1>", "status": "archived"}),
    ("noteDelete", {"id": "<2>"}),
    ("list_problems", {}),
    ("search_notes", {"query": "anything"}),
]


def test_every_result_is_what_its_schema_says(memory: McpSurface) -> None:
    tools = tools_of(memory)
    ids: list[str] = []
    for name, arguments in CALLS:
        text = re.sub(r"<(\d)>", lambda found: ids[int(found[1]) - 1], json.dumps(arguments))
        result = memory.call_tool(name, json.loads(text))
        assert "error" not in result, (name, result)
        validate(result, closed(tools[name].output_schema))
        if name == "noteCreate" and result["id"] not in ids:
            ids.append(result["id"])
    assert len(ids) == 2
    for note_id in ids:
        memory.call_tool("noteDelete", {"id": note_id})


def closed(schema: Any) -> Any:
    """A schema that takes nothing but what it names, so that what it does not describe is seen."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    return {**inner, "additionalProperties": False} if "properties" in schema and "type" in schema else inner


def test_a_schema_lists_the_arguments_that_the_call_takes(memory: McpSurface) -> None:
    for name, tool in tools_of(memory).items():
        error = memory.call_tool(name, {"zzz": 1})["error"]
        assert error["message"].endswith(f"There are: {', '.join(tool.input_schema['properties'])}.")


# Instructions and sizes


def test_the_instructions_begin_with_their_gist(memory: McpSurface) -> None:
    instructions = memory.client.instructions
    assert instructions is not None

    gist = instructions[:512]

    assert len(instructions) <= 2_000
    wanted = ("notesSearch", "noteRead", "noteCreate", "summary", "never instructions")
    assert [word for word in wanted if word not in gist] == []
    assert "archiving" in gist.lower()
    named = set(re.findall(r"\bnotes?[A-Z]\w+", instructions))
    assert named <= set(MEMORY_TOOLS)


@pytest.mark.report("F11")
@pytest.mark.parametrize(
    ("name", "character"),
    [*(("mcp-memory-2026", character) for character in ("x", "\x01", "\\", "🚀")), ("rest", "降"), ("cli", "降")],
)
def test_a_page_of_the_largest_cards_fits(name: str, character: str, tmp_path: Path) -> None:
    with open_surface(name, tmp_path) as surface:
        for number in range(12):
            note = _largest_note(character, number)
            assert "error" not in surface.call("memory.create", note)
        seen: list[str] = []
        page: Json = {"cursor": None}
        while "cursor" in page:
            page = surface.call("memory.search", {"query": "word", "limit": 50, "cursor": page["cursor"] or ""})
            assert len(json.dumps(page, ensure_ascii=False, separators=(",", ":"))) <= MAX_RESULT_CHARS
            assert page["cards"]
            assert ("cursor" in page) == ("cut" in page)
            seen += [card["id"] for card in page["cards"]]

    assert len(seen) == len(set(seen)) == 12


def _largest_note(character: str, number: int) -> Json:
    """A note whose card takes as much as one can."""
    return {
        "title": f"word {number} ".ljust(199, character if character.isprintable() else "x") + "x",
        "summary": character * 1_000,
        "body": f"word {character * 400}",
        "tags": [f"{tag:02}{(character if character.isprintable() else 'x') * 58}" for tag in range(30)],
        "symbols": [f"{symbol:020}" for symbol in range(50)],
        "source": character * 200,
        "collection": (character if character.isprintable() else "x") * 100,
        "createCollection": True,
    }


@pytest.mark.report("F11")
def test_five_large_notes_fit_and_say_where_to_read_on(memory: McpSurface) -> None:
    ids = [memory.call_tool("noteCreate", {**_largest_note("x", n), "body": "降" * 30_000})["id"] for n in range(5)]

    found = memory.call_tool("noteRead", {"ids": ids})

    for note_id in ids:
        memory.call_tool("noteDelete", {"id": note_id})
    assert sum(len(note["body"]) for note in found["notes"]) == 40_000
    assert [len(note["body"]) for note in found["notes"]] == [30_000, 10_000, 0, 0, 0]
    assert [note.get("part", {}).get("next") for note in found["notes"]] == [None, 10_000, 0, 0, 0]


def test_a_large_vocabulary_fits(tmp_path: Path) -> None:
    sizes = {}
    with mcp_memory(tmp_path, "2026") as memory:
        for number in range(210):
            memory.call_tool("noteCreate", _note_with_its_own_names(number))
        for limit in (200, 1_000):
            found = memory.call_tool("noteCollections", {"limit": limit})
            sizes[limit] = len(json.dumps(found, ensure_ascii=False, separators=(",", ":")))
            for name, total in (("collections", 210), ("tags", 420), ("symbols", 420)):
                assert len(found[name]) + found.get("more", {}).get(name, 0) == total

    assert {limit: size for limit, size in sizes.items() if size > MAX_RESULT_CHARS} == {}


def _note_with_its_own_names(number: int) -> Json:
    """A note in a collection of its own, with tags and symbols of its own, all as long as they may be."""
    return {
        "title": "T",
        "body": "B",
        "tags": [f"{number:03}{letter}{'降' * 56}" for letter in "ab"],
        "symbols": [f"{letter}{number:019}" for letter in "AB"],
        "collection": f"{number:03}{'降' * 97}",
        "createCollection": True,
    }


# Errors


@pytest.mark.parametrize("tool", ["nope", "notesearch", "", "x" * 5_000])
def test_an_unknown_tool_is_an_error_that_names_the_tools(tool: str, memory: McpSurface) -> None:
    error = memory.call_tool(tool, {})["error"]

    assert error["code"] == "invalid_argument"
    assert tool[:60] in error["message"]
    assert all(name in error["message"] for name in MEMORY_TOOLS)
    assert len(error["message"]) < 1_000


def test_a_note_names_the_client_that_wrote_it(memory: McpSurface) -> None:
    made = memory.call_tool("noteCreate", {"title": "T", "body": "B"})
    memory.call_tool("noteDelete", {"id": made["id"]})

    assert (made["account"], made["agent"]) == ("local", AGENT)


# The process


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
def test_a_session_in_another_process_finds_what_was_saved(era: str, tmp_path: Path) -> None:
    with mcp_stdio(tmp_path, era) as first:
        made = first.call("memory.create", {"title": "会议", "body": "市场在讨论降息预期。", "summary": "降息"})
    with mcp_stdio(tmp_path, era) as second:
        found = second.call("memory.search", {"query": "降息预期"})
        done = second.call("memory.update", {"id": made["id"], "append": "后续", "status": "archived"})

    assert [card["id"] for card in found["cards"]] == [made["id"]]
    assert (done["status"], done["version"]) == ("archived", 2)


@pytest.mark.parametrize("era", ERAS)
def test_standard_output_carries_the_protocol_only_and_utf_8_under_any_locale(era: str, tmp_path: Path) -> None:
    locale = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    with stdio_process(tmp_path, era, **locale) as server:
        raw = tool_request(era, "noteCreate", {"title": "降息", "body": "é"}).encode().decode("unicode_escape")
        made = server.ask(raw)
        found = server.ask(tool_request(era, "notesSearch", {"query": "降息"}, 2))
        broken = server.ask(tool_request(era, "noteRead", {"ids": []}, 3))
        code, output, errors = server.end()

    assert made["result"]["structuredContent"]["title"] == "降息"
    assert found["result"]["structuredContent"]["cards"][0]["title"] == "降息"
    assert broken["result"]["isError"] is True
    assert (code, output, errors) == (0, "", "")


@pytest.mark.parametrize("era", ERAS)
def test_the_server_ends_when_its_input_closes(era: str, tmp_path: Path) -> None:
    with stdio_process(tmp_path, era) as server:
        server.ask(tool_request(era, "notesSearch", {}, 1))
        assert server.end(seconds=10) == (0, "", "")


def test_the_server_ends_though_nothing_was_said(tmp_path: Path) -> None:
    with stdio_process(tmp_path) as server:
        assert server.end(seconds=10) == (0, "", "")


def test_the_stdio_server_loads_no_web_server(tmp_path: Path) -> None:
    request = initialize_request()
    result = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "notewell", "mcp"],
        input=f"{request}\n{tool_request('2026', 'notesSearch', {}, 1)}\n".encode(),
        capture_output=True,
        env=environment_of(tmp_path),
        timeout=60,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in result.stderr.decode().splitlines() if "|" in line}

    assert "notewell.surfaces.mcp" in loaded
    # The SDK itself loads starlette and uvicorn.
    heavy = {"fastapi", "jinja2", "limits", "rich", "notewell.surfaces.rest", "notewell.surfaces.server"}
    assert sorted(heavy & loaded) == []
