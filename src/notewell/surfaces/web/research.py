"""``/research``: the problems and campaigns that somebody may see, and the forms that make new ones."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.domain.access import Actor
from notewell.domain.research import MAX_DESCRIPTION_CHARS, MAX_SLUG_CHARS, MAX_TITLE_CHARS, Campaign
from notewell.errors import Forbidden, InvalidArgument, NotFound, TooLarge
from notewell.services import research, research_search
from notewell.services.research import CampaignDraft, ProblemDraft
from notewell.services.retry import persistently
from notewell.surfaces.problems import STATUSES
from notewell.surfaces.web.forms import Form
from notewell.surfaces.web.research_view import LIST_PATH, address, may_change, may_write, number_in
from notewell.surfaces.web.shell import Web

PROBLEMS_SHOWN = 20
LIMITS = {"slug": MAX_SLUG_CHARS, "title": MAX_TITLE_CHARS, "description": MAX_DESCRIPTION_CHARS}
MAKE_PROBLEM = f"{LIST_PATH}/new/problem"
MAKE_CAMPAIGN = f"{LIST_PATH}/new/campaign"


def routes(web: Web) -> list[Route]:
    """The list, and the two forms."""

    def show(request: Request) -> Response:
        return _list_page(web, request)

    def ask_campaign(request: Request) -> Response:
        return _campaign_form(web, request)

    def make_campaign(request: Request) -> Response:
        form, actor = web.form(request), web.actor(request)
        draft = CampaignDraft(
            form.line("slug"), form.line("title"), form.text("description").strip(), form.is_on("publish")
        )
        try:
            made = persistently(lambda: research.create_campaign(web.app.store, actor, draft))
        except (InvalidArgument, TooLarge) as error:
            return _campaign_form(web, request, error)
        return web.redirect(request, f"/campaigns/{made.slug}", "research.campaign_made")

    def ask_problem(request: Request) -> Response:
        return _problem_form(web, request)

    def make_problem(request: Request) -> Response:
        form, actor = web.form(request), web.actor(request)
        try:
            made = persistently(lambda: research.create_problem(web.app.store, actor, _draft(form)))
        except (InvalidArgument, TooLarge, NotFound, Forbidden) as error:
            return _problem_form(web, request, error)
        return web.redirect(request, f"/problems/{made.slug}", "research.problem_made")

    return [
        web.get(LIST_PATH, show),
        web.get(MAKE_CAMPAIGN, ask_campaign),
        web.post(MAKE_CAMPAIGN, make_campaign),
        web.get(MAKE_PROBLEM, ask_problem),
        web.post(MAKE_PROBLEM, make_problem),
    ]


def _list_page(web: Web, request: Request) -> Response:
    """The problems with all words of a query, a page of them, and the campaigns."""
    viewer = web.viewer(request)
    words = request.query_params.get("query", "").strip()
    found = research_search.list_problems(web.app.store, viewer, words)
    start = min((number_in(request, "page") or 1) - 1, len(found) // PROBLEMS_SHOWN) * PROBLEMS_SHOWN
    start = max(0, start)
    number = start // PROBLEMS_SHOWN + 1
    shown = found[start : start + PROBLEMS_SHOWN]
    is_last = start + len(shown) >= len(found)
    return web.render(
        request,
        "research/list.html",
        words=words,
        problems=shown,
        total=len(found),
        next="" if is_last else address(LIST_PATH, [("query", words), ("page", number + 1)]),
        first=address(LIST_PATH, [("query", words)]) if start else "",
        campaigns=research.campaigns(web.app.store, viewer),
        may_write=may_write(viewer),
        viewer=viewer,
    )


def _campaign_form(web: Web, request: Request, error: InvalidArgument | TooLarge | None = None) -> Response:
    web.actor(request)
    form = _given(web, request)
    return web.render(
        request,
        "research/new_campaign.html",
        200 if error is None else STATUSES[error.code],
        action=MAKE_CAMPAIGN,
        limits=LIMITS,
        form=form,
        error=error,
        wrong="" if error is None else str(error.details.get("argument", "")),
    )


def _given(web: Web, request: Request) -> Form:
    return web.form(request) if request.method == "POST" else Form(list(request.query_params.multi_items()))


def _draft(form: Form) -> ProblemDraft:
    return ProblemDraft(
        slug=form.line("slug"),
        title=form.line("title"),
        statement_md=form.text("statement_md"),
        campaign=form.line("campaign") or None,
        publishes=form.is_on("publish"),
        is_validation_copy=form.is_on("validation_copy"),
    )


def _problem_form(
    web: Web, request: Request, error: InvalidArgument | TooLarge | NotFound | Forbidden | None = None
) -> Response:
    actor = web.actor(request)
    return web.render(
        request,
        "research/new_problem.html",
        200 if error is None else STATUSES[error.code],
        action=MAKE_PROBLEM,
        limits=LIMITS,
        form=_given(web, request),
        campaigns=_own_campaigns(web, actor),
        error=error,
        wrong="" if error is None else str(error.details.get("argument", "")),
    )


def _own_campaigns(web: Web, actor: Actor) -> list[Campaign]:
    """The campaigns that somebody may add problems to."""
    return [each for each in research.campaigns(web.app.store, actor) if may_change(actor, each.owner_id)]
