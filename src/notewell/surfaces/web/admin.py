"""``/admin``: how the store stands, for administrators. Counts and reasons, never a note's text."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.services import administration
from notewell.services.ports import EmbedderUnavailable
from notewell.surfaces.web.shell import Confirmation, Web

PATH = "/admin"
SWEEP_PATH = f"{PATH}/sweep"


def routes(web: Web) -> list[Route]:
    """The pages of administrators."""
    page = _Admin(web)
    return [web.get(PATH, page.shown), web.get(SWEEP_PATH, page.ask_sweep), web.post(SWEEP_PATH, page.sweep)]


class _Admin:
    """The handlers of administrators."""

    def __init__(self, web: Web) -> None:
        self._web = web

    def shown(self, request: Request) -> Response:
        app = self._web.app
        state = administration.state(app.store, self._web.actor(request), app.config.file)
        embedder = app.embedder
        is_missing = isinstance(embedder, EmbedderUnavailable)
        return self._web.render(
            request,
            "admin.html",
            state=state,
            setting=without_password(app.config.embedder),
            model_id="" if isinstance(embedder, EmbedderUnavailable) else embedder.model_id,
            reason=embedder.reason if isinstance(embedder, EmbedderUnavailable) else "",
            is_switched_off=is_missing and app.config.embedder == "none",
        )

    def ask_sweep(self, request: Request) -> Response:
        administration.require_admin(self._web.actor(request))
        t = self._web.texts(request, "admin")
        return self._web.confirm(
            request, Confirmation(t("sweep_title"), t("sweep_message"), t("sweep"), SWEEP_PATH, PATH)
        )

    def sweep(self, request: Request) -> Response:
        administration.begin_sweep(self._web.app.store, self._web.actor(request))
        self._web.app.sweep()
        return self._web.redirect(request, PATH, "admin.swept")


def without_password(setting: str) -> str:
    """A setting as it may be shown: an address loses the name and password in it, and its query."""
    kind, colon, address = setting.partition(":")
    if not colon or "//" not in address:
        return setting
    whole = address if "://" in address else setting
    parts = urlsplit(whole)
    shown = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    return f"{kind}:{shown}" if whole is address else shown
