"""The query language: words typed by a person or an agent in, a tree that each engine renders out.

Rules: DESIGN 5. Operators are upper case only; whatever does not parse is read again with every word quoted, so no
input is a syntax error. This file knows terms; it must not know engines, notes or scopes.

    query    = disjunct ("OR" disjunct)*          AND, written or not, binds tighter than OR
    disjunct = ["AND"] clause*                    "NOT clause" and "-clause" exclude
    clause   = "(" query ")" | "NEAR(" words ["," number] ")" | [field ":"] (word | prefix* | "phrase")
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby

import regex

from notewell.domain.query_tree import (
    And,
    Leaf,
    Near,
    Node,
    Not,
    OneOf,
    Or,
    Phrase,
    Prefix,
    Query,
    Unit,
    WordLeaf,
    conjunction,
    disjunction,
    leaves,
)
from notewell.domain.terms import FUNCTION_WORDS, Term, analyze
from notewell.errors import InvalidArgument, InvalidQuery

__all__ = [
    "And",
    "Leaf",
    "Near",
    "Node",
    "Not",
    "OneOf",
    "Or",
    "Phrase",
    "Prefix",
    "Query",
    "Unit",
    "WordLeaf",
    "conjunction",
    "disjunction",
    "leaves",
    "parse",
]

MAX_QUERY_CHARS = 2_000
MAX_NESTING = 20
"""Parentheses inside parentheses; engines bound how deep a statement may nest."""
DEFAULT_NEAR_DISTANCE = 10
MAX_NEAR_DISTANCE = 10_000
FIELDS = ("title", "summary", "body")


def parse(text: str) -> Query:
    """The query that a text stands for.

    Raises ``invalid_query`` where nothing in it can be searched for, ``invalid_argument`` where it is over 2,000
    characters.
    """
    if len(text) > MAX_QUERY_CHARS:
        raise InvalidArgument(
            f"The query has {len(text):,} characters; at most {MAX_QUERY_CHARS:,} are read. Search for its few most"
            " telling words.",
            argument="query",
        )
    try:
        query = _Parser(_tokens(text)).query()
    except _DoesNotParseError:
        query = _all_quoted(text)
    if not query.units and not query.excluded:
        raise InvalidQuery(
            f"There is nothing to search for in {text[:80]!r}: it holds no letter, digit or emoji. Name a word, or"
            " leave the query out to list notes.",
            argument="query",
        )
    return query


class _DoesNotParseError(Exception):
    """An open quote or parenthesis, or an operator with nothing beside it."""


# Marks that part words in Chinese and Japanese, where no space does.
_CJK_PUNCTUATION = "，。；：？！、…“”「」『』（）《》〈〉【】"
_TOKENS = regex.compile(
    r"(?P<near>NEAR\()|(?P<minus>(?<![^\s(])-(?=[^\s\-)]))|(?P<open>\()|(?P<close>\))"
    r'|(?:(?<![^\s(\-])(?P<field>title|summary|body):)?(?:(?P<phrase>"[^"]*")|(?P<quote>")'
    rf'|(?P<word>[^\s()"{_CJK_PUNCTUATION}]+))'
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    field: str | None


def _tokens(text: str) -> list[_Token]:
    found = []
    for match in _TOKENS.finditer(text):
        kind = match.lastgroup or ""
        value = match.group(kind)
        if kind == "word" and value in ("AND", "OR", "NOT") and not match["field"]:
            kind = value
        found.append(_Token(kind, value, match["field"]))
    return found


class _Parser:
    """Recursive descent over the tokens of one query."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0

    def query(self) -> Query:
        branches = [self._branch()]
        while self._take("OR"):
            branches.append(self._branch())
        if self._next < len(self._tokens):
            raise _DoesNotParseError
        if len(branches) == 1:
            units, excluded = branches[0]
            return Query(_without_function_words(units), tuple(excluded))
        node = _branches_node(branches)
        text = " ".join(token.text for token in self._tokens)
        return Query((Unit(text, node),) if node else ())

    def _take(self, kind: str) -> bool:
        is_there = self._next < len(self._tokens) and self._tokens[self._next].kind == kind
        self._next += is_there
        return is_there

    def _branch(self) -> tuple[list[Unit], list[Node]]:
        """The units between two ORs, and what they exclude."""
        units: list[Unit] = []
        excluded: list[Node] = []
        count = 0
        is_joined = False
        while self._next < len(self._tokens) and self._tokens[self._next].kind not in ("OR", "close"):
            if self._take("AND"):
                if not count or is_joined:
                    raise _DoesNotParseError
                is_joined = True
                units[-1:] = [replace(unit, relaxed=()) for unit in units[-1:]]
                continue
            is_negative = self._take("NOT") or self._take("minus")
            if self._take("open"):
                group, unwanted = self._group(is_operand=is_negative or is_joined)
            else:
                clause, unwanted = self._clause(), []
                group = [clause] if clause else []
            count += 1
            if is_negative:
                excluded += [unit.node for unit in group]
            else:
                units += [replace(unit, relaxed=()) if is_joined else unit for unit in group]
                excluded += unwanted
            is_joined = False
        if not count or is_joined:
            raise _DoesNotParseError
        return units, excluded

    def _clause(self) -> Unit | None:
        if self._next == len(self._tokens):
            raise _DoesNotParseError
        token = self._tokens[self._next]
        self._next += 1
        if token.kind == "near":
            return self._near()
        if token.kind == "word":
            return _word_unit(token.text, token.field)
        if token.kind == "phrase":
            return _phrase_unit(token.text, token.field)
        raise _DoesNotParseError

    def _group(self, *, is_operand: bool) -> tuple[list[Unit], list[Node]]:
        """What stands in parentheses: one unit, or its plain words where no operator makes use of the parentheses."""
        start = self._next
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise _DoesNotParseError
        branches = [self._branch()]
        while self._take("OR"):
            branches.append(self._branch())
        is_before_and = self._next + 1 < len(self._tokens) and self._tokens[self._next + 1].kind in ("AND", "OR")
        if not self._take("close"):
            raise _DoesNotParseError
        self._depth -= 1
        if len(branches) == 1 and not is_operand and not is_before_and:
            return branches[0]
        node = _branches_node(branches)
        text = " ".join(token.text for token in self._tokens[start : self._next - 1])
        return ([Unit(f"({text})", node)] if node else []), []

    def _near(self) -> Unit | None:
        phrases: list[Phrase] = []
        texts: list[str] = []
        distance = DEFAULT_NEAR_DISTANCE
        while not self._take("close"):
            token = self._tokens[self._next] if self._next < len(self._tokens) else None
            if token is None or token.kind not in ("word", "phrase") or token.field:
                raise _DoesNotParseError
            self._next += 1
            texts.append(token.text)
            is_last = self._next < len(self._tokens) and self._tokens[self._next].kind == "close"
            words, number = token.text, ""
            if is_last and token.kind == "word":
                words, number = _distance(token.text, texts[-2:-1])
            distance = min(int(number[:9]), MAX_NEAR_DISTANCE) if number else distance
            if phrase := _phrase(list(analyze(words))):
                phrases.append(phrase)
        if not phrases:
            return None
        node = Near(tuple(phrases), distance) if len(phrases) > 1 else phrases[0]
        return Unit(f"NEAR({' '.join(texts)})", node)


def _distance(text: str, before: list[str]) -> tuple[str, str]:
    """The words and the number in the last text of a NEAR: ``b,5``, or ``5`` behind a text that ends in a comma."""
    words, comma, number = text.rpartition(",")
    if comma and number.isdecimal() and not words.isdecimal():  # else it is a number such as 1,000
        return words, number
    if text.isdecimal() and before and before[0].endswith(","):
        return "", text
    return text, ""


def _without_function_words(units: list[Unit]) -> tuple[Unit, ...]:
    """The units that carry meaning, or all of them where none does."""
    return tuple(unit for unit in units if not unit.is_function_word) or tuple(units)


def _branches_node(branches: list[tuple[list[Unit], list[Node]]]) -> Node | None:
    nodes: list[Node] = []
    units = [unit for branch, _ in branches for unit in branch]
    kept = _without_function_words(units)
    for branch, excluded in branches:
        parts = [*(unit.node for unit in branch if unit in kept), *map(Not, excluded)]
        if parts:
            nodes.append(conjunction(parts))
    return disjunction(nodes) if nodes else None


def _phrase(found: list[Term], field: str | None = None) -> Phrase | None:
    """The phrase of some positions; the last single character of a run that ends it is left open or out."""
    if not found:
        return None
    texts = [term.text for term in found]
    if not found[-1].is_run:
        return Phrase(tuple(texts), False, field)
    if len(found) > 1 and found[-2].is_run and found[-2].end <= found[-1].start and _continues(found):
        return Phrase(tuple(texts[:-1]), False, field)
    return Phrase(tuple(texts), True, field)


def _continues(found: list[Term]) -> bool:
    """Whether the last two positions are of one run: then the last but one is a bigram that holds the last."""
    return len(found[-2].text) > 1 and found[-2].text[1:] == found[-1].text


def _phrase_unit(text: str, field: str | None) -> Unit | None:
    phrase = _phrase(list(analyze(text[1:-1])), field)
    return Unit(text if field is None else f"{field}:{text}", phrase) if phrase else None


def _word_unit(text: str, field: str | None) -> Unit | None:
    found = list(analyze(text))
    if not found:
        return None
    shown = text if field is None else f"{field}:{text}"
    is_prefix = text.endswith("*") and not found[-1].is_run and bool(found[-1].word)
    if is_prefix:
        return Unit(shown, _prefix(found, field))
    phrase = _phrase(found, field)
    if phrase is None:
        return None
    if any(term.is_run for term in found):
        return Unit(shown, phrase, _parts_of_run(found, field))
    if len(found) > 1:
        return _compound_unit(shown, found, phrase)
    is_function_word = field is None and found[0].word in FUNCTION_WORDS
    return Unit(shown, phrase, (phrase,), is_function_word)


_ORDINARY_COMPOUND = regex.compile(r"[\p{L}\p{M}]+(?:[-‐'’`][\p{L}\p{M}]+)+")


def _compound_unit(shown: str, found: list[Term], phrase: Phrase) -> Unit:
    """The unit of a compound token.

    Identifiers, numbers and addresses never relax. Words joined by hyphens or an apostrophe are ordinary language:
    requiring them cost a third of the recall on questions (docs/decisions/0002-compounds-in-questions.md).
    """
    word = regex.sub(r"^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$", "", shown)
    if not _ORDINARY_COMPOUND.fullmatch(word) or phrase.field:
        return Unit(shown, phrase)
    parts = [Phrase((term.text,)) for term in found if len(term.word) > 1 and term.word not in FUNCTION_WORDS]
    return Unit(shown, phrase, tuple(dict.fromkeys([phrase, *parts])), is_compound=True)


def _prefix(found: list[Term], field: str | None) -> Node:
    """A prefix of a word; behind other parts of a compound, the parts as a phrase and the prefix beside it."""
    last = found[-1]
    if len(found) == 1:
        return Prefix(last.word, field)
    if any(map(str.isdigit, last.word)):  # such words have no stem: the phrase itself can stay open
        return Phrase(tuple(term.text for term in found), True, field)
    before = _phrase(found[:-1], field)
    return conjunction([*([before] if before else []), Prefix(last.word, field)])


def _parts_of_run(found: list[Term], field: str | None) -> tuple[Leaf, ...]:
    """What stands for a token with a run in an inexact match: the run's bigrams, and each stretch of other terms."""
    parts: list[Leaf] = []
    for is_run, stretch in groupby(found, key=lambda term: term.is_run):
        texts = [term.text for term in stretch]
        if not is_run:
            parts.append(Phrase(tuple(texts), False, field))
            continue
        bigrams = [text for text in texts if len(text) > 1]
        parts += [Phrase((text,), False, field) for text in bigrams] or [Phrase((texts[0],), True, field)]
    return tuple(dict.fromkeys(parts))


def _all_quoted(text: str) -> Query:
    """The query in which every word counts as it stands, and no operator does."""
    units = []
    for word in regex.split(rf'[\s"(){_CJK_PUNCTUATION}]+', text):
        phrase = _phrase(list(analyze(word)))
        if phrase:
            units.append(Unit(word, phrase))
    return Query(tuple(units))
