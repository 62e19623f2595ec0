"""noteCreate while a worker embeds beside it, and without one: on two copies of an empty store, in turns."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

from benchmarks.common.progress import progressing
from benchmarks.common.report import Figure
from benchmarks.drills.embedders import EmbeddingProcess
from benchmarks.speeds.natural_notes import NaturalNote, NoteMaker
from notewell.app import App
from notewell.config import Config
from notewell.services import memory

MODEL_SECONDS = 0.4
"""For each call of the model: what 16 notes take on an idle machine. It sleeps, so that no processor is taken away."""
NOTES_PER_BATCH = 25
BATCHES = 16
RATE_BAR = 0.9
"""Of the rate without a worker: what the machine's noise leaves to tell."""


def paired_write_figure(folder: Path) -> Figure:
    """The rate of writes beside a worker, against that without one."""
    alone, beside = (App(Config(folder / name, embedder="none")) for name in ("alone", "beside"))
    worker = EmbeddingProcess(beside.config.home, "--forever", "--seconds", str(MODEL_SECONDS))
    worker.wait_ready()
    worker.go()
    rates: dict[str, list[float]] = {"alone": [], "beside": []}
    notes = NoteMaker(seed=31)
    try:
        for number in progressing(range(BATCHES), "writing beside a worker"):
            batch = list(notes.notes(NOTES_PER_BATCH))
            turns = [("alone", alone), ("beside", beside)]
            for name, app in turns if number % 2 else reversed(turns):
                rates[name].append(_rate(app, batch))
    finally:
        worker.kill()
    with beside.store.read() as reader:
        embedded = reader.rows_of("SELECT count(DISTINCT note_id) AS notes FROM note_vectors", {})[0]["notes"]
    alone.close()
    beside.close()
    return Figure(
        "create beside a worker",
        median(rates["beside"]),
        "notes/s",
        reference=median(rates["alone"]),
        at_least=RATE_BAR,
        bar_on="ratio",
        remark=f"{embedded} of {BATCHES * NOTES_PER_BATCH} embedded meanwhile",
    )


def _rate(app: App, notes: list[NaturalNote]) -> float:
    actor = app.default_actor()
    begun = time.perf_counter()
    for note in notes:
        memory.create(app.store, actor, note.draft)
    return len(notes) / (time.perf_counter() - begun)
