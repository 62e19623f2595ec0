"""What the search tests share: notes written in one go, a whole sequence walked page by page, a BM25 of their own.

``bm25_scores`` is an oracle written from the formula alone; it knows the analyzer and no engine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from notewell.domain.access import Actor, SearchScope
from notewell.domain.filters import NO_FILTERS, NoteFilters
from notewell.domain.notes import Note
from notewell.domain.terms import index_terms
from notewell.services.search import Found, Page, SearchRequest, search
from notewell.store import notes
from notewell.store.database import Database, Tx

MAX_PAGES = 60
"""More than any sequence of these tests has."""
WEIGHTS = (3.0, 2.0, 2.0, 1.0)


@dataclass(frozen=True, slots=True)
class Text:
    """What a test says of a note; the rest is the same for all."""

    title: str
    body: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    collection_id: str | None = None
    is_archived: bool = False


def _note(tx: Tx, actor: Actor, text: Text) -> Note:
    return Note(
        id=tx.new_id("nte"),
        space_id=actor.account_id,
        row_no=notes.next_row_no(tx, tx.now),
        version=1,
        title=text.title,
        summary=text.summary,
        body=text.body,
        tags=text.tags,
        symbols=text.symbols,
        collection_id=text.collection_id,
        status="archived" if text.is_archived else "active",
        source="",
        account_id=actor.account_id,
        agent="",
        created_at=tx.now,
        updated_at=tx.now,
    )


def write(store: Database, actor: Actor, texts: Sequence[Text]) -> list[Note]:
    """Writes notes in one transaction, the last one the newest."""
    with store.write() as tx:
        made = []
        for text in texts:
            made.append(_note(tx, actor, text))
            notes.insert(tx, made[-1])
    return made


def page(store: Database, actor: Actor, request: SearchRequest) -> Page:
    """One page."""
    with store.read() as reader:
        return search(reader, SearchScope(actor.account_id), request)


def shown(store: Database, actor: Actor, found: Sequence[Found]) -> list[str]:
    """The titles of what was found."""
    with store.read() as reader:
        by_row = notes.by_rows(reader, actor.account_id, [each.row_no for each in found]).by_row
    return [by_row[each.row_no].title for each in found]


def titles(store: Database, actor: Actor, words: str | None, filters: NoteFilters = NO_FILTERS) -> list[str]:
    """The titles of the first 50 notes for some words."""
    return shown(store, actor, page(store, actor, SearchRequest(words, filters=filters, limit=50)).found)


def exact_titles(store: Database, actor: Actor, words: str) -> set[str]:
    """The titles of the notes that hold every word."""
    return set(shown(store, actor, page(store, actor, SearchRequest(words, match="all", limit=50)).found))


def walked(store: Database, actor: Actor, request: SearchRequest) -> list[Page]:
    """All pages of a sequence, by its cursors."""
    pages = [page(store, actor, request)]
    while cursor := pages[-1].cursor_after(len(pages[-1].found)):
        pages.append(page(store, actor, replace(request, cursor=cursor)))
        assert len(pages) <= MAX_PAGES, "the walk does not end"
    return pages


def _columns(note: Note) -> list[list[str]]:
    """The terms of a note by column, a boundary between two labels."""
    labels: list[str] = []
    for label in (*note.tags, *note.symbols):
        labels += [*(["|"] if labels else []), *index_terms(label)[0]]
    return [index_terms(note.title)[0], index_terms(note.summary)[0], labels, index_terms(note.body)[0]]


def _occurrences(terms: list[str], phrase: Sequence[str]) -> int:
    size = len(phrase)
    return sum(terms[place : place + size] == list(phrase) for place in range(len(terms) - size + 1))


def bm25_scores(found: Sequence[Note], phrases: Sequence[Sequence[str]]) -> dict[str, float]:
    """The score of each note that holds one of the phrases, by its title."""
    columns = {note.title: _columns(note) for note in found}
    filters = {note.title: 1 + len(note.tags) + len(note.symbols) for note in found}
    lengths = {title: sum(map(len, terms)) + filters[title] for title, terms in columns.items()}
    average = sum(lengths.values()) / len(lengths)
    scores = dict.fromkeys(columns, 0.0)
    for phrase in phrases:
        counts = {title: [_occurrences(terms, phrase) for terms in columns[title]] for title in columns}
        holding = sum(any(each) for each in counts.values())
        idf = math.log((len(found) - holding + 0.5) / (holding + 0.5))
        for title, each in counts.items():
            frequency = sum(weight * count for weight, count in zip(WEIGHTS, each, strict=True))
            length = 0.25 + 0.75 * lengths[title] / average
            scores[title] += (idf if idf > 0 else 1e-6) * frequency * 2.2 / (frequency + 1.2 * length)
    return {title: score for title, score in scores.items() if score > 0}
