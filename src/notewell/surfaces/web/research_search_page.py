"""``/problems/{slug or id}/notes``: the Notes tab. Its whole state is in the query of its address.

Words are searched for in this problem, its campaign or all public work, in all revisions; without words this problem
shows its digests and then the recent notes of the revision shown. Rules: "Searching" in the note-discovery spec.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.domain.access import Actor
from notewell.domain.research import OUTCOMES
from notewell.errors import InvalidArgument, NotewellError, NotFound, SemanticUnavailable
from notewell.services import research, research_search
from notewell.services.research import ProblemView
from notewell.services.research_search import ResearchCard, ResearchCards, ResearchSearch
from notewell.services.search import Finder
from notewell.surfaces.modes import Asked, answer
from notewell.surfaces.problems import STATUSES
from notewell.surfaces.web.research_view import address, marked, number_in
from notewell.surfaces.web.shell import Web
from notewell.surfaces.web.templating import KINDS

SCOPES = ("problem", "campaign", "all")
MODES = ("keyword", "semantic", "both")
FILTERS = ("kind", "tags", "outcome", "author", "since", "until")
DIGESTS_SHOWN = 5
CARDS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Question:
    """What the address asks for, as typed."""

    query: str
    scope: str
    mode: str
    filters: tuple[tuple[str, str], ...]
    cursor: str
    revision: int | None

    def address(self, path: str, **changes: str) -> str:
        """The address of this question with some of it changed."""
        pairs = {"query": self.query, "scope": self.scope, "mode": self.mode, **dict(self.filters)}
        return address(path, {**pairs, "revision": self.revision, **changes}.items())


@dataclass(frozen=True, slots=True)
class CardList:
    """One labelled list of what was found."""

    key: str
    """Of its label: a mode, or ``recent``."""
    cards: tuple[ResearchCard, ...] = ()
    found: ResearchCards | None = None
    total: int | None = None
    """Of all its pages; None where nobody counted."""
    next: str = ""
    unavailable: str = ""
    """Why there is no such list."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What the page shows below its form."""

    digests: tuple[ResearchCard, ...] = ()
    lists: tuple[CardList, ...] = ()
    asks_for_words: bool = False
    error: NotewellError | None = None

    @property
    def status(self) -> int:
        """Of the page."""
        return 200 if self.error is None else STATUSES[self.error.code]


def routes(web: Web) -> list[Route]:
    """The Notes tab."""

    def show(request: Request) -> Response:
        viewer, question = web.viewer(request), _question(request)
        view = research.problem(web.app.store, viewer, request.path_params["reference"], question.revision)
        try:
            answered = _answered(web, viewer, view, question)
        except (InvalidArgument, NotFound) as error:
            answered = Answered(error=error)
        except SemanticUnavailable as error:
            answered = Answered(lists=(CardList("semantic", unavailable=error.message),), error=error)
        return web.render(
            request,
            "research/notes.html",
            answered.status,
            view=view,
            question=question,
            filters=dict(question.filters),
            answered=answered,
            scopes=[each for each in SCOPES if each != "campaign" or view.campaign],
            modes=MODES,
            outcomes=OUTCOMES,
            kinds=sorted(KINDS),
            marked=marked,
            all_address=question.address(_path(view), scope="all"),
        )

    return [web.get("/problems/{reference}/notes", show)]


def _path(view: ProblemView) -> str:
    return f"/problems/{view.problem.slug}/notes"


def _question(request: Request) -> Question:
    given = request.query_params
    return Question(
        query=given.get("query", "").strip(),
        scope=given.get("scope", "") or SCOPES[0],
        mode=given.get("mode", "") or MODES[0],
        filters=tuple((name, given.get(name, "").strip()) for name in FILTERS),
        cursor=given.get("cursor", ""),
        revision=number_in(request, "revision"),
    )


def _answered(web: Web, viewer: Actor, view: ProblemView, question: Question) -> Answered:
    if question.mode not in MODES:
        raise InvalidArgument(f"mode: {question.mode[:40]!r} is none of {', '.join(MODES)}.", argument="mode")
    wanted = _wanted(view, question)
    if question.query:
        return Answered(lists=_found(web, viewer, view, question, wanted))
    if question.scope != "problem":
        return Answered(asks_for_words=True)
    return _recent(web, viewer, view, question, wanted)


def _wanted(view: ProblemView, question: Question) -> ResearchSearch:
    """The search of a question. Raises ``invalid_argument`` for a place that cannot be searched from here."""
    filters = dict(question.filters)
    tags = tuple(each.strip() for each in filters.pop("tags").split(",") if each.strip())
    wanted = ResearchSearch(
        question.query or None,
        tags=tags,
        limit=CARDS_SHOWN,
        cursor=question.cursor or None,
        **{name: value or None for name, value in filters.items()},  # type: ignore[arg-type]  # all are texts
    )
    if question.scope == "problem":
        return replace(wanted, problem=view.problem.id)
    if question.scope == "campaign" and view.campaign:
        return replace(wanted, campaign=view.campaign.id)
    if question.scope == "all":
        return wanted
    raise InvalidArgument(f"scope: {question.scope[:40]!r} cannot be searched from this problem.", argument="scope")


def _found(
    web: Web, viewer: Actor, view: ProblemView, question: Question, wanted: ResearchSearch
) -> tuple[CardList, ...]:
    def find(finder: Finder, reply_chars: int) -> ResearchCards:
        return research_search.find(web.app.store, viewer, replace(wanted, reply_chars=reply_chars), finder)

    lists = answer(web.app, Asked(question.mode, question.query, wanted.cursor), find)
    shown = [("keyword", lists.keyword), ("semantic", lists.semantic)]
    found = [_list(mode, each, view, question) for mode, each in shown if each is not None]
    if lists.unavailable is not None:
        found.append(CardList("semantic", unavailable=lists.unavailable))
    return tuple(found)


def _list(mode: str, found: ResearchCards, view: ProblemView, question: Question) -> CardList:
    more = question.address(_path(view), mode=mode, cursor=found.cursor) if found.cursor else ""
    return CardList(mode, found.cards, found, found.total, more)


def _recent(web: Web, viewer: Actor, view: ProblemView, question: Question, wanted: ResearchSearch) -> Answered:
    """Digests of all revisions, unless something narrows the list, then the newest notes of the revision shown."""
    digests: tuple[ResearchCard, ...] = ()
    if not any(value for _, value in question.filters):
        digests = research_search.digests(web.app.store, viewer, view.problem, DIGESTS_SHOWN)
    found = research_search.find(web.app.store, viewer, replace(wanted, revision=view.shown.number))
    known = {card.row.note.id for card in digests}
    recent = tuple(card for card in found.cards if card.row.note.id not in known)
    more = question.address(_path(view), cursor=found.cursor) if found.cursor else ""
    total = found.total
    if digests and total is not None:
        of_revision = research_search.digests(web.app.store, viewer, view.problem, DIGESTS_SHOWN, view.shown.number)
        total -= len(known.intersection(card.row.note.id for card in of_revision))
    # A later page leaves the digests out of its list, too: they stand on the first.
    return Answered(() if question.cursor else digests, (CardList("recent", recent, found, total, more),))
