"""A query tree as SQLite's full-text tables read it: MATCH texts where one table answers, else sets of row numbers.

Every term is quoted, so no text of a caller is ever read as syntax. Terms live in ``fts_HOME``, unstemmed words (for
prefixes) in ``words_HOME``; a tree that needs both is answered by combining the sets of row numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from notewell.domain.query import And, Leaf, Near, Node, Not, OneOf, Or, Phrase, Prefix
from notewell.store.database import Value

TEXT_COLUMNS = "{title summary labels body}"


def quoted(text: str) -> str:
    """A term or a phrase of terms as MATCH reads it."""
    return '"' + text.replace('"', '""') + '"'


def leaf_match(leaf: Leaf) -> str:
    """One leaf as MATCH reads it, in its field."""
    if isinstance(leaf, Prefix):
        text = quoted(leaf.word) + " *"
    elif isinstance(leaf, OneOf):
        text = f"({' OR '.join(map(quoted, leaf.words))})"
    else:
        text = quoted(" ".join(leaf.terms)) + (" *" if leaf.is_open else "")
    return f"{leaf.field} : {text}" if leaf.field else text


def tree_match(node: Node) -> str | None:
    """The tree as one MATCH over the term table; None where it holds a prefix, or only says what must be absent."""
    if isinstance(node, Phrase):
        return leaf_match(node)
    if isinstance(node, Near):
        return f"NEAR({' '.join(leaf_match(phrase) for phrase in node.phrases)}, {node.distance})"
    if isinstance(node, Prefix | OneOf | Not):
        return None
    if isinstance(node, Or):
        return _joined(node.children, " OR ")
    wanted = _joined([child for child in node.children if not isinstance(child, Not)], " AND ")
    absent = [child.child for child in node.children if isinstance(child, Not)]
    if wanted is None or not absent:
        return wanted
    unwanted = _joined(absent, " OR ")
    return None if unwanted is None else f"({wanted} NOT {unwanted})"


def _joined(nodes: Sequence[Node], operator: str) -> str | None:
    parts = [tree_match(node) for node in nodes]
    known = [part for part in parts if part is not None]
    if not parts or len(known) < len(parts):
        return None
    return f"({operator.join(known)})"


def is_flat(node: Node) -> bool:
    """Whether FTS5 scores the tree itself exactly: one phrase, or a plain AND or OR of different phrases.

    Nested shapes and NEAR score by cursor position instead (off by up to 62 %).
    """
    if isinstance(node, Phrase):
        return True
    if not isinstance(node, And | Or):
        return False
    return all(isinstance(child, Phrase) for child in node.children) and len(set(node.children)) == len(node.children)


class Sets:
    """Builds the SELECT of the row numbers that a tree holds for, and gathers its values."""

    def __init__(self, home: str, scope: str | None, universe: str) -> None:
        self._home = home
        self._scope = scope
        self._universe = universe
        self.values: dict[str, Value] = {}

    def parameter(self, value: Value) -> str:
        """A new named parameter that holds the value."""
        name = f"m{len(self.values)}"
        self.values[name] = value
        return f":{name}"

    def match(self, text: str) -> str:
        """A parameter with a MATCH over the text columns, limited to the scope where the table is shared."""
        scope = f" AND f : {quoted(self._scope)}" if self._scope else ""
        return self.parameter(f"{TEXT_COLUMNS} : ({text}){scope}")

    def select(self, node: Node) -> str:
        """A SELECT of ``rowid``: the notes that the tree holds for."""
        text = tree_match(node)
        if text is not None:
            return f"SELECT rowid FROM fts_{self._home} WHERE fts_{self._home} MATCH {self.match(text)}"
        if isinstance(node, Prefix | OneOf):
            return f"SELECT rowid FROM words_{self._home} WHERE words_{self._home} MATCH {self.match(leaf_match(node))}"
        if isinstance(node, Or):
            return " UNION ".join(f"SELECT rowid FROM ({self.select(child)})" for child in node.children)
        if isinstance(node, Not):
            return f"SELECT rowid FROM ({self._universe}) EXCEPT SELECT rowid FROM ({self.select(node.child)})"
        if isinstance(node, And):
            return self._intersection(node)
        raise AssertionError(f"no set for {type(node).__name__}")

    def _intersection(self, node: And) -> str:
        wanted = [child for child in node.children if not isinstance(child, Not)]
        absent = [child.child for child in node.children if isinstance(child, Not)]
        parts = [f"SELECT rowid FROM ({self.select(child)})" for child in wanted]
        sql = " INTERSECT ".join(parts) or f"SELECT rowid FROM ({self._universe})"
        for child in absent:
            sql = f"SELECT rowid FROM ({sql}) EXCEPT SELECT rowid FROM ({self.select(child)})"
        return sql
