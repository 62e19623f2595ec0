"""What one ranked list is worth against the judgements of its query. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Gains = Mapping[str, int]
"""The relevant documents of one query and how relevant each is, 1 or more."""


def recall(ranked: Sequence[str], relevant: Gains, depth: int) -> float:
    """Which share of all relevant documents stands among the first ``depth``."""
    return len(set(ranked[:depth]) & set(relevant)) / len(relevant)


def ndcg(ranked: Sequence[str], relevant: Gains, depth: int) -> float:
    """Normalized discounted cumulative gain: linear gains, divided by the binary logarithm of the place plus one."""
    found = _discounted([relevant.get(document, 0) for document in ranked[:depth]])
    ideal = _discounted(sorted(relevant.values(), reverse=True)[:depth])
    return found / ideal if ideal else 0.0


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))
