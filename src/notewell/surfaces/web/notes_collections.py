"""``/notes/collections``: the folders of a memory, which people make, rename and delete."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.domain.collections import collection_key
from notewell.errors import InvalidArgument, NotFound
from notewell.services import collections, memory_search
from notewell.services.memory_search import MAX_VOCABULARY, CollectionInfo
from notewell.services.retry import persistently
from notewell.surfaces.problems import STATUSES as HTTP_STATUSES
from notewell.surfaces.web.notes_query import PATH as NOTES
from notewell.surfaces.web.notes_query import NoteQuery
from notewell.surfaces.web.shell import Confirmation, Web

PATH = f"{NOTES}/collections"


def routes(web: Web) -> list[Route]:
    """The pages of collections."""
    pages = _CollectionPages(web)
    return [
        web.get(PATH, pages.show),
        web.post(PATH, pages.make),
        web.get(f"{PATH}/rename", pages.show_rename),
        web.post(f"{PATH}/rename", pages.rename),
        web.get(f"{PATH}/delete", pages.ask_delete),
        web.post(f"{PATH}/delete", pages.delete),
    ]


class _CollectionPages:
    """The collections of who is signed in; a name in an address says which one."""

    def __init__(self, web: Web) -> None:
        self._web = web

    def show(self, request: Request) -> Response:
        """All collections."""
        return self._shown(request)

    def _shown(self, request: Request, problem: InvalidArgument | None = None) -> Response:
        actor = self._web.actor(request)
        starts_with = request.query_params.get("startsWith", "").strip()
        found = memory_search.overview(self._web.app.store, actor, starts_with, MAX_VOCABULARY)
        return self._web.render(
            request,
            "notes/collections.html",
            200 if problem is None else HTTP_STATUSES[problem.code],
            found=found,
            starts_with=starts_with,
            plain=NoteQuery(),
            problem=problem,
            typed=self._web.form(request).text("name") if problem else "",
        )

    def make(self, request: Request) -> Response:
        """Makes an empty collection."""
        actor, name = self._web.actor(request), self._web.form(request).text("name")
        try:
            persistently(lambda: collections.create(self._web.app.store, actor, name))
        except InvalidArgument as error:
            return self._shown(request, error)
        return self._web.redirect(request, PATH, "notes.collection_made")

    def show_rename(self, request: Request) -> Response:
        """The form for another name."""
        info = self._named(request, request.query_params.get("name", ""))
        return self._renaming(request, info.name, info.name)

    def _renaming(self, request: Request, name: str, typed: str, problem: InvalidArgument | None = None) -> Response:
        status = 200 if problem is None else HTTP_STATUSES[problem.code]
        return self._web.render(request, "notes/rename.html", status, name=name, typed=typed, problem=problem)

    def rename(self, request: Request) -> Response:
        """Gives a collection another name."""
        form, actor = self._web.form(request), self._web.actor(request)
        name, new_name = self._named(request, form.text("name")).name, form.text("new_name")
        try:
            persistently(lambda: collections.rename(self._web.app.store, actor, name, new_name))
        except InvalidArgument as error:
            return self._renaming(request, name, new_name, error)
        return self._web.redirect(request, PATH, "notes.renamed")

    def ask_delete(self, request: Request) -> Response:
        """Asks before a collection is deleted, with the number of notes that will be unfiled."""
        info = self._named(request, request.query_params.get("name", ""))
        t = self._web.texts(request, "notes")
        count = info.active + info.archived
        title, button = t("collection_delete_title", name=info.name), t("collection_delete")
        message = t("collection_delete_message", count=count) if count else t("collection_delete_empty")
        fields = (("name", info.name),)
        return self._web.confirm(request, Confirmation(title, message, button, f"{PATH}/delete", PATH, fields))

    def delete(self, request: Request) -> Response:
        """Deletes a collection; its notes become unfiled."""
        form, actor = self._web.form(request), self._web.actor(request)
        name = self._named(request, form.text("name")).name
        persistently(lambda: collections.delete(self._web.app.store, actor, name, name))
        return self._web.redirect(request, PATH, "notes.collection_deleted")

    def _named(self, request: Request, name: str) -> CollectionInfo:
        """The collection of a name. Raises ``not_found``."""
        found = memory_search.overview(self._web.app.store, self._web.actor(request), name, MAX_VOCABULARY)
        for info in found.collections:
            if collection_key(info.name) == collection_key(name):
                return info
        raise NotFound(f"There is no collection {name[:60]!r}. It may have been renamed or deleted.")
