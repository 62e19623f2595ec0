"""The first page: what this server is, whether it works, and how to connect to it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.surfaces.operations import of_surface
from notewell.surfaces.web.shell import Web


def routes(web: Web) -> list[Route]:
    """The page at ``/``."""
    is_local = web.settings.is_local and not web.settings.is_public_record_open

    def home(request: Request) -> Response:
        origin = str(request.base_url).rstrip("/")
        return web.render(
            request,
            "home.html",
            tools=of_surface("mcp"),
            mcp_url=f"{origin}/mcp",
            is_local=is_local,
            data_folder=str(web.app.config.home) if is_local else "",
        )

    return [web.get("/", home)]
