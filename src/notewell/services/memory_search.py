"""Finding memory notes: cards for a query or a listing, and what a memory is made of (collections, tags, symbols).

The front desk of ``search`` for memory: it reads arguments, dresses cards, and helps where nothing was found.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from notewell.domain.access import Actor, SearchScope
from notewell.domain.collections import alike, fold
from notewell.domain.filters import NO_FILTERS, NoteFilters
from notewell.domain.notes import (
    MAX_COLLECTION_CHARS,
    STATUSES,
    Note,
    Status,
    check_collection_name,
    check_symbols,
    merge_tags,
    tag_key,
)
from notewell.domain.snippet import Snippet, make_snippet
from notewell.domain.symbols import normalize_symbol
from notewell.domain.times import parse_time
from notewell.errors import InvalidArgument, InvalidSymbol
from notewell.services.memory import find_collection, unknown_collection
from notewell.services.search import (
    MAX_REPLY_CHARS,
    Coverage,
    Finder,
    Found,
    Page,
    SearchRequest,
    cut_notice,
    fitting,
    loose_leaves,
    search,
)
from notewell.store import collections, notes
from notewell.store.collections import Collection, Count
from notewell.store.database import Database, Reader

MAX_VOCABULARY = 1_000
DEFAULT_VOCABULARY = 200
MAX_NEAREST = 10
ACTIVE = NoteFilters(status="active")


@dataclass(frozen=True, slots=True)
class NoteSearch:
    """The arguments of a search, as every surface names them; None narrows nothing."""

    query: str | None = None
    match: str = "best"
    tags: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    collection: str | None = None
    unfiled: bool = False
    status: str | None = None
    """None: any status with a query, active notes without."""
    created_from: str | None = None
    created_to: str | None = None
    updated_from: str | None = None
    updated_to: str | None = None
    sort: str | None = None
    limit: int = 10
    cursor: str | None = None
    reply_chars: int = MAX_REPLY_CHARS
    """What the cards of the reply may take together."""


@dataclass(frozen=True, slots=True)
class Card:
    """What a search shows of a note: never its body."""

    note: Note
    collection: str | None
    found: Found
    snippet: Snippet


@dataclass(frozen=True, slots=True)
class Help:
    """What to try where nothing was found; counts are of exact matches."""

    nearest_tags: tuple[str, ...] = ()
    without_filters: int | None = None
    archived: int | None = None
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Cards:
    """One page of cards."""

    cards: tuple[Card, ...]
    total: int | None
    cursor: str | None
    cut: str | None
    """Why the page ends before its limit, where it does."""
    help: Help | None
    coverage: Coverage | None = None
    """By meaning: how much of the memory could be searched."""
    is_weak: bool = False
    """By meaning: whether nothing stands out."""


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """A collection with its counts; ``changed_at`` is None while it is empty."""

    name: str
    active: int
    archived: int
    changed_at: int | None


@dataclass(frozen=True, slots=True)
class Overview:
    """What a memory is made of; the totals say how many there are where a list is cut."""

    collections: tuple[CollectionInfo, ...]
    collection_total: int
    unfiled: CollectionInfo
    tags: tuple[Count, ...]
    tag_total: int
    symbols: tuple[Count, ...]
    symbol_total: int


def find(store: Database, actor: Actor, wanted: NoteSearch, finder: Finder = search) -> Cards:
    """The cards of one page: by words, exact matches first, or by whatever ``finder`` looks for.

    Raises ``invalid_query``, ``invalid_argument`` and their kin.
    """
    actor.require("memory:read")
    scope = SearchScope(actor.account_id)
    with store.read(may_lag=True) as reader:
        known = collections.of_space(reader, actor.account_id)
        request = _request(wanted, known)
        page = finder(reader, scope, request)
        found = notes.by_rows(reader, actor.account_id, [each.row_no for each in page.found])
        helped = None
        if not page.found and request.cursor is None and page.coverage is None:
            helped = _help(reader, actor, wanted, request)
    names = {each.id: each.name for each in known}
    cards = [
        Card(note, names.get(note.collection_id or ""), each, _snippet(note, each, page, wanted))
        for each in page.found
        if (note := found.get(each.row_no)) is not None
    ]
    count = fitting(map(_size, cards), wanted.reply_chars)
    cut = cut_notice(count, len(cards))
    return Cards(tuple(cards[:count]), page.total, page.cursor_after(count), cut, helped, page.coverage, page.is_weak)


def _snippet(note: Note, found: Found, page: Page, wanted: NoteSearch) -> Snippet:
    """Around what was searched for; by meaning, around the question's words where the note holds some."""
    leaves = page.leaves or (loose_leaves(wanted.query) if page.coverage else ())
    return make_snippet(note.body, leaves, page.fragment if found.partial else None)


def _request(wanted: NoteSearch, known: Sequence[Collection]) -> SearchRequest:
    words = (wanted.query or "").strip() or None
    if wanted.match not in ("best", "all"):
        raise InvalidArgument(f"match: {wanted.match[:40]!r} is neither 'best' nor 'all'.", argument="match")
    if wanted.sort not in (None, "relevance", "updated", "created", "title"):
        raise InvalidArgument(
            f"sort: {str(wanted.sort)[:40]!r} is none of relevance, updated, created, title.", argument="sort"
        )
    return SearchRequest(words, wanted.match, _filters(wanted, known, words), wanted.sort, wanted.limit, wanted.cursor)  # type: ignore[arg-type]  # checked above


def _filters(wanted: NoteSearch, known: Sequence[Collection], words: str | None) -> NoteFilters:
    collection_id = None
    if wanted.collection is not None:
        if wanted.unfiled:
            raise InvalidArgument("unfiled and collection exclude each other.", argument="unfiled")
        name = check_collection_name(wanted.collection)
        collection = find_collection(known, name)
        if collection is None:
            raise unknown_collection(name, known)
        collection_id = collection.id
    created_from, created_to = _range("created", wanted.created_from, wanted.created_to)
    updated_from, updated_to = _range("updated", wanted.updated_from, wanted.updated_to)
    return NoteFilters(
        tags=tuple(tag_key(tag) for tag in merge_tags((), [tag for tag in wanted.tags if tag_key(tag)])),
        symbols=check_symbols([symbol for symbol in wanted.symbols if symbol.strip()]),
        collection_id=collection_id,
        is_unfiled=wanted.unfiled,
        status=_status(wanted.status, words),
        created_from=created_from,
        created_to=created_to,
        updated_from=updated_from,
        updated_to=updated_to,
    )


def _range(name: str, start: str | None, end: str | None) -> tuple[int | None, int | None]:
    first = None if start is None else parse_time(start, f"{name}From")
    last = None if end is None else parse_time(end, f"{name}To", is_end=True)
    if first is not None and last is not None and first > last:
        raise InvalidArgument(
            f"{name}From ({start}) is after {name}To ({end}), so no note can be between them.", argument=f"{name}From"
        )
    return first, last


def _status(status: str | None, words: str | None) -> Status | None:
    if status is None:
        return None if words else "active"
    if status == "any":
        return None
    if status not in STATUSES:
        raise InvalidArgument(f"status: {status[:40]!r} is none of active, archived, any.", argument="status")
    return status


def _size(card: Card) -> int:
    """About how many characters a card takes in a reply."""
    note = card.note
    texts = [note.title, note.summary, *note.tags, *note.symbols, card.collection, note.agent, card.snippet.text]
    return 350 + len(json.dumps([*texts, *card.found.missing], ensure_ascii=False))


def _help(reader: Reader, actor: Actor, wanted: NoteSearch, request: SearchRequest) -> Help:
    """What is near: tags spelt alike, matches outside the filters, archived notes that a listing leaves out."""
    scope = SearchScope(actor.account_id)
    near: list[str] = []
    if wanted.tags:
        counts, _ = collections.tag_counts(reader, actor.account_id, "", MAX_VOCABULARY)
        keys = {tag_key(count.name): count.name for count in counts}
        unknown = [tag for tag in wanted.tags if tag_key(tag) not in keys]
        for tag in unknown:
            near += alike(tag, keys.values())[: MAX_NEAREST // len(unknown) or 1]
    without = archived = None
    if request.words and request.filters != NO_FILTERS:
        without = search(reader, scope, replace(request, filters=NO_FILTERS, sort=None, limit=1)).total
    if not request.words and isinstance(request.filters, NoteFilters) and request.filters.status == "active":
        elsewhere = replace(request, filters=replace(request.filters, status="archived"), limit=1)
        archived = search(reader, scope, elsewhere).total
    hints = [
        f"No tag is called {', '.join(map(repr, wanted.tags))}; these are: {', '.join(near)}." if near else "",
        f"{without} notes hold these words outside the filters; drop some." if without else "",
        f"{archived} archived notes would be listed with status 'any'." if archived else "",
        "Try fewer or other words, or look at the collections and tags in use." if request.words else "",
        "This memory has no notes yet." if not request.words and not archived and request.filters == ACTIVE else "",
    ]
    return Help(tuple(dict.fromkeys(near)), without, archived, " ".join(hint for hint in hints if hint))


def overview(store: Database, actor: Actor, starts_with: str = "", limit: int = DEFAULT_VOCABULARY) -> Overview:
    """The collections, tags and symbols of a memory with counts, most used first.

    ``starts_with`` narrows all three lists, case folded; ``limit`` (1 to 1,000) holds for each of them.
    """
    actor.require("memory:read")
    if not 1 <= limit <= MAX_VOCABULARY:
        raise InvalidArgument(f"limit: {limit} is outside 1 to {MAX_VOCABULARY:,}.", argument="limit")
    if len(starts_with) > MAX_COLLECTION_CHARS:
        raise InvalidArgument(
            f"startsWith has {len(starts_with):,} characters; no name has more than {MAX_COLLECTION_CHARS}.",
            argument="startsWith",
        )
    prefix = fold(starts_with).strip()
    with store.read() as reader:
        known = [each for each in collections.of_space(reader, actor.account_id) if fold(each.name).startswith(prefix)]
        rows = reader.rows("collection_counts", space_id=actor.account_id)
        tags, tag_total = collections.tag_counts(reader, actor.account_id, tag_key(starts_with), limit)
        symbol_prefix = starts_with.strip().removeprefix("$").upper()
        symbols, symbol_total = collections.symbol_counts(reader, actor.account_id, symbol_prefix, limit)
    infos = {each.id: CollectionInfo(each.name, 0, 0, None) for each in known}
    unfiled = CollectionInfo("", 0, 0, None)
    for row in rows:
        target = infos.get(row["collection_id"]) if row["collection_id"] else unfiled
        if target is None:
            continue
        counted = replace(
            target,
            active=target.active + (row["notes"] if row["status"] == "active" else 0),
            archived=target.archived + (row["notes"] if row["status"] == "archived" else 0),
            changed_at=max(target.changed_at or row["changed_at"], row["changed_at"]),
        )
        if row["collection_id"]:
            infos[row["collection_id"]] = counted
        else:
            unfiled = counted
    ordered = sorted(infos.values(), key=lambda info: (-(info.active + info.archived), fold(info.name)))
    return Overview(tuple(ordered[:limit]), len(ordered), unfiled, tuple(tags), tag_total, tuple(symbols), symbol_total)


def symbol_spelling(text: str) -> str:
    """The watchlist's spelling of a symbol; raises ``invalid_symbol``."""
    if not text.strip():
        raise InvalidSymbol("The symbol is empty.", symbol=text)
    return normalize_symbol(text)
