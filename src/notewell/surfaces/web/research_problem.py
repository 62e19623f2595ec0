"""``/problems/{slug or id}``: a problem's statement with its revisions, and the attempts at it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.errors import NotFound
from notewell.services import accounts, research
from notewell.services.research import ProblemView
from notewell.services.retry import persistently
from notewell.surfaces.web.markdown import Options, raw_page, render
from notewell.surfaces.web.research_view import address, may_change, may_write, number_in
from notewell.surfaces.web.shell import Web

ATTEMPTS_SHOWN = 30


def routes(web: Web) -> list[Route]:
    """The statement, the same as it is, the attempts, and the start of one."""
    store = web.app.store

    def show(request: Request) -> Response:
        viewer, view = web.viewer(request), _view(web, request)
        wants = web.wants_images(request)
        return web.render(
            request,
            "research/problem.html",
            view=view,
            statement=render(view.shown.statement_md, Options("statement", wants, 3)),
            remote_images=wants,
            may_change=may_change(viewer, view.problem.owner_id),
            may_write=may_write(viewer),
        )

    def raw(request: Request) -> Response:
        number = request.path_params["number"]
        if not (number.isascii() and number.isdigit() and len(number) < 8):
            raise NotFound("There is no such revision.")
        view = research.problem(store, web.viewer(request), request.path_params["reference"], int(number))
        page = raw_page(view.shown.statement_md, number_in(request, "part") or 1)
        return web.render(request, "research/raw_statement.html", view=view, page=page, url=request.url.path)

    return [
        web.get("/problems/{reference}", show),
        web.get("/problems/{reference}/revisions/{number}/raw", raw),
        *_attempts(web),
    ]


def _attempts(web: Web) -> list[Route]:
    """The attempts at a problem, and the start of one."""
    store = web.app.store

    def attempts(request: Request) -> Response:
        viewer, view = web.viewer(request), _view(web, request)
        found = research.attempts(store, viewer, view.problem.id)
        start = ((number_in(request, "page") or 1) - 1) * ATTEMPTS_SHOWN
        start = start if 0 <= start < len(found) else 0
        shown = found[start : start + ATTEMPTS_SHOWN]
        here = f"/problems/{view.problem.slug}/attempts"
        more = address(here, [("page", start // ATTEMPTS_SHOWN + 2), ("revision", number_in(request, "revision"))])
        return web.render(
            request,
            "research/attempts.html",
            view=view,
            attempts=shown,
            handles=accounts.handles(store, [each.account_id for each in shown]),
            next=more if start + len(shown) < len(found) else "",
            first=here if start else "",
            may_write=may_write(viewer),
        )

    def start(request: Request) -> Response:
        actor, reference = web.actor(request), request.path_params["reference"]
        made, _ = persistently(lambda: research.start_attempt(store, actor, reference))
        return web.redirect(request, f"/attempts/{made.id}", "research.attempt_started")

    path = "/problems/{reference}/attempts"
    return [web.get(path, attempts), web.post(path, start)]


def _view(web: Web, request: Request) -> ProblemView:
    """The problem of a path with the revision that the query names."""
    reference, revision = request.path_params["reference"], number_in(request, "revision")
    return research.problem(web.app.store, web.viewer(request), reference, revision)
