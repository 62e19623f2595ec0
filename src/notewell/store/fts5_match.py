"""A query tree as SQLite's full-text tables read it: MATCH texts where one table answers, else sets of row numbers.

Every term is quoted, so no text of a caller is ever read as syntax. Terms live in ``fts_HOME``, unstemmed words (for
prefixes and fragments) in ``words_HOME``; a tree that needs both is answered by combining the sets of row numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from notewell.domain.query_tree import And, Leaf, Near, Node, Not, OneOf, Or, Phrase, Prefix
from notewell.store.database import Value

TEXT_COLUMNS = "{title summary labels body}"

Table = Literal["fts", "words"]
TABLES: tuple[Table, ...] = ("fts", "words")


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


def table_of(leaf: Leaf) -> Table:
    """The table that answers a leaf."""
    return "fts" if isinstance(leaf, Phrase) else "words"


def tree_match(node: Node, table: Table = "fts") -> str | None:
    """The tree as one MATCH over a table; None where it needs the other one, or only says what must be absent."""
    if isinstance(node, Phrase | Prefix | OneOf):
        return leaf_match(node) if table_of(node) == table else None
    if isinstance(node, Near):
        near = f"NEAR({' '.join(leaf_match(phrase) for phrase in node.phrases)}, {node.distance})"
        return near if table == "fts" else None
    if isinstance(node, Not):
        return None
    if isinstance(node, Or):
        return _joined(node.children, " OR ", table)
    wanted, absent = _parted(node)
    text = _joined(wanted, " AND ", table)
    if text is None or not absent:
        return text
    unwanted = _joined(absent, " OR ", table)
    return None if unwanted is None else f"({text} NOT {unwanted})"


def _parted(node: And) -> tuple[list[Node], list[Node]]:
    """What must be there, and what must be absent."""
    wanted: list[Node] = [child for child in node.children if not isinstance(child, Not)]
    return wanted, [child.child for child in node.children if isinstance(child, Not)]


def _joined(nodes: Sequence[Node], operator: str, table: Table) -> str | None:
    parts = [tree_match(node, table) for node in nodes]
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
        for table in TABLES:
            text = tree_match(node, table)
            if text is not None:
                return self._matching(text, table)
        if isinstance(node, Or):
            return " UNION ".join(self._wrapped(part) for part in self._parts(node.children, " OR "))
        if isinstance(node, Not):
            return f"SELECT rowid FROM ({self._universe}) EXCEPT {self._wrapped(self.select(node.child))}"
        if isinstance(node, And):
            wanted, absent = _parted(node)
            sql = " INTERSECT ".join(self._wrapped(part) for part in self._parts(wanted, " AND "))
            sql = sql or self._wrapped(self._universe)
            unwanted = " UNION ".join(self._wrapped(part) for part in self._parts(absent, " OR "))
            return f"{self._wrapped(sql)} EXCEPT {self._wrapped(unwanted)}" if unwanted else sql
        raise AssertionError(f"no set for {type(node).__name__}")

    def _wrapped(self, select: str) -> str:
        return f"SELECT rowid FROM ({select})"

    def _matching(self, text: str, table: Table) -> str:
        name = f"{table}_{self._home}"
        return f"SELECT rowid FROM {name} WHERE {name} MATCH {self.match(text)}"

    def _parts(self, nodes: Sequence[Node], operator: str) -> list[str]:
        """The nodes as few SELECTs: what one table answers goes into one MATCH, since an engine bounds compounds."""
        parts: list[str] = []
        left = list(nodes)
        for table in TABLES:
            texts = [text for node in left if (text := tree_match(node, table)) is not None]
            left = [node for node in left if tree_match(node, table) is None]
            if texts:
                parts.append(self._matching(f"({operator.join(texts)})", table))
        return parts + [self.select(node) for node in left]


def pieces_match(fragment: str) -> str:
    """Every piece of three letters of a text, as MATCH over the pieces of words reads it."""
    pieces = dict.fromkeys(fragment[start : start + 3] for start in range(len(fragment) - 2))
    return " AND ".join(map(quoted, pieces))
