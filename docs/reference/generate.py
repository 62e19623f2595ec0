"""Writes the pages of ``docs/reference`` from the code: tools, routes, commands, settings, errors.

Run it with the project's Python: ``.venv/bin/python docs/reference/generate.py``; with ``--check`` it writes nothing
and exits with 1 where a page is stale. It takes whatever operations, commands and settings are there when it runs. What
the code cannot say stands here: an example of each tool's arguments.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from reference_markup import page, rate, table
from reference_settings import errors_page, settings_page

from notewell.surfaces.cli.main import cli
from notewell.surfaces.guard import MAX_REQUEST_BYTES
from notewell.surfaces.openapi import describe
from notewell.surfaces.operations import Operation, Route, of_surface
from notewell.surfaces.problems import STATUSES
from notewell.surfaces.schemas import parse_arguments, plain_schema

FOLDER = Path(__file__).parent
HELP_COLUMNS = 100
Json = dict[str, Any]

EXAMPLES: dict[str, Json] = {
    "noteCollections": {"startsWith": "ma"},
    "notesSearch": {"query": "rate cuts", "tags": ["macro"], "symbols": ["NVDA"], "updatedFrom": "2026-01-01"},
    "noteRead": {"ids": ["nte_06h31mg452r7kwv2"]},
    "noteCreate": {
        "title": "Fed outlook",
        "summary": "Cuts are priced in for March; the thesis breaks if core PCE prints above 2.8 %.",
        "body": "We agreed to hold duration.\n",
        "tags": ["macro"],
        "symbols": ["NVDA"],
        "collection": "Macro",
        "createCollection": True,
    },
    "noteUpdate": {"id": "nte_06h31mg452r7kwv2", "append": "Core PCE came in at 2.9 %.", "addTags": ["closed"]},
    "noteDelete": {"id": "nte_06h31mg452r7kwv2"},
    "list_problems": {"query": "sat"},
    "get_problem": {"problem": "sat-solver"},
    "start_attempt": {"problem": "sat-solver", "model": "example-model-1"},
    "end_attempt": {
        "attempt_id": "att_06h31mg452r7kwv2",
        "outcome": "progress",
        "summary_md": "Restarts help; clause deletion does not. Start from the restart schedule.",
    },
    "add_note": {
        "attempt_id": "att_06h31mg452r7kwv2",
        "body_md": "---\ntitle: Restarts help\nkind: finding\ntags: [restarts]\n---\nLuby restarts solve 14 more.\n",
    },
    "edit_note": {
        "id": "nte_06h31mg452r7kwv2",
        "body_md": "---\ntitle: Restarts help\nkind: finding\ntags: [restarts]\n---\nLuby restarts solve 15 more.\n",
        "if_version": 1,
    },
    "search_notes": {"query": "restarts", "problem": "sat-solver", "kind": "finding"},
    "get_note": {"id": "nte_06h31mg452r7kwv2"},
}
"""One call of each tool; the arguments are checked against the tool's own rules."""

# Tools


def tools_page() -> str:
    """Every MCP tool: what it does, its hints, arguments, result and an example."""
    operations = of_surface("mcp")
    lines = [
        "# MCP tools",
        "",
        "`notewell mcp` serves them over standard input and output, `notewell serve` at `/mcp`. A token sees only the",
        "tools that its scopes allow. Unknown arguments are refused by name; `null` means not given. An error is a",
        "result with `isError` and the object of [errors.md](errors.md) as its text.",
        "",
        *table(["tool", "set", "scope", "for"], _tool_rows(operations)),
    ]
    for operation in operations:
        lines += ["", *_tool(operation)]
    return page(lines)


def _tool_rows(operations: list[Operation]) -> Iterator[list[str]]:
    for each in operations:
        yield [f"[`{each.tool}`](#{each.tool.lower()})", each.tool_set, f"`{each.scope}`", each.title]


def _tool(operation: Operation) -> Iterator[str]:
    hints = {
        "read-only": operation.is_read_only,
        "destructive": operation.is_destructive,
        "idempotent": operation.is_idempotent,
        "open world": False,
    }
    yield f"## {operation.tool}"
    yield ""
    yield f"**{operation.title}.** {operation.description}"
    yield ""
    yield "Hints: " + ", ".join(f"{name} {'yes' if holds else 'no'}" for name, holds in hints.items()) + "."
    yield ""
    yield from _arguments(plain_schema(operation.arguments, "validation"))
    yield ""
    yield from _results(plain_schema(operation.result, "serialization"))
    yield ""
    yield from _example(operation)


def _arguments(schema: Json) -> Iterator[str]:
    required = schema.get("required", ())
    rows = []
    for name, each in schema["properties"].items():
        rule = "required" if name in required else _default(each)
        rows.append([f"`{name}`", _type(each), rule, f"{each.get('description', '')}{_limits(each)}"])
    if not rows:
        yield "No arguments."
        return
    yield from table(["argument", "type", "", "meaning"], rows)


def _results(schema: Json) -> Iterator[str]:
    yield from table(["result", "type", "", "meaning"], _Fields().rows(schema))


def _example(operation: Operation) -> Iterator[str]:
    if operation.tool not in EXAMPLES:
        raise KeyError(f"docs/reference/generate.py: EXAMPLES lacks one call of {operation.tool}")
    given = EXAMPLES[operation.tool]
    parse_arguments(operation.arguments, given)
    yield "```json"
    yield json.dumps(given, ensure_ascii=False, indent=1)
    yield "```"


def _type(schema: Json) -> str:
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " · ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    names = {"string": "text", "integer": "whole number", "boolean": "true or false", "object": "object"}
    kind = str(schema.get("type", "any"))
    return names.get(kind, kind)


def _default(schema: Json) -> str:
    return f"default `{json.dumps(schema['default'])}`" if schema.get("default") not in (None, "") else ""


def _limits(schema: Json) -> str:
    """The limits that the description does not say."""
    said = schema.get("description", "").replace(",", "")
    found = []
    for name, words in (("maxLength", "characters"), ("maxItems", "entries")):
        if name in schema and str(schema[name]) not in said:
            found.append(f"at most {schema[name]:,} {words}")
    if "maxLength" in schema.get("items", {}):
        found.append(f"each at most {schema['items']['maxLength']:,} characters")
    return f" ({'; '.join(found)})" if found else ""


class _Fields:
    """The rows of a result's fields, objects inside objects by their path; what repeats is named, not repeated."""

    def __init__(self) -> None:
        self._paths: dict[str, str] = {}

    def rows(self, schema: Json, path: str = "") -> Iterator[list[str]]:
        """One row a field."""
        required = schema.get("required", ())
        for name, each in schema.get("properties", {}).items():
            place = f"{path}{name}"
            inner = each["items"] if each.get("type") == "array" else each
            is_list = inner is not each
            known = self._known(inner, f"{place}[]" if is_list else place)
            meaning = each.get("description", "")
            if known:
                meaning = f"{meaning} The fields of `{known}`.".strip()
            yield [f"`{place}`", _type(each), "" if name in required else "where it applies", meaning]
            if not known:
                yield from self.rows(inner, f"{place}[]." if is_list else f"{place}.")

    def _known(self, schema: Json, place: str) -> str | None:
        """Where the same object was written out before; it is remembered otherwise."""
        if not schema.get("properties"):
            return None
        key = json.dumps(schema["properties"], sort_keys=True)
        if key in self._paths:
            return self._paths[key]
        self._paths[key] = place
        return None


# REST


def rest_page() -> str:
    """Every route, with its arguments, headers and statuses."""
    routes = [(operation, route) for operation in of_surface("rest") for route in operation.routes]
    lines = [
        "# REST",
        "",
        "Arguments are those of the tools and mean the same. `GET` and `DELETE` take them in the query (a list by",
        "repeating its name), `POST` and `PATCH` as a JSON object; results are JSON. The OpenAPI document is at",
        "`/api/openapi.json`.",
        "",
        *table(["method", "path", "does", "scope"], _route_rows(routes)),
        "",
        "Without an operation: `GET /api/health` (200 while the store can be read and written, else 503; needs no",
        "token), `GET /api/docs` (these routes as a page), `GET /api/openapi.json`, and `/mcp`, where MCP speaks.",
        "",
        "## Headers",
        "",
        *table(["header", "in", "meaning"], _HEADERS),
        "",
        "## Statuses of errors",
        "",
        "An error is `application/problem+json`: `type`, `title`, `status`, `detail`, and the `error` object of",
        "[errors.md](errors.md).",
        "",
        *table(["status", "codes"], _status_rows()),
        "",
        f"A request holds at most {MAX_REQUEST_BYTES:,} bytes. A token, or an address without one, makes at most",
        f"{rate()}.",
    ]
    for operation, route in routes:
        lines += ["", *_route(operation, route)]
    return page(lines)


_HEADERS = [
    ["`Authorization`", "request", "`Bearer` and a token; not needed on the machine itself"],
    ["`ETag`", "response", "the note's version in quotes, where a route returns one note"],
    ["`If-None-Match`", "request", "on `GET`: 304 without a body while that is still the version"],
    ["`If-Match`", "request", "the version you read: 412 if the note has changed since; where a route lists it"],
    ["`Idempotency-Key`", "request", "a key of your own: the same note sent twice makes one; where a route lists it"],
    ["`Retry-After`", "response", "seconds, with 429"],
    ["`WWW-Authenticate`", "response", "with 401"],
]


def _route_rows(routes: list[tuple[Operation, Route]]) -> Iterator[list[str]]:
    for operation, route in routes:
        yield [route.method, f"[`{route.path}`](#{_anchor(_heading(route))})", operation.title, f"`{operation.scope}`"]


def _heading(route: Route) -> str:
    return f"{route.method} {route.path}"


def _anchor(heading: str) -> str:
    """The anchor that Markdown viewers give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _status_rows() -> Iterator[list[str]]:
    special = {
        405: "`invalid_argument`: the path does not have that method",
        412: "`version_conflict`, where `If-Match` named the version",
    }
    for status in sorted({*STATUSES.values(), *special}):
        codes = [f"`{code}`" for code, each in STATUSES.items() if each == status]
        yield [str(status), ", ".join(codes) or special[status]]


def _route(operation: Operation, route: Route) -> Iterator[str]:
    described = describe(operation, route)
    tool = "" if "mcp" in operation.left_out else f" Tool: [`{operation.tool}`](tools.md#{operation.tool.lower()})."
    yield f"## {_heading(route)}"
    yield ""
    command = f" Command: `notewell {operation.command}`." if _has_command(operation.command) else ""
    yield f"{operation.title}.{tool}{command}"
    yield ""
    rows = list(_route_arguments(described))
    yield from table(["argument", "in", "type", "", "meaning"], rows) if rows else ["No arguments."]
    yield ""
    yield from _route_ends(operation, route, described)


def _route_ends(operation: Operation, route: Route, described: Json) -> Iterator[str]:
    """What comes back: the status, the headers, and the fields where no tool's page has them."""
    schema = plain_schema(operation.result, "serialization")
    if route.is_single:
        schema = schema["properties"]["notes"]["items"]
    has_version = "version" in schema["properties"]
    sent = [f"`{each['name']}`" for each in described["parameters"] if each["in"] == "header"]
    ends = [f"{route.status}"]
    if has_version:
        ends.append("with `ETag`")
        if route.method == "GET":
            ends.append("or 304")
    takes = f" Takes {' and '.join(sent)}." if sent else ""
    yield f"Answers {' '.join(ends)}.{takes}"
    if "mcp" in operation.left_out:
        yield ""
        yield from _results(schema)


def _route_arguments(described: Json) -> Iterator[list[str]]:
    for each in described["parameters"]:
        if each["in"] != "header":
            rule = "required" if each["required"] else _default(each["schema"])
            yield [f"`{each['name']}`", each["in"], _type(each["schema"]), rule, _meaning(each["schema"])]
    if "requestBody" in described:
        content = described["requestBody"]["content"]["application/json"]["schema"]
        for name, schema in content["properties"].items():
            rule = "required" if name in content.get("required", ()) else _default(schema)
            yield [f"`{name}`", "body", _type(schema), rule, _meaning(schema)]


def _meaning(schema: Json) -> str:
    return f"{schema.get('description', '')}{_limits(schema)}"


# The command line


def cli_page() -> str:
    """The help text of every command."""
    context = click.Context(cli, info_name="notewell", terminal_width=HELP_COLUMNS, **cli.context_settings)
    lines = [
        "# The command line",
        "",
        "Exit codes: 0 done; 1 the request cannot be done (`error: …` on standard error, or with `--json` the error",
        "object on standard output); 2 the command line itself is wrong.",
    ]
    for words, text in _help_texts(cli, context):
        lines += ["", f"## {words}", "", "```text", *text.splitlines(), "```"]
    return page(lines)


def _help_texts(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """Each command's words and its help text, a group before its commands."""
    yield context.command_path, "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                made = click.Context(
                    inner, parent=context, info_name=name, terminal_width=HELP_COLUMNS, **inner.context_settings
                )
                yield from _help_texts(inner, made)


def _has_command(words: str) -> bool:
    """Whether the command line has a command of these words."""
    found: click.Command | None = cli
    for word in words.split():
        found = found.get_command(click.Context(found), word) if isinstance(found, click.Group) else None
    return found is not None


# Pages


PAGES: dict[str, Callable[[], str]] = {
    "tools.md": tools_page,
    "rest.md": rest_page,
    "cli.md": cli_page,
    "settings.md": settings_page,
    "errors.md": errors_page,
}


def stale() -> list[str]:
    """The names of the pages that are not what the code says now."""
    return [name for name, make in PAGES.items() if not _is_fresh(FOLDER / name, make())]


def _is_fresh(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def main() -> int:
    """Writes the pages, or with ``--check`` tells which are stale; returns the exit code."""
    found = stale()
    if "--check" in sys.argv[1:]:
        for name in found:
            sys.stderr.write(f"docs/reference/{name} is stale; run .venv/bin/python docs/reference/generate.py\n")
        return bool(found)
    for name in found:
        (FOLDER / name).write_text(PAGES[name](), encoding="utf-8")
        sys.stdout.write(f"wrote docs/reference/{name}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
