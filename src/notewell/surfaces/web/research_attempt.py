"""``/attempts/{id}``: an attempt with its notes; while it runs its author writes on it here, and ends it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.domain import header
from notewell.domain.access import Actor
from notewell.domain.research import OUTCOMES, can_see_problem
from notewell.errors import Frozen, InvalidArgument, NotFound, TooLarge
from notewell.services import lineage, research_notes
from notewell.services.research_notes import AttemptView, NoteInContext
from notewell.services.retry import persistently
from notewell.surfaces.problems import STATUSES
from notewell.surfaces.web.markdown import Options, render
from notewell.surfaces.web.markdown_parts import MAX_PART_BYTES
from notewell.surfaces.web.research_view import ShownNote, may_write, shown_note, titles_of_cited
from notewell.surfaces.web.shell import Web

MAX_TEXT_CHARS = 60_000
MAX_TEXTS = 100
"""Of an attempt's notes those past this are named, each with its anchor, and read on pages of their own."""

Refusal = InvalidArgument | TooLarge | Frozen


def routes(web: Web) -> list[Route]:
    """The page, a new note, and the end of the attempt."""
    store = web.app.store

    def show(request: Request) -> Response:
        return _page(web, request)

    def add(request: Request) -> Response:
        actor, view = _running(web, request)
        body = web.form(request).text("body_md")
        if web.form(request).is_on("preview"):
            return _note_form(web, request, view)
        try:
            made = persistently(lambda: research_notes.add_note(store, actor, view.attempt.id, body))
        except (InvalidArgument, TooLarge, Frozen) as error:
            return _note_form(web, request, view, error)
        return web.redirect(request, f"/attempts/{view.attempt.id}#{made.note.id}", "research.note_added")

    def ask_end(request: Request) -> Response:
        _, view = _running(web, request)
        return _end_form(web, request, view)

    def end(request: Request) -> Response:
        actor, view = _running(web, request)
        form = web.form(request)
        outcome, summary = form.line("outcome"), form.text("summary_md")
        try:
            made = persistently(lambda: research_notes.end_attempt(store, actor, view.attempt.id, outcome, summary))
        except (InvalidArgument, TooLarge, Frozen) as error:
            return _end_form(web, request, view, error)
        return web.redirect(request, f"/attempts/{view.attempt.id}#{made.note.id}", "research.attempt_ended")

    return [
        web.get("/attempts/{id}", show),
        web.post("/attempts/{id}/notes", add),
        web.get("/attempts/{id}/end", ask_end),
        web.post("/attempts/{id}/end", end),
    ]


def _attempt(web: Web, request: Request, actor: Actor) -> AttemptView:
    """The attempt of a path. Raises ``not_found``, also for what is no id."""
    try:
        return research_notes.get_attempt(web.app.store, actor, request.path_params["id"])
    except InvalidArgument:
        raise NotFound("There is no such attempt, or you may not see it.") from None


def _running(web: Web, request: Request) -> tuple[Actor, AttemptView]:
    """Who acts, and the attempt of the path, which is theirs; whether it still runs the service says."""
    actor = web.actor(request)
    view = _attempt(web, request, actor)
    if view.attempt.account_id != actor.account_id or not may_write(actor):
        raise NotFound("This is no attempt of yours.")
    return actor, view


def _page(web: Web, request: Request) -> Response:
    viewer = web.viewer(request)
    view = _attempt(web, request, viewer)
    wants = web.wants_images(request)
    # What the attempt came to is read first.
    ordered = sorted(view.notes, key=lambda each: each.note.note_kind != "summary")
    is_author = may_write(viewer) and view.attempt.account_id == viewer.account_id
    return web.render(
        request,
        "research/attempt.html",
        attempt=view.attempt,
        problem=view.problem,
        author_handle=view.author_handle,
        sees_problem=can_see_problem(view.problem, viewer.account_id, is_admin=viewer.is_admin),
        notes=_shown(ordered, shows_images=wants),
        cited_titles=titles_of_cited(web, viewer, ordered),
        remote_images=wants,
        can_write=is_author and view.attempt.is_running,
        trail=lineage.trail(web.app.store, viewer, view.attempt.id),
    )


def _shown(ordered: list[NoteInContext], *, shows_images: bool) -> list[ShownNote]:
    """The notes of a page, their texts as far as there is room."""
    shown, chars = [], 0
    for number, view in enumerate(ordered):
        chars += min(len(view.header.body), MAX_PART_BYTES)
        has_text = number == 0 or (chars <= MAX_TEXT_CHARS and number < MAX_TEXTS)
        shown.append(shown_note(view, shows_images=shows_images, has_text=has_text))
    return shown


def _note_form(web: Web, request: Request, view: AttemptView, error: Refusal | None = None) -> Response:
    body = web.form(request).text("body_md")
    path = f"/attempts/{view.attempt.id}"
    return web.render(
        request,
        "research/write.html",
        200 if error is None else STATUSES[error.code],
        note=None,
        body=body,
        version="",
        error=error,
        preview=None if error else render(header.parse(body).body, Options("preview", first_heading=3)),
        action=f"{path}/notes",
        back=path,
    )


def _end_form(web: Web, request: Request, view: AttemptView, error: Refusal | None = None) -> Response:
    if error is None and not view.attempt.is_running:
        raise Frozen(f"Attempt {view.attempt.id} has ended already.")
    form = web.form(request) if error is not None else None
    return web.render(
        request,
        "research/end.html",
        200 if error is None else STATUSES[error.code],
        attempt=view.attempt,
        problem=view.problem,
        outcomes=OUTCOMES,
        outcome=form.line("outcome") if form else "",
        summary=form.text("summary_md") if form else "",
        error=error,
    )
