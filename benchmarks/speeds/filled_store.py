"""A store with many natural notes of the local account, made fast: hundreds of notes in one transaction.

The rows are those that single noteCreate calls would have left; only the commits between them are missing.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.common.progress import progressing
from benchmarks.common.stores import file_of
from benchmarks.speeds.natural_notes import NaturalNote, NoteMaker
from notewell.app import App
from notewell.config import Config
from notewell.domain import ids
from notewell.domain.access import Actor
from notewell.domain.notes import Note
from notewell.store import collections, notes
from notewell.store.database import Tx

BATCH = 500
MINUTE = 60_000


def fill(home: Path, count: int) -> None:
    """Writes ``count`` notes, made a minute apart and the last one now, into the store of a data folder.

    Does nothing where the store has as many notes already, so a folder can be kept and used again.
    """
    app = App(Config(home, agent="benchmark"))
    actor = app.default_actor()
    with app.store.read() as reader:
        there = sum(row["notes"] for row in reader.rows("space_counts", space_id=actor.account_id))
    if there < count:
        maker = NoteMaker()
        for start in progressing(range(0, count, BATCH), f"writing {count:,} notes"):
            batch = list(maker.notes(min(BATCH, count - start)))
            if start < there:
                continue
            with app.store.write() as tx:
                for number, natural in enumerate(batch, start):
                    notes.insert(tx, _note(tx, actor, natural, tx.now - (count - number) * MINUTE))
    with file_of(app).connection() as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    app.close()


def _note(tx: Tx, actor: Actor, natural: NaturalNote, created_at: int) -> Note:
    collection = collections.insert(tx, actor.account_id, natural.collection).id if natural.collection else None
    draft = natural.draft.checked()
    return Note(
        id=tx.new_id("nte"),
        space_id=actor.account_id,
        row_no=ids.first_row_no(created_at),
        version=1,
        title=draft.title,
        summary=draft.summary,
        body=draft.body,
        tags=draft.tags,
        symbols=draft.symbols,
        collection_id=collection,
        status="active",
        source=draft.source,
        account_id=actor.account_id,
        agent=actor.agent,
        created_at=created_at,
        updated_at=created_at,
    )
