"""Search by meaning through the service over synthetic vectors: the time of a search, of the first one, and memory.

The notes are real rows with short bodies, put in without the index of words, which these searches never read. Their
vectors are random around a common mean, as those of e5 are.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.common.progress import progressing
from benchmarks.common.report import Figure
from benchmarks.common.timing import Times
from benchmarks.speeds.shared_model import MEGABYTE, held
from notewell.app import App
from notewell.config import Config
from notewell.domain import ids
from notewell.domain.access import Actor
from notewell.embedders.fake import FakeEmbedder
from notewell.services.embedding import BATCH_JOBS, LEASE_MILLISECONDS, quantized
from notewell.services.memory_search import Cards, NoteSearch, find
from notewell.store import collections, vectors
from notewell.store.database import Tx, Value

if TYPE_CHECKING:
    from notewell.services.ports import Vectors

DIMENSION = 384
MODEL = f"synthetic;{DIMENSION}"
SEARCH_BAR_MS = 25.0
"""Issue C: with and without filters, at 100,000 vectors."""
BAR_NOTES = 100_000
CLAIM_BAR_MS = 10.0
"""Ours: nobody else writes while a worker claims."""
BATCH = 5_000
ROUNDS = 8
MINUTE = 60_000
BODY = "The committee kept the rate because inflation stayed below its forecast for months. " * 8
WORDS = ("rate", "inflation", "forecast", "committee", "months", "below")
KINDS = {
    "no filter": NoteSearch(),
    "a tag (one note in ten)": NoteSearch(tags=("tenth",)),
    "a tag (one in a thousand)": NoteSearch(tags=("rare",)),
    "a collection (half the notes)": NoteSearch(collection="Half"),
    "status active (98 %)": NoteSearch(status="active"),
    "made in the newer half": NoteSearch(created_from="2026-01-01"),
    "tag, collection and status": NoteSearch(tags=("tenth",), collection="Half", status="active"),
}
_DAY_ONE = 1_767_225_600_000
"""2026-01-01, in the middle of the notes."""


def new_embedder() -> FakeEmbedder:
    """Stands for the model: a question costs nothing, so that what is timed is the search."""
    return FakeEmbedder(DIMENSION, model_id=MODEL)


def vectors_of(random: np.random.Generator, count: int) -> Vectors:
    """Unit vectors in a narrow band, as those of e5: the cosine of two is about 0.8."""
    mean = np.random.default_rng(1).standard_normal(DIMENSION)
    rows = mean / np.linalg.norm(mean) * 2 + random.standard_normal((count, DIMENSION)) / DIMENSION**0.5
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def fill(home: Path, count: int) -> None:
    """Writes so many notes with a vector each into the store of a data folder, unless they are there."""
    app = App(Config(home), new_embedder())
    space_id = app.default_actor().account_id
    with app.store.read() as reader:
        there = reader.rows("space_stats", space_id=space_id)
    if not there or there[0]["notes"] < count:
        random = np.random.default_rng(7)
        with app.store.write() as tx:
            half = collections.insert(tx, space_id, "Half").id
        for start in progressing(range(0, count, BATCH), f"writing {count:,} vectors"):
            numbers = range(start, min(start + BATCH, count))
            with app.store.write() as tx:
                _insert(tx, space_id, half, [(number, _DAY_ONE + (number - count // 2) * MINUTE) for number in numbers])
                _insert_vectors(tx, space_id, numbers, vectors_of(random, len(numbers)), count)
                tx.run("add_space_stats", space_id=space_id, notes=len(numbers), tokens=0)
    app.store.empty_log()
    app.close()


def _insert(tx: Tx, space_id: str, half: str, moments: list[tuple[int, int]]) -> None:
    tx.run_many("insert_note", [_note(space_id, half, number, made_at) for number, made_at in moments])
    tags = [("tenth", 10), ("rare", 1_000), ("all", 1)]
    tx.run_many(
        "insert_note_tag",
        [
            {"space_id": space_id, "tag_key": tag, "row_no": ids.first_row_no(made_at), "tag": tag}
            for tag, step in tags
            for number, made_at in moments
            if number % step == 0
        ],
    )


def _note(space_id: str, half: str, number: int, made_at: int) -> dict[str, Value]:
    title = f"Synthetic note {number}"
    texts: dict[str, Value] = {"title": title, "title_key": title.lower(), "summary": "", "tags": "[]", "symbols": "[]"}
    return {
        **texts,
        "space_id": space_id,
        "id": note_id(number),
        "row_no": ids.first_row_no(made_at),
        "version": 1,
        "status": "archived" if number % 50 == 0 else "active",
        "collection_id": half if number % 4 < 2 else None,
        "account_id": space_id,
        "agent": "",
        "source": "",
        "created_at": made_at,
        "updated_at": made_at,
        "body": BODY,
        "body_bytes": len(BODY),
    }


def note_id(number: int) -> str:
    """The id of a synthetic note."""
    return f"nte_{number:016}"


def _insert_vectors(tx: Tx, space_id: str, numbers: range, matrix: Vectors, count: int) -> None:
    rows: list[dict[str, Value]] = [
        {
            "space_id": space_id,
            "note_id": note_id(number),
            "model_id": MODEL,
            "chunk": 0,
            "row_no": ids.first_row_no(_DAY_ONE + (number - count // 2) * MINUTE),
            "seq": number + 1,
            "content_hash": "",
            "scale": vector.scale,
            "numbers": vector.numbers,
        }
        for number, vector in zip(numbers, quantized(matrix), strict=True)
    ]
    tx.run_many("insert_vector", rows)
    tx.run_sql("UPDATE vector_clock SET seq = :seq WHERE id = 1", {"seq": numbers[-1] + 1})


def search_figures(home: Path, count: int) -> Iterator[Figure]:
    """The median time of each kind of search, what the first one takes, and the memory of the matrix."""
    app = App(Config(home), new_embedder())
    actor = app.default_actor()
    before = held(os.getpid())
    first = _timed(app, actor, NoteSearch(), ["first"])
    yield Figure("first search (loads the matrix)", first.cpu_p50, "ms", remark=f"wall {first.wall_p50:.0f} ms")
    yield Figure(
        "memory of the matrix",
        app.semantic.matrix.bytes / MEGABYTE,
        "MB",
        remark=f"the process grew by {held(os.getpid()) - before:.0f} MB, peak {peak():.0f} MB",
    )
    for kind, wanted in progressing(list(KINDS.items()), f"searching {count:,} vectors"):
        times = _timed(app, actor, wanted, WORDS * ROUNDS)
        cards = len(_find(app, actor, replace(wanted, query=WORDS[0])).cards)
        yield Figure(
            kind,
            times.cpu_p50,
            "ms",
            at_most=SEARCH_BAR_MS if count <= BAR_NOTES else None,
            remark=f"wall {times.wall_p50:.1f} ms; {cards} cards",
        )
    app.close()


def _find(app: App, actor: Actor, wanted: NoteSearch) -> Cards:
    return find(app.store, actor, wanted, app.semantic.question(wanted.query))


def _timed(app: App, actor: Actor, wanted: NoteSearch, words: Sequence[str]) -> Times:
    """The times of one search for each word, its question made before."""
    times = Times()
    for word in words:
        question = app.semantic.question(word)
        times.run(partial(find, app.store, actor, replace(wanted, query=word), question))
    return times


def peak() -> float:
    """The most memory that this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE


def claim_figure(home: Path, count: int) -> Figure:
    """How long a claim keeps writers away while as many notes wait."""
    app = App(Config(home), FakeEmbedder(DIMENSION, model_id="another"))
    with app.store.write() as tx:
        tx.run_sql(
            "INSERT INTO jobs (space_id, note_id, due_at, lease, attempts, reason)"
            " SELECT space_id, id, created_at, NULL, 0, '' FROM notes WHERE 1"
            " ON CONFLICT DO NOTHING",
            {},
        )
    times = Times()
    for _ in range(2 * ROUNDS):
        with app.store.read() as reader:
            (space_id,) = vectors.spaces_with_due_jobs(reader, 1)
        with app.store.write() as tx:
            times.run(partial(vectors.claim, tx, space_id, tx.new_id("tok"), LEASE_MILLISECONDS, BATCH_JOBS))
    with app.store.write() as tx:
        tx.run_sql("DELETE FROM jobs", {})
    app.close()
    return Figure(f"claim of {BATCH_JOBS} among {count:,} waiting", times.cpu_p50, "ms", at_most=CLAIM_BAR_MS)
