"""Which text of a note is embedded, and how it is told that it changed.

The spec embeds the title and the opening of the body, and research keeps to that. A memory note's further text is
embedded in chunks of its own, so that a fact on its last page is found, too (docs/decisions/0004-chunks.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from notewell.domain import header
from notewell.domain.notes import Note
from notewell.domain.research import ResearchNote

OPENING_CHARS = 1_500
"""Of the body; the spec's figure."""
CHUNK_BYTES = 1_500
"""Of UTF-8: about 400 of the model's tokens in any script, of which it reads 512."""
CHUNK_OVERLAP_BYTES = 150
"""What stands at the end of one chunk stands at the start of the next, so that no sentence is cut in all of them."""
MAX_CHUNKS = 40
"""Text past 54,000 bytes is not embedded: a vector more for each page would crowd out other notes."""
CHUNKING_VERSION = 2
"""Raised whenever other texts come out for the same note."""


@dataclass(frozen=True, slots=True)
class EmbeddedTexts:
    """The texts of one note, one vector each, and what they are told apart by."""

    texts: tuple[str, ...]
    """At least one; the first holds the title and the opening of the body."""
    content_hash: str


def memory_texts(note: Note) -> EmbeddedTexts:
    """The texts of a memory note: title, summary and opening; then the rest of the body in overlapping chunks."""
    opening, *others = _pieces(note.body)
    return _hashed([_opening(note.title, note.summary, opening), *(_joined(note.title, piece) for piece in others)])


def research_texts(note: ResearchNote) -> EmbeddedTexts:
    """The text of a research note: its title and the opening of its body without the header."""
    parsed = header.parse(note.body_md)
    return _hashed([_opening(header.shown_title(parsed), "", parsed.body[:OPENING_CHARS])])


def _opening(title: str, summary: str, body: str) -> str:
    """Title, summary and body; a body that opens with its title does not say it twice."""
    says_title = body.lstrip("# \n").startswith(title)
    return _joined("" if says_title else title, summary, body)


def _pieces(body: str) -> list[str]:
    """The body in overlapping pieces of 1,500 bytes, at most 40; one empty piece for an empty body."""
    encoded = body.encode("utf-8", "replace")
    last = max(len(encoded) - CHUNK_OVERLAP_BYTES, 1)
    starts = range(0, last, CHUNK_BYTES - CHUNK_OVERLAP_BYTES)
    return [encoded[start : start + CHUNK_BYTES].decode("utf-8", "ignore") for start in starts[:MAX_CHUNKS]]


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _hashed(texts: list[str]) -> EmbeddedTexts:
    digest = blake2b("\0".join(texts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return EmbeddedTexts(tuple(texts), f"{version_prefix()}{digest}")


def version_prefix() -> str:
    """What each content hash of this way of chunking starts with, so that those of others are told at a glance."""
    return f"{CHUNKING_VERSION}:"
