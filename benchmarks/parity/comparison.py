"""One request to both engines, and in what their replies differ.

Where no more notes match than PostgreSQL ranks exactly, everything must be equal. Beyond that its order is worth what
SQLite's scores say: nDCG with these as gains, against SQLite's own order. Totals, and the score, the missing words and
the snippet of each note that both show, must be equal there too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from benchmarks.parity.asked import Asked
from benchmarks.parity.twins import Twins
from notewell.domain.access import SearchScope
from notewell.domain.query import OneOf, Query, parse
from notewell.errors import NotewellError
from notewell.services import accounts, memory_search, research_search
from notewell.services.memory_search import NoteSearch
from notewell.services.search import MAX_FRAGMENT_WORDS, Finder, Page, SearchRequest, search
from notewell.store import fulltext
from notewell.store.database import Database, Reader
from notewell.store.homes import home_of
from notewell.store.wanted import Wanted

EXACT_UP_TO = 2_000
"""Matches, up to which both engines must answer alike (DESIGN 13)."""
DEPTH = 10
SCORE_TOLERANCE = 1e-9
_OWN_NUMBERS = ("row_no", "key")
"""Fields that hold row numbers, which each engine chooses."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A page as a caller sees it; ``error`` is the code and the message where it is none."""

    cards: tuple[dict[str, Any], ...] = ()
    about: dict[str, Any] = field(default_factory=dict)
    """Total, help, whether the page was cut and whether there are more."""
    cursor: str | None = None
    error: str | None = None

    @property
    def ids(self) -> list[str]:
        """The notes in order."""
        return [card["note"]["id"] for card in self.cards]


@dataclass(slots=True)
class Verdict:
    """How the replies to one request compare."""

    asked: Asked
    pages: int = 0
    matches: int = 0
    """The most that a part of the sequence holds, on SQLite."""
    cards: int = 0
    differences: list[str] = field(default_factory=list)
    ndcg: float | None = None
    """Of the part that more notes match than are all ranked; None where there is none on the first page."""


def compared(twins: Twins, asked: Asked) -> Verdict:
    """Asks both engines for the pages of a request."""
    verdict = Verdict(asked)
    counting = _Counting()
    cursors: tuple[str | None, str | None] = (None, None)
    for number in range(asked.pages):
        one = _reply(twins.sqlite.store, asked, cursors[0], counting if number == 0 else search)
        other = _reply(twins.postgres.store, asked, cursors[1], search)
        verdict.pages += 1
        verdict.cards += len(one.cards)
        verdict.matches = max([0, *counting.counts.values()])
        beyond = {part for part, count in counting.counts.items() if count > EXACT_UP_TO}
        if not beyond.intersection(card["found"]["part"] for card in (*one.cards, *other.cards)):
            found = _differences(one, other)
        else:
            found = _loose_differences(one, other, beyond)
            if number == 0:
                verdict.ndcg = _ndcg(twins.sqlite.store, counting, one, other)
        verdict.differences += [f"page {number + 1}: {each}" for each in found]
        cursors = one.cursor, other.cursor
        if found or None in cursors:
            break
    return verdict


class _Counting:
    """Searches, and keeps how many notes each part of the ranked sequence holds."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.wanted: dict[str, Wanted] = {}
        self.scope: SearchScope | None = None

    def __call__(self, reader: Reader, scope: SearchScope, request: SearchRequest, /) -> Page:
        """The page; a finder as the services take it."""
        if request.words and request.sort in (None, "relevance") and not self.counts:
            self._count(reader, scope, request, parse(request.words))
        return search(reader, scope, request)

    def _count(self, reader: Reader, scope: SearchScope, request: SearchRequest, query: Query) -> None:
        if not query.units:
            return
        self.scope = scope
        self.wanted["exact"] = Wanted(query.exact, query.exact_leaves, request.filters)
        if query.rest is not None:
            self.wanted["rest"] = Wanted(query.rest, query.rest_leaves, request.filters)
        if scope.is_memory and query.fragment:
            words = fulltext.of(reader).words_with_fragment(
                reader, scope.space_id or "", query.fragment, MAX_FRAGMENT_WORDS
            )
            if words:
                node = OneOf(tuple(words))
                self.wanted["partial"] = Wanted(node, (node,), request.filters)
        engine = fulltext.of(reader).search(reader, home_of(reader, scope))
        self.counts = {part: engine.count(wanted) or 0 for part, wanted in self.wanted.items()}


def _reply(store: Database, asked: Asked, cursor: str | None, finder: Finder) -> Reply:
    wanted = replace(asked.wanted, cursor=cursor)
    try:
        actor = accounts.account_actor(store, asked.handle)
        cards: Any
        if isinstance(wanted, NoteSearch):
            cards = memory_search.find(store, actor, wanted, finder)
        else:
            cards = research_search.find(store, actor, wanted, finder)
    except NotewellError as error:
        return Reply(error=f"{error.code}: {error}")
    about = {
        "total": cards.total,
        "help": asdict(cards.help) if cards.help else None,
        "cut": cards.cut,
        "has more": cards.cursor is not None,
    }
    return Reply(tuple(_shown(card) for card in cards.cards), about, cards.cursor)


def _shown(card: Any) -> dict[str, Any]:
    """A card without row numbers; a research card has its note one level deeper."""
    found: dict[str, Any] = _without_own_numbers(asdict(card))
    if "row" in found:
        found["note"] = found["row"].pop("note")
    return found


def _without_own_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_own_numbers(each) for name, each in value.items() if name not in _OWN_NUMBERS}
    return value


def _differences(one: Reply, other: Reply) -> list[str]:
    """In what two replies differ that must be equal."""
    if one.error or other.error:
        return [] if one.error == other.error else [f"error: {one.error} / {other.error}"]
    found = _different_fields(one.about, other.about)
    if one.ids != other.ids:
        place = next(
            (place for place, pair in enumerate(zip(one.ids, other.ids, strict=False)) if pair[0] != pair[1]),
            min(len(one.ids), len(other.ids)),
        )
        found.append(f"ids from place {place}: {_noted(one, place)} / {_noted(other, place)}")
    return found + _different_cards(one, other)


def _noted(reply: Reply, place: int) -> str:
    return ", ".join(
        f"{card['note']['id']} {card['found']['score']} {card['found']['part']}"
        for card in reply.cards[place : place + 2]
    )


def _different_cards(one: Reply, other: Reply) -> list[str]:
    """In what the cards of one note differ."""
    theirs = dict(zip(other.ids, other.cards, strict=True))
    return [
        f"{note_id}: {each}"
        for note_id, card in zip(one.ids, one.cards, strict=True)
        if note_id in theirs
        for each in _different_fields(card, theirs[note_id])
    ]


def _different_fields(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    found = []
    for name, value in one.items():
        if isinstance(value, dict) and isinstance(other[name], dict):
            found += [f"{name}.{each}" for each in _different_fields(value, other[name])]
        elif not _is_equal(value, other[name]):
            found.append(f"{name}: {_short(value)} / {_short(other[name])}")
    return found


def _is_equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=0.0, abs_tol=SCORE_TOLERANCE)
    return bool(one == other)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 80 else text[:77] + "..."


def _loose_differences(one: Reply, other: Reply, beyond: set[str]) -> list[str]:
    """In what replies differ although the order of some parts is free."""
    if one.error or other.error:
        return _differences(one, other)
    is_cut = one.about.get("cut") or other.about.get("cut")  # how many cards fit depends on which they are
    free = ("cut", "has more") if is_cut else ()
    abouts = [{name: value for name, value in reply.about.items() if name not in free} for reply in (one, other)]
    found = _different_fields(*abouts)
    fixed = [[card for card in reply.cards if card["found"]["part"] not in beyond] for reply in (one, other)]
    if [card["note"]["id"] for card in fixed[0]] != [card["note"]["id"] for card in fixed[1]]:
        found.append("the cards of the parts that are ranked exactly differ")
    if len(one.cards) != len(other.cards) and not is_cut:
        found.append(f"{len(one.cards)} / {len(other.cards)} cards")
    if len(set(other.ids)) != len(other.ids):
        found.append("a note comes twice")
    return found + _different_cards(one, other)


def _ndcg(store: Database, counting: _Counting, one: Reply, other: Reply) -> float | None:
    """nDCG@10 of the other's order in the last part of the page, the one that is not ranked whole."""
    part = one.cards[-1]["found"]["part"] if one.cards else ""
    ours = [card["found"]["score"] for card in one.cards if card["found"]["part"] == part]
    theirs = [card["note"]["id"] for card in other.cards if card["found"]["part"] == part]
    if not ours or counting.scope is None:
        return None
    with store.read() as reader:
        engine = fulltext.of(reader).search(reader, home_of(reader, counting.scope))
        rows = reader.rows_of("SELECT id, row_no FROM notes WHERE id IN (:ids...)", {"ids": theirs})
        row_of = {row["id"]: row["row_no"] for row in rows}
        hits = [engine.hit_of(counting.wanted[part], row_of[note_id]) for note_id in theirs[:DEPTH]]
    ideal = _discounted(ours[:DEPTH])
    return _discounted([hit.score if hit else 0.0 for hit in hits]) / ideal if ideal else 1.0


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))
