"""The memory note: its fields, their limits, and what an edit does to it.

Pure: no store, no surface. Whatever is checked here holds on every surface and in every import.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from notewell.domain.collections import collection_key, fold
from notewell.domain.symbols import normalize_symbols
from notewell.errors import InvalidArgument, TooLarge

MAX_TITLE_CHARS = 200
MAX_SUMMARY_CHARS = 1_000
MAX_BODY_BYTES = 1_048_576
MAX_TAGS = 30
MAX_TAG_CHARS = 60
MAX_SYMBOLS = 50
MAX_COLLECTION_CHARS = 100
MAX_SOURCE_CHARS = 200
MAX_AGENT_CHARS = 100
MAX_IDEMPOTENCY_KEY_CHARS = 200

Status = Literal["active", "archived"]
STATUSES: tuple[Status, ...] = ("active", "archived")


@dataclass(frozen=True, slots=True)
class Note:
    """A memory note as it stands. Times are milliseconds since 1970, UTC."""

    id: str
    space_id: str
    row_no: int
    version: int
    """1 when made; each change adds one."""
    title: str
    summary: str
    """Empty where none was given."""
    body: str
    tags: tuple[str, ...]
    symbols: tuple[str, ...]
    collection_id: str | None
    status: Status
    source: str
    account_id: str
    agent: str
    """Which agent wrote the current state; empty where it did not say."""
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody wants written, checked by ``checked``."""

    title: str
    body: str
    summary: str = ""
    tags: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    source: str = ""

    def checked(self) -> Draft:
        """The same with its title trimmed, its tags and symbols normalized; raises where a field breaks its limit."""
        return Draft(
            title=check_title(self.title),
            body=check_body(self.body),
            summary=check_text(self.summary, "summary", MAX_SUMMARY_CHARS),
            tags=merge_tags((), self.tags),
            symbols=check_symbols(self.symbols),
            source=check_text(self.source, "source", MAX_SOURCE_CHARS),
        )


@dataclass(frozen=True, slots=True)
class Edit:
    """What somebody wants changed; None leaves a field as it is."""

    title: str | None = None
    summary: str | None = None
    body: str | None = None
    append: str | None = None
    tags: tuple[str, ...] | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    symbols: tuple[str, ...] | None = None
    add_symbols: tuple[str, ...] = ()
    remove_symbols: tuple[str, ...] = ()
    status: Status | None = None
    if_version: int | None = None
    """The version that the note must have; None for any."""

    @property
    def asks_for_nothing(self) -> bool:
        """Whether no field is to be changed."""
        return replace(self, if_version=None) == Edit()

    def applied(self, note: Note) -> Note:
        """The note with the edit done; raises where a field would break its limit. Versions and times stay."""
        if self.body is not None and self.append is not None:
            raise InvalidArgument("body and append exclude each other: send the whole new body, or only what to add.")
        body = note.body if self.body is None else self.body
        if self.append:
            body = appended(body, self.append)
        tags = note.tags if self.tags is None else merge_tags((), self.tags)
        symbols = note.symbols if self.symbols is None else check_symbols(self.symbols)
        removed_tags = merge_tags((), [tag for tag in self.remove_tags if tag_key(tag)])
        removed_symbols = set(check_symbols(self.remove_symbols))
        kept_symbols = tuple(symbol for symbol in symbols if symbol not in removed_symbols)
        return replace(
            note,
            title=note.title if self.title is None else check_title(self.title),
            summary=note.summary if self.summary is None else check_text(self.summary, "summary", MAX_SUMMARY_CHARS),
            body=check_body(body),
            tags=merge_tags(without_tags(tags, removed_tags), self.add_tags),
            symbols=check_symbols((*kept_symbols, *self.add_symbols)),
            status=self.status or note.status,
        )


def appended(body: str, addition: str) -> str:
    """A body with a text added on a line of its own; the earlier text stays as it was, byte for byte."""
    return body + ("\n" if body and not body.endswith("\n") else "") + addition


def check_text(text: str, field: str, max_chars: int | None = None) -> str:
    """The text itself; raises where it is too long or holds what cannot be stored (NUL, half a surrogate pair)."""
    if max_chars is not None and len(text) > max_chars:
        way = "Shorten it, or put the rest into the body." if field in ("title", "summary") else "Shorten it."
        raise InvalidArgument(f"{field} has {len(text):,} characters; at most {max_chars:,} fit. {way}", argument=field)
    if (place := text.find("\0")) >= 0:
        raise InvalidArgument(
            f"{field} holds a NUL character (at character {place}), which is no text. Remove it and send the note"
            " again.",
            argument=field,
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgument(
            f"{field} holds half of a surrogate pair (\\u{ord(text[error.start]):04x} at character {error.start}),"
            " which is no text. Send the whole character, or remove it.",
            argument=field,
        ) from None
    return text


def check_title(text: str) -> str:
    """The title without the white space around it and with line breaks as spaces."""
    title = " ".join(check_text(text, "title").split())
    if not title:
        raise InvalidArgument("title is empty. Say in a few words what the note is about.", argument="title")
    if all(_shows_nothing(char) for char in title[:MAX_TITLE_CHARS]):
        raise InvalidArgument("title shows nothing. Say in a few words what the note is about.", argument="title")
    return check_text(title, "title", MAX_TITLE_CHARS)


def _shows_nothing(char: str) -> bool:
    """Spaces, marks without a letter and controls; not a character newer than our tables, which may be an emoji."""
    category = unicodedata.category(char)
    return category[0] in "ZM" or category in {"Cc", "Cf"}


def check_body(text: str, argument: str = "body") -> str:
    """The body as it is; ``too_large`` over 1 MiB of UTF-8."""
    size = len(check_text(text, argument).encode())
    if size > MAX_BODY_BYTES:
        raise TooLarge(
            f"The {argument.partition('_')[0]} has {size:,} bytes; at most {MAX_BODY_BYTES:,} (1 MiB) fit. Split it"
            " into several notes.",
            argument=argument,
            limitBytes=MAX_BODY_BYTES,
        )
    return text


def tag_key(tag: str) -> str:
    """What a tag is compared by: without ``#`` before it, NFKC, case folded."""
    return clean_tag(fold(clean_tag(tag)))  # folding can make a new "#" or blank


def clean_tag(tag: str) -> str:
    """A tag as it is shown: as typed, without a leading ``#`` and the white space around it."""
    return " ".join(tag.split()).lstrip("#＃ ")


def merge_tags(tags: Iterable[str], added: Iterable[str]) -> tuple[str, ...]:
    """Both lists in order, each tag once, as first typed; raises where a tag or their number is bad."""
    kept = {tag_key(tag): tag for tag in tags}
    for tag in added:
        shown = check_text(clean_tag(tag), "tags")
        if not tag_key(shown):
            raise InvalidArgument(f"tags: {tag[:60]!r} is an empty tag. Leave it out.", argument="tags")
        if len(shown) > MAX_TAG_CHARS:
            raise InvalidArgument(
                f"tags: {shown[:80]!r} has {len(shown)} characters; a tag has at most {MAX_TAG_CHARS}.",
                argument="tags",
            )
        kept.setdefault(tag_key(shown), shown)
    if len(kept) > MAX_TAGS:
        raise InvalidArgument(
            f"tags: {len(kept)} tags; a note has at most {MAX_TAGS}. Keep those that you would search by.",
            argument="tags",
        )
    return tuple(kept.values())


def without_tags(tags: Iterable[str], removed: Iterable[str]) -> tuple[str, ...]:
    """The tags that are not among the removed ones."""
    keys = {tag_key(tag) for tag in removed}
    return tuple(tag for tag in tags if tag_key(tag) not in keys)


def check_symbols(texts: Iterable[str]) -> tuple[str, ...]:
    """The symbols in the watchlist's spelling, each once; raises where one is invalid or there are over 50."""
    symbols = normalize_symbols(tuple(texts))
    if len(symbols) > MAX_SYMBOLS:
        raise InvalidArgument(f"symbols: {len(symbols)} symbols; a note has at most {MAX_SYMBOLS}.", argument="symbols")
    return symbols


def check_collection_name(name: str) -> str:
    """A collection's name without the white space around it; raises where it is empty or too long."""
    shown = " ".join(check_text(name, "collection").split())
    if not collection_key(shown):
        raise InvalidArgument(
            f"collection: {name[:60]!r} is an empty name. Give it letters or digits; to take a note out of its"
            " collection, use unfile.",
            argument="collection",
        )
    return check_text(shown, "collection", MAX_COLLECTION_CHARS)
