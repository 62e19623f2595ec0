"""A worker that is killed at any step leaves no note without its vector: a short form of ``./dev bench worker``.

And no text, however hostile, harms the default model's way from note to search.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.drills.worker_kills import worker_kills
from benchmarks.speeds.shared_model import model_ended
from notewell.app import App
from notewell.config import Config
from notewell.domain.notes import Draft
from notewell.services import memory
from notewell.services.memory_search import NoteSearch, find
from notewell.services.ports import EmbedderUnavailable

pytestmark = pytest.mark.slow

STORED = {
    "characters that normalize to 18 others": "\ufdfa" * 5_000,
    "nothing": "",
    "1 MiB of one letter": "a" * (1 << 20),
    "only emoji": "😀👩‍👩‍👧‍👦🏳️‍🌈" * 500,
    "controls": "\x01\x02\x1b[31m" * 100,
}
"""What a note can hold."""
REFUSED = {"NULs": "\x00nul\x00", "a lone surrogate": "\ud800 lone"}
"""What no note can hold, and a question could."""


@pytest.mark.report("E18")
def test_a_worker_killed_at_any_step_leaves_no_note_without_its_vector(tmp_path: Path) -> None:
    outcome = worker_kills(tmp_path, 20)

    assert outcome.problems == []
    assert outcome.writes > 0


def test_hostile_texts_go_through_the_shared_model_as_notes_and_as_questions(tmp_path: Path) -> None:
    home = tmp_path.resolve()
    app = App(Config(home))
    if isinstance(app.embedder, EmbedderUnavailable):
        pytest.skip(app.embedder.reason)
    actor = app.default_actor()
    with model_ended(home):
        for title, body in STORED.items():
            memory.create(app.store, actor, Draft(title, body))
        while app.embed_step():
            pass
        with app.store.read() as reader:
            assert reader.rows_of("SELECT * FROM jobs", {}) == []

        for text in [*STORED.values(), *REFUSED.values()]:
            if text:
                assert len(find(app.store, actor, NoteSearch(query="x"), app.semantic.question(text)).cards) == 5
        matrix = app.embedder.embed_documents([*STORED.values(), *REFUSED.values()])
    app.close()
    assert np.linalg.norm(matrix, axis=1) == pytest.approx(1, abs=1e-4)
