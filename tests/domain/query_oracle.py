"""What a query finds, read over a text's terms: an oracle for the parser that knows no engine."""

from __future__ import annotations

from notewell.domain.query import And, Node, Not, Or, Phrase, Prefix, parse
from notewell.domain.terms import analyze


def places(phrase: Phrase, terms: list[str]) -> list[int]:
    """Where a phrase stands among terms."""
    *firm, last = phrase.terms
    size = len(phrase.terms)
    windows = [(place, terms[place : place + size]) for place in range(len(terms) - size + 1)]
    return [
        place
        for place, window in windows
        if window[:-1] == firm and (window[-1].startswith(last) if phrase.is_open else window[-1] == last)
    ]


def holds(text: str, node: Node) -> bool:
    """Whether a tree without fields and NEAR holds for a text."""
    found = list(analyze(text))
    match node:
        case Phrase():
            return bool(places(node, [term.text for term in found]))
        case Prefix():
            return any(term.word.startswith(node.word) for term in found)
        case And():
            return all(holds(text, child) for child in node.children)
        case Or():
            return any(holds(text, child) for child in node.children)
        case Not():
            return not holds(text, node.child)
        case _:
            raise AssertionError(node)


def finds(query: str, text: str) -> bool:
    """Whether a text is an exact match of a query."""
    return holds(text, parse(query).exact)
