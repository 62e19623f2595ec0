"""What every HTTP request passes first: host, origin, size, who it comes from, how often.

The defence of a server on one's own machine: another site in the browser must not reach it (cross-site requests), nor
a name that somebody points at 127.0.0.1 (DNS rebinding). On any other address a token is needed; without one a server
that is told so lets everybody read the public research record, and nothing else.
"""

from __future__ import annotations

import ipaddress
import logging
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers
from starlette.requests import Request, cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from notewell.app import App
from notewell.domain.access import ANONYMOUS, Actor
from notewell.errors import (
    Forbidden,
    Internal,
    InvalidArgument,
    NotewellError,
    RateLimited,
    TooLarge,
    Unauthenticated,
    Unavailable,
)
from notewell.services import accounts, sessions
from notewell.services.retry import persistently
from notewell.services.sessions import Session
from notewell.surfaces.problems import problem
from notewell.surfaces.threads import in_thread
from notewell.surfaces.web.cookies import SESSION_COOKIE, secret_cookie
from notewell.surfaces.web.forms import is_own_request

_log = logging.getLogger(__name__)

MAX_REQUEST_BYTES = 8 * 1024 * 1024
"""A 1 MiB body may take six times as much as escaped JSON."""
RETRY_SECONDS = 60
ACTOR = "notewell.actor"
"""Where the scope of a request holds who it comes from; a page's may hold nobody."""
SESSION = "notewell.session"
"""Where it holds the session of a browser that somebody is signed in with."""
MCP_PATH = "/mcp"
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_AUTHORITY = re.compile(r"(?:\[(?P<bracketed>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::\d{1,5})?")
_PROXY_HEADERS = ("forwarded", "via", "x-real-ip")
HEALTH_PATH = "/api/health"
_STATIC_PATHS = "/static/"
_OPEN_API_PATHS = ("/api/docs", "/api/openapi.json")


RefusalPage = Callable[[Request, NotewellError], Response]
"""Makes the page that tells a person why a request was refused."""


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """How a server is reached."""

    host: str
    allowed_hosts: tuple[str, ...] = ()
    """Further names that it may be asked for, without ports."""
    rate: str = "6000/minute"
    """Requests a token or address may make."""
    is_public_record_open: bool = False
    """Whether a request without a token may read the public research record, and nothing else, on any address."""
    is_token_required: bool = False
    """Whether a token is needed on this machine, too: behind a proxy nothing tells a stranger from the owner."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self.host)

    @property
    def has_owner_at_hand(self) -> bool:
        """Whether a request without a token can only be the owner's: none comes by another name or from elsewhere."""
        return self.is_local and not self.allowed_hosts and not self.is_token_required

    @property
    def names(self) -> frozenset[str]:
        """All host names that requests may carry."""
        return frozenset(("127.0.0.1", "localhost", "::1", self.host, *self.allowed_hosts))


def is_loopback(host: str) -> bool:
    """Whether an address or name means this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _name_of(authority: str) -> str:
    """The name in ``name`` or ``name:port``, in lower case; empty where it is neither."""
    match = _AUTHORITY.fullmatch(authority.strip().lower())
    return (match["bracketed"] or match["name"]) if match else ""


class Guard:
    """ASGI middleware: refuses what may not come in, and notes down who the rest comes from."""

    def __init__(self, inner: ASGIApp, app: App, settings: HttpSettings, page: RefusalPage | None = None) -> None:
        self._inner = inner
        self._page = page
        self._app = app
        self._settings = settings
        self._limit: RateLimitItem = parse(settings.rate)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request, or answers it with a problem."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = _Answer(send)
        try:
            await self._admit(scope, headers)
            await self._inner(scope, _counted(receive), answer)
        except NotewellError as error:
            if answer.has_begun:
                raise
            await (await self._refusal(scope, headers, error))(scope, receive, send)
        except Exception:
            if answer.has_begun:
                raise
            _log.exception("%s %s failed", scope["method"], scope["path"])
            defect = Internal("Notewell met a defect in itself; nothing was changed. Please report it.")
            await problem(defect)(scope, receive, send)

    async def _refusal(self, scope: Scope, headers: Headers, error: NotewellError) -> ASGIApp:
        """A problem for programs; for a person who asked for a page, a page."""
        if self._page is not None and _is_page(scope["path"]) and "text/html" in headers.get("accept", ""):
            page = self._page
            with suppress(NotewellError):  # where the store is gone there may be no page
                return await in_thread(lambda: page(Request(scope), error))
        return problem(error)

    async def _admit(self, scope: Scope, headers: Headers) -> None:
        """Lets a request in, and notes down who it comes from; raises what refuses it."""
        self._check_host(headers)
        self._check_origin(scope["method"], headers)
        self._check_size(headers)
        if scope["path"] == HEALTH_PATH:
            return  # who watches must not be told that all is busy
        client = scope.get("client")
        caller = client[0] if client else ""
        try:
            if not scope["path"].startswith(_STATIC_PATHS):
                caller = await in_thread(lambda: self._identify(scope, headers)) or caller
        except Unavailable:
            if scope["path"] != "/":  # the first page says what this is, even where the store is gone
                raise
        finally:
            # Made-up tokens count for the address that they come from.
            if not self._limiter.hit(self._limit, caller):
                raise self._too_often()

    def _identify(self, scope: Scope, headers: Headers) -> str:
        """Notes down who a request comes from; returns the id of their token or session, or an empty text.

        A page may be asked for by nobody: it sends them to the login. Raises ``unauthenticated`` for what is no page.
        """
        is_page = _is_page(scope["path"]) or scope["path"].startswith(_OPEN_API_PATHS)
        if not is_page and "authorization" in headers:
            scope[ACTOR] = actor = self._token_actor(headers["authorization"])
            return actor.token_id or ""
        is_at_hand = self._is_at_hand(headers)
        if not is_at_hand and scope["path"] != MCP_PATH and (found := self._session_actor(scope, headers)) is not None:
            scope[ACTOR], scope[SESSION] = found
            return found[1].id
        if self._settings.is_public_record_open:
            # Also on this machine's own address: behind a proxy nothing tells a stranger from the owner.
            scope[ACTOR] = ANONYMOUS
        elif is_at_hand:
            scope[ACTOR] = self._app.default_actor()
        elif not is_page:
            raise Unauthenticated(
                "A token is needed here. Make one with 'notewell token create' and send it as 'Authorization: Bearer"
                " …'."
            )
        return ""

    def _check_host(self, headers: Headers) -> None:
        name = _name_of(headers.get("host", ""))
        if name not in self._settings.names:
            raise Forbidden(
                f"This server is not known as {name[:80]!r}. Reach it as {self._settings.host}, or start it with"
                " --allow-host NAME."
            )

    def _check_origin(self, method: str, headers: Headers) -> None:
        origin = headers.get("origin")
        if origin is not None:
            scheme, _, authority = origin.partition("://")
            # The page of another port is another site: whatever serves it must not write here.
            is_own = scheme in ("http", "https") and authority.lower() == headers.get("host", "").lower()
            if not is_own:
                raise Forbidden(f"Requests from pages of {origin[:80]!r} are refused.")
        if method not in _SAFE_METHODS and headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            raise Forbidden("Requests from pages of other sites are refused.")

    def _check_size(self, headers: Headers) -> None:
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            raise InvalidArgument(f"Content-Length {length[:20]!r} is no number.")
        if int(length) > MAX_REQUEST_BYTES:
            raise _too_large()

    def _too_often(self) -> RateLimited:
        return RateLimited(
            f"More than {self._settings.rate.replace('/', ' requests a ')}. Wait a little and go on more slowly.",
            retryAfterSeconds=RETRY_SECONDS,
        )

    def _token_actor(self, authorization: str) -> Actor:
        kind, _, secret = authorization.partition(" ")
        if kind.lower() != "bearer" or not secret.strip():
            raise Unauthenticated("Authorization must be 'Bearer' and a token of Notewell.")
        return persistently(lambda: accounts.token_actor(self._app.store, secret.strip()))

    def _session_actor(self, scope: Scope, headers: Headers) -> tuple[Actor, Session] | None:
        """Who is signed in in this browser. Raises ``forbidden`` for a write that no page of ours sent."""
        secret = secret_cookie(cookie_parser(headers.get("cookie", "")), SESSION_COOKIE)
        found = persistently(lambda: sessions.session_actor(self._app.store, secret)) if secret else None
        # A browser sends its cookies along with whatever any page asks of it.
        if found is not None and scope["method"] not in _SAFE_METHODS and not is_own_request(headers):
            raise Forbidden("A write with a session must come from a page of this server; programs send a token.")
        return found

    def _is_at_hand(self, headers: Mapping[str, str]) -> bool:
        """Whether a request without a token can only be the owner's."""
        is_forwarded = any(name in _PROXY_HEADERS or name.startswith("x-forwarded-") for name in headers)
        return self._settings.has_owner_at_hand and not self._settings.is_public_record_open and not is_forwarded


def _is_page(path: str) -> bool:
    """Whether a path is looked at by people."""
    return not path.startswith(("/api/", _STATIC_PATHS)) and path != MCP_PATH


class _Answer:
    """Sends an answer on, and remembers whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        """Sends one part of the answer."""
        self.has_begun = True
        await self._send(message)


def _too_large() -> TooLarge:
    return TooLarge(
        f"The request is larger than {MAX_REQUEST_BYTES:,} bytes; a note's body holds at most 1 MiB.",
        limitBytes=MAX_REQUEST_BYTES,
    )


def _counted(receive: Receive) -> Receive:
    """The same stream, that ends with an error past the size limit (a chunked request announces no length)."""
    size = 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > MAX_REQUEST_BYTES:
            raise _too_large()
        return message

    return counted
