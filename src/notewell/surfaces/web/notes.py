"""``/notes``: everything that was written into a person's memory, to search and to narrow, with the state in the URL.

The other pages of notes are in ``notes_…``; their routes stand here in the order in which they must be tried.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.domain.access import Actor
from notewell.domain.snippet import Snippet
from notewell.errors import InvalidArgument, NotewellError, SemanticUnavailable, UnknownCollection
from notewell.services import memory_search
from notewell.services.memory_search import MAX_VOCABULARY, Cards, Overview
from notewell.services.search import Finder
from notewell.surfaces.modes import Asked, answer
from notewell.surfaces.problems import STATUSES as HTTP_STATUSES
from notewell.surfaces.web import notes_collections, notes_edit, notes_history, notes_note
from notewell.surfaces.web.connecting import client_setting, is_owner_at_hand
from notewell.surfaces.web.notes_query import MODES, PATH, SORTS, STATUSES, NoteQuery
from notewell.surfaces.web.shell import Web
from notewell.surfaces.web.visible import visible

SIDE_COLLECTIONS = 40
SIDE_LABELS = 24
"""How many tags, and how many symbols, stand beside the list."""
KINDS = ("tags", "symbols")


@dataclass(frozen=True, slots=True)
class CardList:
    """One list of cards, by one mode."""

    mode: str
    """``listing`` without words."""
    found: Cards | None
    unavailable: str = ""
    """Why there is no list."""
    next: str = ""
    """The address of its next page."""


def routes(web: Web) -> list[Route]:
    """All pages of notes: those with names before those with ids."""
    pages = _ListPages(web)
    return [
        web.get(PATH, pages.show),
        web.get(f"{PATH}/labels", pages.labels),
        *notes_collections.routes(web),
        *notes_edit.routes(web),
        *notes_history.routes(web),
        *notes_note.routes(web),
    ]


def snippet_html(snippet: Snippet) -> Markup:
    """A snippet with what was searched for marked."""
    pieces = []
    end = 0
    for start, stop in snippet.highlights:
        pieces += [
            visible(snippet.text[end:start]),
            Markup("<mark>{}</mark>").format(visible(snippet.text[start:stop])),
        ]
        end = stop
    return Markup("").join([*pieces, visible(snippet.text[end:])])


class _ListPages:
    """The list and the vocabularies."""

    def __init__(self, web: Web) -> None:
        self._web = web

    def show(self, request: Request) -> Response:
        """The list."""
        actor = self._web.actor(request)
        query = NoteQuery.of(request)
        side = memory_search.overview(self._web.app.store, actor, limit=SIDE_COLLECTIONS)
        lists: list[CardList] = []
        problem: NotewellError | None = None
        try:
            lists = self._lists(actor, query)
        except (InvalidArgument, UnknownCollection, SemanticUnavailable) as error:
            problem = error
        return self._web.render(
            request,
            "notes/list.html",
            200 if problem is None else HTTP_STATUSES[problem.code],
            query=query,
            side=side,
            side_labels=SIDE_LABELS,
            lists=lists,
            problem=problem,
            is_empty=_is_empty(side),
            snippet_html=snippet_html,
            modes=MODES,
            sorts=SORTS,
            statuses=STATUSES,
            mcp_url=f"{str(request.base_url).rstrip('/')}/mcp",
            setting=client_setting(self._web.app.config if is_owner_at_hand(request) else None),
        )

    def _lists(self, actor: Actor, query: NoteQuery) -> list[CardList]:
        """One list, or with both modes two. Raises what is wrong with the query."""
        if query.mode not in MODES:
            raise InvalidArgument(f"mode: {query.mode[:40]!r} is none of keyword, semantic, both.", argument="mode")
        app, wanted = self._web.app, query.search()

        def find(finder: Finder, reply_chars: int) -> Cards:
            return memory_search.find(app.store, actor, replace(wanted, reply_chars=reply_chars), finder)

        # Without words there is nothing to compare by meaning: the page says so, and lists.
        mode = query.mode if query.words else "keyword"
        found = answer(app, Asked(mode, wanted.query, wanted.cursor), find)
        lists = []
        if found.keyword is not None:
            lists.append(_card_list(query, "keyword", found.keyword))
        if found.semantic is not None:
            lists.append(_card_list(query, "semantic", found.semantic))
        if found.unavailable is not None:
            lists.append(CardList("semantic", None, found.unavailable))
        return lists

    def labels(self, request: Request) -> Response:
        """A vocabulary as a whole, narrowed by how its words begin."""
        actor = self._web.actor(request)
        kind = request.query_params.get("kind", "tags")
        if kind not in KINDS:
            raise InvalidArgument(f"kind: {kind[:40]!r} is neither tags nor symbols.", argument="kind")
        starts_with = request.query_params.get("startsWith", "").strip()
        found = memory_search.overview(self._web.app.store, actor, starts_with, MAX_VOCABULARY)
        shown, total = (found.tags, found.tag_total) if kind == "tags" else (found.symbols, found.symbol_total)
        query = NoteQuery.of(request)
        return self._web.render(
            request,
            "notes/labels.html",
            kind=kind,
            query=query,
            starts_with=starts_with,
            shown=shown,
            total=total,
        )


def _card_list(query: NoteQuery, mode: str, found: Cards) -> CardList:
    onward = query.url(mode=mode, cursor=found.cursor) if found.cursor else ""
    return CardList(mode if query.words else "listing", found, next=onward)


def _is_empty(side: Overview) -> bool:
    """Whether a memory has no notes at all."""
    return not any(each.active + each.archived for each in (*side.collections, side.unfiled))
