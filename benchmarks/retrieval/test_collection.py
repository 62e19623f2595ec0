"""A test collection as files: documents, queries, and which documents answer which query.

A folder holds ``corpus.jsonl`` {id, text[, group, date]}, ``queries.jsonl`` {id, text[, group, cat]} and
``qrels.jsonl`` {q, d, rel}. Where there are groups, a query is asked within its own.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Text:
    """A document or a query."""

    id: str
    text: str
    group: str | None


@dataclass(frozen=True, slots=True)
class TestCollection:
    """Documents, the queries that have judgements, and these: query to document to gain."""

    name: str
    documents: tuple[Text, ...]
    queries: tuple[Text, ...]
    gains: dict[str, dict[str, int]]


def load(folder: Path) -> TestCollection:
    """The test collection in a folder; raises ``OSError`` or ``KeyError`` where its files are not as they must be."""
    gains: dict[str, dict[str, int]] = defaultdict(dict)
    for row in _rows(folder / "qrels.jsonl"):
        if row["rel"] > 0:
            gains[row["q"]][row["d"]] = row["rel"]
    queries = tuple(text for text in _texts(folder / "queries.jsonl") if text.id in gains)
    return TestCollection(folder.name, _texts(folder / "corpus.jsonl"), queries, dict(gains))


def _rows(file: Path) -> list[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _texts(file: Path) -> tuple[Text, ...]:
    return tuple(Text(row["id"], row["text"], row.get("group")) for row in _rows(file))
