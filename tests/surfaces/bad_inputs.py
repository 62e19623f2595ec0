"""The table of inputs that are refused: what is asked for, the error's code, and what its message must say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from clients import ONE_OF_EACH, Json

NOTE = "<the note>"
"""Stands for the id of the note that is there."""
UNKNOWN = "nte_0000000000"
NO_CLI = ("mcp-memory-2026", "rest")
"""For what a command line has no words for: its words are text, and hold no NUL."""
MCP_ONLY = ("mcp-memory-2026",)
"""For what the query part of an address has no words for, either."""
HALF = "a\ud83d"
"""Ends with the first half of 🚀: what a client sends that cut a text in the wrong place."""
INVALID = "invalid_argument"


@dataclass(frozen=True)
class Bad:
    """An input, and what it is answered with."""

    id: str
    operation: str
    arguments: Json
    code: str
    says: tuple[str, ...]
    """Parts of the message: the value, and the way on."""
    surfaces: tuple[str, ...] = ONE_OF_EACH


def create(name: str, code: str, *says: str, **changes: Any) -> Bad:
    """A new note that is fine but for the changes."""
    return Bad(name, "memory.create", {"title": "T", "body": "B", **changes}, code, says)


def update(name: str, code: str, *says: str, **changes: Any) -> Bad:
    """An edit of the note that is there."""
    return Bad(name, "memory.update", {"id": NOTE, **changes}, code, says)


def search(name: str, code: str, *says: str, **arguments: Any) -> Bad:
    """A search or listing."""
    return Bad(name, "memory.search", arguments, code, says)


def read(name: str, code: str, *says: str, **arguments: Any) -> Bad:
    """A reading; ``start`` is its ``from``."""
    given = {"from" if key == "start" else key: value for key, value in arguments.items()}
    return Bad(name, "memory.read", given, code, says)


def on(surfaces: tuple[str, ...], *rows: Bad) -> tuple[Bad, ...]:
    """Rows that only some surfaces can be asked."""
    return tuple(replace(row, surfaces=surfaces) for row in rows)


TOO_LONG = (
    create("title-long", INVALID, "title", "201", "200", title="x" * 201),
    create("summary-long", INVALID, "summary", "1,001", "1,000", summary="x" * 1_001),
    create("source-long", INVALID, "source", "201", "200", source="x" * 201),
    create("key-long", INVALID, "idempotencyKey", "201", "200", idempotencyKey="x" * 201),
    create("collection-long", INVALID, "collection", "101", "100", collection="x" * 101, createCollection=True),
    create("tag-long", INVALID, "tags", "61", "60", tags=["x" * 61]),
    create("tags-many", INVALID, "tags", "31", "30", tags=[f"t{number}" for number in range(31)]),
    create("symbols-many", INVALID, "symbols", "51", "50", symbols=[f"S{number}" for number in range(51)]),
    create("symbol-long", "invalid_symbol", "XXXXXXXXXX", "20", symbols=["X" * 21]),
    create("body-of-2-mib", "too_large", "2,097,152", "1,048,576", "Split", body="x" * 2 * 1024 * 1024),
    create("body-long-in-bytes", "too_large", "1,048,578", "1,048,576", body="降" * 349_526),
    update("append-long", "too_large", "1,048,576", append="x" * 1_048_576),
    search("query-long", INVALID, "query", "2,500", "2,000", query="word " * 499 + "wordy"),
)
EMPTY = (
    create("title-empty", INVALID, "title", "empty", title=""),
    create("title-blank", INVALID, "title", "empty", title=" \n "),
    create("tag-empty", INVALID, "tags", "empty", tags=["#"]),
    create("collection-blank", INVALID, "collection", "empty", collection="  ", createCollection=True),
    update("nothing-to-change", INVALID, "Nothing to change", "append"),
    *on(NO_CLI, Bad("title-missing", "memory.create", {"body": "B"}, INVALID, ("title", "missing"))),
    *on(NO_CLI, Bad("body-missing", "memory.create", {"title": "T"}, INVALID, ("body", "missing"))),
)
UNKNOWN_THINGS = (
    create(
        "near-collection",
        "unknown_collection",
        "'Markt Notes'",
        "'Market Notes'",
        "createCollection",
        collection="Markt Notes",
    ),
    search("unknown-collection", "unknown_collection", "'Recipe'", "'Recipes'", collection="Recipe"),
    update("file-nowhere", "unknown_collection", "'Nowhere'", "'Recipes'", collection="Nowhere"),
    create("bad-symbol", "invalid_symbol", "'not a symbol'", "NVDA", symbols=["NVDA", "not a symbol"]),
    update("bad-new-symbol", "invalid_symbol", "'美股'", "NVDA", addSymbols=["美股"]),
    search("bad-symbol-filter", "invalid_symbol", "'$'", "NVDA", symbols=["$"]),
    Bad("update-unknown", "memory.update", {"id": UNKNOWN, "title": "x"}, "not_found", (UNKNOWN, "search")),
    Bad("delete-unknown", "memory.delete", {"id": UNKNOWN}, "not_found", (UNKNOWN, "search")),
    Bad("update-no-id", "memory.update", {"id": "7", "title": "x"}, INVALID, ("id", "'7'", "nte_")),
    Bad("delete-no-id", "memory.delete", {"id": "NTE_0000000000"}, INVALID, ("'NTE_0000000000'", "nte_")),
    read("read-no-id", INVALID, "ids", "'prb_0000000000'", "nte_", ids=["prb_0000000000"]),
    read("read-6-ids", INVALID, "ids", "6", "1 to 5", ids=[f"{UNKNOWN}{number}" for number in range(6)]),
    *on(MCP_ONLY, read("read-0-ids", INVALID, "ids", "0 ids", "1 to 5", ids=[])),
    *on(("rest",), read("read-0-ids", INVALID, "ids", "missing", ids=[])),
)
UNKNOWN_ARGUMENTS = (
    create("near-argument", INVALID, "sumary", "summary", sumary="x"),
    *on(NO_CLI, search("near-filter", INVALID, "createFrom", "createdFrom", createFrom="2026-01-01")),
    *on(("cli",), search("near-option", INVALID, "--create-from", "--created-from", createFrom="2026-01-01")),
    *on(NO_CLI, create("camel-argument", INVALID, "'create_collection'", "'createCollection'", create_collection=True)),
    *on(NO_CLI, create("no-argument", INVALID, "'zzz'", "There are: title, summary, body", zzz=1)),
    *on(NO_CLI, Bad("missing-by-typo", "memory.create", {"titel": "T", "body": "B"}, INVALID, ("'titel'", "'title'"))),
    *on(NO_CLI, Bad("delete-more", "memory.delete", {"id": NOTE, "force": True}, INVALID, ("'force'", "id"))),
)
TYPES = (
    *on(
        NO_CLI,
        create("title-number", INVALID, "title", "7", "text", title=7),
        create("title-list", INVALID, "title", "['T']", "text", title=["T"]),
        create("body-null", INVALID, "body", "None", "text", body=None),
        create("body-object", INVALID, "body", "{'a': 1}", "text", body={"a": 1}),
        create("body-true", INVALID, "body", "True", "text", body=True),
        create("tags-object", INVALID, "tags", "{'a': 1}", "list", tags={"a": 1}),
        create("tags-numbers", INVALID, "tags[1]", "2", "text", tags=["a", 2]),
        create("tags-bare-word", INVALID, "tags", "'macro'", '["a", "b"]', tags="macro"),
        create("tags-json-object", INVALID, "tags", "list", tags='{"a": 1}'),
        create("tags-half-json", INVALID, "tags", "list", tags='["a", '),
        create("tags-json-numbers", INVALID, "tags[0]", "1", "text", tags="[1]"),
        create("symbols-bare-word", INVALID, "symbols", "'NVDA'", "list", symbols="NVDA"),
        create("flag-word", INVALID, "createCollection", "'maybe'", "true or false", createCollection="maybe"),
        create("collection-number", INVALID, "collection", "3", "text", collection=3),
        update("status-number", INVALID, "status", "1", "'active' or 'archived'", status=1),
        update("version-true", INVALID, "ifVersion", "true", "whole number", title="x", ifVersion=True),
    ),
    *on(MCP_ONLY, read("ids-word", INVALID, "ids", "'nte_0000000000'", "list", ids=UNKNOWN)),
    update("version-word", INVALID, "three", title="x", ifVersion="three"),
    search("limit-word", INVALID, "ten", limit="ten"),
    search("limit-true", INVALID, "true", limit=True),
    search("limit-fraction", INVALID, "2.5", limit=2.5),
    read("from-word", INVALID, "start", ids=[NOTE], start="start"),
)
RANGES = (
    search("limit-0", INVALID, "limit", "0", "50", limit=0),
    search("limit-51", INVALID, "limit", "51", "50", "cursor", limit=51),
    search("limit-negative", INVALID, "limit", "-1", "50", limit=-1),
    search("limit-vast", INVALID, "limit", "50", limit=10**18),
    Bad("vocabulary-0", "memory.collections", {"limit": 0}, INVALID, ("limit", "0", "1,000")),
    Bad("vocabulary-1001", "memory.collections", {"limit": 1_001}, INVALID, ("limit", "1001", "1,000")),
    read("from-negative", INVALID, "from", ids=[NOTE], start=-1),
    read("no-characters", INVALID, "maxChars", ids=[NOTE], maxChars=0),
    read("from-in-two", INVALID, "from", "one id", ids=[NOTE, UNKNOWN], start=5),
    update("version-0", "version_conflict", "0", "current version", title="x", ifVersion=0),
    update("version-stale", "version_conflict", "99", "Read the note", title="x", ifVersion=99),
    search("cursor-garbage", INVALID, "cursor", "first page", cursor="garbage"),
    search("cursor-signs", INVALID, "cursor", "first page", cursor="***ü"),
    search("cursor-json", INVALID, "cursor", "first page", cursor="W10"),
    search("date-word", INVALID, "createdFrom", "'yesterday'", "2026-12-01", createdFrom="yesterday"),
    search("date-month-13", INVALID, "updatedTo", "'2026-13-01'", "2026-12-01", updatedTo="2026-13-01"),
    search("date-slashes", INVALID, "createdTo", "'12/01/2026'", "2026-12-01", createdTo="12/01/2026"),
    search("date-of-old", INVALID, "createdFrom", "'0001-01-01'", "1831", createdFrom="0001-01-01"),
    search("date-far", INVALID, "createdTo", "'9999-12-31'", "2109", createdTo="9999-12-31"),
    search("dates-crossed", INVALID, "2026-02-01", "2026-01-01", createdFrom="2026-02-01", createdTo="2026-01-01"),
)
CHOICES = (
    search("match-other", INVALID, "'some'", "'best' or 'all'", query="x", match="some"),
    search("mode-other", INVALID, "'magic'", "'keyword', 'semantic' or 'both'", query="x", mode="magic"),
    search("sort-other", INVALID, "'size'", "'title'", query="x", sort="size"),
    search("status-other", INVALID, "'gone'", "'archived'", status="gone"),
    search("sort-without-query", INVALID, "relevance", "updated", sort="relevance"),
    search("two-places", INVALID, "unfiled", "collection", unfiled=True, collection="Recipes"),
    search("no-words", "invalid_query", "'***'", "word", query="***"),
    search("by-meaning", "semantic_unavailable", "keyword", query="x", mode="semantic"),
    update("status-of-search", INVALID, "'any'", "'archived'", status="any"),
    update("body-blind", INVALID, "ifVersion", "noteRead", "append", body="x"),
    update("body-and-append", INVALID, "body", "append", body="x", append="y", ifVersion=1),
    update("two-moves", INVALID, "unfile", "collection", unfile=True, collection="Recipes"),
    update("title-away", INVALID, "title", "empty", title=""),
)
NO_TEXT = (
    create("nul-body", INVALID, "body", "NUL", body="a\0b"),
    *on(
        NO_CLI,
        *(
            create(f"nul-{name}", INVALID, name, "NUL", **{name: "a\0b"})
            for name in ("title", "summary", "source", "collection", "idempotencyKey")
        ),
        create("nul-tag", INVALID, "tags", "NUL", tags=["a\0b"]),
        create("nul-symbol", INVALID, "symbols", "NUL", symbols=["NVDA\0"]),
        update("nul-append", INVALID, "append", "NUL", append="\0"),
        search("nul-query", INVALID, "query", "NUL", query="a\0b"),
        search("nul-filter", INVALID, "tags", "NUL", tags=["a\0b"]),
        search("nul-cursor", INVALID, "cursor", cursor="\0"),
        *(
            create(f"half-{name}", INVALID, name, "surrogate", r"\ud83d", **{name: HALF})
            for name in ("title", "summary", "body", "source", "collection", "idempotencyKey")
        ),
        create("half-tag", INVALID, "tags", "surrogate", tags=[HALF]),
        create("half-symbol", INVALID, "symbols", "surrogate", symbols=[HALF]),
        update("half-append", INVALID, "append", "surrogate", append=HALF),
    ),
    *on(("rest",), create("half-argument", INVALID, r"\ud83d", **{HALF: "x"})),
    *on(
        MCP_ONLY,
        search("half-query", INVALID, "query", "surrogate", query=f"word {HALF}"),
        search("half-tag-filter", INVALID, "tags", "surrogate", tags=[HALF]),
        search("half-symbol-filter", INVALID, "symbols", "surrogate", symbols=[HALF]),
        Bad("half-start", "memory.collections", {"startsWith": HALF}, INVALID, ("startsWith", "surrogate")),
    ),
    # What a terminal that is not UTF-8 makes of a letter: a byte that is no text.
    *on(
        ("cli",),
        create("byte-title", INVALID, "title", "surrogate", title="caf\udce9"),
        create("byte-tag", INVALID, "tags", "surrogate", tags=["caf\udce9"]),
        search("byte-query", INVALID, "query", "surrogate", query="caf\udce9"),
        create("byte-body", INVALID, "UTF-8", body="caf\udce9"),
    ),
)
BAD_INPUTS = (*TOO_LONG, *EMPTY, *UNKNOWN_THINGS, *UNKNOWN_ARGUMENTS, *TYPES, *RANGES, *CHOICES, *NO_TEXT)
