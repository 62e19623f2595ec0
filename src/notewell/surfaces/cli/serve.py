"""``notewell mcp`` and ``notewell serve``: the two servers."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, cast

import click

from notewell import config
from notewell.surfaces.cli.session import open_app

if TYPE_CHECKING:
    from notewell.surfaces.mcp import ToolSet


@click.command()
@click.option(
    "--tools",
    type=click.Choice(["memory", "research", "all"]),
    default="all",
    show_default=True,
    help="Which tools the assistant gets.",
)
def mcp(tools: str) -> None:
    """Serve one assistant over standard input and output (MCP).

    You do not run this by hand: put it into the assistant's MCP settings as the command to start. It ends when the
    assistant does. Standard output carries the protocol only; messages go to standard error.

    \b
    Example of such a setting:
      {"mcpServers": {"notewell": {"command": "notewell", "args": ["mcp", "--tools", "memory"]}}}
    """
    import anyio  # noqa: PLC0415 - a help text needs no server

    from notewell.surfaces.mcp import serve_stdio  # noqa: PLC0415

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    with open_app() as app:
        anyio.run(serve_stdio, app, cast("ToolSet", tools))


@click.command()
@click.option(
    "--host",
    default=config.DEFAULT_HOST,
    show_default=True,
    help="The address to listen on; others than this machine need a token.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=config.DEFAULT_PORT, show_default=True)
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="Another name that this server is called by, such as notes.example.org; repeat it for several.",
)
def serve(host: str, port: int, allowed_hosts: tuple[str, ...]) -> None:
    """Serve MCP (/mcp), REST (/api) and web pages over HTTP.

    On this machine it needs no login. To open it to others, make a token first ('notewell token create') and put a
    server with HTTPS before it.
    """
    from notewell.surfaces import server  # noqa: PLC0415 - a help text needs no server

    server.run(config.from_environment(), host, port, allowed_hosts)
