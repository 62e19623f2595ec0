"""The first page: what this server is, whether it works, and how to connect to it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.surfaces.operations import of_surface
from notewell.surfaces.web.connecting import client_setting, database_name, is_owner_at_hand
from notewell.surfaces.web.shell import Web


def routes(web: Web) -> list[Route]:
    """The page at ``/``."""

    def home(request: Request) -> Response:
        origin = str(request.base_url).rstrip("/")
        config, is_owner = web.app.config, is_owner_at_hand(request)
        return web.render(
            request,
            "home.html",
            tools=of_surface("mcp"),
            mcp_url=f"{origin}/mcp",
            is_owner=is_owner,
            setting=client_setting(config if is_owner else None),
            data_folder=str(config.home) if is_owner and not config.database_url else "",
            database=database_name(config.database_url or "") if is_owner else "",
        )

    return [web.get("/", home)]
