"""What the list of notes is asked for, as it stands in the address of the page: read from it, and written back.

Every link of the list is the present state with something changed. It must not know templates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request

from notewell.domain.notes import tag_key
from notewell.services.memory_search import NoteSearch

PATH = "/notes"
PAGE_CARDS = 20
MODES = ("keyword", "semantic", "both")
STATUSES = ("", "active", "archived", "any")
SORTS = ("", "relevance", "updated", "created", "title")
_LINES = {
    "words": "q",
    "mode": "mode",
    "match": "match",
    "collection": "collection",
    "status": "status",
    "created_from": "createdFrom",
    "created_to": "createdTo",
    "updated_from": "updatedFrom",
    "updated_to": "updatedTo",
    "sort": "sort",
    "cursor": "cursor",
}
"""The fields of one value, and what they are called in an address."""


@dataclass(frozen=True, slots=True)
class NoteQuery:
    """The state of the list; an empty text narrows nothing."""

    words: str = ""
    mode: str = "keyword"
    match: str = "best"
    tags: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    collection: str = ""
    is_unfiled: bool = False
    status: str = ""
    created_from: str = ""
    created_to: str = ""
    updated_from: str = ""
    updated_to: str = ""
    sort: str = ""
    cursor: str = ""

    @classmethod
    def of(cls, request: Request) -> NoteQuery:
        """The state that an address says."""
        given = request.query_params
        lines: dict[str, Any] = {
            field: value for field, name in _LINES.items() if (value := given.get(name, "").strip())
        }
        return cls(
            **lines,
            tags=tuple({tag_key(tag): tag.strip() for tag in given.getlist("tag") if tag_key(tag)}.values()),
            symbols=tuple(dict.fromkeys(each.strip() for each in given.getlist("symbol") if each.strip())),
            is_unfiled=bool(given.get("unfiled")),
        )

    def pairs(self) -> Iterator[tuple[str, str]]:
        """What differs from the plain list, as names and values of an address."""
        plain = NoteQuery()
        for field, name in _LINES.items():
            if (value := getattr(self, field)) != getattr(plain, field):
                yield name, value
        for tag in self.tags:
            yield "tag", tag
        for symbol in self.symbols:
            yield "symbol", symbol
        if self.is_unfiled:
            yield "unfiled", "1"

    def url(self, path: str = PATH, **changes: Any) -> str:
        """The address of this state with some fields changed; it begins at the first page unless told a cursor."""
        pairs = list(replace(self, **{"cursor": "", **changes}).pairs())
        return f"{path}?{urlencode(pairs)}" if pairs else path

    def with_tag(self, tag: str) -> str:
        """The address that narrows by one tag more."""
        known = {tag_key(each) for each in self.tags}
        return self.url(tags=self.tags if tag_key(tag) in known else (*self.tags, tag))

    def without_tag(self, tag: str) -> str:
        """The address that narrows by one tag less."""
        return self.url(tags=tuple(each for each in self.tags if tag_key(each) != tag_key(tag)))

    def with_symbol(self, symbol: str) -> str:
        """The address that looks for one symbol more."""
        return self.url(symbols=tuple(dict.fromkeys((*self.symbols, symbol))))

    def without_symbol(self, symbol: str) -> str:
        """The address that looks for one symbol less."""
        return self.url(symbols=tuple(each for each in self.symbols if each != symbol))

    def in_collection(self, name: str) -> str:
        """The address that looks in one collection."""
        return self.url(collection=name, is_unfiled=False)

    def has_tag(self, tag: str) -> bool:
        """Whether it narrows by a tag."""
        return tag_key(tag) in map(tag_key, self.tags)

    @property
    def spans(self) -> tuple[tuple[str, str], ...]:
        """The bounds of time that are set, as field and value."""
        fields = ("created_from", "created_to", "updated_from", "updated_to")
        return tuple((field, value) for field in fields if (value := getattr(self, field)))

    @property
    def is_narrowed(self) -> bool:
        """Whether any filter is set; words are none."""
        return bool(self.tags or self.symbols or self.collection or self.is_unfiled or self.status or self.spans)

    @property
    def without_filters(self) -> str:
        """The address of the same search without filters."""
        return NoteQuery(words=self.words, mode=self.mode, match=self.match, sort=self.sort).url()

    def search(self) -> NoteSearch:
        """The same as arguments of a search."""
        return NoteSearch(
            query=self.words or None,
            match=self.match,
            tags=self.tags,
            symbols=self.symbols,
            collection=self.collection or None,
            unfiled=self.is_unfiled,
            status=self.status or None,
            created_from=self.created_from or None,
            created_to=self.created_to or None,
            updated_from=self.updated_from or None,
            updated_to=self.updated_to or None,
            sort=self.sort or None,
            limit=PAGE_CARDS,
            cursor=self.cursor or None,
        )
