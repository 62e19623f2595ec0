"""BM25 as SQLite's FTS5 computes it, so that every engine and every table gives a note the same score.

Formula and constants: FTS5's ``bm25()``. A length counts the terms of all columns and filters. Scores are rounded
before ties are broken; higher is better here, while FTS5 writes the same number with a minus sign.
"""

from __future__ import annotations

import math

K1 = 1.2
B = 0.75
MIN_IDF = 1e-6
"""The weight of a term that more than half of the notes hold."""
SCORE_DIGITS = 10


def idf(notes: int, holding: int) -> float:
    """How telling a leaf is that ``holding`` of ``notes`` notes hold."""
    value = math.log((notes - holding + 0.5) / (holding + 0.5))
    return value if value > 0 else MIN_IDF


def saturated(frequency: float, length: float = 1.0, average_length: float = 1.0) -> float:
    """What a weighted number of occurrences counts in a note of a length."""
    return frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / average_length))
