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
    store = web.app.store

    def shown(request: Request, problem: str = "", status: int = 200) -> Response:
        actor, session = web.actor(request), web.session(request)
        has_password = sessions.has_password(store, actor.account_id)
        return web.render(
            request,
            "settings.html",
            status,
            has_password=has_password,
            # On one's own machine the command line asks for no old password, either.
            asks_old=has_password and session is not None,
            problem=problem,
            limits=(MIN_PASSWORD_CHARS, MAX_PASSWORD_CHARS),
            sessions=sessions.sessions(store, actor),
            session_id=session.id if session else "",
        )

    def change_password(request: Request) -> Response:
        form, actor, session = web.form(request), web.actor(request), web.session(request)
        if session is not None:
            try:
                sessions.check_password(store, actor.handle, form.text("old_password"))
            except Unauthenticated:
                return shown(request, "old_wrong", 400)
        if form.text("password") != form.text("again"):
            return shown(request, "not_same", 400)
        try:
            sessions.set_password(
                store, actor.handle, form.text("password"), keep_session_id=session.id if session else ""
            )
        except InvalidArgument:
            return shown(request, "not_good", 400)
        return web.redirect(request, PATH, "settings.password_set")

    def end_session(request: Request) -> Response:
        sessions.sign_out(store, web.actor(request), request.path_params["id"])
        return web.redirect(request, PATH, "settings.session_ended")

    def end_others(request: Request) -> Response:
        session = web.session(request)
        sessions.sign_out_elsewhere(store, web.actor(request), session.id if session else "")
        return web.redirect(request, PATH, "settings.others_ended")

    return [
        web.get(PATH, shown),
        web.post(f"{PATH}/password", change_password),
        web.post(f"{PATH}/sessions/end-others", end_others),
        web.post(f"{PATH}/sessions/{{id}}/end", end_session),
    ]
