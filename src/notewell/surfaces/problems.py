"""Errors over HTTP: one table of statuses, one shape (``application/problem+json`` with the error object)."""

from __future__ import annotations

import json

from starlette.responses import Response

from notewell.errors import NotewellError

STATUSES = {
    "invalid_argument": 400,
    "invalid_query": 400,
    "invalid_symbol": 400,
    "unknown_collection": 400,
    "unauthenticated": 401,
    "forbidden": 403,
    "not_found": 404,
    "version_conflict": 409,
    "frozen": 409,
    "too_large": 413,
    "rate_limited": 429,
    "internal": 500,
    "semantic_unavailable": 503,
    "unavailable": 503,
}
"""The HTTP status of each error code."""


def problem(error: NotewellError, status: int | None = None, allow: str | None = None) -> Response:
    """The response for an error: RFC 9457 members, and the same ``error`` object as on every surface.

    ``allow`` lists the methods that a path has, where the request had another one.
    """
    code = STATUSES[error.code] if status is None else status
    body = {
        "type": "about:blank",
        "title": error.code.replace("_", " ").capitalize(),
        "status": code,
        "detail": error.message,
        "error": error.as_dict(),
    }
    headers = {"Cache-Control": "no-store"}
    if allow is not None:
        headers["Allow"] = allow
    if code == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="notewell"'
    if "retryAfterSeconds" in error.details:
        headers["Retry-After"] = str(error.details["retryAfterSeconds"])
    return Response(json.dumps(body, ensure_ascii=False), code, headers, "application/problem+json")
