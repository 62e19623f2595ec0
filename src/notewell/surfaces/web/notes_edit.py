"""The editor of notes: a new one, or a change of one, with a preview, and with nothing lost where others wrote too."""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.errors import (
    InvalidArgument,
    InvalidSymbol,
    NotewellError,
    NotFound,
    TooLarge,
    UnknownCollection,
    VersionConflict,
)
from notewell.services import memory
from notewell.services.memory import NoteView
from notewell.services.retry import persistently
from notewell.surfaces.problems import STATUSES as HTTP_STATUSES
from notewell.surfaces.web.markdown import Options, Rendered, raw_page, render
from notewell.surfaces.web.notes_diff import Diff, compare
from notewell.surfaces.web.notes_form import NO_COLLECTION, Typed
from notewell.surfaces.web.notes_note import collection_names, note_of
from notewell.surfaces.web.notes_query import PATH
from notewell.surfaces.web.shell import Web

NEW = f"{PATH}/new"
_REFUSED = (InvalidArgument, InvalidSymbol, TooLarge, UnknownCollection)
_FIELDS = frozenset(("title", "summary", "body", "tags", "symbols", "collection", "source"))


@dataclass(frozen=True, slots=True)
class _Editor:
    """What the page of the editor shows."""

    typed: Typed
    view: NoteView | None = None
    """The note that is edited, as it is stored; None for a new one."""
    problem: NotewellError | None = None
    conflict: Diff | None = None
    """Where somebody else changed the note: from what is stored now to what was typed."""
    preview: Rendered | None = None

    @property
    def blamed(self) -> str:
        """The field that the problem is about; empty for the form as a whole."""
        if isinstance(self.problem, InvalidSymbol):
            return "symbols"
        name = str(self.problem.details.get("argument", "")) if self.problem else ""
        return name if name in _FIELDS else ""


def routes(web: Web) -> list[Route]:
    """The pages of the editor."""
    pages = _EditPages(web)
    edit = f"{PATH}/{{id}}/edit"
    return [
        web.get(NEW, pages.show_new),
        web.post(NEW, pages.make),
        web.get(edit, pages.show),
        web.post(edit, pages.save),
    ]


class _EditPages:
    """The editor."""

    def __init__(self, web: Web) -> None:
        self._web = web

    def show_new(self, request: Request) -> Response:
        """An empty form; the collection may stand in the address."""
        collection = request.query_params.get("collection", NO_COLLECTION)
        return self._shown(request, _Editor(Typed(collection=collection).with_key()))

    def make(self, request: Request) -> Response:
        """Makes the note, or shows how its text will look."""
        form, actor = self._web.form(request), self._web.actor(request)
        typed = Typed.of_form(form)
        if form.is_on("preview"):
            return self._shown(request, _Editor(typed, preview=_preview(typed)))
        try:
            made = persistently(
                lambda: memory.create(self._web.app.store, actor, typed.draft(), typed.filing(), typed.key or None)
            )
        except _REFUSED as error:
            is_used = error.details.get("argument") == "idempotencyKey"
            return self._shown(request, _Editor(typed.with_key() if is_used else typed, problem=error))
        return self._web.redirect(request, f"{PATH}/{made.view.note.id}", "notes.made")

    def show(self, request: Request) -> Response:
        """The form with a note in it."""
        view = note_of(self._web, request)
        return self._shown(request, _Editor(Typed.of_note(view.note, view.collection), view))

    def save(self, request: Request) -> Response:
        """Saves the change, or shows how the text will look."""
        form, actor = self._web.form(request), self._web.actor(request)
        typed = Typed.of_form(form)
        try:
            view = note_of(self._web, request)
        except NotFound as error:  # deleted meanwhile: what was typed can still become a new note
            return self._shown(request, _Editor(typed.with_key(), problem=error))
        if form.is_on("preview"):
            return self._shown(request, _Editor(typed, view, preview=_preview(typed)))
        if typed.version != view.note.version:
            return self._conflict(request, typed, view)
        edit, filing = typed.edit(view.note), typed.filing(view.collection)
        try:
            done = persistently(lambda: memory.update(self._web.app.store, actor, view.note.id, edit, filing))
        except VersionConflict:  # between our look and the writing
            return self._conflict(request, typed, note_of(self._web, request))
        except _REFUSED as error:
            return self._shown(request, _Editor(typed, view, error))
        return self._web.redirect(
            request, f"{PATH}/{view.note.id}", "notes.saved" if done.changed else "notes.same_as_before"
        )

    def _conflict(self, request: Request, typed: Typed, view: NoteView) -> Response:
        """The form with the text of the person, beside what is stored now; saving again puts it over that."""
        body = view.note.body.replace("\r\n", "\n").replace("\r", "\n")
        error = VersionConflict("", currentVersion=view.note.version)
        now = replace(typed, version=view.note.version)
        return self._shown(request, _Editor(now, view, error, compare(body, typed.body)))

    def _shown(self, request: Request, editor: _Editor) -> Response:
        view, typed = editor.view, editor.typed
        names = collection_names(self._web, self._web.actor(request), view.collection if view else None)
        here = f"{PATH}/{view.note.id}" if view else ""
        return self._web.render(
            request,
            "notes/edit.html",
            200 if editor.problem is None else HTTP_STATUSES[editor.problem.code],
            editor=editor,
            typed=typed,
            view=view,
            collections=names,
            no_collection=NO_COLLECTION,
            stored=raw_page(view.note.body) if view and editor.conflict else None,
            action=f"{here}/edit" if view else NEW,
            here=here,
        )


def _preview(typed: Typed) -> Rendered:
    return render(typed.body, Options("preview", first_heading=3))
