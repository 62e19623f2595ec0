"""Static files: style, script and pictures, under addresses that change with their content."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import PurePosixPath

from starlette.requests import Request
from starlette.responses import Response

from notewell.errors import NotFound
from notewell.surfaces.web.headers import page_headers

TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
"""What is served, by its ending."""
_NAME = re.compile(r"[a-z0-9-]{1,60}\.[a-z]{2,4}")
_VERSION = re.compile(r"[0-9a-f]{12}")


@cache
def _contents() -> dict[str, bytes]:
    """Every static file by its name."""
    folder = files("notewell.surfaces.web").joinpath("static")
    found = {each.name: each for each in folder.iterdir() if each.is_file()}
    return {
        name: file.read_bytes()
        for name, file in sorted(found.items())
        if _NAME.fullmatch(name) and PurePosixPath(name).suffix in TYPES
    }


@cache
def static_version() -> str:
    """What changes whenever a static file does."""
    return sha256(repr(sorted(_contents().items())).encode()).hexdigest()[:12]


def static_url(name: str) -> str:
    """The address of a static file, which browsers may keep; modules import each other as ``./NAME.js``.

    Raises ``KeyError`` where there is no such file.
    """
    _contents()[name]
    return f"/static/{static_version()}/{name}"


def static_file(request: Request) -> Response:
    """A static file; raises ``not_found``. An address of an older version gets today's file, but may not keep it."""
    name, version = request.path_params["name"], request.path_params.get("version", "")
    if name not in _contents() or (version and not _VERSION.fullmatch(version)):
        raise NotFound("There is no such file.")
    age = "max-age=31536000, immutable" if version == static_version() else "max-age=300"
    headers = {**page_headers(), "Cache-Control": f"public, {age}"}
    return Response(_contents()[name], 200, headers, TYPES[PurePosixPath(name).suffix])
