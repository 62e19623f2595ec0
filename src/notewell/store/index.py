"""The derived rows of notes: written with the note, made again by ``rebuild``, and always equal to a rebuild."""

from __future__ import annotations

from collections.abc import Callable

from notewell.domain.index import IndexEntry, memory_entry
from notewell.domain.notes import Note
from notewell.domain.terms import ANALYZER_VERSION
from notewell.store import fts5
from notewell.store.database import Tx
from notewell.store.dialect import create_fulltext
from notewell.store.migrate import run_script
from notewell.store.note_rows import walk

LARGE_MEMORY_NOTES = 2_000
"""A memory with more notes gets full-text tables of its own; tables cost every connection, so small ones share."""


def add(tx: Tx, note: Note) -> None:
    """Writes the derived rows of a new note."""
    home = fts5.home_of(tx, note.space_id)
    _write(tx, home.number, note, memory_entry(note), known=frozenset())
    if home.is_shared and home.notes + 1 > LARGE_MEMORY_NOTES:
        _give_own_home(tx, note.space_id)


def replace(tx: Tx, old: Note, new: Note) -> None:
    """Writes the derived rows of a changed note in place of its old ones; does nothing where the text is the same."""
    if (old.title, old.summary, old.body, old.tags, old.symbols) == (
        new.title,
        new.summary,
        new.body,
        new.tags,
        new.symbols,
    ):
        return
    home = fts5.home_of(tx, new.space_id)
    old_entry, new_entry = memory_entry(old), memory_entry(new)
    _erase(tx, home.number, old, old_entry, kept=new_entry.vocabulary)
    _write(tx, home.number, new, new_entry, known=old_entry.vocabulary)


def remove(tx: Tx, note: Note) -> None:
    """Removes the derived rows of a note."""
    _erase(tx, fts5.home_of(tx, note.space_id).number, note, memory_entry(note), kept=frozenset())


def _write(tx: Tx, home: int, note: Note, entry: IndexEntry, known: frozenset[str]) -> None:
    fts5.write_entry(tx, home, note.row_no, entry)
    tx.run(
        "insert_note_index",
        space_id=note.space_id,
        note_id=note.id,
        row_no=note.row_no,
        tokens=entry.tokens,
        analyzer_version=ANALYZER_VERSION,
    )
    tx.run_many(
        "insert_note_tag",
        [{"space_id": note.space_id, "tag_key": key, "row_no": note.row_no, "tag": tag} for key, tag in entry.tags],
    )
    tx.run_many(
        "insert_note_symbol",
        [{"space_id": note.space_id, "symbol": symbol, "row_no": note.row_no} for symbol in entry.symbols],
    )
    # Sorted, so that two writers of one space take the rows in the same order and never wait for each other in a ring.
    words = sorted(entry.vocabulary - known)
    tx.run_many("add_word", [{"space_id": note.space_id, "word": word} for word in words])
    tx.run("add_space_stats", space_id=note.space_id, notes=1, tokens=entry.tokens)


def _erase(tx: Tx, home: int, note: Note, entry: IndexEntry, kept: frozenset[str]) -> None:
    fts5.remove_entry(tx, home, note.row_no)
    tx.run("delete_note_index", space_id=note.space_id, note_id=note.id)
    tx.run("delete_note_tags", space_id=note.space_id, row_no=note.row_no)
    tx.run("delete_note_symbols", space_id=note.space_id, row_no=note.row_no)
    words = sorted(entry.vocabulary - kept)
    tx.run_many("remove_word", [{"space_id": note.space_id, "word": word} for word in words])
    for start in range(0, len(words), 500):
        tx.run("drop_unused_words", space_id=note.space_id, words=words[start : start + 500])
    tx.run("add_space_stats", space_id=note.space_id, notes=-1, tokens=-entry.tokens)


def _give_own_home(tx: Tx, space_id: str) -> None:
    """Moves a large memory out of the shared full-text tables into new ones."""
    number = int(tx.rows("last_home")[0]["home"]) + 1
    run_script(tx, create_fulltext(str(number)))
    for note in walk(tx, space_id):
        fts5.remove_entry(tx, fts5.SHARED_HOME, note.row_no)
        fts5.write_entry(tx, number, note.row_no, memory_entry(note))
    tx.run("set_space_home", space_id=space_id, home=number)


def rebuild(tx: Tx, space_id: str, on_note: Callable[[], None] = lambda: None) -> int:
    """Makes all derived rows of a space again from its notes; how many notes that were."""
    home = fts5.home_of(tx, space_id)
    fts5.clear(tx, home)
    for name in ("note_index", "note_tags", "note_symbols", "space_words", "space_stats"):
        tx.run(f"clear_{name}", space_id=space_id)
    count = 0
    for note in walk(tx, space_id):
        _write(tx, home.number, note, memory_entry(note), known=frozenset())
        count += 1
        on_note()
    return count
