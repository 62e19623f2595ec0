"""The memory operations: how their arguments become calls of the services, and what those return becomes results."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from notewell.app import App
from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit
from notewell.domain.times import format_time
from notewell.services import memory, memory_search
from notewell.services.memory import Filing, NoteView, ReadNote
from notewell.services.memory_search import Card, Cards, CollectionInfo, NoteSearch, Overview
from notewell.services.search import MAX_REPLY_CHARS, Finder
from notewell.surfaces import memory_models as models
from notewell.surfaces.list_models import found_values, list_values
from notewell.surfaces.modes import Asked, answer


def list_collections(app: App, actor: Actor, given: models.ListCollections) -> models.CollectionsOut:
    """``memory.collections``"""
    found = memory_search.overview(app.store, actor, given.starts_with or "", given.limit)
    shown = max(len(found.collections), len(found.tags), len(found.symbols))
    while True:
        result = _overview(found, shown)
        if shown <= 1 or len(json.dumps(result.as_json(), ensure_ascii=False)) <= MAX_REPLY_CHARS:
            return result
        shown = shown * 3 // 4


def _overview(found: Overview, shown: int) -> models.CollectionsOut:
    """At most so many entries of each list; what is left out is counted."""
    left = {
        "collections": found.collection_total - len(found.collections[:shown]),
        "tags": found.tag_total - len(found.tags[:shown]),
        "symbols": found.symbol_total - len(found.symbols[:shown]),
    }
    more = {name: count for name, count in left.items() if count}
    return models.CollectionsOut(
        collections=[_collection(info) for info in found.collections[:shown]],
        unfiled=_collection(found.unfiled),
        tags=[models.CountOut(name=tag.name, notes=tag.notes) for tag in found.tags[:shown]],
        symbols=[models.CountOut(name=symbol.name, notes=symbol.notes) for symbol in found.symbols[:shown]],
        more=models.MoreOut(**more) if more else None,
    )


def _collection(info: CollectionInfo) -> models.CollectionOut:
    changed_at = None if info.changed_at is None else format_time(info.changed_at)
    return models.CollectionOut(name=info.name, active=info.active, archived=info.archived, changed_at=changed_at)


def search_notes(app: App, actor: Actor, given: models.SearchNotes) -> models.SearchOut:
    """``memory.search``"""
    wanted = _wanted(given)

    def find(finder: Finder, reply_chars: int) -> models.CardListOut:
        return _card_list(memory_search.find(app.store, actor, replace(wanted, reply_chars=reply_chars), finder), actor)

    lists = answer(app, Asked(given.mode, given.query, given.cursor), find)
    if given.mode == "both":
        semantic = lists.semantic or models.CardListOut(unavailable=lists.unavailable)
        return models.SearchOut(mode="both", keyword=lists.keyword, semantic=semantic)
    return models.SearchOut(mode=given.mode, **dict(lists.keyword or lists.semantic or models.CardListOut()))


def _wanted(given: models.SearchNotes) -> NoteSearch:
    return NoteSearch(
        query=given.query,
        match=given.match,
        tags=tuple(given.tags or ()),
        symbols=tuple(given.symbols or ()),
        collection=given.collection,
        unfiled=given.unfiled,
        status=given.status,
        created_from=given.created_from,
        created_to=given.created_to,
        updated_from=given.updated_from,
        updated_to=given.updated_to,
        sort=given.sort,
        limit=given.limit,
        cursor=given.cursor,
    )


def _card_list(found: Cards, actor: Actor) -> models.CardListOut:
    helped = None
    if found.help is not None:
        helped = models.HelpOut(
            hint=found.help.hint,
            nearest_tags=list(found.help.nearest_tags) or None,
            without_filters=found.help.without_filters,
            archived=found.help.archived,
        )
    return models.CardListOut(
        cards=[_card(card, actor) for card in found.cards],
        help=helped,
        **list_values(found),
    )


def _card(card: Card, actor: Actor) -> models.CardOut:
    return models.CardOut(
        **note_fields(NoteView(card.note, card.collection, actor.handle)),
        **found_values(card.found, card.snippet),
        partial=list(card.found.partial) or None,
    )


def note_fields(view: NoteView) -> dict[str, Any]:
    """What every result shows of a note, apart from its body."""
    note = view.note
    return {
        "id": note.id,
        "title": note.title,
        "summary": note.summary,
        "tags": list(note.tags),
        "symbols": list(note.symbols),
        "collection": view.collection,
        "status": note.status,
        "source": note.source or None,
        "account": view.account,
        "agent": note.agent or None,
        "version": note.version,
        "created_at": format_time(note.created_at),
        "updated_at": format_time(note.updated_at),
        "body_bytes": len(note.body.encode()),
    }


def read_notes(app: App, actor: Actor, given: models.ReadNotes) -> models.ReadOut:
    """``memory.read``"""
    found, not_found = memory.read(app.store, actor, given.ids, given.from_, given.max_chars)
    return models.ReadOut(notes=[_full(each) for each in found], not_found=not_found)


def _full(each: ReadNote) -> models.FullNoteOut:
    part = None
    if each.start > 0 or each.end < each.length:
        after = each.end if each.end < each.length else None
        part = models.PartOut.model_validate({"from": each.start, "to": each.end, "of": each.length, "next": after})
    return models.FullNoteOut(**note_fields(each.view), body=each.body, part=part)


def create_note(app: App, actor: Actor, given: models.CreateNote) -> models.CreatedOut:
    """``memory.create``"""
    draft = Draft(
        title=given.title,
        body=given.body,
        summary=given.summary,
        tags=tuple(given.tags or ()),
        symbols=tuple(given.symbols or ()),
        source=given.source,
    )
    filing = Filing(given.collection or None, given.create_collection)
    made = memory.create(app.store, actor, draft, filing, given.idempotency_key or None)
    return models.CreatedOut(**note_fields(made.view), repeated=made.is_repeated, advice=made.advice)


def update_note(app: App, actor: Actor, given: models.UpdateNote) -> models.UpdatedOut:
    """``memory.update``"""
    edit = Edit(
        title=given.title,
        summary=given.summary,
        body=given.body,
        append=given.append,
        tags=None if given.tags is None else tuple(given.tags),
        add_tags=tuple(given.add_tags or ()),
        remove_tags=tuple(given.remove_tags or ()),
        symbols=None if given.symbols is None else tuple(given.symbols),
        add_symbols=tuple(given.add_symbols or ()),
        remove_symbols=tuple(given.remove_symbols or ()),
        status=given.status,
        if_version=given.if_version,
    )
    filing = Filing(given.collection, given.create_collection if given.collection is not None else False, given.unfile)
    done = memory.update(app.store, actor, given.id, edit, filing)
    return models.UpdatedOut(**note_fields(done.view), changed=list(done.changed))


def delete_note(app: App, actor: Actor, given: models.DeleteNote) -> models.DeletedOut:
    """``memory.delete``"""
    gone = memory.delete(app.store, actor, given.id)
    return models.DeletedOut(id=gone.id, title=gone.title)


def spell_symbol(_app: App, _actor: Actor, given: models.SpellSymbol) -> models.SymbolOut:
    """``symbol.spell``"""
    return models.SymbolOut(symbol=memory_search.symbol_spelling(given.symbol))
