"""``/login`` and ``/logout``: how a person comes in on the pages, and leaves.

Nobody can open an account here: the first password is set on the command line of the machine that runs the server.
"""

from __future__ import annotations

from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.errors import RateLimited, Unauthenticated
from notewell.services import sessions
from notewell.services.sessions import SESSION_DAYS
from notewell.surfaces.web import cookies
from notewell.surfaces.web.shell import Web, local_path

MISSES_PER_ADDRESS = parse("20/5minute")
MISSES_PER_HANDLE = parse("10/5minute")
"""Only wrong passwords count."""
RETRY_SECONDS = 300
DAY_SECONDS = 86_400


def routes(web: Web) -> list[Route]:
    """The pages of signing in and out."""
    page = _Login(web)
    return [
        web.get("/login", page.login),
        web.post("/login", page.sign_in),
        web.get("/logout", page.ask_logout),
        web.post("/logout", page.logout),
    ]


class _Login:
    """The handlers of signing in and out."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._store = web.app.store
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def shown(self, request: Request, aim: str, status: int = 200, **values: str) -> Response:
        return self._web.render(
            request,
            "login.html",
            status,
            next=aim,
            has_passwords=sessions.has_passwords(self._store),
            **{"handle": "", "problem": "", **values},
        )

    def login(self, request: Request) -> Response:
        aim = local_path(request.query_params.get("next", ""))
        return self._web.redirect(request, aim) if _is_in(self._web, request) else self.shown(request, aim)

    def sign_in(self, request: Request) -> Response:
        form = self._web.form(request)
        aim, handle = local_path(form.line("next")), form.line("handle")
        counted = (
            (MISSES_PER_ADDRESS, "address", self._web.client(request)),
            (MISSES_PER_HANDLE, "handle", handle.lower()[:100]),
        )
        if not all(self._limiter.test(*each) for each in counted):
            raise RateLimited("Too many tries to sign in. Wait five minutes.", retryAfterSeconds=RETRY_SECONDS)
        browser = request.headers.get("user-agent", "")
        try:
            _, secret = sessions.sign_in(self._store, handle, form.text("password"), browser)
        except Unauthenticated:
            for each in counted:
                self._limiter.hit(*each)
            return self.shown(request, aim, 401, handle=handle, problem="wrong")
        response = self._web.redirect(request, aim)
        seconds = SESSION_DAYS * DAY_SECONDS
        cookies.set_secret_cookie(request, response, cookies.SESSION_COOKIE, secret, seconds)
        return response

    def logout(self, request: Request) -> Response:
        session = self._web.session(request)
        if session is not None:
            sessions.sign_out(self._store, self._web.actor(request), session.id)
        response = self._web.redirect(request, "/login", "login.out")
        cookies.drop_secret_cookie(response, cookies.SESSION_COOKIE)
        return response

    def ask_logout(self, request: Request) -> Response:
        self._web.actor(request)
        return self._web.render(request, "logout.html", has_session=self._web.session(request) is not None)


def _is_in(web: Web, request: Request) -> bool:
    try:
        web.actor(request)
    except Unauthenticated:
        return False
    return True
