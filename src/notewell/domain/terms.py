"""The analyzer: text in, terms with their place in the text out.

The index, the query parser and the snippet maker all call it, so every engine holds the same terms and answers alike.
It knows scripts and words; it must not know queries, notes or engines. Rules: DESIGN 3; whoever changes what comes
out for any text raises ``ANALYZER_VERSION``, so that stores know which notes to index again.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import regex
import Stemmer  # type: ignore[import-not-found]  # a C extension without stubs

from notewell.domain.normal_form import nfkc, with_short_marks

ANALYZER_VERSION = 1

MAX_TERM_CHARS = 64
"""A longer term is cut in the index and in the query alike; the note is stored whole."""

FUNCTION_WORDS = frozenset(
    """a an and are as at be been but by can could did do does for from had has have he her hers him his how i if in
    into is it its me my no not of on or our ours she should so than that the their theirs them then there these they
    this those to us was we were what when where which who whom whose why will with would you your yours""".split()  # noqa: SIM905
)
"""English words that carry grammar and hardly any matter (unstemmed, folded)."""


class Term(NamedTuple):
    """One position of a text."""

    text: str
    """What the index holds: folded, stemmed where the script is Latin, at most 64 characters."""
    start: int
    end: int
    """The place in the source, in characters: ``source[start:end]``."""
    word: str
    """The folded word before stemming; empty for a run's bigrams and for emoji, which are no words."""
    is_run: bool
    """Whether the position lies in a run of a script that is written without spaces."""


# Scripts written without spaces between words, or searched inside words (Hangul). U+30FC (the long-vowel sign) counts
# as Kana although Unicode calls it common to two scripts.
_RUN_SCRIPTS = "".join(
    rf"\p{{{script}}}" for script in ("Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar")
)
_RUN = rf"[{_RUN_SCRIPTS}ー]"
# Marks stay in their word, except the two that only choose how an emoji or a digit is drawn.
_LETTER = rf"[[\p{{L}}\p{{N}}\p{{M}}]--[{_RUN_SCRIPTS}ー\uFE00-\uFE0F\u20E3]]"
_STARTER = rf"[[\p{{L}}\p{{N}}]--[{_RUN_SCRIPTS}ー]]"
# The closed list of terms with signs. `.NET` counts alone and in the names of its family (`example.net` is a domain).
_SIGNED = (
    rf"(?<!{_LETTER})[Cc]\+\+(?![\p{{L}}+])"
    rf"|(?<!{_LETTER})[CcFf]\#(?![\p{{L}}\#])"
    rf"|(?<=(?<!{_LETTER})(?:asp|ado|vb|ml|ASP|ADO|VB|ML))\.(?:net|NET)(?!{_LETTER})"
    rf"|(?<![^(\[{{\"'«“‘,;:/])\.(?:net|Net|NET)(?!{_LETTER})"
)
_EMOJI = r"[\U0001F1E6-\U0001F1FF]{2}|[[\p{Extended_Pictographic}]--[\u00A9\u00AE]]"

_TOKEN = regex.compile(
    rf"(?V1)(?P<word>[A-Za-z0-9]++(?![^\x00-\x7f]|[+\#]))"
    rf"|(?P<signed>{_SIGNED})"
    rf"|(?P<run>{_RUN}+(?:\r?\n{_RUN}+)*)"
    rf"|(?P<word>{_STARTER}{_LETTER}*)"
    rf"|(?P<emoji>{_EMOJI})"
)
# No token crosses white space, but for the line break inside a run: so text is scanned chunk by chunk, and the chunks
# of ordinary prose repeat so much that remembering them makes indexing five times faster.
CHUNK = regex.compile(rf"(?V1)[^\s\x1c-\x1f]+(?:(?<={_RUN})\r?\n(?={_RUN})[^\s\x1c-\x1f]+)*")
CACHED_CHUNK_CHARS = 24
_LINE_BREAK = regex.compile(r"\r?\n")
# Stretches whose characters NFKC leaves alone or turns into one other each (full-width forms), whatever stands beside
# them, else one grapheme: compositions stay inside graphemes.
_ONE_TO_ONE = r"\x00-\x7f\u4e00-\u9fff\u3000-\u3003\u3008-\u3011\u3041-\u3093\u30a1-\u30f3\uff01-\uff5e"
_CLUSTER = regex.compile(rf"(?:[{_ONE_TO_ONE}](?![\p{{M}}\u200d]))+|\X")
_DIACRITICS_OF = regex.compile(r"[\p{Latin}\p{Greek}]\p{M}+")
_LATIN = regex.compile(r"\p{Latin}")
_stem = Stemmer.Stemmer("porter", 0).stemWord


@lru_cache(maxsize=100_000)
def _fold(word: str) -> str:
    """The word as it is compared: case folded, Latin and Greek letters without diacritics, at most 64 characters."""
    if word.isascii():
        return word.lower()[:MAX_TERM_CHARS]
    folded = unicodedata.normalize("NFKC", word.casefold())
    bare = _DIACRITICS_OF.sub(lambda match: match.group()[0], unicodedata.normalize("NFD", folded))
    return unicodedata.normalize("NFC", bare)[:MAX_TERM_CHARS]


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The term of a folded word: its Porter stem if it is Latin, longer than two letters and without digits."""
    if len(word) < 3 or not (word.isascii() or _LATIN.search(word)) or any(map(str.isdigit, word)):
        return word
    return str(_stem(word))


class Token(NamedTuple):
    """A word, a signed term, an emoji or a whole run, with its place in its chunk."""

    text: str
    word: str
    start: int
    end: int
    is_run: bool


def scan(chunk: str) -> tuple[Token, ...]:
    """The tokens of a chunk, not remembered."""
    tokens = []
    for match in _TOKEN.finditer(chunk):
        kind, text = match.lastgroup, match.group()
        if kind == "word":
            word = _fold(text)
            tokens.append(Token(stem(word), word, match.start(), match.end(), False))
        elif kind == "signed":
            tokens.append(Token(text.lower(), text.lower(), match.start(), match.end(), False))
        else:
            tokens.append(Token(text, "", match.start(), match.end(), kind == "run"))
    return tuple(tokens)


_scan_cached = lru_cache(maxsize=50_000)(scan)


def tokens_of(chunk: str) -> tuple[Token, ...]:
    """The tokens of a chunk; those of short ones are remembered."""
    return _scan_cached(chunk) if len(chunk) <= CACHED_CHUNK_CHARS else scan(chunk)


class _Source(NamedTuple):
    """A text in NFKC, and where each of its characters starts and ends in the text it was made from."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def normalized(source: str) -> _Source:
    """The text in NFKC with the places that its characters came from."""
    source = with_short_marks(source)
    if source.isascii() or unicodedata.is_normalized("NFKC", source):
        return _Source(source, range(len(source)), range(1, len(source) + 1))
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(source):
        part = unicodedata.normalize("NFKC", source[start:end])
        parts.append(part)
        is_same_length = len(part) == end - start
        starts.extend(range(start, end) if is_same_length else [start] * len(part))
        ends.extend(range(start + 1, end + 1) if is_same_length else [end] * len(part))
    return _Source("".join(parts), starts, ends)


def _clusters(source: str) -> list[tuple[int, int]]:
    """Stretches of a text that can be put into NFKC one by one: graphemes, joined where they compose across."""
    spans = [cluster.span() for cluster in _CLUSTER.finditer(source)]
    whole = unicodedata.normalize("NFKC", source)
    if "".join(unicodedata.normalize("NFKC", source[start:end]) for start, end in spans) == whole:
        return spans
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        first, middle = joined[-1] if joined else (start, start)
        both = unicodedata.normalize("NFKC", source[first:end])
        if both == unicodedata.normalize("NFKC", source[first:middle]) + unicodedata.normalize(
            "NFKC", source[start:end]
        ):
            joined.append((start, end))
        else:
            joined[-1] = (first, end)
    return joined


def run_texts(run: str) -> list[str]:
    """One text a character of a run, line breaks left out: the bigram that starts there, at last the character."""
    if "\n" in run:
        run = _LINE_BREAK.sub("", run)
    return [*map("".join, pairwise(run)), run[-1]]


def _expand(token: Token) -> Iterator[Token]:
    """The positions of a token: itself, or one for each character of a run."""
    if not token.is_run:
        yield token
        return
    places = [place for place, char in enumerate(token.text, token.start) if char not in "\r\n"]
    for text, place in zip(run_texts(token.text), places, strict=True):
        yield Token(text, "", place, place + 1, True)


def analyze(source: str) -> Iterator[Term]:
    """The terms of a text in order, one per position; nothing for a text without letters, digits or emoji.

    Lazy, so that a snippet can stop early. Never raises, whatever the text holds, and takes time linear in its length.
    """
    text, starts, ends = normalized(source)
    for chunk in CHUNK.finditer(text):
        base = chunk.start()
        for token in tokens_of(chunk.group()):
            for text_, word, start, end, is_run in _expand(token):
                yield Term(text_, starts[base + start], ends[base + end - 1], word, is_run)


def index_terms(source: str) -> tuple[list[str], set[str]]:
    """What the index holds of a text: its terms in order, and its distinct unstemmed words.

    The same terms and words as ``analyze`` gives, without their places, five times as fast.
    """
    texts: list[str] = []
    words: set[str] = set()
    if source.isascii():
        chunks: Sequence[str] = source.split()
    else:
        chunks = CHUNK.findall(nfkc(source))
    for chunk in chunks:
        for text, word, _, _, is_run in tokens_of(chunk):
            if is_run:
                texts += run_texts(text)
            else:
                texts.append(text)
                words.add(word)
    words.discard("")
    return texts, words
