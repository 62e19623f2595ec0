"""``/settings``: a person's language, password, and the browsers that they are signed in with."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.errors import InvalidArgument, Unauthenticated
from notewell.services import sessions
from notewell.services.sessions import MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS
from notewell.surfaces.web.shell import Web

PATH = "/settings"


def routes(web: Web) -> list[Route]:
    """The pages of a person's own settings."""
    page = _Settings(web)
    return [
        web.get(PATH, page.shown),
        web.post(f"{PATH}/password", page.change_password),
        web.post(f"{PATH}/sessions/end-others", page.end_others),
        web.post(f"{PATH}/sessions/{{id}}/end", page.end_session),
    ]


class _Settings:
    """The handlers of a person's own settings."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._store = web.app.store

    def shown(self, request: Request, problem: str = "", status: int = 200) -> Response:
        actor, session = self._web.actor(request), self._web.session(request)
        has_password = sessions.has_password(self._store, actor.account_id)
        return self._web.render(
            request,
            "settings.html",
            status,
            has_password=has_password,
            # On one's own machine the command line asks for no old password, either.
            asks_old=has_password and session is not None,
            problem=problem,
            limits=(MIN_PASSWORD_CHARS, MAX_PASSWORD_CHARS),
            sessions=sessions.sessions(self._store, actor),
            session_id=session.id if session else "",
        )

    def change_password(self, request: Request) -> Response:
        form, actor, session = self._web.form(request), self._web.actor(request), self._web.session(request)
        if session is not None:
            try:
                sessions.check_password(self._store, actor.handle, form.text("old_password"))
            except Unauthenticated:
                return self.shown(request, "old_wrong", 400)
        if form.text("password") != form.text("again"):
            return self.shown(request, "not_same", 400)
        try:
            sessions.set_password(
                self._store, actor.handle, form.text("password"), keep_session_id=session.id if session else ""
            )
        except InvalidArgument:
            return self.shown(request, "not_good", 400)
        return self._web.redirect(request, PATH, "settings.password_set")

    def end_session(self, request: Request) -> Response:
        sessions.sign_out(self._store, self._web.actor(request), request.path_params["id"])
        return self._web.redirect(request, PATH, "settings.session_ended")

    def end_others(self, request: Request) -> Response:
        session = self._web.session(request)
        sessions.sign_out_elsewhere(self._store, self._web.actor(request), session.id if session else "")
        return self._web.redirect(request, PATH, "settings.others_ended")
