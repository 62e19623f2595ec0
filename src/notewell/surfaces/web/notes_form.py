"""The form of a note: what stands in its fields, what it asks for, and how a text keeps its line ends.

It must not know pages or the store.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, replace

from notewell.domain.notes import Draft, Edit, Note
from notewell.services.memory import Filing
from notewell.surfaces.web.forms import Form

NO_COLLECTION = ""
"""The choice of no collection."""
_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_LINE_END = re.compile(r"\r\n|\r|\n")
_GAPS = re.compile(r"[\s,;，；、]+")


@dataclass(frozen=True, slots=True)
class Typed:
    """The fields of the form, as they stand on the page."""

    title: str = ""
    summary: str = ""
    body: str = ""
    tags: str = ""
    """One a line, or several with commas between them."""
    symbols: str = ""
    collection: str = NO_COLLECTION
    new_collection: str = ""
    source: str = ""
    version: int = 0
    """The version that is edited; 0 for a new note."""
    key: str = ""
    """What makes one note of a form that is sent twice."""

    @classmethod
    def of_form(cls, form: Form) -> Typed:
        """What was sent."""
        version = form.line("version")[:15]
        return cls(
            title=form.text("title"),
            summary=form.text("summary"),
            body=form.text("body"),
            tags=form.text("tags"),
            symbols=form.text("symbols"),
            collection=form.text("collection"),
            new_collection=form.line("new_collection"),
            source=form.line("source"),
            version=int(version) if version.isascii() and version.isdigit() else 0,
            key=form.line("key"),
        )

    @classmethod
    def of_note(cls, note: Note, collection: str | None) -> Typed:
        """A note as it is stored."""
        return cls(
            title=note.title,
            summary=note.summary,
            body=note.body,
            tags="\n".join(note.tags),
            symbols=" ".join(note.symbols),
            collection=collection or NO_COLLECTION,
            source=note.source,
            version=note.version,
        )

    def with_key(self) -> Typed:
        """The same as a form that makes another note."""
        return replace(self, key=secrets.token_urlsafe(16), version=0)

    def draft(self) -> Draft:
        """The note that it asks to be made."""
        return Draft(self.title, self.body, self.summary, labels_of(self.tags), symbols_of(self.symbols), self.source)

    def edit(self, stored: Note) -> Edit:
        """The change that it asks for; what was not touched stays as it is stored, byte for byte."""
        return Edit(
            title=self.title,
            summary=with_line_ends(self.summary, stored.summary),
            body=with_line_ends(self.body, stored.body),
            tags=labels_of(self.tags, stored.tags),
            symbols=symbols_of(self.symbols),
            if_version=self.version,
        )

    def filing(self, current: str | None = None) -> Filing:
        """Where it asks the note to be filed; ``current`` is where it is."""
        if self.new_collection:
            return Filing(self.new_collection, creates=True)
        if self.collection == (current or NO_COLLECTION):
            return Filing()
        return Filing(self.collection or None, unfiles=not self.collection)


def labels_of(text: str, known: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The tags of a text: one a line, or several with commas between them; a known tag may hold commas itself."""
    lines = [line.strip() for line in text.split("\n")]
    parts = [[line] if line in known else re.split("[,，、]", line) for line in lines]
    return tuple(tag for each in parts for part in each if (tag := part.strip()))


def symbols_of(text: str) -> tuple[str, ...]:
    """The symbols of a text, with spaces, commas or line breaks between them."""
    return tuple(each for each in _GAPS.split(text) if each)


def with_line_ends(text: str, stored: str) -> str:
    """A text that came from a form, with the line ends of the stored text that it was made from.

    Browsers make every line end one LF. Lines at the beginning and the end that were not changed keep theirs; those
    between them get the one that the stored text has most.
    """
    if "\r" not in stored:
        return text
    old, new = _lines(stored), _lines(text)
    head = 0
    while head < min(len(old), len(new)) and _is_same(old[head], new[head]):
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and _is_same(old[-1 - tail], new[-1 - tail]):
        tail += 1
    ends = [end for _, end in old if end]
    usual = max(("\r\n", "\n", "\r"), key=ends.count)
    middle = [(line, usual if end else "") for line, end in new[head : len(new) - tail]]
    kept = "".join(line + end for line, end in (*old[:head], *middle, *old[len(old) - tail :]))
    if _LINE_END.sub("\n", kept) == _LINE_END.sub("\n", text):
        return kept
    # A line that ends with CR came to stand before an empty one that ends with LF: together they would be one end.
    return "".join(line + (usual if end else "") for line, end in new)


def _lines(text: str) -> list[tuple[str, str]]:
    """Each line with its end; the last one has none."""
    return [(match[1], match[2]) for match in _LINE.finditer(text)]


def _is_same(old: tuple[str, str], new: tuple[str, str]) -> bool:
    return old[0] == new[0] and bool(old[1]) == bool(new[1])
