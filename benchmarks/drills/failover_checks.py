"""What must be true on the new primary: each acknowledged note with its body and index row, and none twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.drills.failover_processes import Acknowledged
from notewell.app import App
from notewell.config import Config
from notewell.domain.access import Actor
from notewell.services import maintenance, memory, memory_search
from notewell.services.memory import MAX_READ_IDS
from notewell.services.memory_search import NoteSearch

SEARCHED = 100
"""So many of the acknowledged notes are searched for by their word, spread over the run."""


@dataclass(slots=True)
class Found:
    """What a store holds of what was acknowledged; the lists say what is wrong, one line a note."""

    lost: list[str] = field(default_factory=list)
    unindexed: list[str] = field(default_factory=list)
    """Notes whose rows for search are missing or not those of a rebuild, and those that their word does not find."""
    duplicates: list[str] = field(default_factory=list)
    """Notes that were made twice, or that no writer was told of."""


def found_in(home: Path, url: str, acknowledged: Sequence[Acknowledged]) -> Found:
    """Looks for all of it in the store at an address."""
    app = App(Config(home, database_url=url))
    try:
        actor = app.default_actor()
        lost = list(_lost(app, actor, acknowledged))
        return Found(
            lost=[f"{each.note_id} of writer {each.writer}: {why}" for each, why in lost],
            unindexed=list(_unindexed(app, actor, acknowledged, {each.note_id for each, _ in lost})),
            duplicates=list(_duplicates(app, actor, acknowledged)),
        )
    finally:
        app.close()


def _lost(app: App, actor: Actor, acknowledged: Sequence[Acknowledged]) -> Iterator[tuple[Acknowledged, str]]:
    for start in range(0, len(acknowledged), MAX_READ_IDS):
        stretch = acknowledged[start : start + MAX_READ_IDS]
        notes, _ = memory.read(app.store, actor, [each.note_id for each in stretch])
        bodies = {note.view.note.id: note.body for note in notes}
        for each in stretch:
            if each.note_id not in bodies:
                yield each, "it is not there"
            elif bodies[each.note_id] != each.body:
                yield each, "it has another body"


def _unindexed(app: App, actor: Actor, acknowledged: Sequence[Acknowledged], lost: set[str]) -> Iterator[str]:
    """What the doctor finds, and what search does not."""
    there = [each for each in acknowledged if each.note_id not in lost]
    with app.store.read() as reader:
        indexed = {row["note_id"] for row in reader.rows("note_index_rows", space_id=actor.account_id)}
    yield from (f"{each.note_id} has no row in note_index" for each in there if each.note_id not in indexed)
    report = maintenance.doctor(app.store, None)
    for finding in report.findings:
        if finding.severity == "error":
            yield f"doctor: {finding.check}: {finding.message} {finding.examples}"
    for each in there[:: max(1, len(there) // SEARCHED)]:
        word = each.body.splitlines()[0]
        cards = memory_search.find(app.store, actor, NoteSearch(query=word, match="all", limit=2)).cards
        if [card.note.id for card in cards] != [each.note_id]:
            yield f"{word} does not find {each.note_id} alone"


def _duplicates(app: App, actor: Actor, acknowledged: Sequence[Acknowledged]) -> Iterator[str]:
    with app.store.read() as reader:
        rows = reader.rows_of("SELECT id, title FROM notes WHERE space_id = :space", {"space": actor.account_id})
    titles = Counter(row["title"] for row in rows)
    yield from (f"{title!r} is there {times} times" for title, times in titles.items() if times > 1)
    known = {each.note_id for each in acknowledged}
    yield from (f"{row['id']} is there, and no writer was told of it" for row in rows if row["id"] not in known)
