"""The cookies of the pages: their names, and how each is set. None holds a word that somebody wrote."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

SESSION_COOKIE = "notewell_session"
FORM_COOKIE = "notewell_form"
NOTICE_COOKIE = "notewell_notice"
NOTICE_SECONDS = 60
YEAR_SECONDS = 31_536_000
_SAFE_PREFIX = "__Host-"


def is_https(request: Request) -> bool:
    """Whether the browser came by https: a proxy may not tell, but then the page that sent a form does."""
    return request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")


def secret_cookie(cookies: Mapping[str, str], name: str) -> str:
    """A cookie that only this server can have set, where it came by https; empty where there is none."""
    return cookies.get(_SAFE_PREFIX + name) or cookies.get(name, "")


def set_secret_cookie(request: Request, response: Response, name: str, value: str, seconds: int | None = None) -> None:
    """Sets a cookie that scripts cannot read and other sites' forms do not send; until the browser ends by default."""
    safe = is_https(request)
    response.set_cookie(
        (_SAFE_PREFIX if safe else "") + name, value, seconds, path="/", secure=safe, httponly=True, samesite="lax"
    )


def drop_secret_cookie(response: Response, name: str) -> None:
    """Takes a cookie back, however it was set."""
    response.delete_cookie(name, path="/", httponly=True, samesite="lax")
    response.delete_cookie(_SAFE_PREFIX + name, path="/", secure=True, httponly=True, samesite="lax")


def set_plain_cookie(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    """Sets a cookie that holds no secret."""
    response.set_cookie(name, value, seconds, path="/", secure=is_https(request), httponly=True, samesite="lax")
