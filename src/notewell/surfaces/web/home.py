"""The first page: what this server is, whether it works, and how to connect to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from notewell.app import App
from notewell.surfaces.operations import of_surface
from notewell.surfaces.web.pages import page


def make_home(app: App, *, is_local: bool) -> Callable[[Request], Awaitable[Response]]:
    """The handler of ``/``."""

    async def home(request: Request) -> Response:
        origin = str(request.base_url).rstrip("/")
        return page(
            "home.html",
            tools=of_surface("mcp"),
            mcp_url=f"{origin}/mcp",
            is_local=is_local,
            data_folder=str(app.config.home) if is_local else "",
        )

    return home


def make_docs() -> Callable[[Request], Awaitable[Response]]:
    """The handler of ``/api/docs``: every REST route with its arguments, readable without script."""

    async def docs(request: Request) -> Response:
        paths = request.app.openapi()["paths"]
        routes = [
            {"method": method.upper(), "path": path, **operation}
            for path, methods in paths.items()
            for method, operation in methods.items()
        ]
        return page("docs.html", routes=routes)

    return docs
