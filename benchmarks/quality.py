"""Retrieval quality of notesSearch on public test collections.

    ./dev bench quality DATA_FOLDER [--only NAME] [--json]

DATA_FOLDER holds one folder for each collection (``retrieval/test_collection.py`` says what is in it), named

    cmrc2018_dev   CMRC2018 dev: Chinese Wikipedia passages and questions (github.com/ymcui/cmrc2018, CC BY-SA 4.0)
    locomo         LoCoMo: conversation turns and questions with evidence (github.com/snap-research/locomo,
                   CC BY-NC 4.0: for evaluation only, which is why no copy comes with this repository)
    cranfield      Cranfield: abstracts on aerodynamics with graded judgements (an old public set of Glasgow)
    xquad_qen_dzh  XQuAD: English questions, Chinese passages (github.com/google-deepmind/xquad, CC BY-SA 4.0)
    xquad_qzh_den  XQuAD: Chinese questions, English passages

Every text becomes a memory note through noteCreate, a group of texts a collection; every query is asked through
notesSearch, in its own collection where it has a group. Figures are means over the queries that have judgements.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.common.progress import progressing, say
from benchmarks.common.report import Figure, print_report
from benchmarks.common.stores import temporary_app
from benchmarks.retrieval.metrics import Gains, ndcg, recall
from benchmarks.retrieval.test_collection import TestCollection, Text, load
from notewell.app import App
from notewell.domain.access import Actor
from notewell.services.embedding import BATCH_JOBS
from notewell.store import vectors
from notewell.surfaces.operations import OPERATIONS

MODES = ("keyword", "semantic")
"""The modes of notesSearch that are measured, each by itself."""
DEPTH = 10
MAX_TITLE_BYTES = 200

_MEASURES: dict[str, Callable[[list[str], Gains], float]] = {
    "recall@1": lambda ranked, relevant: recall(ranked, relevant, 1),
    "recall@10": lambda ranked, relevant: recall(ranked, relevant, DEPTH),
    "nDCG@10": lambda ranked, relevant: ndcg(ranked, relevant, DEPTH),
}


@dataclass(frozen=True, slots=True)
class Bar:
    """The least that a measure of a collection must reach in a mode (DESIGN 13)."""

    collection: str
    mode: str
    measure: str
    least: float


BARS = (
    Bar("cmrc2018_dev", "keyword", "recall@1", 0.96),
    Bar("locomo", "keyword", "recall@10", 0.63),
    Bar("cranfield", "keyword", "recall@10", 0.39),
    Bar("cranfield", "keyword", "nDCG@10", 0.36),
    Bar("locomo", "semantic", "recall@10", 0.49),
    Bar("cranfield", "semantic", "nDCG@10", 0.36),
    Bar("xquad_qen_dzh", "semantic", "recall@1", 0.70),
    Bar("xquad_qzh_den", "semantic", "recall@1", 0.66),
)
COLLECTIONS = tuple(dict.fromkeys(bar.collection for bar in BARS))


def main(arguments: list[str] | None = None) -> int:
    """Measures what the arguments ask for; the exit code: 1 where a bar is missed, 2 where data is missing."""
    parser = argparse.ArgumentParser(prog="./dev bench quality", description="Retrieval quality of notesSearch.")
    parser.add_argument("data_folder", type=Path, help="holds a folder for each test collection")
    parser.add_argument("--only", choices=COLLECTIONS, help="measure this collection alone")
    parser.add_argument("--mode", choices=MODES, help="measure this mode alone")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    given = parser.parse_args(arguments)
    names = [given.only] if given.only else list(COLLECTIONS)
    absent = [name for name in names if not (given.data_folder / name / "corpus.jsonl").is_file()]
    if absent:
        say(f"{given.data_folder} has no {', '.join(absent)}; benchmarks/README.md says where the data comes from.")
        return 2
    modes = (given.mode,) if given.mode else MODES
    figures = [figure for name in names for figure in measured(load(given.data_folder / name), modes)]
    return print_report("Retrieval quality of notesSearch", figures, as_json=given.json)


def measured(collection: TestCollection, modes: Sequence[str]) -> list[Figure]:
    """The figures of one collection in these modes, on a store of its own."""
    with temporary_app() as app:
        actor = app.default_actor()
        ids = _written(app, actor, collection)
        if "semantic" in modes:
            _embed_all(app, collection.name)
        return [figure for mode in modes for figure in _figures(app, actor, collection, ids, mode)]


def _embed_all(app: App, name: str) -> None:
    """Works the queue off, as a worker does."""
    with app.store.read() as reader:
        waiting = vectors.queue_state(reader).waiting
    steps = range(-(-waiting // BATCH_JOBS))
    for _ in progressing(list(steps), f"{name}: embedding"):
        app.embed_step()


def operation_result(app: App, actor: Actor, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What an operation answers, as every surface sends it."""
    operation = next(each for each in OPERATIONS if each.tool == tool)
    return operation.call(app, actor, arguments).as_json()


def note_arguments(text: Text) -> dict[str, Any]:
    """The arguments of noteCreate for a text: titled with its first line, cut to 200 bytes at a character."""
    first = next(line for line in text.text.splitlines() if line.strip())
    title = first.encode()[:MAX_TITLE_BYTES].decode(errors="ignore")
    filing = {"collection": text.group, "createCollection": True} if text.group else {}
    return {"title": title, "body": text.text, **filing}


def _written(app: App, actor: Actor, collection: TestCollection) -> dict[str, str]:
    """The documents' ids by the ids of the notes that they became."""
    return {
        operation_result(app, actor, "noteCreate", note_arguments(document))["id"]: document.id
        for document in progressing(collection.documents, f"{collection.name}: writing")
    }


def _figures(app: App, actor: Actor, collection: TestCollection, ids: dict[str, str], mode: str) -> list[Figure]:
    sums: dict[str, list[float]] = {measure: [] for measure in _MEASURES}
    begun = time.process_time()
    for query in progressing(collection.queries, f"{collection.name}: {mode}"):
        filing = {"collection": query.group} if query.group else {}
        arguments = {"query": query.text, "mode": mode, "limit": DEPTH, **filing}
        found = operation_result(app, actor, "notesSearch", arguments)
        ranked = [ids[card["id"]] for card in found["cards"]]
        for measure, values in sums.items():
            values.append(_MEASURES[measure](ranked, collection.gains[query.id]))
    milliseconds = 1000 * (time.process_time() - begun) / len(collection.queries)
    counts = f"{len(collection.documents)} notes, {len(collection.queries)} queries, {milliseconds:.1f} ms CPU each"
    return [
        Figure(
            f"{collection.name} {mode} {measure}",
            fmean(values),
            at_least=_bar(collection.name, mode, measure),
            remark=counts if measure == "recall@1" else "",
        )
        for measure, values in sums.items()
    ]


def _bar(collection: str, mode: str, measure: str) -> float | None:
    bars = [bar.least for bar in BARS if (bar.collection, bar.mode, bar.measure) == (collection, mode, measure)]
    return bars[0] if bars else None


if __name__ == "__main__":
    sys.exit(main())
