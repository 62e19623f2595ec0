"""What every page is made with: who looks, in which language, the template, the form that came, the way on after it.

A page module offers ``routes(web)`` and knows nothing of cookies, headers or languages. Its handlers are ordinary
functions from a request to a response, run in a worker thread; what they raise becomes a page that says so.
"""

from __future__ import annotations

import hmac
import logging
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from notewell.app import App
from notewell.domain.access import Actor
from notewell.errors import Internal, NotewellError, Unauthenticated
from notewell.services.retry import persistently
from notewell.services.sessions import Session
from notewell.surfaces.guard import ACTOR, SESSION, HttpSettings
from notewell.surfaces.problems import STATUSES
from notewell.surfaces.threads import in_thread
from notewell.surfaces.web import cookies
from notewell.surfaces.web.forms import Form, check_form, read_form, token_of
from notewell.surfaces.web.headers import page_headers
from notewell.surfaces.web.language import HTML_LANGUAGES, LANGUAGES, Translator, language_of
from notewell.surfaces.web.templating import html_of

_log = logging.getLogger(__name__)

Handler = Callable[[Request], Response]
IMAGES_PARAMETER = "images"
MAX_PATH_CHARS = 2_000
_NOTICE = re.compile(r"[a-z0-9_]{1,40}\.[a-z0-9_.]{1,60}")
_LOCAL_PATH = re.compile(r"/(?![/\\])[\x21-\x7e]*")


@dataclass(frozen=True, slots=True)
class NavItem:
    """An entry of the navigation."""

    path: str
    key: str
    """Of its text."""
    within: tuple[str, ...] = ()
    """Other beginnings of paths that belong to it."""
    needs: str = "account"
    """Who sees it: ``account``, ``admin``, or ``viewer``: also who only looks at the public record."""

    @property
    def beginnings(self) -> tuple[str, ...]:
        """How the paths begin that lie below it."""
        return (f"{self.path}/", *self.within)


NAVIGATION = (
    NavItem("/notes", "nav.notes"),
    NavItem("/research", "nav.research", ("/problems/", "/campaigns/", "/attempts/"), "viewer"),
    NavItem("/overview", "nav.overview"),
    NavItem("/tokens", "nav.tokens"),
    NavItem("/admin", "nav.admin", needs="admin"),
)
"""Each is shown where a page answers at its path."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question before something that cannot be undone; its texts are ready to be read."""

    title: str
    message: str
    button: str
    action: str
    """The path that the form is posted to."""
    back: str
    """The path to where nothing is done."""
    fields: tuple[tuple[str, str], ...] = ()
    """Hidden fields, by name and value."""


class Web:
    """The pages of one server."""

    def __init__(self, app: App, settings: HttpSettings) -> None:
        self.app = app
        self.settings = settings
        self._paths: set[str] = set()

    # Routes

    def get(self, path: str, handler: Handler) -> Route:
        """A page; ``{name}`` in its path is in ``request.path_params``."""
        self._paths.add(path)

        async def endpoint(request: Request) -> Response:
            return await self._answered(request, lambda: persistently(lambda: handler(request)))

        return Route(path, endpoint, methods=["GET"])

    def post(self, path: str, handler: Handler) -> Route:
        """What a form is sent to; the handler is called only for forms of our own pages, and reads ``form``."""

        async def endpoint(request: Request) -> Response:
            try:
                request.state.form = read_form(request.headers, await request.body())
                check_form(request, request.state.form, self._seed(request))
            except NotewellError as error:
                return self.problem(request, error)
            except ClientDisconnect:
                return Response(status_code=400)
            return await self._answered(request, lambda: handler(request))

        return Route(path, endpoint, methods=["POST"])

    async def _answered(self, request: Request, work: Callable[[], Response]) -> Response:
        try:
            return await in_thread(work)
        except NotewellError as error:
            return self.problem(request, error)
        except Exception:  # noqa: BLE001 - the person learns of a defect, the log learns of its cause
            _log.exception("%s %s failed", request.method, request.url.path)
            return self.problem(request, Internal("Notewell met a defect in itself. Please report it."))

    # Who

    def actor(self, request: Request) -> Actor:
        """Who is signed in, as a person: with no agent label. Raises ``unauthenticated``: then the login comes."""
        found = self.viewer(request)
        if not found.account_id:
            raise Unauthenticated("Sign in to see this page.")
        return found

    def viewer(self, request: Request) -> Actor:
        """Who looks: the same, or ``ANONYMOUS`` where the public record is open to everybody."""
        found = self._viewer(request)
        if found is None:
            raise Unauthenticated("Sign in to see this page.")
        return found

    def session(self, request: Request) -> Session | None:
        """The session of who is signed in; None on one's own machine, where nobody needs to."""
        found: Session | None = request.scope.get(SESSION)
        return found

    def _viewer(self, request: Request) -> Actor | None:
        found: Actor | None = request.scope.get(ACTOR)
        # What a person writes on a page no agent wrote, whatever the environment says of this process.
        return None if found is None else replace(found, agent="")

    def client(self, request: Request) -> str:
        """The address that a request comes from."""
        return request.client.host if request.client else ""

    # What came, and what goes

    def form(self, request: Request) -> Form:
        """The form that was sent, in a handler of ``post``."""
        form: Form = request.state.form
        return form

    def texts(self, request: Request, page: str) -> Translator:
        """The texts of a page in the language of a request."""
        return Translator(page, language_of(request))

    def render(self, request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A page from ``templates/``; its texts are those of ``texts/PAGE.json``, by the first part of its name.

        ``remote_images=True`` lets this one response load pictures of other sites; ask ``wants_images`` first.
        """
        shows_images = bool(values.pop("remote_images", False))
        seed, is_new = self._seed(request), False
        if not seed:
            seed, is_new = secrets.token_urlsafe(24), True
        translator = self.texts(request, template.partition("/")[0].removesuffix(".html"))
        notice = request.cookies.get(cookies.NOTICE_COOKIE, "")
        values = {
            **values,
            "t": translator,
            "form_token": token_of(seed),
            "images_token": token_of(seed, IMAGES_PARAMETER),
            "shell": self._shell(request, translator.language, self._notice(request, notice)),
        }
        response = HTMLResponse(html_of(template, values), status, page_headers(shows_images=shows_images))
        if is_new:
            cookies.set_secret_cookie(request, response, cookies.FORM_COOKIE, seed)
        if notice:
            response.delete_cookie(cookies.NOTICE_COOKIE, path="/")
        return response

    def redirect(self, request: Request, path: str, notice: str = "") -> RedirectResponse:
        """The way on after a form (303). ``notice`` names a text, ``PAGE.KEY``, that the next page shows once."""
        response = RedirectResponse(path, 303, {"Cache-Control": "no-store"})
        if notice:
            cookies.set_plain_cookie(request, response, cookies.NOTICE_COOKIE, notice, cookies.NOTICE_SECONDS)
        return response

    def confirm(self, request: Request, confirmation: Confirmation) -> HTMLResponse:
        """The page that asks before something is done for good."""
        return self.render(request, "confirm.html", confirmation=confirmation)

    def problem(self, request: Request, error: NotewellError) -> Response:
        """The page that tells an error; where somebody must sign in, the way there."""
        if isinstance(error, Unauthenticated):
            here = self._here(request)
            aim = (
                f"/login?next={quote(here, safe='')}" if request.method in ("GET", "HEAD") and here != "/" else "/login"
            )
            return self.redirect(request, aim)
        response = self.render(request, "problem.html", STATUSES[error.code], error=error)
        if "retryAfterSeconds" in error.details:
            response.headers["Retry-After"] = str(error.details["retryAfterSeconds"])
        return response

    def wants_images(self, request: Request) -> bool:
        """Whether the person asked on this page for pictures of other sites (``?images=``, with our own token)."""
        given = request.query_params.get(IMAGES_PARAMETER, "")
        seed = self._seed(request)
        return bool(seed and given) and hmac.compare_digest(given.encode(), token_of(seed, IMAGES_PARAMETER).encode())

    # Inside

    def _seed(self, request: Request) -> str:
        """What the tokens of forms are made from: the cookie of the session, else that for forms; empty without."""
        name = cookies.SESSION_COOKIE if SESSION in request.scope else cookies.FORM_COOKIE
        return cookies.secret_cookie(request.cookies, name)

    def _here(self, request: Request) -> str:
        """The path and query of a request, where a person can come back to it."""
        if request.method not in ("GET", "HEAD"):
            return "/"
        path = quote(request.url.path, safe="/:@!$&'()*+,;=~-._")
        return local_path(f"{path}?{request.url.query}" if request.url.query else path)

    def _notice(self, request: Request, notice: str) -> str:
        if not _NOTICE.fullmatch(notice):
            return ""
        page, _, key = notice.partition(".")
        translator = self.texts(request, page)
        return translator(key) if translator.has(key) else ""

    def _shell(self, request: Request, language: str, notice: str) -> dict[str, Any]:
        viewer = self._viewer(request)
        roles = {"viewer"} if viewer else set()
        if viewer and viewer.account_id:
            roles |= {"account", "admin"} if viewer.is_admin else {"account"}
        path = request.url.path
        return {
            "language": language,
            "html_language": HTML_LANGUAGES[language],
            "languages": LANGUAGES,
            "notice": notice,
            "here": self._here(request),
            "actor": viewer if viewer and viewer.account_id else None,
            "has_session": SESSION in request.scope,
            "nav": [
                {"path": each.path, "key": each.key, "is_here": path == each.path or path.startswith(each.beginnings)}
                for each in NAVIGATION
                if each.needs in roles and each.path in self._paths
            ],
        }


def local_path(text: str, default: str = "/") -> str:
    """A path of this server, out of what a request says it is: nothing that leads to another site."""
    return text if len(text) <= MAX_PATH_CHARS and _LOCAL_PATH.fullmatch(text) else default
