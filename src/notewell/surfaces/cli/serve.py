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


FIRST_WAIT_SECONDS = 3.0
"""The assistant's first requests go before the embedding of what waits."""


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
    from notewell.worker import Worker  # noqa: PLC0415

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    with open_app() as app:
        worker = Worker(app, first_wait_seconds=FIRST_WAIT_SECONDS)
        worker.start()
        anyio.run(serve_stdio, app, cast("ToolSet", tools))
        worker.stop()


@click.command()
@click.option(
    "--host",
    default=config.DEFAULT_HOST,
    show_default=True,
    help="The address to listen on; others than this machine need a token.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=config.DEFAULT_PORT,
    show_default=True,
    help="The port to listen on.",
)
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="Another name that this server is called by, such as notes.example.org; repeat it for several.",
)
@click.option(
    "--public-research",
    is_flag=True,
    help="Let anybody read the public research record without a token, on whatever address; all else then needs one.",
)
@click.option(
    "--require-token",
    is_flag=True,
    help="Ask for a token on this machine, too: for a server behind a proxy (--allow-host implies it).",
)
def serve(host: str, port: int, allowed_hosts: tuple[str, ...], **flags: bool) -> None:
    """Serve MCP (/mcp), REST (/api) and web pages over HTTP.

    On this machine it needs no login. To open it to others, make a token first ('notewell token create') and put a
    server with HTTPS before it.
    """
    from notewell.surfaces import guard, server  # noqa: PLC0415 - a help text needs no server

    settings = guard.HttpSettings(
        host,
        allowed_hosts,
        is_public_record_open=flags["public_research"],
        is_token_required=flags["require_token"],
    )
    server.run(config.from_environment(), settings, port)


@click.command()
def worker() -> None:
    """Embed what waits, and sweep once an hour, until stopped.

    "notewell serve" and "notewell mcp" do this beside their work; a worker of its own is for stores with many writers.
    Any number may run at once: no note is embedded twice.
    """
    from notewell.worker import Worker  # noqa: PLC0415 - a help text needs no store

    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    with open_app() as app:
        embedder = app.embedder
        reason = getattr(embedder, "reason", None)
        click.echo(f"Working with {getattr(embedder, 'model_id', 'no model')}. {reason or ''}".rstrip(), err=True)
        try:
            Worker(app).run()
        except KeyboardInterrupt:
            click.echo("Stopped.", err=True)
