"""The derived rows of notes: written with the note, made again by ``rebuild``, and always equal to a rebuild."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from notewell.domain.header import HEADER_VERSION
from notewell.domain.index import IndexEntry, as_json, memory_entry, research_entry
from notewell.domain.terms import ANALYZER_VERSION
from notewell.store import fulltext, homes, vectors
from notewell.store.database import Reader, Row, Tx, Value
from notewell.store.note_rows import note_of, research_note_of, walk_rows


def add(tx: Tx, entry: IndexEntry) -> None:
    """Writes the derived rows of a new note."""
    home = homes.home_of_space(tx, entry.space_id)
    _write(tx, home.number, entry, known=frozenset())
    vectors.enqueue(tx, entry.space_id, entry.note_id)
    if entry.header is None and (number := fulltext.of(tx).home_for_more(tx, home)) is not None:
        move(tx, entry.space_id, number)


def settle(tx: Tx, space_id: str, memory_notes: int, *, is_public: bool) -> None:
    """Chooses the home of an empty space before its notes are put there.

    ``memory_notes`` says how many they will be where the space is a memory: a large one has a home of its own.
    """
    tx.run("make_space", space_id=space_id)
    home = homes.home_of_space(tx, space_id)
    if is_public:
        number = homes.PUBLIC_HOME
    elif home.number not in (homes.SHARED_HOME, homes.PUBLIC_HOME):
        number = home.number
    else:
        nearly_full = homes.Home(space_id, homes.SHARED_HOME, memory_notes - 1, 0)
        number = fulltext.of(tx).home_for_more(tx, nearly_full) or homes.SHARED_HOME
    tx.run("set_space_home", space_id=space_id, home=number)


def put(tx: Tx, entry: IndexEntry) -> None:
    """Writes the derived rows of a note that brings its vectors and its job along, into the home of its space."""
    _write(tx, homes.home_of_space(tx, entry.space_id).number, entry, known=frozenset())


def replace(tx: Tx, old: IndexEntry, new: IndexEntry, *, keeps_vectors: bool) -> None:
    """Writes the derived rows of a changed note in place of its old ones.

    Its vectors stay where the text that they are of is the same.
    """
    home = homes.home_of_space(tx, new.space_id)
    _erase(tx, home.number, old, kept=new.vocabulary)
    _write(tx, home.number, new, known=old.vocabulary)
    if not keeps_vectors:
        vectors.forget(tx, new.space_id, new.note_id, new.row_no)
        vectors.enqueue(tx, new.space_id, new.note_id)


def remove(tx: Tx, entry: IndexEntry) -> None:
    """Removes the derived rows of a note."""
    _erase(tx, homes.home_of_space(tx, entry.space_id).number, entry, kept=frozenset())
    vectors.forget(tx, entry.space_id, entry.note_id, entry.row_no)
    vectors.drop_job(tx, entry.space_id, entry.note_id)


def _write(tx: Tx, home: int, entry: IndexEntry, known: frozenset[str]) -> None:
    fulltext.of(tx).write_entry(tx, home, entry)
    space_id, row_no = entry.space_id, entry.row_no
    tx.run("insert_note_index", **index_values(entry))
    tx.run_many(
        "insert_note_tag",
        [{"space_id": space_id, "tag_key": key, "row_no": row_no, "tag": tag} for key, tag in entry.tags],
    )
    tx.run_many(
        "insert_note_symbol",
        [{"space_id": space_id, "symbol": symbol, "row_no": row_no} for symbol in entry.symbols],
    )
    if entry.header is not None:
        tx.run_many(
            "insert_note_link",
            [{"space_id": space_id, "row_no": row_no, "target_id": target} for target in entry.header.builds_on],
        )
    # Sorted, so that two writers of one space take the rows in the same order and never wait for each other in a ring.
    tx.run_many("add_word", [{"space_id": space_id, "word": word} for word in sorted(entry.vocabulary - known)])
    tx.run("add_space_stats", space_id=space_id, notes=1, tokens=entry.tokens)


def index_values(entry: IndexEntry) -> dict[str, Value]:
    """The row of ``note_index`` of an entry."""
    header = entry.header
    return {
        "space_id": entry.space_id,
        "note_id": entry.note_id,
        "row_no": entry.row_no,
        "tokens": entry.tokens,
        "analyzer_version": ANALYZER_VERSION,
        "attempt_id": header.attempt_id if header else None,
        "revision": header.revision if header else None,
        "account_id": header.account_id if header else None,
        "note_kind": header.note_kind if header else None,
        "title": header.title if header else None,
        "kind": header.kind if header else None,
        "model": header.model if header else None,
        "model_key": header.model_key if header else None,
        "tags": as_json(header.tags) if header else None,
        "builds_on": as_json(header.builds_on) if header else None,
        "header_version": HEADER_VERSION if header else None,
    }


def _erase(tx: Tx, home: int, entry: IndexEntry, kept: frozenset[str]) -> None:
    fulltext.of(tx).remove_entry(tx, home, entry)
    space_id = entry.space_id
    counted = tx.rows("indexed_tokens", space_id=space_id, note_id=entry.note_id)
    tx.run("delete_note_index", space_id=space_id, note_id=entry.note_id)
    for name in ("delete_note_tags", "delete_note_symbols", "delete_note_links"):
        tx.run(name, space_id=space_id, row_no=entry.row_no)
    words = sorted(entry.vocabulary - kept)
    tx.run_many("remove_word", [{"space_id": space_id, "word": word} for word in words])
    for start in range(0, len(words), 500):
        tx.run("drop_unused_words", space_id=space_id, words=words[start : start + 500])
    if counted:  # as the index held it: an older analyzer may have counted otherwise, or the index not have it at all
        tx.run("add_space_stats", space_id=space_id, notes=-1, tokens=-counted[0]["tokens"])
    tx.run("mark_uncleaned", home=home)


def entries(reader: Reader, space_id: str) -> Iterator[IndexEntry]:
    """What a rebuild would derive of each note of a space, in the order of creation."""
    revisions: dict[str, int] = {}
    for row in walk_rows(reader, space_id):
        if row["attempt_id"] is None:
            yield memory_entry(note_of(row))
            continue
        if not revisions:
            revisions = {each["id"]: each["revision"] for each in reader.rows("attempts_of_space", space_id=space_id)}
        yield research_entry(research_note_of(row), revisions[row["attempt_id"]])


def entries_of_rows(reader: Reader, rows: Sequence[Row]) -> Iterator[IndexEntry]:
    """What a rebuild would derive of some notes of one space, given as rows of ``notes``.

    Raises ``LookupError`` or ``ValueError`` for a row that is at odds with the rest of its space: the store is damaged.
    """
    wanted = sorted({row["attempt_id"] for row in rows} - {None})
    found = reader.rows("attempts_by_id", space_id=rows[0]["space_id"], ids=wanted) if wanted else []
    revisions = {row["id"]: row["revision"] for row in found}
    for row in rows:
        if row["attempt_id"] is None:
            yield memory_entry(note_of(row))
        else:
            yield research_entry(research_note_of(row), revisions[row["attempt_id"]])


def move(tx: Tx, space_id: str, number: int) -> None:
    """Moves a space's terms and words into another home: what makes a problem public, or a memory large."""
    old = homes.home_of_space(tx, space_id)
    if old.number == number:
        return
    fulltext.of(tx).move(tx, old, number, entries(tx, space_id))
    tx.run("set_space_home", space_id=space_id, home=number)


def clear(tx: Tx, space_id: str) -> None:
    """Removes all derived rows of a space; its home stays."""
    fulltext.of(tx).clear(tx, homes.home_of_space(tx, space_id))
    for name in ("note_index", "note_tags", "note_symbols", "note_links", "space_words", "space_stats"):
        tx.run(f"clear_{name}", space_id=space_id)


def rebuild(tx: Tx, space_id: str, on_note: Callable[[], None] = lambda: None) -> int:
    """Makes all derived rows of a space again from its notes; how many notes that were."""
    tx.lock(space_id)
    clear(tx, space_id)
    home = homes.home_of_space(tx, space_id)
    count = 0
    for entry in entries(tx, space_id):
        _write(tx, home.number, entry, known=frozenset())
        count += 1
        on_note()
    return count
