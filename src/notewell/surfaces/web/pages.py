"""What all pages share: templates, static files, and the policy that browsers hold them to."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from notewell import __version__

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

_NAME = re.compile(r"[a-z0-9-]{1,60}\.[a-z]{2,4}")

_templates = Environment(
    loader=PackageLoader("notewell.surfaces.web"),
    autoescape=select_autoescape(default=True),
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.globals["version"] = __version__


def page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page from a template; every value is escaped."""
    return HTMLResponse(_templates.get_template(template).render(values), status, HEADERS)


async def static(request: Request) -> Response:
    """A file of ``static``; only plain names of known types are served."""
    name = PurePosixPath(request.path_params["name"])
    file = files("notewell.surfaces.web").joinpath("static").joinpath(name.name)
    if not _NAME.fullmatch(request.path_params["name"]) or name.suffix not in _TYPES or not file.is_file():
        return page("problem.html", 404, title="There is no such file", detail="")
    headers = {**HEADERS, "Cache-Control": "public, max-age=3600"}
    return Response(file.read_bytes(), 200, headers, _TYPES[name.suffix])
