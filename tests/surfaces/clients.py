"""One small driver per surface behind one interface, so that the same test runs over all of them.

Operations are called by their names in the operations table, with the arguments that its models name. What comes back
is the result, or ``{"error": …}`` where the operation was refused; anything else is a failure of the surface.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, urlencode

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from click.testing import CliRunner
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import Implementation, TextContent
from serving import serving

from notewell.app import App
from notewell.config import Config
from notewell.domain.access import Actor
from notewell.surfaces.cli.main import cli
from notewell.surfaces.guard import HttpSettings
from notewell.surfaces.mcp import Context, client_name, make_server
from notewell.surfaces.operations import OPERATIONS, Operation
from notewell.surfaces.schemas import fields_by_argument, is_list
from notewell.surfaces.server import make_asgi

Json = dict[str, Any]

ERAS = {"2025": "legacy", "2026": "auto"}
"""The two revisions of the protocol, and how the SDK's client is told which one to speak (auto: the newest)."""
VERSIONS = {"2025": "2025-11-25", "2026": "2026-07-28"}
AGENT = "parity-client"
LOCAL = HttpSettings("127.0.0.1", rate="100000/minute")


class Surface(Protocol):
    """A way to reach the operations."""

    def call(self, operation_name: str, arguments: Json) -> Json:
        """The result of an operation, or ``{"error": …}``."""


def operation_named(name: str) -> Operation:
    """The operation of a name."""
    return next(operation for operation in OPERATIONS if operation.name == name)


@contextmanager
def open_app(home: Path) -> Iterator[App]:
    """The store of a data folder."""
    app = App(Config(home, embedder="none"))
    try:
        yield app
    finally:
        app.close()


# MCP


@dataclass(frozen=True)
class McpSurface:
    """The SDK's own client, driven from a test's thread."""

    portal: BlockingPortal
    client: Client

    def call(self, operation_name: str, arguments: Json) -> Json:
        """Calls the tool of an operation; a result's text and its structured content must say the same."""
        return self.call_tool(operation_named(operation_name).tool, arguments)

    def call_tool(self, tool: str, arguments: Json) -> Json:
        """Calls a tool by its name."""
        result = self.portal.call(partial(self.client.call_tool, tool, arguments))
        (content,) = result.content
        assert isinstance(content, TextContent)
        value: Json = json.loads(content.text)
        if result.is_error:
            assert list(value) == ["error"]
        else:
            assert value == result.structured_content
        return value


@contextmanager
def mcp_surface(target: Any, era: str) -> Iterator[McpSurface]:
    """A connected client of one era."""
    client = Client(
        target, mode=ERAS[era], client_info=Implementation(name=AGENT, version="1"), read_timeout_seconds=30
    )
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
        assert client.protocol_version == VERSIONS[era]
        yield McpSurface(portal, client)


@contextmanager
def mcp_memory(home: Path, era: str) -> Iterator[McpSurface]:
    """MCP without a wire."""
    with open_app(home) as app:

        def actor_of(context: Context) -> Actor:
            return app.default_actor(client_name(context))

        with mcp_surface(make_server(app, "all", actor_of), era) as surface:
            yield surface


@contextmanager
def mcp_stdio(home: Path, era: str) -> Iterator[McpSurface]:
    """MCP with ``notewell mcp`` as a subprocess."""
    home.mkdir(parents=True, exist_ok=True)
    command = StdioServerParameters(command=sys.executable, args=["-m", "notewell", "mcp"], env=environment_of(home))
    with (home / "stderr.log").open("w") as log, mcp_surface(stdio_client(command, log), era) as surface:
        yield surface


@contextmanager
def mcp_http(home: Path, era: str) -> Iterator[McpSurface]:
    """MCP over streamable HTTP."""
    with open_app(home) as app, serving(make_asgi(app, LOCAL)) as url, mcp_surface(f"{url}/mcp", era) as surface:
        yield surface


META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": AGENT, "version": "1"},
}


def tool_request(era: str, tool: str, arguments: Json, request_id: int = 1) -> str:
    """The JSON-RPC message of a tool call as text, everything beyond ASCII escaped."""
    params = {"name": tool, "arguments": arguments, **({"_meta": META} if era == "2026" else {})}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params})


def initialize_request(request_id: int = 0) -> str:
    """The first message of the older era."""
    info = {"name": AGENT, "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": "initialize", "params": params})


def environment_of(home: Path) -> dict[str, str]:
    """All that reaches a command of this environment: where the code is, where the data are, and no model."""
    path = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {**path, "NOTEWELL_HOME": str(home), "NOTEWELL_EMBEDDER": "none"}


class StdioProcess:
    """``notewell mcp`` as a process, spoken to in lines."""

    def __init__(self, home: Path, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "notewell", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # a line read ahead would hide from select
            env={**environment_of(home), **environment},
        )

    def ask(self, line: str, seconds: float = 20) -> Json:
        """The next message of the server after a line was sent; fails where none comes in time."""
        self.send(line)
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        assert ready, f"no answer in {seconds} seconds to {line[:200]}"
        answer: Json = json.loads(self.process.stdout.readline())
        return answer

    def send(self, line: str) -> None:
        """Sends one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def end(self, seconds: float = 10) -> tuple[int, str, str]:
        """Closes the input; the exit code, and what else was written to standard output and standard error."""
        output, errors = self.process.communicate(timeout=seconds)
        return self.process.returncode, output.decode(), errors.decode()


@contextmanager
def stdio_process(home: Path, era: str = "2026", **environment: str) -> Iterator[StdioProcess]:
    """A started server process of which nothing is left at the end."""
    server = StdioProcess(home, **environment)
    try:
        if era == "2025":
            server.ask(initialize_request())
            server.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.communicate()
        for pipe in (server.process.stdin, server.process.stdout, server.process.stderr):
            if pipe is not None:
                pipe.close()


# HTTP


@dataclass(frozen=True)
class RestSurface:
    """REST by an operation's first route: path, then query or JSON body."""

    client: httpx2.Client

    def call(self, operation_name: str, arguments: Json) -> Json:
        """Sends the request of an operation and reads its answer; statuses and media types must fit."""
        operation = operation_named(operation_name)
        route = operation.routes[0]
        left = dict(arguments)
        path = route.path
        for name in [name for name in left if f"{{{name}}}" in path]:
            path = path.replace(f"{{{name}}}", quote(str(left.pop(name)), safe=""))
        if route.method in ("POST", "PATCH"):
            # Escaped, so that halves of surrogate pairs can be sent.
            response = self.client.request(route.method, path, content=json.dumps(left).encode())
        else:
            response = self.client.request(route.method, f"{path}?{urlencode(_pairs(operation, left))}")
        value: Json = response.json()
        if response.is_success:
            assert response.status_code == route.status
            return value
        assert response.headers["content-type"] == "application/problem+json"
        assert (value["status"], value["detail"]) == (response.status_code, value["error"]["message"])
        return {"error": value["error"]}


def _pairs(operation: Operation, arguments: Json) -> list[tuple[str, str]]:
    """Arguments as a query: lists as repeated names, truth values as JSON writes them."""
    pairs = []
    for name, value in arguments.items():
        if isinstance(value, list):
            pairs += [(name, str(item)) for item in value]
        elif value is not None:
            pairs.append((name, value if isinstance(value, str) else json.dumps(value)))
    return pairs


@contextmanager
def rest(home: Path) -> Iterator[RestSurface]:
    """REST over a real server."""
    with open_app(home) as app, serving(make_asgi(app, LOCAL)) as url, rest_at(url) as surface:
        yield surface


@contextmanager
def rest_at(url: str) -> Iterator[RestSurface]:
    """REST at an address."""
    with httpx2.Client(base_url=url, timeout=30, verify=False, headers={"content-type": "application/json"}) as client:
        yield RestSurface(client)


# The command line

_AS_ARGUMENTS = {"query", "title", "ids", "id", "symbol"}
"""What stands on a command line without an option before it, where the command takes it so."""
_ONE_OF = {"tags": "tag", "symbols": "symbol", "addTags": "add-tag", "removeTags": "remove-tag"} | {
    "addSymbols": "add-symbol",
    "removeSymbols": "remove-symbol",
}


@dataclass(frozen=True)
class CliSurface:
    """The command line in this process, with ``--json``."""

    home: Path

    def call(self, operation_name: str, arguments: Json) -> Json:
        """Runs the command of an operation; an error must be the only thing that is printed."""
        words, standard_input = command_line(operation_name, arguments)
        exit_code, output = self.run(words, standard_input)
        value: Json = json.loads(output)
        assert (exit_code != 0) == ("error" in value or bool(value.get("notFound"))), (exit_code, output)
        return value

    def run(self, words: list[str], standard_input: bytes = b"") -> tuple[int, str]:
        """The exit code and the standard output of a command line."""
        result = CliRunner().invoke(cli, words, input=standard_input, env=environment_of(self.home))
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.exit_code, result.stdout


def command_line(operation_name: str, arguments: Json) -> tuple[list[str], bytes]:
    """The words and the standard input that ask for an operation."""
    operation = operation_named(operation_name)
    command = operation.command
    if operation_name == "memory.search" and not arguments.get("query"):
        command = "note list"
        arguments = {name: value for name, value in arguments.items() if name != "query"}
    positional = _positional(operation)
    options = ["--json"]
    places: list[str] = []
    standard_input = b""
    for name, value in arguments.items():
        if name in positional:
            places += [str(item) for item in value] if isinstance(value, list) else [str(value)]
        elif name in ("body", "append") and not standard_input:
            options += [f"--{name}", "-"]
            standard_input = str(value).encode("utf-8", "surrogatepass")
        else:
            options += _option(operation, name, value)
    if operation_name == "memory.delete":
        options.append("--yes")
    return [*command.split(), *options, "--", *places], standard_input


def _positional(operation: Operation) -> set[str]:
    is_edit = operation.name == "memory.update"
    return {"id"} if is_edit else _AS_ARGUMENTS & set(fields_by_argument(operation.arguments))


def _option(operation: Operation, name: str, value: Any) -> list[str]:
    option = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)
    field = fields_by_argument(operation.arguments).get(name)
    if field is not None and is_list(field) and isinstance(value, list):
        if not value:
            return [f"--no-{option}"]
        return [f"--{_ONE_OF[name]}={item}" for item in value]
    if isinstance(value, bool) and field is not None and field.annotation is bool:
        return [f"--{option}"] if value else []
    if value is None:
        return []
    return [f"--{option}={value if isinstance(value, str) else json.dumps(value)}"]


@contextmanager
def command_line_surface(home: Path) -> Iterator[CliSurface]:
    """The command line on a data folder."""
    yield CliSurface(home)


# All of them

OPENERS: dict[str, Callable[[Path], AbstractContextManager[Surface]]] = {
    "mcp-memory-2025": partial(mcp_memory, era="2025"),
    "mcp-memory-2026": partial(mcp_memory, era="2026"),
    "mcp-stdio-2025": partial(mcp_stdio, era="2025"),
    "mcp-stdio-2026": partial(mcp_stdio, era="2026"),
    "mcp-http-2025": partial(mcp_http, era="2025"),
    "mcp-http-2026": partial(mcp_http, era="2026"),
    "rest": rest,
    "cli": command_line_surface,
}
ALL = tuple(OPENERS)
ONE_OF_EACH = ("mcp-memory-2026", "rest", "cli")
"""One way into each kind of surface, for tests with many cases."""


def open_surface(name: str, home: Path) -> AbstractContextManager[Surface]:
    """A surface on a data folder of its own."""
    return OPENERS[name](home)


def with_settings(**changes: Any) -> HttpSettings:
    """The settings of a local server, with some changed."""
    return replace(LOCAL, **changes)
