"""A public record of many random vectors in PostgreSQL, written in bulk, and who asks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from notewell.domain import ids
from notewell.domain.access import PUBLIC_RECORD, SearchScope
from notewell.domain.filters import ResearchFilters
from notewell.embedders.fake import FakeEmbedder
from notewell.services.embedding import quantized
from notewell.services.search import Page, SearchRequest
from notewell.services.semantic import SemanticSearch
from notewell.store import pgvector
from notewell.store.database import Database, Value
from notewell.store.homes import PUBLIC_HOME

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

DIMENSION = 48
MODEL = "fake;1"
FIRST_ROW = ids.first_row_no(1_770_000_000_000)
SPACES = 8
HALF, TWENTIETH = ResearchFilters(kind="half"), ResearchFilters(tags=("twentieth",))
_NOTES = """
INSERT INTO notes (space_id, id, row_no, version, status, attempt_id, note_kind, account_id, agent, source, created_at,
  updated_at, title, title_key, summary, tags, symbols, body_bytes, body)
SELECT space_id, note_id, row_no, 1, 'active', attempt_id, note_kind, account_id, '', '', 0, 0, '', '', '', '[]', '[]',
  0, '' FROM note_index
"""
_INDEXED: dict[str, Value] = {
    **dict.fromkeys(("title", "model", "model_key", "tags", "builds_on")),
    **dict.fromkeys(("tokens", "analyzer_version", "header_version", "revision"), 0),
    "account_id": "acc_1",
    "attempt_id": "att_1",
    "note_kind": "note",
}
_MADE: dict[str, Value] = {"model_id": MODEL, "chunk": 0, "seq": 0, "content_hash": ""}


def unit(rows: Floats) -> Floats:
    """The same directions, each of length 1."""
    made: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return made


def random_vectors(count: int, seed: int) -> Floats:
    """Directions without any order, the hardest to tell which are near."""
    return unit(np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32))


class Asking(FakeEmbedder):
    """Embeds the question "7" as the seventh of its vectors."""

    def __init__(self, questions: Floats) -> None:
        super().__init__(DIMENSION, model_id=MODEL)
        self._questions = questions

    def _sum(self, text: str) -> Floats:
        asked: Floats = self._questions[int(text)]
        return asked


@dataclass(frozen=True)
class VectorRecord:
    """A filled store."""

    store: Database
    numbers: Floats
    """What is stored, one row a note."""
    questions: Floats
    search: SemanticSearch

    def page(
        self,
        question: int,
        filters: ResearchFilters,
        *,
        limit: int = 10,
        cursor: str | None = None,
        scope: SearchScope = PUBLIC_RECORD,
    ) -> Page:
        """A page about one of the questions."""
        request = SearchRequest(words=str(question), filters=filters, limit=limit, cursor=cursor)
        with self.store.read() as reader:
            return self.search.question(str(question))(reader, scope, request)

    def true_order(self, question: int, filters: ResearchFilters) -> list[int]:
        """The row numbers of all notes that a filter leaves, nearest first."""
        count = len(self.numbers)
        kept = np.arange(0, count, {HALF: 2, TWENTIETH: 20}.get(filters, 1))
        scores = np.round(self.numbers[kept].astype(np.float64) @ self.questions[question].astype(np.float64), 6)
        return [FIRST_ROW + int(each) for each in kept[np.lexsort((-kept, -scores))]]


def problem(number: int) -> str:
    """The space of every eighth note."""
    return f"prb_{number:016}"


def write_vectors(store: Database, count: int, questions: int = 20) -> VectorRecord:
    """A record of so many public notes with a random vector each, half of them a kind, one in 20 with a tag."""
    stored = quantized(random_vectors(count, 1))
    places: list[dict[str, Value]] = [
        {"space_id": problem(number % SPACES), "note_id": f"nte_{number:016}", "row_no": FIRST_ROW + number}
        for number in range(count)
    ]
    with store.write() as tx:
        for number in range(SPACES):
            space = problem(number)
            flags = {"is_published": 1, "is_validation_copy": 0, "is_public": 1}
            tx.run("insert_problem", id=space, slug=space, title="", owner_id="", campaign_id=None, **flags, now=tx.now)
            tx.run("add_space_stats", space_id=space, notes=len(range(number, count, SPACES)), tokens=0)
            tx.run("set_space_home", space_id=space, home=PUBLIC_HOME)
        kinds = ("half", "other")
        tx.run_many("insert_note_index", [{**_INDEXED, **p, "kind": kinds[n % 2]} for n, p in enumerate(places)])
        tagged = [{"space_id": place["space_id"], "row_no": place["row_no"]} for place in places[::20]]
        tx.run_many("insert_note_tag", [{**place, "tag_key": "twentieth", "tag": "twentieth"} for place in tagged])
        tx.run_sql(_NOTES, {})
        numbers: list[dict[str, Value]] = [{"scale": each.scale, "numbers": each.numbers} for each in stored]
        tx.run_many("insert_vector", [{**_MADE, **p, **each} for p, each in zip(places, numbers, strict=True)])
        pgvector.take_up(tx)
    asked = random_vectors(questions, 2)
    back = np.stack([np.frombuffer(each.numbers, np.int8) * np.float32(each.scale) for each in stored])
    store.empty_log()
    return VectorRecord(store, back.astype(np.float32), asked, SemanticSearch(store, Asking(asked)))
