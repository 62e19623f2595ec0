"""Keyword search and listings: one sequence of exact matches, then inexact ones, a page at a time.

The one search core for every kind of note; the front desks (``memory``) only name arguments and dress the cards.
It must not know surfaces. Rules: DESIGN 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from notewell.domain.access import SearchScope
from notewell.domain.cursor import Cursor, decode, request_hash
from notewell.domain.filters import NO_FILTERS, Filters
from notewell.domain.query import Leaf, OneOf, Query, parse
from notewell.errors import InvalidArgument, NotewellError
from notewell.store import fulltext
from notewell.store.database import Reader
from notewell.store.homes import home_of
from notewell.store.listing import Listed, Listing, Sort
from notewell.store.wanted import Hit, Wanted

DEFAULT_LIMIT = 10
MAX_LIMIT = 50
MAX_FRAGMENT_WORDS = 64
MAX_REPLY_CHARS = 32_000
"""What the cards of one reply may take; a page that would take more ends earlier, with its cursor."""
MATCHES = ("best", "all")
SORTS = ("relevance", "updated", "created", "title")


class Finder(Protocol):
    """A way to search: by words (``search``), or by the meaning of a question that was embedded before."""

    def __call__(self, reader: Reader, scope: SearchScope, request: SearchRequest, /) -> Page:
        """One page of the notes in a scope that a request asks for."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What somebody looks for; without words it is a listing."""

    words: str | None = None
    match: Literal["best", "all"] = "best"
    filters: Filters = NO_FILTERS
    sort: Literal["relevance", "updated", "created", "title"] | None = None
    """None: relevance with words, newest change first without."""
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A note of a page, and why it is there."""

    row_no: int
    score: float | None
    """BM25, unbounded, comparable only inside one reply; None in a listing."""
    missing: tuple[str, ...] = ()
    """The words of the query that the note does not hold, as typed; empty for an exact match."""
    partial: tuple[str, ...] = ()
    """The words that the note holds only inside longer words."""
    part: str = "exact"
    key: str | int | float = 0.0
    z_score: float | None = None
    """By meaning: by how many standard deviations the note stands out from its scope."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many notes of a scope have a vector of the model in use."""

    embedded: int
    notes: int


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a sequence."""

    found: tuple[Found, ...]
    total: int | None
    """How many exact matches, or listed notes, there are; None where that is not known exactly."""
    leaves: tuple[Leaf, ...]
    """What to highlight."""
    fragment: str | None
    has_more: bool
    place: Cursor
    coverage: Coverage | None = None
    """By meaning: how much of the scope could be searched."""
    is_weak: bool = False
    """By meaning: whether nothing in the whole sequence stands out."""

    def cursor_after(self, count: int) -> str | None:
        """The cursor to the note behind the first ``count`` of this page; None at the end of the sequence."""
        if not self.found or (count >= len(self.found) and not self.has_more):
            return None
        last = self.found[count - 1]
        return replace(self.place, part=last.part, key=last.key, row_no=last.row_no).encode()

    def cursor_behind(self, cards: Sequence[Found], count: int) -> str | None:
        """The cursor behind the first ``count`` of the cards that were made of this page.

        Notes that no card could be made of count as shown.
        """
        return self.cursor_after(self.found.index(cards[count]) if count < len(cards) else len(self.found))


def search(reader: Reader, scope: SearchScope, request: SearchRequest) -> Page:
    """One page of the notes in a scope that a request asks for.

    Raises ``invalid_query`` where the words hold nothing to search for, ``invalid_argument`` for a bad limit or cursor.
    """
    check_limit(request.limit)
    words = (request.words or "").strip()
    if not words:
        if request.sort == "relevance":
            raise InvalidArgument(
                "sort: 'relevance' needs a query. Leave sort out, or choose updated, created or title.", argument="sort"
            )
        return _listing(reader, scope, request, None)
    query = parse(words)
    if not query.units:
        return _listing(reader, scope, replace(request, sort=request.sort or "created"), query)
    if request.sort not in (None, "relevance"):
        return _listing(reader, scope, request, query)
    return _Ranking(reader, scope, request, query).page()


def check_limit(limit: int) -> int:
    """The limit itself; raises ``invalid_argument`` outside 1 to 50."""
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidArgument(
            f"limit: {limit} is outside 1 to {MAX_LIMIT}. Ask for a page and follow its cursor for more.",
            argument="limit",
        )
    return limit


def fitting(sizes: Iterable[int], budget: int) -> int:
    """How many of the first cards fit into one reply, at least one."""
    left = budget
    count = 0
    for size in sizes:
        left -= size
        if count and left < 0:
            break
        count += 1
    return count


def loose_leaves(words: str | None) -> tuple[Leaf, ...]:
    """What to highlight of a question that was not asked by words: any of them, or nothing where there are none."""
    try:
        return parse(words or "").rest_leaves
    except NotewellError:
        return ()


def cut_notice(shown: int, found: int, damaged: int = 0) -> str | None:
    """What a reply says where its page ends before its limit, or leaves damaged notes out."""
    fitted = f"{shown} of {found} cards fitted into one reply; the cursor goes on with the next one."
    left_out = (
        f"{damaged} of the notes on this page cannot be shown, since their bytes are damaged; 'notewell doctor' says"
        " more."
    )
    return " ".join([fitted] * (shown < found) + [left_out] * bool(damaged)) or None


def _start(reader: Reader, scope: SearchScope, request: SearchRequest) -> Cursor | None:
    """Where the page begins: the request's cursor, or None for the first page."""
    if request.cursor is None:
        return None
    cursor = decode(request.cursor, hash_of(scope, request))
    if cursor.part == "semantic":
        raise InvalidArgument(
            "The cursor is one of a list by meaning; send it with mode 'semantic'.", argument="cursor"
        )
    return cursor


def hash_of(scope: SearchScope, request: SearchRequest) -> str:
    """What ties a cursor to its request, in whatever mode."""
    return request_hash(scope, (request.words or "").strip(), request.match, request.filters, request.sort)


def first_place(reader: Reader, scope: SearchScope, request: SearchRequest) -> Cursor:
    """The place before the first note: it knows the newest note that this sequence may show."""
    if scope.space_id is None:
        newest = reader.rows("newest_row_anywhere")[0]["row_no"]
    else:
        newest = reader.rows("newest_row", space_id=scope.space_id)[0]["row_no"]
    return Cursor(hash_of(scope, request), "", 0, 0, newest or 0, False)


def _sum(one: int | None, other: int | None) -> int | None:
    """Both together, where both are known."""
    return None if one is None or other is None else one + other


def _listing(reader: Reader, scope: SearchScope, request: SearchRequest, query: Query | None) -> Page:
    """A page in the order of a field: of all notes, or of the exact matches of a query."""
    start = _start(reader, scope, request)
    place = start or first_place(reader, scope, request)
    default: Sort = "updated" if scope.is_memory else "created"
    sort: Sort = default if request.sort in (None, "relevance") else request.sort  # type: ignore[assignment]
    within = None, None
    if query is not None:
        wanted = Wanted(query.exact, query.exact_leaves, request.filters, place.newest_row)
        within = fulltext.of(reader).search(reader, home_of(reader, scope)).selected(wanted)  # type: ignore[assignment]
    listing = Listing(scope, request.filters, sort, place.newest_row, *within)
    after = Listed(start.row_no, start.key) if start else None  # type: ignore[arg-type]  # a listing's key
    listed = listing.page(reader, request.limit + 1, after)
    found = tuple(Found(each.row_no, None, key=each.key, part="listing") for each in listed[: request.limit])
    leaves = query.exact_leaves if query else ()
    return Page(found, listing.count(reader), leaves, None, len(listed) > request.limit, place)


class _Ranking:
    """The ranked sequence of one query: exact matches, notes that hold the word inside longer words, inexact ones."""

    def __init__(self, reader: Reader, scope: SearchScope, request: SearchRequest, query: Query) -> None:
        self._reader = reader
        self._scope = scope
        self._request = request
        self._query = query
        self._search = fulltext.of(reader).search(reader, home_of(reader, scope))
        self._start = _start(reader, scope, request)
        self._place = self._start or first_place(reader, scope, request)
        self._exact = self._wanted(query.exact, query.exact_leaves)

    def _wanted(self, node: object, leaves: tuple[Leaf, ...], without: tuple[int, ...] = ()) -> Wanted:
        return Wanted(node, leaves, self._request.filters, self._place.newest_row, without)  # type: ignore[arg-type]

    def page(self) -> Page:
        """The page that the request asks for."""
        limit = self._request.limit
        part = self._start.part if self._start else "exact"
        hits: list[Found] = []
        if part == "exact":
            hits = self._part("exact", self._exact, limit + 1)
        is_first = self._start is None
        goes_on = len(hits) < limit if is_first else self._place.has_rest
        total: int | None = len(hits) if is_first and goes_on else self._search.count(self._exact)
        leaves: tuple[Leaf, ...] = self._query.exact_leaves
        fragment = None
        if goes_on:
            exact_rows = self._exact_rows(hits)
            fragment = self._query.fragment if self._scope.is_memory else None
            words = self._fragment_words(fragment) if fragment else ()
            if words and fragment:
                node = OneOf(words[:MAX_FRAGMENT_WORDS])
                wanted = self._wanted(node, (node,), exact_rows)
                if part in ("exact", "partial"):
                    hits += self._part("partial", wanted, limit + 1 - len(hits), (fragment,))
                is_whole = len(words) <= MAX_FRAGMENT_WORDS
                total = _sum(total, self._search.count(wanted) if is_whole else None)
            rest = self._query.rest
            if rest is not None and self._request.match == "best":
                leaves = (*leaves, *self._query.rest_leaves)
                wanted = self._wanted(rest, self._query.rest_leaves, exact_rows)
                hits += self._with_missing(self._part("rest", wanted, limit + 1 - len(hits)))
        place = replace(self._place, has_rest=goes_on)
        return Page(tuple(hits[:limit]), total, leaves, fragment, len(hits) > limit, place)

    def _part(self, part: str, wanted: Wanted, limit: int, partial: tuple[str, ...] = ()) -> list[Found]:
        """The next hits of one part of the sequence."""
        if limit <= 0:
            return []
        after = None
        if self._start and self._start.part == part:
            # Scores move when notes are written meanwhile: the anchor's score now, or the one it had if it is gone.
            after = self._search.hit_of(wanted, self._start.row_no) or Hit(
                self._start.row_no,
                float(self._start.key),
                False,
            )
        hits = self._search.rank(wanted, limit, after)
        return [Found(hit.row_no, hit.score, (), partial, part, hit.score) for hit in hits]

    def _exact_rows(self, hits: list[Found]) -> tuple[int, ...]:
        """All exact matches, where they are few enough for a rest to follow."""
        if self._start is None:
            return tuple(hit.row_no for hit in hits)
        return tuple(hit.row_no for hit in self._search.rank(self._exact, MAX_LIMIT))

    def _fragment_words(self, fragment: str) -> tuple[str, ...]:
        """The words of the scope that hold a fragment, the most used first; one more than are searched."""
        space_id = self._scope.space_id or ""
        words = fulltext.of(self._reader).words_with_fragment
        return tuple(words(self._reader, space_id, fragment, MAX_FRAGMENT_WORDS + 1))

    def _with_missing(self, hits: list[Found]) -> list[Found]:
        """The hits with the words that each does not hold."""
        rows = [hit.row_no for hit in hits]
        missing: dict[int, list[str]] = {row_no: [] for row_no in rows}
        for unit in self._query.units if rows else ():
            for row_no in set(rows) - self._search.holding(unit.node, rows):
                missing[row_no].append(unit.text)
        return [replace(hit, missing=tuple(missing[hit.row_no])) for hit in hits]
