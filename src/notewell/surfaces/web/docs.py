"""``/api/docs``: every REST route with its arguments, readable without script."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.surfaces.web.shell import Web


def routes(web: Web) -> list[Route]:
    """The page of the REST routes."""

    def docs(request: Request) -> Response:
        paths = request.app.openapi()["paths"]
        found = [
            {"method": method.upper(), "path": path, **operation}
            for path, methods in paths.items()
            for method, operation in methods.items()
        ]
        return web.render(request, "docs.html", routes=found)

    return [web.get("/api/docs", docs)]
