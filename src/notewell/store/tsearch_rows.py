"""A note as rows of ``note_search``: its terms and words as text search vectors of PostgreSQL, written as such.

A vector ends at position 16,383, keeps 256 positions of a lexeme and holds one megabyte, so a long note takes several
rows. Neighbouring rows overlap, so that phrases survive; what they share stands once more in a row with a negative
sign, so that a sum over all rows counts each occurrence once. It must not know queries.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from notewell.domain.index import LABEL_BOUNDARY, WEIGHTS, IndexEntry
from notewell.domain.ranking import B

LABELS = ("A", "B", "C", "D")
"""The label of each column: title, summary, tags and symbols, body."""
FILTER = "\x01"
"""Before a filter term; no analyzed text holds control characters."""
TIER = "\x02"
"""Before the tier of a term that weighs much in the note: how candidates for a common word are found."""
PLACED = "\x03"
"""Before a column's label and a word of it: labels themselves are no part of an index, so each match would be read."""
MAX_TIER = 5
USUAL_LENGTH = 150
"""Terms of a usual note, to tell which weigh much; ranking itself has the scope's own average."""
MAX_POSITIONS = 15_000
MAX_OCCURRENCES = 250
MAX_VECTOR_BYTES = 600_000
OVERLAP = 2_000
"""Terms that neighbouring rows share: no query is longer."""

Token = tuple[str, str, int]
"""A term, its column's label, its position in the whole note."""


@dataclass(frozen=True, slots=True)
class SearchRow:
    """One row; ``start`` is the position in the note before the first one of the row."""

    part: int
    parts: int
    sign: int
    start: int
    terms: str
    words: str


def rows_of(entry: IndexEntry) -> list[SearchRow]:
    """The rows of a note, one for nearly all."""
    tokens = _tokens(entry)
    stretches = list(_stretches(tokens))
    words = list(_word_vectors(entry))
    extra = {FILTER + term: "" for term in entry.filters.split(" ")} | dict.fromkeys(_tiers(tokens, entry.tokens), "")
    count = max(len(stretches), len(words))
    rows = []
    for part in range(count):
        sign, stretch = stretches[part] if part < len(stretches) else (1, [])
        start = stretch[0][2] - 1 if stretch else 0
        vector = _vector(stretch, start, extra if sign > 0 else {})
        rows.append(SearchRow(part, count, sign, start, vector, words[part] if part < len(words) else ""))
    return rows


def _tokens(entry: IndexEntry) -> list[Token]:
    """The terms of all columns; a place stays empty between two columns and two labels, which no phrase crosses."""
    tokens: list[Token] = []
    place = 0
    for label, text in zip(LABELS, entry.texts, strict=True):
        place += 1
        for term in filter(None, text.split(" ")):
            if term != LABEL_BOUNDARY:
                tokens.append((term, label, place))
            place += 1
    return tokens


def _stretches(tokens: Sequence[Token]) -> Iterator[tuple[int, Sequence[Token]]]:
    """The rows' tokens with their signs: stretches of what one vector holds, and what two neighbours share."""
    start = 0
    while True:
        end = _end(tokens, start)
        yield 1, tokens[start:end]
        if end == len(tokens):
            return
        shared = min(OVERLAP, (end - start) // 2)
        yield -1, tokens[end - shared : end]
        start = end - shared


def _end(tokens: Sequence[Token], start: int) -> int:
    """Where a row that begins at a token must end."""
    if not tokens:
        return 0
    first = tokens[start][2]
    counts: Counter[str] = Counter()
    size = 0
    for number in range(start, len(tokens)):
        term, _, place = tokens[number]
        counts[term] += 1
        size += 2 + (4 + len(term.encode()) if counts[term] == 1 else 0)
        if place - first >= MAX_POSITIONS or counts[term] > MAX_OCCURRENCES or size > MAX_VECTOR_BYTES:
            return number
    return len(tokens)


def _tiers(tokens: Iterable[Token], length: int) -> list[str]:
    """Terms that weigh at least twice what one occurrence in a usual note does, with how often they do."""
    weights: dict[str, float] = defaultdict(float)
    for term, label, _ in tokens:
        weights[term] += WEIGHTS[LABELS.index(label)]
    usual = 1 - B + B * length / USUAL_LENGTH
    heavy = {term: weight / usual for term, weight in weights.items() if weight >= 2 * usual}
    return [tier_lexeme(term, min(int(math.log2(weight)), MAX_TIER)) for term, weight in heavy.items()]


def tier_lexeme(term: str, tier: int) -> str:
    """What a vector holds besides a term that weighs ``2 ** tier`` times the usual, and less than twice that."""
    return f"{TIER}{tier}{term}"


def placed_word(label: str, word: str) -> str:
    """What a vector holds besides a word of a title, a summary or labels."""
    return f"{PLACED}{label}{word}"


def _word_vectors(entry: IndexEntry) -> Iterator[str]:
    """The unstemmed words, each with the labels of its columns, as many vectors as they need."""
    labels: dict[str, list[str]] = defaultdict(list)
    for number, (label, text) in enumerate(zip(LABELS, entry.words, strict=True), 1):
        for word in filter(None, text.split(" ")):
            labels[word].append(f"{number}{label if label != 'D' else ''}")
            if label != "D":
                labels.setdefault(placed_word(label, word), [])
    words = sorted(labels)
    start = size = 0
    for number, word in enumerate(words):
        size += 20 + len(word.encode())
        if size > MAX_VECTOR_BYTES:
            yield _rendered((each, ",".join(labels[each])) for each in words[start:number])
            start, size = number, 0
    yield _rendered((each, ",".join(labels[each])) for each in words[start:])


def _vector(tokens: Iterable[Token], start: int, extra: dict[str, str]) -> str:
    places: dict[str, list[str]] = defaultdict(list)
    for term, label, place in tokens:
        places[term].append(f"{place - start}{label if label != 'D' else ''}")
    return _rendered(sorted([*((term, ",".join(at)) for term, at in places.items()), *extra.items()]))


def _rendered(lexemes: Iterable[tuple[str, str]]) -> str:
    """Lexemes in order, as PostgreSQL itself writes a vector."""
    return " ".join(f"{quoted(lexeme)}:{at}" if at else quoted(lexeme) for lexeme, at in lexemes)


def quoted(lexeme: str) -> str:
    """A lexeme as vectors and queries read it."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
