"""Finding research notes: cards for a query or a listing, in public work or in one problem, campaign or attempt.

The front desk of ``search`` for research. Searches cover public work; one filtered to a problem that the viewer can
see covers that problem too. Rules: DESIGN 7.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from notewell.domain import header, ids
from notewell.domain.access import PUBLIC_RECORD, Actor, SearchScope
from notewell.domain.collections import alike, fold
from notewell.domain.filters import ResearchFilters
from notewell.domain.research import (
    DIGEST,
    MAX_MODEL_CHARS,
    MAX_PROBLEM_QUERY_CHARS,
    NOTE_KINDS,
    Problem,
    check_outcome,
    check_revision,
)
from notewell.domain.snippet import Snippet, make_snippet
from notewell.domain.times import parse_time
from notewell.errors import InvalidArgument
from notewell.services.research import seen_attempt, seen_campaign, seen_problem
from notewell.services.research_notes import working_attempt
from notewell.services.search import (
    MAX_REPLY_CHARS,
    Coverage,
    Finder,
    Found,
    SearchRequest,
    cut_notice,
    fitting,
    loose_leaves,
    search,
)
from notewell.store import research, research_notes
from notewell.store.database import Database, Reader
from notewell.store.research_notes import CardRow, SearchRecord

MAX_NEAREST = 10
MAX_AUTHOR_CHARS = 40
MAX_VOCABULARY = 1_000
NOBODY = "acc_0000000000"
"""Stands for a handle that nobody has: it finds nothing."""


@dataclass(frozen=True, slots=True)
class ResearchSearch:
    """The arguments of a search, as every surface names them; None narrows nothing."""

    query: str | None = None
    match: str = "best"
    problem: str | None = None
    campaign: str | None = None
    attempt_id: str | None = None
    kind: str | None = None
    note_kind: str | None = None
    tags: tuple[str, ...] = ()
    builds_on: str | None = None
    model: str | None = None
    author: str | None = None
    outcome: str | None = None
    revision: int | None = None
    since: str | None = None
    until: str | None = None
    sort: str | None = None
    limit: int = 10
    cursor: str | None = None
    working_attempt_id: str | None = None
    mode: str = "keyword"
    """What is recorded of the search's kind."""
    reply_chars: int = MAX_REPLY_CHARS
    """What the cards of the reply may take together."""


@dataclass(frozen=True, slots=True)
class ResearchCard:
    """What a search shows of a note: never its body."""

    row: CardRow
    problem: Problem
    found: Found
    snippet: Snippet


@dataclass(frozen=True, slots=True)
class ResearchHelp:
    """What to try where nothing was found; the count is of exact matches."""

    nearest_tags: tuple[str, ...]
    in_public_work: int | None
    hint: str


@dataclass(frozen=True, slots=True)
class ResearchCards:
    """One page of cards."""

    cards: tuple[ResearchCard, ...]
    total: int | None
    cursor: str | None
    cut: str | None
    help: ResearchHelp | None
    is_search_recorded: bool | None
    """None where no working attempt was named."""
    coverage: Coverage | None
    is_weak: bool


def find(store: Database, actor: Actor, wanted: ResearchSearch, finder: Finder = search) -> ResearchCards:
    """The cards of one page: by words, exact matches first (else newest first), or by what ``finder`` looks for.

    Raises ``invalid_query``, ``invalid_argument``, and ``not_found`` for what the actor may not see.
    """
    actor.require("research:read")
    with store.read(may_lag=True) as reader:
        scope, filters = _narrowed(reader, actor, wanted)
        request = _request(wanted, filters)
        page = finder(reader, scope, request)
        leaves = page.leaves or (loose_leaves(wanted.query) if page.coverage else ())
        cards, damaged = _dressed(reader, page.found, lambda body: make_snippet(body, leaves))
        helped = None
        if not page.found and request.cursor is None and page.coverage is None:
            helped = _help(reader, wanted, request, scope)
    count = fitting(map(_size, cards), wanted.reply_chars)
    recorded = record(store, actor, wanted, count)
    return ResearchCards(
        cards=tuple(cards[:count]),
        total=page.total,
        cursor=page.cursor_behind([card.found for card in cards], count),
        cut=cut_notice(count, len(cards), damaged),
        help=helped,
        is_search_recorded=recorded,
        coverage=page.coverage,
        is_weak=page.is_weak,
    )


def _request(wanted: ResearchSearch, filters: ResearchFilters) -> SearchRequest:
    if wanted.match not in ("best", "all"):
        raise InvalidArgument(f"match: {wanted.match[:40]!r} is neither 'best' nor 'all'.", argument="match")
    if wanted.sort not in (None, "relevance", "newest"):
        raise InvalidArgument(f"sort: {str(wanted.sort)[:40]!r} is neither 'relevance' nor 'newest'.", argument="sort")
    sort = "created" if wanted.sort == "newest" else wanted.sort
    words = (wanted.query or "").strip() or None
    return SearchRequest(words, wanted.match, filters, sort, wanted.limit, wanted.cursor)  # type: ignore[arg-type]  # checked above


def _narrowed(reader: Reader, actor: Actor, wanted: ResearchSearch) -> tuple[SearchScope, ResearchFilters]:
    """Where to search, and the filters."""
    named = [name for name in ("problem", "campaign", "attempt_id") if getattr(wanted, name) is not None]
    if len(named) > 1:
        raise InvalidArgument(
            f"{' and '.join(named)} exclude each other: name one of them to choose where to search, or none for all"
            " public work.",
            argument=named[1],
        )
    _check_limits(wanted)
    filters = _filters(reader, wanted)
    if wanted.problem is not None:
        return SearchScope(seen_problem(reader, actor, wanted.problem).id, is_memory=False), filters
    if wanted.attempt_id is not None:
        attempt, problem = seen_attempt(reader, actor, ids.check_id(wanted.attempt_id, "att", "attempt_id"))
        return SearchScope(problem.id, is_memory=False), replace(filters, attempt_id=attempt.id)
    if wanted.campaign is not None:
        campaign = seen_campaign(reader, actor, wanted.campaign)
        return PUBLIC_RECORD, replace(filters, campaign_id=campaign.id)
    return PUBLIC_RECORD, filters


def _filters(reader: Reader, wanted: ResearchSearch) -> ResearchFilters:
    if wanted.note_kind is not None and wanted.note_kind not in NOTE_KINDS:
        raise InvalidArgument(
            f"note_kind: {wanted.note_kind[:40]!r} is neither 'note' nor 'summary'.", argument="note_kind"
        )
    if wanted.builds_on is not None and not any(ids.is_id(wanted.builds_on, each) for each in ids.LINK_PREFIXES):
        raise InvalidArgument(
            f"builds_on: {wanted.builds_on[:60]!r} is no id of a note (nte_), attempt (att_), problem (prb_) or"
            " campaign (cmp_).",
            argument="builds_on",
        )
    author_id = None
    if wanted.author is not None:
        rows = reader.rows("account_by_key", handle_key=wanted.author.strip().lower())
        author_id = rows[0]["id"] if rows else NOBODY
    start = None if wanted.since is None else parse_time(wanted.since, "since")
    end = None if wanted.until is None else parse_time(wanted.until, "until", is_end=True)
    if start is not None and end is not None and start > end:
        raise InvalidArgument(f"since ({wanted.since}) is after until ({wanted.until}).", argument="since")
    return ResearchFilters(
        # A tag without a slug stays: no note can carry it, so it finds nothing instead of narrowing nothing.
        tags=tuple(dict.fromkeys(header.slug(tag.removeprefix("#")).value for tag in wanted.tags if tag.strip())),
        kind=header.slug(wanted.kind).value if wanted.kind is not None else None,
        note_kind=wanted.note_kind,
        builds_on=wanted.builds_on,
        model_key=None if wanted.model is None else fold(wanted.model.strip()),
        author_id=author_id,
        outcome=None if wanted.outcome is None else check_outcome(wanted.outcome),
        revision=wanted.revision,
        created_from=start,
        created_to=end,
    )


def _dressed(reader: Reader, found: Sequence[Found], snippet_of: object) -> tuple[list[ResearchCard], int]:
    """The notes of a page as cards, and how many are damaged and left out."""
    rows = research_notes.cards(reader, [each.row_no for each in found])
    problems = research.problems_by_id(reader, list({row.note.problem_id for row in rows.by_row.values()}))
    cards = []
    for each in found:
        row = rows.by_row.get(each.row_no)
        if row is None:  # the vectors in memory may know a note that this transaction does not see yet
            continue
        snippet: Snippet = snippet_of(header.text_below(row.note.body_md))  # type: ignore[operator]
        cards.append(ResearchCard(row, problems[row.note.problem_id], each, snippet))
    return cards, rows.damaged


def _size(card: ResearchCard) -> int:
    """About how many characters a card takes in a reply."""
    row = card.row
    texts = [row.title, row.kind, row.model, *row.tags, *row.builds_on, row.note.agent, card.snippet.text]
    named = [card.problem.slug, card.problem.title, *card.found.missing]
    return 600 + len(json.dumps([*texts, *named], ensure_ascii=False))


def _check_limits(wanted: ResearchSearch) -> None:
    """Raises for a filter that no note can pass, so that an empty list does not look like missing notes."""
    check_revision(wanted.revision)
    _check_length("model", wanted.model, MAX_MODEL_CHARS)
    _check_length("author", wanted.author, MAX_AUTHOR_CHARS)
    if len(wanted.tags) > header.MAX_TAGS:
        raise InvalidArgument(
            f"tags: {len(wanted.tags)} tags; a note has at most {header.MAX_TAGS}, so name fewer.", argument="tags"
        )


def _check_length(name: str, value: str | None, most: int) -> None:
    if value is not None and len(value) > most:
        raise InvalidArgument(
            f"{name}: {value[:40]!r}… has {len(value):,} characters; at most {most} make sense here.", argument=name
        )


def _help(reader: Reader, wanted: ResearchSearch, request: SearchRequest, scope: SearchScope) -> ResearchHelp:
    """What is near: tags spelt alike, and whether all public work has matches."""
    near: list[str] = []
    if wanted.tags:
        known = [row["tag"] for row in reader.rows("public_tag_counts", count=MAX_VOCABULARY)]
        for tag in wanted.tags:
            if header.slug(tag).value not in known:
                near += alike(tag, known)[:MAX_NEAREST]
    elsewhere = None
    if request.words and (scope != PUBLIC_RECORD or request.filters != ResearchFilters()):
        everywhere = replace(request, filters=ResearchFilters(), sort=None, limit=1)
        elsewhere = search(reader, PUBLIC_RECORD, everywhere).total
    hints = [
        f"Known tags near to yours: {', '.join(dict.fromkeys(near))}." if near else "",
        f"All public work has {elsewhere} notes with these words: leave out the filters." if elsewhere else "",
        "Try fewer or other words, or list the problems to see what is worked on." if request.words else "",
        "" if request.words else "No note passes these filters: leave one out.",
    ]
    return ResearchHelp(tuple(dict.fromkeys(near))[:MAX_NEAREST], elsewhere, " ".join(hint for hint in hints if hint))


def record(store: Database, actor: Actor, wanted: ResearchSearch, cards: int) -> bool | None:
    """Records a search on the working attempt that it names; whether it did, None where it names none."""
    if wanted.working_attempt_id is None:
        return None
    attempt = working_attempt(store, actor, wanted.working_attempt_id)
    if attempt is None:
        return False
    record = SearchRecord(
        attempt.id, attempt.problem_id, actor.account_id, (wanted.query or "").strip(), wanted.mode, cards
    )
    with store.write() as tx:
        tx.lock(record.space_id)
        return research_notes.record_search(tx, record)


def newest(
    store: Database, actor: Actor, problem: Problem, limit: int, filters: ResearchFilters
) -> tuple[tuple[ResearchCard, ...], int | None]:
    """The newest notes of a problem that the actor was found to see, and how many there are."""
    scope = SearchScope(problem.id, is_memory=False)
    with store.read() as reader:
        page = search(reader, scope, SearchRequest(None, filters=filters, limit=limit))
        return tuple(_dressed(reader, page.found, lambda body: make_snippet(body, ()))[0]), page.total


def digests(
    store: Database, actor: Actor, problem: Problem, limit: int, revision: int | None = None
) -> tuple[ResearchCard, ...]:
    """The newest digests of a problem, or of one of its revisions: what to read first."""
    cards, _ = newest(store, actor, problem, limit, ResearchFilters(kind=DIGEST, revision=revision))
    return cards


@dataclass(frozen=True, slots=True)
class ListedProblem:
    """A problem as a list shows it."""

    problem: Problem
    owner_handle: str
    campaign_slug: str | None
    notes: int


def list_problems(
    store: Database, actor: Actor, query: str | None = None, campaign: str | None = None
) -> list[ListedProblem]:
    """The problems that the actor may see, newest first: those whose title or slug holds every word of the query."""
    actor.require("research:read")
    if query and len(query) > MAX_PROBLEM_QUERY_CHARS:
        raise InvalidArgument(
            f"query has {len(query):,} characters; at most {MAX_PROBLEM_QUERY_CHARS} are looked for in titles.",
            argument="query",
        )
    words = fold(query or "").split()
    with store.read() as reader:
        group = seen_campaign(reader, actor, campaign) if campaign else None
        rows = reader.rows("visible_problems", viewer=actor.account_id, is_admin=int(actor.is_admin))
    listed = []
    for row in rows:
        problem = research.problem_of(row)
        text = fold(f"{problem.title} {problem.slug}")
        if (group is None or problem.campaign_id == group.id) and all(word in text for word in words):
            listed.append(ListedProblem(problem, row["owner_handle"] or "", row["campaign_slug"], row["notes"]))
    return listed
