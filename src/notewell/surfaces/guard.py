"""What every HTTP request passes first: host, origin, size, who it comes from, how often.

The defence of a server on one's own machine: another site in the browser must not reach it (cross-site requests), nor
a name that somebody points at 127.0.0.1 (DNS rebinding). On any other address a token is needed; without one a server
that is told so lets everybody read the public research record, and nothing else.
"""

from __future__ import annotations

import ipaddress
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers
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
)
from notewell.services import accounts
from notewell.services.retry import persistently
from notewell.surfaces.problems import problem
from notewell.surfaces.threads import in_thread

_log = logging.getLogger(__name__)

MAX_REQUEST_BYTES = 8 * 1024 * 1024
"""A 1 MiB body may take six times as much as escaped JSON."""
RETRY_SECONDS = 60
ACTOR = "notewell.actor"
"""Where the scope of a request holds who it comes from."""
_AUTHORITY = re.compile(r"(?:\[(?P<bracketed>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::\d{1,5})?")
_PROXY_HEADERS = ("forwarded", "via", "x-real-ip")
HEALTH_PATH = "/api/health"
_OPEN_PATHS = ("/static/", "/api/docs", "/api/openapi.json")


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

    def __init__(self, inner: ASGIApp, app: App, settings: HttpSettings) -> None:
        self._inner = inner
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
            await problem(error)(scope, receive, send)
        except Exception:
            if answer.has_begun:
                raise
            _log.exception("%s %s failed", scope["method"], scope["path"])
            defect = Internal("Notewell met a defect in itself; nothing was changed. Please report it.")
            await problem(defect)(scope, receive, send)

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
            if scope["path"] != "/" and not scope["path"].startswith(_OPEN_PATHS):
                scope[ACTOR] = actor = await in_thread(lambda: self._actor(headers))
                caller = actor.token_id or caller
        finally:
            # Made-up tokens count for the address that they come from.
            if not self._limiter.hit(self._limit, caller):
                raise self._too_often()

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
        if method not in ("GET", "HEAD", "OPTIONS") and headers.get("sec-fetch-site") in ("cross-site", "same-site"):
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

    def _actor(self, headers: Mapping[str, str]) -> Actor:
        kind, _, secret = headers.get("authorization", "").partition(" ")
        if kind:
            if kind.lower() != "bearer" or not secret.strip():
                raise Unauthenticated("Authorization must be 'Bearer' and a token of Notewell.")
            return persistently(lambda: accounts.token_actor(self._app.store, secret.strip()))
        if self._settings.is_public_record_open:
            # Also on this machine's own address: behind a proxy nothing tells a stranger from the owner.
            return ANONYMOUS
        is_forwarded = any(name in _PROXY_HEADERS or name.startswith("x-forwarded-") for name in headers)
        if self._settings.has_owner_at_hand and not is_forwarded:
            return self._app.default_actor()
        raise Unauthenticated(
            "A token is needed here. Make one with 'notewell token create' and send it as 'Authorization: Bearer …'."
        )


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
