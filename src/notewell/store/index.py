"""The derived rows of notes: written with the note, made again by ``rebuild``, and always equal to a rebuild."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from notewell.domain.header import HEADER_VERSION
from notewell.domain.index import IndexEntry, as_json, memory_entry, research_entry
from notewell.domain.terms import ANALYZER_VERSION
from notewell.store import fulltext, homes, vectors
from notewell.store.database import Reader, Row, Tx, Value
from notewell.store.homes import Home
from notewell.store.note_rows import note_of, research_note_of, walk_rows

BATCH_NOTES = 20
"""A rebuild counts the words of so many notes at once: each may have a body of 1 MiB, all of other words."""


def add(tx: Tx, entry: IndexEntry) -> None:
    """Writes the derived rows of a new note."""
    home = homes.home_of_space(tx, entry.space_id)
    _write(tx, home, [entry])
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
        nearly_full = Home(space_id, homes.SHARED_HOME, memory_notes - 1, 0)
        number = fulltext.of(tx).home_for_more(tx, nearly_full) or homes.SHARED_HOME
    tx.run("set_space_home", space_id=space_id, home=number)


def put(tx: Tx, space_id: str, batch: Iterable[IndexEntry]) -> int:
    """Writes the derived rows of notes of one space into its home, but no jobs; how many notes that were."""
    return _write(tx, homes.home_of_space(tx, space_id), batch)


def replace(tx: Tx, old: IndexEntry, new: IndexEntry, *, keeps_vectors: bool) -> None:
    """Writes the derived rows of a changed note in place of its old ones.

    Its vectors stay where the text that they are of is the same.
    """
    home = homes.home_of_space(tx, new.space_id)
    _erase(tx, home.number, old, kept=new.vocabulary)
    _write(tx, home, [new], known=old.vocabulary)
    if not keeps_vectors:
        vectors.forget(tx, new.space_id, new.note_id, new.row_no)
        vectors.enqueue(tx, new.space_id, new.note_id)


def remove(tx: Tx, entry: IndexEntry) -> None:
    """Removes the derived rows of a note."""
    _erase(tx, homes.home_of_space(tx, entry.space_id).number, entry, kept=frozenset())
    vectors.forget(tx, entry.space_id, entry.note_id, entry.row_no)
    vectors.drop_job(tx, entry.space_id, entry.note_id)


def _write(tx: Tx, home: Home, batch: Iterable[IndexEntry], known: frozenset[str] = frozenset()) -> int:
    """Writes the derived rows of notes, in which ``known`` words are counted already; how many notes that were.

    Words are counted once for the whole batch: where many notes of one transaction hold the same word, each change of
    its row would have to pass by all earlier ones.
    """
    rows: dict[str, list[Mapping[str, Value]]] = defaultdict(list)
    words: Counter[str] = Counter()
    notes = tokens = 0
    for entry in batch:
        fulltext.of(tx).write_entry(tx, home.number, entry)
        for name, values in _rows_of(entry):
            rows[name].append(values)
        words.update(entry.vocabulary - known)
        notes, tokens = notes + 1, tokens + entry.tokens
    if not notes:
        return 0
    for name, values_of in rows.items():
        tx.run_many(name, values_of)
    fulltext.of(tx).add_words(tx, home.space_id or "", words)
    tx.run("add_space_stats", space_id=home.space_id, notes=notes, tokens=tokens)
    return notes


def _rows_of(entry: IndexEntry) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """The derived rows of a note but for full text, each with the statement that writes it."""
    place: dict[str, Value] = {"space_id": entry.space_id, "row_no": entry.row_no}
    yield "insert_note_index", index_values(entry)
    for key, tag in entry.tags:
        yield "insert_note_tag", {**place, "tag_key": key, "tag": tag}
    for symbol in entry.symbols:
        yield "insert_note_symbol", {**place, "symbol": symbol}
    for target in entry.header.builds_on if entry.header else ():
        yield "insert_note_link", {**place, "target_id": target}


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
    fulltext.of(tx).remove_words(tx, space_id, entry.vocabulary - kept)
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
    vectors.show(tx, space_id, is_public=number == homes.PUBLIC_HOME)


def clear(tx: Tx, space_id: str) -> None:
    """Removes all derived rows of a space; its home stays."""
    fulltext.of(tx).clear(tx, homes.home_of_space(tx, space_id))
    for name in ("note_index", "note_tags", "note_symbols", "note_links", "space_words", "space_stats"):
        tx.run(f"clear_{name}", space_id=space_id)


def rebuild(tx: Tx, space_id: str, on_note: Callable[[], None] = lambda: None) -> int:
    """Makes all derived rows of a space again from its notes; how many notes that were."""
    tx.lock(space_id)
    clear(tx, space_id)
    walk = _told(entries(tx, space_id), on_note)
    count = 0
    while written := put(tx, space_id, islice(walk, BATCH_NOTES)):
        count += written
    complete(tx, space_id)
    return count


def _told(batch: Iterable[IndexEntry], on_note: Callable[[], None]) -> Iterator[IndexEntry]:
    for entry in batch:
        yield entry
        on_note()


def complete(tx: Tx, space_id: str) -> None:
    """Makes whole what follows from the vectors of a space, after they were written or its notes put."""
    home = homes.home_of_space(tx, space_id)
    vectors.complete(tx, space_id, is_public=home.number == homes.PUBLIC_HOME)
