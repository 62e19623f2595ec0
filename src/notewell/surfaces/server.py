"""The HTTP server: MCP at ``/mcp``, REST under ``/api``, pages at ``/``, behind one guard."""

from __future__ import annotations

import logging
import socket
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import uvicorn
from fastapi import FastAPI
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from notewell.app import App
from notewell.config import Config
from notewell.domain.access import Actor
from notewell.domain.notes import MAX_AGENT_CHARS
from notewell.errors import InvalidArgument, NotewellError, NotFound, Unavailable
from notewell.services import accounts, sessions
from notewell.surfaces.guard import ACTOR, MAX_REQUEST_BYTES, MCP_PATH, Guard, HttpSettings
from notewell.surfaces.half_pairs import marked
from notewell.surfaces.mcp import Context, client_name, make_server
from notewell.surfaces.problems import problem
from notewell.surfaces.rest import make_rest
from notewell.surfaces.threads import in_thread
from notewell.surfaces.web.pages import add_pages, warm_up
from notewell.surfaces.web.shell import Web
from notewell.worker import Worker


def make_asgi(app: App, settings: HttpSettings) -> ASGIApp:
    """The whole server as one ASGI application; its lifespan runs the MCP transport."""

    def actor_for(context: Context) -> Actor:
        request = cast(Request, context.request)
        actor: Actor = request.scope[ACTOR]
        # Stateless requests of the older revision do not say who the client is; their HTTP library does.
        label = client_name(context) or request.headers.get("user-agent", "").split("/")[0]
        return actor if actor.agent else replace(actor, agent=accounts.check_agent(label[:MAX_AGENT_CHARS]))

    manager = StreamableHTTPSessionManager(
        make_server(app, "all", actor_for),
        json_response=True,
        stateless=True,
        max_request_body_size=MAX_REQUEST_BYTES,
    )

    @asynccontextmanager
    async def lifespan(_api: FastAPI) -> AsyncIterator[None]:
        async with manager.run():
            yield

    api = make_rest(app, lifespan=lifespan)
    web = Web(app, settings)
    _add_routes(api, app, web)
    return Guard(_Switch(StreamableHTTPASGIApp(manager), api), app, settings, web.problem)


class _Switch:
    """Sends ``/mcp`` to the MCP transport and all else to the pages and REST."""

    def __init__(self, mcp: ASGIApp, rest: ASGIApp) -> None:
        self._mcp = mcp
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http" or scope["path"] != MCP_PATH:
            await self._rest(scope, receive, send)
        elif scope["method"] != "POST":
            # A stateless server has nothing to push and no session to end.
            refusal = InvalidArgument(f"{scope['method']} is not a method of {MCP_PATH}; MCP messages are posted.")
            await problem(refusal, 405, "POST")(scope, receive, send)
        else:
            await self._mcp(scope, await _read_whole(receive), send)


async def _read_whole(receive: Receive) -> Receive:
    """The request's body as one message, with what is no text in it marked."""
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            break
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    whole: list[Message] = [{"type": "http.request", "body": marked(body), "more_body": False}]

    async def receive_whole() -> Message:
        return whole.pop() if whole else await receive()

    return receive_whole


def _add_routes(api: FastAPI, app: App, web: Web) -> None:
    """The routes that are for people, the health, and the answers where there is no route."""
    api.add_route("/api/health", _make_health(app), include_in_schema=False)
    add_pages(api, web)

    async def not_routed(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        if not request.url.path.startswith("/api/"):
            missing = NotFound(f"There is no such page: {request.url.path[:200]}")
            return await in_thread(lambda: web.problem(request, missing))
        if status == 405:
            refusal = InvalidArgument(f"{request.method} is not a method of {request.url.path[:200]}.")
            return problem(refusal, 405, ", ".join(_methods(api, request.scope)))
        return problem(NotFound(f"There is nothing at {request.url.path[:200]}; see /api/docs."), status)

    api.add_exception_handler(HTTPException, not_routed)


def _methods(api: FastAPI, scope: Scope) -> list[str]:
    """Every method of the path that a request asked for; each route knows its own only."""
    routes = [route for route in api.routes if isinstance(route, Route)]
    paths = [route.path for route in routes if route.matches(scope)[0] is not Match.NONE]
    path = scope["path"] if scope["path"] in paths else paths[0]
    return sorted({method for route in routes if route.path == path for method in route.methods or ()})


def _make_health(app: App) -> Any:
    """The handler of ``/api/health``: 200 while the store can be read and written, else 503 with the reason."""

    async def health(_request: Request) -> Response:
        try:
            await in_thread(lambda: accounts.check_store(app.store))
        except NotewellError as error:
            return problem(error, 503)
        return JSONResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})

    return health


def check_bind(app: App, host: str, *, is_public_record_open: bool = False) -> HttpSettings:
    """The settings for an address; raises ``invalid_argument`` where it is open to others and nobody could use it.

    Somebody can who has a token or a password, and everybody where the public record is read without one.
    """
    settings = HttpSettings(host, is_public_record_open=is_public_record_open)
    can_sign_in = settings.is_local or is_public_record_open
    if not (can_sign_in or accounts.has_live_token(app.store) or sessions.has_passwords(app.store)):
        raise InvalidArgument(
            f"--host {host} is open to other machines, and nobody has a password or a token to sign in with. Make one"
            " first: notewell account create NAME; then notewell account password NAME for the pages, or notewell"
            " token create --account NAME for programs. Or serve on 127.0.0.1, or let"
            " everybody read the public research record, and nothing else: --public-research.",
            argument="host",
        )
    return settings


def run(config: Config, settings: HttpSettings, port: int) -> None:
    """Serves until it is told to stop.

    Raises ``invalid_argument`` for an address that needs accounts first, ``unavailable`` for a port that is taken.
    """
    app = App(config)
    check_bind(app, settings.host, is_public_record_open=settings.is_public_record_open)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    listener = _listener(settings.host, port)
    worker = Worker(app, first_wait_seconds=1.0)
    worker.start()
    threading.Thread(target=warm_up, name="warm-up", daemon=True).start()
    try:
        served = uvicorn.Config(
            make_asgi(app, settings), log_level="warning", server_header=False, timeout_graceful_shutdown=5
        )
        uvicorn.Server(served).run(sockets=[listener])
    finally:
        worker.stop()
        app.close()
        listener.close()


def _listener(host: str, port: int) -> socket.socket:
    """The bound socket, whose address is told on standard error."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise Unavailable(
            f"The server cannot listen on {host} port {port} ({error.strerror}). Choose another one with --port, or"
            " stop what listens there."
        ) from None
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listener.getsockname()[1]}"
    sys.stderr.write(f"Notewell serves on {address} (MCP at {MCP_PATH}); stop it with Ctrl+C.\n")
    return listener
