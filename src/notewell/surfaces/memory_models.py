"""Arguments and results of the memory operations (camelCase, as the memory spec names them)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from notewell.domain.notes import (
    MAX_BODY_BYTES,
    MAX_COLLECTION_CHARS,
    MAX_IDEMPOTENCY_KEY_CHARS,
    MAX_SOURCE_CHARS,
    MAX_SUMMARY_CHARS,
    MAX_SYMBOLS,
    MAX_TAG_CHARS,
    MAX_TAGS,
    MAX_TITLE_CHARS,
)
from notewell.surfaces.list_models import AskedFields, FoundFields, ListFields
from notewell.surfaces.schemas import Arguments, Filters, Output


def _field(description: str, default: Any = ..., **schema: Any) -> Any:
    """A field whose limits are shown to clients and checked by the services."""
    return Field(default, description=description, json_schema_extra=schema or None)


def _texts(description: str, count: int, length: int) -> Any:
    limits: dict[str, Any] = {"maxItems": count, "items": {"type": "string", "maxLength": length}}
    return Field(default=None, description=description, json_schema_extra=limits)


_TAGS = "Short labels in any script; compared without case, a leading # is dropped."
_SYMBOLS = "Market symbols in the watchlist's spelling: 000834 (China fund), NVDA, BRK-B, 0700.HK, ^GSPC."
_SUMMARY = "One or two sentences that say what the note holds. Searches show it instead of the body: always write one."


class ListCollections(Filters):
    """Arguments of ``noteCollections``."""

    starts_with: str | None = _field(
        "Only names, tags and symbols that start so.", None, maxLength=MAX_COLLECTION_CHARS
    )
    limit: int = _field("How many of each list, 1 to 1,000.", 200, minimum=1, maximum=1000)


class SearchNotes(AskedFields, Filters):
    """Arguments of ``notesSearch``."""

    tags: list[str] | None = _texts("Only notes that carry every one of these tags.", MAX_TAGS, MAX_TAG_CHARS)
    symbols: list[str] | None = _texts("Only notes that carry any of these symbols.", MAX_SYMBOLS, 20)
    collection: str | None = _field("Only notes in this collection.", None, maxLength=MAX_COLLECTION_CHARS)
    unfiled: bool = _field("Only notes in no collection.", False)
    status: Literal["active", "archived", "any"] | None = _field("Default: any with a query, active without one.", None)
    created_from: str | None = _field(
        "Made at or after this date or time (2026-12-01, 2026-12-01T08:00:00+08:00).", None
    )
    created_to: str | None = _field("Made at or before this date or time; a date counts as its whole day, UTC.", None)
    updated_from: str | None = _field("Changed at or after this date or time.", None)
    updated_to: str | None = _field("Changed at or before this date or time.", None)
    sort: Literal["relevance", "updated", "created", "title"] | None = _field(
        "Default: relevance with a query, updated without. Others than relevance list exact matches only.", None
    )
    limit: int = _field("How many cards, 1 to 50.", 10, minimum=1, maximum=50)
    cursor: str | None = _field("Where the page before ended; send it with the same other arguments.", None)


class ReadNotes(Arguments):
    """Arguments of ``noteRead``."""

    ids: list[str] = Field(
        description="1 to 5 ids, as notesSearch returns them.",
        json_schema_extra={"minItems": 1, "maxItems": 5},
    )
    from_: int = Field(
        default=0,
        alias="from",
        description="For one long note: the character to read on at, as its part.next said.",
        json_schema_extra={"minimum": 0},
    )
    max_chars: int = _field("How many characters of body in this reply, all notes together.", 40_000, minimum=1)


class CreateNote(Arguments):
    """Arguments of ``noteCreate``."""

    title: str = _field("What the note is about, in a few words.", maxLength=MAX_TITLE_CHARS)
    summary: str = _field(_SUMMARY, "", maxLength=MAX_SUMMARY_CHARS)
    body: str = _field(
        f"The note itself, Markdown or plain text, kept byte for byte; at most {MAX_BODY_BYTES:,} bytes of UTF-8."
    )
    tags: list[str] | None = _texts(_TAGS, MAX_TAGS, MAX_TAG_CHARS)
    symbols: list[str] | None = _texts(_SYMBOLS, MAX_SYMBOLS, 20)
    collection: str | None = _field(
        "File it here; a name that noteCollections lists.", None, maxLength=MAX_COLLECTION_CHARS
    )
    create_collection: bool = _field("Make the collection if no such name exists.", False)
    source: str = _field("Which conversation or document it comes from.", "", maxLength=MAX_SOURCE_CHARS)
    idempotency_key: str | None = _field(
        "A key of your own for this note: sent twice with the same note, it makes one.",
        None,
        maxLength=MAX_IDEMPOTENCY_KEY_CHARS,
    )


class UpdateNote(Arguments):
    """Arguments of ``noteUpdate``; whatever is left out stays as it is."""

    id: str = _field("Which note.")
    title: str | None = _field("A new title.", None, maxLength=MAX_TITLE_CHARS)
    summary: str | None = _field(_SUMMARY, None, maxLength=MAX_SUMMARY_CHARS)
    body: str | None = _field("A whole new body; needs ifVersion. To add text, use append.", None)
    append: str | None = _field("Text to add at the end of the body, on a line of its own.", None)
    tags: list[str] | None = _texts("All tags, in place of the present ones.", MAX_TAGS, MAX_TAG_CHARS)
    add_tags: list[str] | None = _texts("Tags to add.", MAX_TAGS, MAX_TAG_CHARS)
    remove_tags: list[str] | None = _texts("Tags to take off.", MAX_TAGS, MAX_TAG_CHARS)
    symbols: list[str] | None = _texts("All symbols, in place of the present ones.", MAX_SYMBOLS, 20)
    add_symbols: list[str] | None = _texts("Symbols to add.", MAX_SYMBOLS, 20)
    remove_symbols: list[str] | None = _texts("Symbols to take off.", MAX_SYMBOLS, 20)
    collection: str | None = _field("File it here.", None, maxLength=MAX_COLLECTION_CHARS)
    create_collection: bool = _field("Make the collection if no such name exists.", False)
    unfile: bool = _field("Take it out of its collection.", False)
    status: Literal["active", "archived"] | None = _field(
        "archived keeps a note searchable and out of listings; active brings it back.", None
    )
    if_version: int | None = _field(
        "The version you read; the edit is refused if the note has changed since.", None, minimum=1
    )


class DeleteNote(Arguments):
    """Arguments of ``noteDelete``."""

    id: str = _field("Which note.")


class SpellSymbol(Arguments):
    """Arguments of the spelling of a symbol."""

    symbol: str = _field("Any spelling: $brk.b, 700.HK, 600519.SH.", maxLength=60)


class NoteOut(Output):
    """A note without its body."""

    id: str
    title: str
    summary: str
    tags: list[str]
    symbols: list[str]
    collection: Annotated[str | None, Field(description="Absent where the note is unfiled.")] = None
    status: Literal["active", "archived"]
    source: Annotated[str | None, Field(description="Absent where none was given.")] = None
    account: Annotated[str, Field(description="Whose note it is.")]
    agent: Annotated[str | None, Field(description="Which agent wrote this state; absent for a person.")] = None
    version: int
    created_at: str
    updated_at: str
    body_bytes: int


class CreatedOut(NoteOut):
    """The result of ``noteCreate``."""

    repeated: Annotated[bool, Field(description="True: the same request made this note before.")]
    advice: str | None = None


class UpdatedOut(NoteOut):
    """The result of ``noteUpdate``."""

    changed: Annotated[list[str], Field(description="The fields that changed; empty where all was so already.")]


class PartOut(Output):
    """Which part of a body a reply holds, in characters."""

    from_: int = Field(alias="from")
    to: int
    of: int
    next: Annotated[int | None, Field(description="The from to read on with; absent at the end.")] = None


class FullNoteOut(NoteOut):
    """A note with its body, or the part of it that fitted."""

    body: str
    part: Annotated[PartOut | None, Field(description="Present where the body is cut.")] = None


class ReadOut(Output):
    """The result of ``noteRead``."""

    notes: list[FullNoteOut]
    not_found: list[str]


class DeletedOut(Output):
    """The result of ``noteDelete``."""

    id: str
    title: str
    deleted: bool = True


class CardOut(FoundFields, NoteOut):
    """What a search shows of a note."""

    partial: Annotated[list[str] | None, Field(description="Words that the note holds only inside longer words.")] = (
        None
    )


class HelpOut(Output):
    """What to try where nothing was found."""

    hint: str
    nearest_tags: list[str] | None = None
    without_filters: Annotated[int | None, Field(description="Exact matches without the filters.")] = None
    archived: Annotated[int | None, Field(description="Archived notes that the listing leaves out.")] = None


class _Cards(Output):
    cards: list[CardOut] | None = None


class CardListOut(ListFields, _Cards):
    """One list of cards, or why it is not there."""

    help: HelpOut | None = None


class ModeOut(Output):
    """Which way a search went."""

    mode: Literal["keyword", "semantic", "both"]


class SearchOut(CardListOut, ModeOut):
    """The result of ``notesSearch``: one list, or with mode both a list for each mode."""

    keyword: CardListOut | None = None
    semantic: CardListOut | None = None


class CollectionOut(Output):
    """A collection with its counts."""

    name: str
    active: int
    archived: int
    changed_at: str | None = None


class CountOut(Output):
    """A tag or symbol and how many notes carry it."""

    name: str
    notes: int


class MoreOut(Output):
    """How many entries a list left out."""

    collections: int | None = None
    tags: int | None = None
    symbols: int | None = None


class CollectionsOut(Output):
    """The result of ``noteCollections``."""

    collections: list[CollectionOut]
    unfiled: CollectionOut
    tags: list[CountOut]
    symbols: list[CountOut]
    more: Annotated[MoreOut | None, Field(description="How many entries did not fit; narrow with startsWith.")] = None


class SymbolOut(Output):
    """The watchlist's spelling of a symbol."""

    symbol: str
