"""A query tree as PostgreSQL reads it: text search queries for leaves and trees, conditions on rows of ``note_search``.

Every lexeme is quoted, so no text of a caller is ever read as syntax. Terms and unstemmed words are two columns of one
row, so a note in one row is asked the whole tree at once; a long note is asked leaf by leaf.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from notewell.domain.query_tree import And, Leaf, Near, Node, Not, OneOf, Or, Phrase, Prefix
from notewell.store.database import Value
from notewell.store.tsearch_rows import LABELS, placed_word, quoted

Column = Literal["terms", "words"]
COLUMNS: tuple[Column, ...] = ("terms", "words")
_LABEL_OF_FIELD = {"title": LABELS[0], "summary": LABELS[1], "body": LABELS[3]}
MAX_REPEATED = 4
RANK_WEIGHTS = "{0.33333334, 0.6666667, 0.6666667, 1}"
"""Of the labels D, C, B, A: a third of what an occurrence counts, since PostgreSQL allows no weight above one."""


def column_of(leaf: Leaf) -> Column:
    """The column that answers a leaf."""
    return "terms" if isinstance(leaf, Phrase) else "words"


def leaf_query(leaf: Leaf, labels: str = "") -> str:
    """One leaf as a text search query; ``labels`` narrow a word to columns."""
    field = _LABEL_OF_FIELD[leaf.field] if leaf.field else labels
    if isinstance(leaf, Prefix | OneOf):
        return _word_query(leaf, field)
    ending = f":{field}" if field else ""
    terms = [quoted(term) + ending for term in leaf.terms]
    if leaf.is_open:
        terms[-1] = f"{quoted(leaf.terms[-1])}:*{field}"
    return " <-> ".join(terms)


def counted_phrase(phrase: Phrase) -> Phrase:
    """What is counted of a phrase: its beginning, as long as no term stands there more than four times.

    The server's ranking takes the square of how often a term stands in both; which notes match is asked exactly.
    """
    seen: Counter[str] = Counter()
    for number, term in enumerate(phrase.terms):
        seen[term] += 1
        if seen[term] > MAX_REPEATED:
            return replace(phrase, terms=phrase.terms[:number], is_open=False)
    return phrase


def _word_query(leaf: Prefix | OneOf, labels: str) -> str:
    """A prefix, or one of some words; body text has no marked words, so there its label decides."""
    words, star = ((leaf.word,), "*") if isinstance(leaf, Prefix) else (leaf.words, "")
    if labels in ("", LABELS[3]):
        ending = f":{star}{labels}" if star or labels else ""
        lexemes = list(words)
    else:
        ending = f":{star}" if star else ""
        lexemes = [placed_word(label, word) for label in labels for word in words]
    return "(" + " | ".join(quoted(lexeme) + ending for lexeme in lexemes) + ")"


def tree_query(node: Node, column: Column) -> str | None:
    """The tree as one query over a column; None where it needs the other one, or more than queries can say."""
    if isinstance(node, Phrase | Prefix | OneOf):
        return f"({leaf_query(node)})" if column_of(node) == column else None
    if isinstance(node, Near):
        return None
    if isinstance(node, Not):
        inner = tree_query(node.child, column)
        return None if inner is None else f"!{inner}"
    parts = [tree_query(child, column) for child in node.children]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return "(" + (" & " if isinstance(node, And) else " | ").join(known) + ")"


def only_denies(node: Node) -> bool:
    """Whether a tree says only what must be absent, so that no index finds what it holds for."""
    if isinstance(node, Not):
        return True
    if isinstance(node, And):
        return all(map(only_denies, node.children))
    return isinstance(node, Or) and any(map(only_denies, node.children))


class Values:
    """The parameters of one statement."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}

    def parameter(self, value: Value) -> str:
        """A new named parameter that holds the value."""
        name = f"m{len(self.values)}"
        self.values[name] = value
        return f":{name}"

    def query(self, text: str) -> str:
        """A parameter with a text search query."""
        return f"CAST({self.parameter(text)} AS tsquery)"


NearRows = Callable[[Near], str]


def row_condition(node: Node, values: Values, near_rows: NearRows) -> str:
    """The tree as a condition on one row; ``near_rows`` gives the row numbers of a NEAR as a list."""
    for column in COLUMNS:
        text = tree_query(node, column)
        if text is not None:
            return f"{column} @@ {values.query(text)}"
    if isinstance(node, Near):
        return f"row_no IN ({near_rows(node)})"
    if isinstance(node, Not):
        return f"NOT ({row_condition(node.child, values, near_rows)})"
    assert isinstance(node, And | Or)
    parts = []
    left = list(node.children)
    for column in COLUMNS:
        same = tuple(child for child in left if tree_query(child, column) is not None)
        left = [child for child in left if child not in same]
        if same:
            parts.append(row_condition(type(node)(same), values, near_rows))
    parts += [row_condition(child, values, near_rows) for child in left]
    return "(" + (" AND " if isinstance(node, And) else " OR ").join(parts) + ")"


def rows_in(select: str) -> str:
    """That a row belongs to one of a few notes. An array is made once; a set the planner may make for each row again,
    and a long note's vectors take milliseconds to read."""
    return f"row_no = ANY(ARRAY({select}))"


def note_condition(node: Node, values: Values, scope: str, near_rows: NearRows) -> str:
    """The tree as a condition on a note of several rows, each leaf answered by whichever of them holds it."""
    if isinstance(node, Phrase | Prefix | OneOf):
        held = f"{column_of(node)} @@ {values.query(leaf_query(node))}"
        return rows_in(f"SELECT row_no FROM note_search WHERE {scope} AND parts > 1 AND {held}")
    if isinstance(node, Near):
        return f"row_no IN ({near_rows(node)})"
    if isinstance(node, Not):
        return f"NOT ({note_condition(node.child, values, scope, near_rows)})"
    operator = " AND " if isinstance(node, And) else " OR "
    return "(" + operator.join(note_condition(child, values, scope, near_rows) for child in node.children) + ")"
