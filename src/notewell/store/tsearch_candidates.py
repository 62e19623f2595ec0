"""Which notes to rank where more match than can be ranked: those that hold what is rare, or hold it more than usual.

Ranking reads a note's whole vector, so the work of one query is bounded by the number of candidates. A note can come
to the top by a rare word, by several common ones, or by one that weighs much in it: each is a branch, and the branches
are walked in that order until there are enough; the last one takes the newest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from notewell.domain.query_tree import And, Leaf, Node, Not, Or, Phrase
from notewell.store.tsearch_match import Values, leaf_query
from notewell.store.tsearch_rows import MAX_TIER, quoted, tier_lexeme
from notewell.store.wanted import Wanted

MAX_RANKED = 2_000
"""Up to so many matches all are ranked, and the order is exact."""
MAX_ALONE = 1_000
"""Of more matches, so many are ranked where one leaf alone scores them."""
MAX_COMMON = 6
"""Of the common leaves, so many of the rarer ones are combined."""


def most_candidates(wanted: Wanted) -> int:
    """How many notes are scored where not all are: fewer for one leaf, whose heaviest notes are found at once."""
    return MAX_RANKED if len(wanted.leaves) > 1 else min(MAX_RANKED, MAX_ALONE)


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
    """Conditions to narrow a search by, the most promising first; the last one is none, for the newest of all."""
    leaves = sorted((leaf for leaf in wanted.leaves if isinstance(leaf, Phrase)), key=lambda leaf: counts[leaf])
    rare: list[Phrase] = []
    for leaf in leaves:
        if sum(counts[each] for each in (*rare, leaf)) <= MAX_RANKED // 2:
            rare.append(leaf)
    queries = [_any_of(map(leaf_query, rare))] if rare else []
    if not isinstance(wanted.node, And):  # else every match holds them all
        queries += _together([leaf for leaf in leaves if leaf not in rare][:MAX_COMMON])
    if leaves:
        queries += [_heavy(leaves, (tier,)) for tier in range(MAX_TIER, 0, -1)]
    conditions = [f" AND terms @@ {values.query(query)}" for query in queries]
    prefixes = [leaf for leaf in wanted.leaves if not isinstance(leaf, Phrase) and leaf.field is None][:MAX_COMMON]
    if prefixes:
        in_title, in_labels = (_any_of(leaf_query(leaf, labels) for leaf in prefixes) for labels in ("A", "BC"))
        conditions += [f" AND words @@ {values.query(query)}" for query in (in_title, in_labels)]
    return [*conditions, ""]


def _together(common: Sequence[Phrase]) -> list[str]:
    """Several common words in one note, the more the better, and better where one of them weighs much."""
    queries = []
    for size in range(len(common), 1, -1):
        groups = combinations(map(leaf_query, common), size)
        held = _any_of("(" + " & ".join(f"({query})" for query in group) + ")" for group in groups)
        queries += [f"({held}) & ({_heavy(common, tiers)})" for tiers in (range(3, MAX_TIER + 1), (2, 1))] + [held]
    return queries


def _heavy(leaves: Sequence[Phrase], tiers: Iterable[int]) -> str:
    """What weighs so much in a note; of a phrase its first term."""
    return _any_of(quoted(tier_lexeme(leaf.terms[0], tier)) for leaf in leaves for tier in tiers)


def _any_of(queries: Iterable[str]) -> str:
    return " | ".join(f"({query})" for query in queries)
