"""``/research/notes/{id}``: one note, its header and who builds on it; its author changes it while the attempt runs."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.domain import header
from notewell.domain.access import Actor
from notewell.domain.research import can_see_problem
from notewell.errors import Frozen, InvalidArgument, NotFound, TooLarge, VersionConflict
from notewell.services import research_notes
from notewell.services.research_notes import FullNote, NoteInContext, Reading
from notewell.services.retry import persistently
from notewell.surfaces.problems import STATUSES
from notewell.surfaces.web.markdown import Options, raw_page, render
from notewell.surfaces.web.research_view import may_write, number_in, shown_note, titles_of_cited, with_line_ends
from notewell.surfaces.web.shell import Confirmation, Web

PATH = "/research/notes/{id}"
Refusal = InvalidArgument | TooLarge | Frozen | VersionConflict


def routes(web: Web) -> list[Route]:
    """The page, the text as it is, and what the author may do."""

    def show(request: Request) -> Response:
        viewer = web.viewer(request)
        full = full_note(web, request, viewer)
        wants = web.wants_images(request)
        view = full.view
        return web.render(
            request,
            "research/note.html",
            shown=shown_note(view, shows_images=wants, first_heading=2, part=number_in(request, "part") or 1),
            full=full,
            cited_titles=titles_of_cited(web, viewer, [view]),
            remote_images=wants,
            sees_problem=can_see_problem(view.problem, viewer.account_id, is_admin=viewer.is_admin),
            can_write=_can_write(viewer, view),
            can_delete=_can_write(viewer, view) or (viewer.is_admin and may_write(viewer)),
        )

    def raw(request: Request) -> Response:
        full = full_note(web, request, web.viewer(request))
        page = raw_page(full.view.note.body_md, number_in(request, "part") or 1)
        return web.render(request, "research/raw_note.html", view=full.view, page=page, url=request.url.path)

    def ask_edit(request: Request) -> Response:
        _, view = _own(web, request)
        return _form_page(web, request, view)

    def edit(request: Request) -> Response:
        return _edited(web, request)

    return [
        web.get(PATH, show),
        web.get(f"{PATH}/raw", raw),
        web.get(f"{PATH}/edit", ask_edit),
        web.post(f"{PATH}/edit", edit),
        *_deletion(web),
    ]


def _deletion(web: Web) -> list[Route]:
    """The question before a note is deleted, and the deletion."""

    def ask_delete(request: Request) -> Response:
        _, view = _own(web, request, is_deletion=True)
        t = web.texts(request, "research")
        path = f"/research/notes/{view.note.id}"
        title = view.title or view.note.id
        return web.confirm(
            request,
            Confirmation(t("delete_title", title=title), t("delete_message"), t("delete"), f"{path}/delete", path),
        )

    def delete(request: Request) -> Response:
        actor, view = _own(web, request, is_deletion=True)
        persistently(lambda: research_notes.delete_note(web.app.store, actor, view.note.id))
        return web.redirect(request, f"/attempts/{view.attempt.id}", "research.note_deleted")

    return [web.get(f"{PATH}/delete", ask_delete), web.post(f"{PATH}/delete", delete)]


def full_note(web: Web, request: Request, viewer: Actor) -> FullNote:
    """The note of a path. Raises ``not_found``, also for what is no id."""
    try:
        return research_notes.get_note(web.app.store, viewer, request.path_params["id"], Reading())
    except InvalidArgument:
        raise NotFound("There is no such note, or you may not see it.") from None


def _can_write(viewer: Actor, view: NoteInContext) -> bool:
    return may_write(viewer) and view.attempt.is_running and view.attempt.account_id == viewer.account_id


def _own(web: Web, request: Request, *, is_deletion: bool = False) -> tuple[Actor, NoteInContext]:
    """Who acts, and the note of the path, which is theirs; administrators may delete any. Raises ``not_found``."""
    actor = web.actor(request)
    view = full_note(web, request, actor).view
    if view.attempt.account_id != actor.account_id and not (is_deletion and actor.is_admin):
        raise NotFound("This is no note of yours.")
    return actor, view


def _edited(web: Web, request: Request) -> Response:
    """Saves what was typed, or shows it again: to be looked at, or with what was wrong with it."""
    actor, view = _own(web, request)
    form = web.form(request)
    if form.is_on("preview"):
        return _form_page(web, request, view)
    body = with_line_ends(form.text("body_md"), view.note.body_md)
    version = form.line("version")
    given = int(version) if version.isascii() and version.isdigit() and len(version) < 10 else 0
    try:
        persistently(lambda: research_notes.edit_note(web.app.store, actor, view.note.id, body, given))
    except (InvalidArgument, TooLarge, Frozen, VersionConflict) as error:
        return _form_page(web, request, view, error)
    return web.redirect(request, f"/attempts/{view.attempt.id}#{view.note.id}", "research.note_saved")


def _form_page(web: Web, request: Request, view: NoteInContext, error: Refusal | None = None) -> Response:
    form = web.form(request) if request.method == "POST" else None
    if form is None and not view.attempt.is_running:
        raise Frozen(f"Attempt {view.attempt.id} has ended, so its notes change no more.")
    body = form.text("body_md") if form else view.note.body_md
    # After a conflict the next attempt to save is on what is there now, which the page shows.
    is_conflict = isinstance(error, VersionConflict)
    version = form.line("version") if form and not is_conflict else str(view.note.version)
    return web.render(
        request,
        "research/write.html",
        200 if error is None else STATUSES[error.code],
        note=view,
        body=body,
        version=version,
        error=error,
        preview=render(header.parse(body).body, Options("preview", first_heading=3)) if form and not error else None,
        action=f"/research/notes/{view.note.id}/edit",
        back=f"/attempts/{view.attempt.id}#{view.note.id}",
    )
