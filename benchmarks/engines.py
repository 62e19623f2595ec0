"""The same queries to SQLite and to PostgreSQL, over stores that hold the same notes with the same ids and times.

    ./dev bench engines DATA_FOLDER [--cases FILE] [--json]

DATA_FOLDER is that of ``./dev bench quality`` (cmrc2018_dev, locomo, cranfield); ``--cases`` names a table of queries
that break other products, each with its own notes (``parity/corpora.py`` says what is in it). Each of 2,000 requests
goes through the services to both engines; replies are compared whole: notes in order, scores, totals, missing and
partial words, snippets, the rest of each card, what is said where nothing was found, and the pages behind the cursor.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from benchmarks.common.progress import progressing, say
from benchmarks.common.report import Figure, print_report
from benchmarks.parity.asked import asked
from benchmarks.parity.comparison import EXACT_UP_TO, Verdict, compared
from benchmarks.parity.corpora import COLLECTIONS, Corpora, load_corpora
from benchmarks.parity.filling import fill
from benchmarks.parity.twins import twins

MAX_SHOWN = 20
NDCG_BAR = 0.95
"""DESIGN 13: of the order where more notes match than are all ranked."""


def main(arguments: list[str] | None = None) -> int:
    """Compares; the exit code: 1 where replies differ or a bar is missed, 2 where data is missing."""
    parser = argparse.ArgumentParser(prog="./dev bench engines", description="Both engines answer alike.")
    parser.add_argument("data_folder", type=Path, help="holds a folder for each test collection")
    parser.add_argument("--cases", type=Path, help="a table of queries with notes of their own (JSON lines)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args(arguments)
    absent = [name for name in COLLECTIONS if not (given.data_folder / name / "corpus.jsonl").is_file()]
    if absent:
        say(f"{given.data_folder} has no {', '.join(absent)}; benchmarks/README.md says where the data comes from.")
        return 2
    verdicts = verdicts_of(load_corpora(given.data_folder, given.cases))
    for line in shown(verdicts):
        say(line)
    return print_report("SQLite and PostgreSQL", figures_of(verdicts), as_json=given.json)


def verdicts_of(corpora: Corpora) -> list[Verdict]:
    """Fills both stores and asks everything."""
    with twins() as both:
        contents = fill(both.sqlite, corpora, "sqlite")
        if fill(both.postgres, corpora, "postgres") != contents:
            raise RuntimeError("the two stores were not filled alike")
        return [compared(both, each) for each in progressing(asked(corpora, contents), "asking both")]


def figures_of(verdicts: Sequence[Verdict]) -> list[Figure]:
    """How many requests of each kind were answered differently, and what the order is worth beyond 2,000 matches."""
    kinds = list(dict.fromkeys(verdict.asked.kind for verdict in verdicts))
    figures = [_kind_figure(kind, [each for each in verdicts if each.asked.kind == kind]) for kind in kinds]
    figures.append(_kind_figure("all", verdicts))
    beyond = [verdict.ndcg for verdict in verdicts if verdict.ndcg is not None]
    if beyond:
        low = sum(value < NDCG_BAR for value in beyond)
        remark = f"{len(beyond)} queries, {low} of them below {NDCG_BAR}"
        figures.append(Figure("nDCG@10 beyond 2,000 matches, mean", fmean(beyond), at_least=NDCG_BAR, remark=remark))
        figures.append(Figure("nDCG@10 beyond 2,000 matches, least", min(beyond)))
    return figures


def _kind_figure(kind: str, verdicts: Sequence[Verdict]) -> Figure:
    different = sum(bool(verdict.differences) for verdict in verdicts)
    pages, cards = sum(verdict.pages for verdict in verdicts), sum(verdict.cards for verdict in verdicts)
    beyond = sum(verdict.matches > EXACT_UP_TO for verdict in verdicts)
    remark = (
        f"of {len(verdicts):,} queries; {pages:,} pages, {cards:,} cards; {beyond} match over {EXACT_UP_TO:,} notes"
    )
    return Figure(f"{kind}: answered differently", different, at_most=0, remark=remark)


def shown(verdicts: Sequence[Verdict]) -> list[str]:
    """The first queries that were answered differently, and those whose order is worth least."""
    different = [verdict for verdict in verdicts if verdict.differences]
    lines = [f"different: {_named(each)}: {'; '.join(each.differences[:3])}" for each in different[:MAX_SHOWN]]
    ordered = sorted((each for each in verdicts if each.ndcg is not None), key=lambda each: each.ndcg or 0.0)
    lines += [
        f"nDCG@10 {each.ndcg:.3f}: {_named(each)}, {each.matches:,} matches"
        for each in ordered[:MAX_SHOWN]
        if (each.ndcg or 0.0) < 1.0
    ]
    return lines


def _named(verdict: Verdict) -> str:
    wanted = verdict.asked.wanted
    fields = {name: getattr(wanted, name) for name in wanted.__slots__}
    unusual = {name: value for name, value in fields.items() if value != getattr(type(wanted)(), name)}
    return f"{verdict.asked.kind}, {verdict.asked.handle}: {unusual}"


if __name__ == "__main__":
    sys.exit(main())
