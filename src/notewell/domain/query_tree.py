"""What a query stands for: a tree that each engine renders, and the units that an exact match must hold.

It knows terms; it must not know how queries are typed, nor engines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from notewell.domain.terms import analyze


@dataclass(frozen=True, slots=True)
class Phrase:
    """Terms that must stand side by side in one field; a word is a phrase of one term."""

    terms: tuple[str, ...]
    is_open: bool = False
    """Whether the last term may go on: one character of a run is the prefix of the bigrams that start with it."""
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Prefix:
    """The start of an unstemmed word."""

    word: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class OneOf:
    """Any of these unstemmed words: what a fragment of a word stands for."""

    words: tuple[str, ...]
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Near:
    """Phrases with at most ``distance`` positions between them, in any order, in one field."""

    phrases: tuple[Phrase, ...]
    distance: int


@dataclass(frozen=True, slots=True)
class And:
    """Every child holds."""

    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one child holds."""

    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The child does not hold."""

    child: Node


WordLeaf = Prefix | OneOf
Leaf = Phrase | WordLeaf
Node = Leaf | Near | And | Or | Not


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that an exact match must hold: what ``missing`` names."""

    text: str
    """As typed."""
    node: Node
    relaxed: tuple[Leaf, ...] = ()
    """What may stand for it in an inexact match; empty where the unit never relaxes."""
    is_function_word: bool = False
    is_compound: bool = False
    """An ordinary compound word (``high-speed``, ``Anna's``): it relaxes only in the company of plain words."""


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query; at least one of ``units`` and ``excluded`` is not empty."""

    units: tuple[Unit, ...]
    excluded: tuple[Node, ...] = ()

    @property
    def exact(self) -> Node:
        """What a note must hold to be an exact match."""
        return conjunction([*(unit.node for unit in self.units), *map(Not, self.excluded)])

    @property
    def _has_plain_words(self) -> bool:
        return any(unit.relaxed and not unit.is_compound for unit in self.units)

    def _loose(self, unit: Unit) -> tuple[Leaf, ...]:
        """What may stand for a unit in an inexact match of this query; empty where the unit is required."""
        return unit.relaxed if not unit.is_compound or self._has_plain_words else ()

    @property
    def rest(self) -> Node | None:
        """What a note must hold to be an inexact match (exact ones hold it too); None where nothing relaxes."""
        loose = [leaf for unit in self.units for leaf in self._loose(unit)]
        required = [unit.node for unit in self.units if not self._loose(unit)]
        if not loose or (not required and len(set(loose)) == 1 and self.units[0].node == loose[0]):
            return None
        some = required or [disjunction(loose)]
        return conjunction([*some, *map(Not, self.excluded)])

    @property
    def exact_leaves(self) -> tuple[Leaf, ...]:
        """The distinct leaves that score an exact match."""
        return _distinct(leaf for unit in self.units for leaf in leaves(unit.node))

    @property
    def rest_leaves(self) -> tuple[Leaf, ...]:
        """The distinct leaves that score an inexact match."""
        return _distinct(leaf for unit in self.units for leaf in (self._loose(unit) or leaves(unit.node)))

    @property
    def fragment(self) -> str | None:
        """The word to look for inside words, where the query is one bare word of three letters or more."""
        if len(self.units) != 1 or self.excluded or len(self.units[0].relaxed) != 1:
            return None
        found = list(analyze(self.units[0].text))
        if len(found) != 1 or found[0].is_run or len(found[0].word) < 3 or not found[0].word.isalpha():
            return None
        return found[0].word


def conjunction(nodes: Sequence[Node]) -> Node:
    """One node that holds where all of these do."""
    return nodes[0] if len(nodes) == 1 else And(tuple(nodes))


def disjunction(nodes: Sequence[Node]) -> Node:
    """One node that holds where any of these does."""
    distinct = tuple(dict.fromkeys(nodes))
    return distinct[0] if len(distinct) == 1 else Or(distinct)


def leaves(node: Node) -> list[Leaf]:
    """The leaves of a tree that speak for a note, in order; those under a Not do not."""
    if isinstance(node, Phrase | Prefix | OneOf):
        return [node]
    if isinstance(node, Near):
        return list(node.phrases)
    if isinstance(node, Not):
        return []
    return [leaf for child in node.children for leaf in leaves(child)]


def _distinct(found: object) -> tuple[Leaf, ...]:
    return tuple(dict.fromkeys(found))  # type: ignore[call-overload]  # an iterator of leaves
