"""What the owner of a problem does with it: publish or unpublish it, and give it a new statement."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.domain.access import Actor
from notewell.domain.research import check_markdown, check_title
from notewell.errors import InvalidArgument, NotFound, TooLarge, VersionConflict
from notewell.services import research
from notewell.services.research import ProblemView
from notewell.services.retry import persistently
from notewell.surfaces.problems import STATUSES
from notewell.surfaces.web.research_view import may_change, with_line_ends
from notewell.surfaces.web.shell import Confirmation, Web

Refusal = InvalidArgument | TooLarge | VersionConflict


def routes(web: Web) -> list[Route]:
    """The questions before each change, and the changes."""
    store = web.app.store

    def ask_publish(request: Request) -> Response:
        _, view = _own(web, request)
        return web.confirm(request, _publication(web, request, view))

    def publish(request: Request) -> Response:
        actor, view = _own(web, request)
        is_published = web.form(request).is_on("published")
        persistently(lambda: research.publish_problem(store, actor, view.problem.id, is_published=is_published))
        notice = "research.published_now" if is_published else "research.unpublished_now"
        return web.redirect(request, f"/problems/{view.problem.slug}", notice)

    def ask_revise(request: Request) -> Response:
        _, view = _own(web, request)
        return _form_page(web, request, view)

    def revise(request: Request) -> Response:
        actor, view = _own(web, request)
        form = web.form(request)
        try:
            title = check_title(form.text("title"))
            statement = check_markdown(
                with_line_ends(form.text("statement_md"), view.shown.statement_md), "statement_md"
            )
            if form.line("revision") != str(view.problem.revision):
                raise VersionConflict(
                    f"The problem has revision {view.problem.revision} meanwhile. Look at it, and send yours once more"
                    " if it is still right."
                )
            if not form.is_on("confirmed"):
                return web.confirm(request, _revision(web, request, view))
            persistently(lambda: research.revise_problem(store, actor, view.problem.id, statement, title))
        except (InvalidArgument, TooLarge, VersionConflict) as error:
            return _form_page(web, request, view, error)
        return web.redirect(request, f"/problems/{view.problem.slug}", "research.revised")

    path = "/problems/{reference}"
    return [
        web.get(f"{path}/publish", ask_publish),
        web.post(f"{path}/publish", publish),
        web.get(f"{path}/revise", ask_revise),
        web.post(f"{path}/revise", revise),
    ]


def _own(web: Web, request: Request) -> tuple[Actor, ProblemView]:
    """Who acts, and the problem of the path, which is theirs to change. Raises ``not_found``."""
    actor = web.actor(request)
    view = research.problem(web.app.store, actor, request.path_params["reference"])
    if not may_change(actor, view.problem.owner_id):
        raise NotFound("There is nothing of yours to change here.")
    return actor, view


def _publication(web: Web, request: Request, view: ProblemView) -> Confirmation:
    t = web.texts(request, "research")
    path = f"/problems/{view.problem.slug}"
    is_out = view.problem.is_published
    return Confirmation(
        t("unpublish_title" if is_out else "publish_title", title=view.problem.title),
        t("problem_unpublish_message" if is_out else "problem_publish_message"),
        t("unpublish" if is_out else "publish"),
        f"{path}/publish",
        path,
        (("published", "" if is_out else "1"),),
    )


def _revision(web: Web, request: Request, view: ProblemView) -> Confirmation:
    """The question that carries the new statement along."""
    t, form = web.texts(request, "research"), web.form(request)
    path = f"/problems/{view.problem.slug}"
    kept = tuple((name, form.text(name)) for name in ("title", "statement_md", "revision"))
    return Confirmation(
        t("revise_title", title=view.problem.title),
        t("revise_message", number=view.problem.revision + 1),
        t("revise_now"),
        f"{path}/revise",
        f"{path}/revise",
        (*kept, ("confirmed", "1")),
    )


def _form_page(web: Web, request: Request, view: ProblemView, error: Refusal | None = None) -> Response:
    form = web.form(request) if error is not None else None
    return web.render(
        request,
        "research/revise.html",
        200 if error is None else STATUSES[error.code],
        view=view,
        title=form.text("title") if form else view.problem.title,
        statement=form.text("statement_md") if form else view.shown.statement_md,
        error=error,
        wrong="" if error is None else str(error.details.get("argument", "")),
    )
