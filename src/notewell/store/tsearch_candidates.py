"""Which notes to rank where more match than can be ranked: those that hold what is rare, or hold it more than usual.

Ranking reads a note's whole vector, so the work of one query is bounded by the number of candidates. A note can come
to the top by a rare word, by several common ones, or by one that weighs much in it: each is a branch, and the branches
are walked in that order until there are enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from notewell.domain.query_tree import And, Leaf, Node, Not, Or, Phrase
from notewell.store.tsearch_match import Values, leaf_query
from notewell.store.tsearch_rows import MAX_TIER, quoted, tier_lexeme
from notewell.store.wanted import Wanted

MAX_RANKED = 2_000
"""Up to so many matches all are ranked, and the order is exact."""
MAX_COMMON = 6
"""Of the common leaves, so many of the rarer ones are combined."""


def most_matches(node: Node, counts: Mapping[Leaf, int]) -> float:
    """The most notes that a tree can hold for, from how many hold each leaf."""
    if isinstance(node, Not):
        return float("inf")
    if isinstance(node, And):
        return min(most_matches(child, counts) for child in node.children)
    if isinstance(node, Or):
        return sum(most_matches(child, counts) for child in node.children)
    if node in counts:
        return counts[node]  # type: ignore[index]  # a leaf of the counts
    return float("inf")


def branches(wanted: Wanted, counts: Mapping[Leaf, int], values: Values) -> list[str]:
    """Conditions to narrow a search by, the most promising first; the last one is none."""
    leaves = sorted((leaf for leaf in wanted.leaves if isinstance(leaf, Phrase)), key=lambda leaf: counts[leaf])
    rare: list[Phrase] = []
    for leaf in leaves:
        if sum(counts[each] for each in (*rare, leaf)) <= MAX_RANKED // 2:
            rare.append(leaf)
    common = [leaf for leaf in leaves if leaf not in rare][:MAX_COMMON]
    queries = []
    if rare:
        queries.append(" | ".join(f"({leaf_query(leaf)})" for leaf in rare))
    if len(leaves) > 1:
        queries += [
            " | ".join("(" + " & ".join(f"({leaf_query(leaf)})" for leaf in group) + ")" for group in groups)
            for size in range(len(common), 1, -1)
            if (groups := list(combinations(common, size)))
        ]
    for tier in range(MAX_TIER, 0, -1):
        heavy = [quoted(tier_lexeme(term, tier)) for leaf in leaves for term in leaf.terms[:1]]
        if heavy:
            queries.append(" | ".join(heavy))
    return [f" AND terms @@ {values.query(query)}" for query in queries] + [""]
