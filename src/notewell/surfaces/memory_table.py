"""The memory operations of the table: their names, descriptions and places."""

from __future__ import annotations

from notewell.surfaces import memory_models as models
from notewell.surfaces import memory_operations as memory
from notewell.surfaces.operation import QUOTED, Operation, Route

MEMORY_OPERATIONS: tuple[Operation, ...] = (
    Operation(
        name="memory.collections",
        tool="noteCollections",
        title="List collections, tags and symbols",
        description=(
            "Shows what this memory is made of: collections with counts of active and archived notes, how many notes"
            " are unfiled, and the tags and symbols in use, most used first. Call it first in a conversation, before"
            " filing or tagging, so that you use the names that exist instead of making near copies."
        ),
        arguments=models.ListCollections,
        result=models.CollectionsOut,
        run=memory.list_collections,
        scope="memory:read",
        routes=(Route("GET", "/api/memory/collections"),),
        command="collection list",
        is_read_only=True,
        is_idempotent=True,
    ),
    Operation(
        name="memory.search",
        tool="notesSearch",
        title="Search or list notes",
        description=(
            "Finds notes by words, in any language, or lists them (no query: newest change first). Call it before"
            " answering from memory and before writing, to see whether a note exists that should be updated instead."
            " Returns cards (title, summary, tags, a snippet), never bodies: scan them, then read the one or two that"
            " matter with noteRead. A card without 'missing' holds every word; the others follow. tags narrows (all of"
            " them), symbols widens (any of them). With a query archived notes are found too." + QUOTED
        ),
        arguments=models.SearchNotes,
        result=models.SearchOut,
        run=memory.search_notes,
        scope="memory:read",
        routes=(
            Route("GET", "/api/memory/notes"),
            Route("GET", "/api/memory/notes/search", suffix="Search"),
        ),
        command="note search",
        is_read_only=True,
        is_idempotent=True,
    ),
    Operation(
        name="memory.read",
        tool="noteRead",
        title="Read notes in full",
        description=(
            "Returns up to 5 notes with their bodies, by id, in the order asked. Use it on the cards that matter after"
            " notesSearch, and before replacing a body (it returns the version that noteUpdate needs). A long body is"
            " cut and says so in 'part'; read on with from." + QUOTED
        ),
        arguments=models.ReadNotes,
        result=models.ReadOut,
        run=memory.read_notes,
        scope="memory:read",
        routes=(
            Route("GET", "/api/memory/read"),
            Route("GET", "/api/memory/notes/{id}", is_single=True, suffix="One"),
        ),
        command="note show",
        is_read_only=True,
        is_idempotent=True,
    ),
    Operation(
        name="memory.create",
        tool="noteCreate",
        title="Save a new note",
        description=(
            "Saves what a conversation established: a thesis, a decision, the reasoning behind it, a fact worth finding"
            " again. One subject per note. Always write a summary: searches show titles and summaries only, and it is"
            " how this note will be told from fifty others. Search first; if a note on the subject exists, update it"
            " instead. File it in a collection that noteCollections lists; an unknown name is an error that lists the"
            " real ones, unless createCollection is true. Returns the note without its body."
        ),
        arguments=models.CreateNote,
        result=models.CreatedOut,
        run=memory.create_note,
        scope="memory:write",
        routes=(Route("POST", "/api/memory/notes", 201),),
        command="note add",
    ),
    Operation(
        name="memory.update",
        tool="noteUpdate",
        title="Edit, append to, tag, file or archive a note",
        description=(
            "Changes one note: append text, set a title or summary, add or remove tags and symbols, file it, archive it"
            " or bring it back. Prefer append to rewriting; replacing the whole body needs ifVersion from noteRead, so"
            " that nobody's text is lost. Keep the summary true when the body changes. To put away a note that is no"
            " longer current, set status 'archived': it stays searchable, leaves the listing, and can be brought back."
            " Earlier states are kept. Returns the note without its body, and which fields changed."
        ),
        arguments=models.UpdateNote,
        result=models.UpdatedOut,
        run=memory.update_note,
        scope="memory:write",
        routes=(Route("PATCH", "/api/memory/notes/{id}"),),
        command="note edit",
        is_destructive=True,
    ),
    Operation(
        name="memory.delete",
        tool="noteDelete",
        title="Delete a note permanently",
        description=(
            "Removes one note and its history for good; it cannot be brought back. Archiving (noteUpdate with status"
            " 'archived') is nearly always what is meant. Use this only when the person asked for the note to be"
            " deleted, or for one that you made by mistake."
        ),
        arguments=models.DeleteNote,
        result=models.DeletedOut,
        run=memory.delete_note,
        scope="memory:write",
        routes=(Route("DELETE", "/api/memory/notes/{id}"),),
        command="note rm",
        is_destructive=True,
        is_idempotent=True,
    ),
    Operation(
        name="symbol.spell",
        tool="symbolSpell",
        title="Spell a market symbol",
        description="Returns the watchlist's spelling of a market symbol.",
        arguments=models.SpellSymbol,
        result=models.SymbolOut,
        run=memory.spell_symbol,
        scope="memory:read",
        routes=(Route("GET", "/api/symbols/{symbol}"),),
        command="symbol",
        is_read_only=True,
        is_idempotent=True,
        left_out={"mcp": "The memory spec has six tools; writing and filtering spell symbols by themselves."},
    ),
)
