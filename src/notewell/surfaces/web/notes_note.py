"""One note: its view, its text as it is, and the small forms that file, tag, archive and delete it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.domain.access import Actor
from notewell.domain.notes import MAX_BODY_BYTES, Edit
from notewell.errors import InvalidArgument, InvalidSymbol, NotewellError, NotFound, VersionConflict
from notewell.services import collections, memory
from notewell.services.memory import Filing, NoteView
from notewell.services.retry import persistently
from notewell.surfaces.problems import STATUSES as HTTP_STATUSES
from notewell.surfaces.web.markdown import Options, raw_page, render
from notewell.surfaces.web.notes_form import NO_COLLECTION, labels_of, symbols_of
from notewell.surfaces.web.notes_query import PATH
from notewell.surfaces.web.shell import Confirmation, Web

_CHANGED = {"file": "notes.filed", "labels": "notes.labelled"}


@dataclass(frozen=True, slots=True)
class _Refused:
    """A small form that could not be done, with what was typed into it."""

    problem: NotewellError | None = None
    collection: str = ""
    tags: str = ""
    symbols: str = ""


def routes(web: Web) -> list[Route]:
    """The pages of one note."""
    pages = _NotePages(web)
    one = f"{PATH}/{{id}}"
    return [
        web.get(one, pages.show),
        web.get(f"{one}/raw", pages.raw),
        web.post(f"{one}/file", pages.file),
        web.post(f"{one}/labels", pages.label),
        web.post(f"{one}/status", pages.set_status),
        web.get(f"{one}/delete", pages.ask_delete),
        web.post(f"{one}/delete", pages.delete),
    ]


def note_of(web: Web, request: Request) -> NoteView:
    """The note that a path names. Raises ``not_found``, also for what is no id."""
    note_id = request.path_params["id"]
    try:
        found, _ = memory.read(web.app.store, web.actor(request), [note_id], max_chars=MAX_BODY_BYTES)
    except InvalidArgument:
        found = []
    if not found:
        raise NotFound(f"There is no note {note_id[:60]} in this memory. It may have been deleted.")
    return found[0].view


def collection_names(web: Web, actor: Actor, current: str | None) -> list[str]:
    """The names of the collections that a note can be filed into, its own among them."""
    return sorted({*collections.names(web.app.store, actor), *([current] if current else [])}, key=str.casefold)


def part_of(request: Request) -> int:
    """The number of the part that an address asks for; the first where it says none."""
    given = request.query_params.get("part", "1")[:6]
    return int(given) if given.isascii() and given.isdigit() else 1


class _NotePages:
    """The view of a note and what can be done there."""

    def __init__(self, web: Web) -> None:
        self._web = web

    def show(self, request: Request) -> Response:
        """The note."""
        return self._shown(request, _Refused())

    def _shown(self, request: Request, refused: _Refused) -> Response:
        web = self._web
        view = note_of(web, request)
        wants = request.method == "GET" and web.wants_images(request)
        problem = refused.problem
        return web.render(
            request,
            "notes/note.html",
            200 if problem is None else HTTP_STATUSES[problem.code],
            remote_images=wants,
            view=view,
            note=view.note,
            here=f"{PATH}/{view.note.id}",
            body_bytes=len(view.note.body.encode()),
            rendered=render(view.note.body, Options(view.note.id, wants, 2, part_of(request))),
            collections=collection_names(web, web.actor(request), view.collection),
            no_collection=NO_COLLECTION,
            problem=problem,
            typed=refused,
        )

    def raw(self, request: Request) -> Response:
        """The text of the note as it is."""
        view = note_of(self._web, request)
        page = raw_page(view.note.body, part_of(request))
        return self._web.render(request, "notes/raw.html", view=view, page=page, here=f"{PATH}/{view.note.id}")

    def file(self, request: Request) -> Response:
        """Files the note into a collection, which may be new, or takes it out of its own."""
        form = self._web.form(request)
        new = form.line("new_collection")
        chosen = form.text("collection", NO_COLLECTION)
        filing = Filing(new, creates=True) if new else Filing(chosen or None, unfiles=not chosen)
        return self._changed(request, Edit(), filing, _Refused(collection=new))

    def label(self, request: Request) -> Response:
        """Adds tags and symbols, and takes off those whose boxes were ticked."""
        form = self._web.form(request)
        typed = _Refused(tags=form.text("add_tags"), symbols=form.text("add_symbols"))
        edit = Edit(
            add_tags=labels_of(typed.tags),
            remove_tags=tuple(form.values("remove_tags")),
            add_symbols=symbols_of(typed.symbols),
            remove_symbols=tuple(form.values("remove_symbols")),
        )
        if edit.asks_for_nothing:
            return self._web.redirect(request, f"{PATH}/{note_of(self._web, request).note.id}")
        return self._changed(request, edit, memory.NO_FILING, typed)

    def set_status(self, request: Request) -> Response:
        """Archives the note, or makes it active again."""
        status = self._web.form(request).line("status")
        is_archived = status == "archived"
        if not is_archived and status != "active":
            note_of(self._web, request)  # whether there is such a note comes first
            raise InvalidArgument(str(self._web.texts(request, "notes")("no_such_status")), argument="status")
        self._update(request, Edit(status="archived" if is_archived else "active"), memory.NO_FILING)
        return self._web.redirect(
            request, self._here(request), "notes.archived_now" if is_archived else "notes.active_now"
        )

    def ask_delete(self, request: Request) -> Response:
        """Asks before the note is deleted."""
        note = note_of(self._web, request).note
        t = self._web.texts(request, "notes")
        here = f"{PATH}/{note.id}"
        title, message = t("delete_title", title=note.title), t("delete_message")
        return self._web.confirm(request, Confirmation(title, message, t("delete"), f"{here}/delete", here))

    def delete(self, request: Request) -> Response:
        """Deletes the note for good."""
        note, actor = note_of(self._web, request).note, self._web.actor(request)
        persistently(lambda: memory.delete(self._web.app.store, actor, note.id))
        return self._web.redirect(request, PATH, "notes.deleted")

    def _changed(self, request: Request, edit: Edit, filing: Filing, typed: _Refused) -> Response:
        """The note's page after a change; the same page with what is wrong where it was refused."""
        try:
            self._update(request, edit, filing)
        except (InvalidArgument, InvalidSymbol, VersionConflict) as error:
            return self._shown(request, replace(typed, problem=error))
        return self._web.redirect(request, self._here(request), _CHANGED[request.url.path.rpartition("/")[2]])

    def _update(self, request: Request, edit: Edit, filing: Filing) -> None:
        note, actor = note_of(self._web, request).note, self._web.actor(request)
        persistently(lambda: memory.update(self._web.app.store, actor, note.id, edit, filing))

    def _here(self, request: Request) -> str:
        return f"{PATH}/{request.path_params['id']}"
