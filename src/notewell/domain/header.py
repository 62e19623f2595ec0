"""The optional header that a note may open with: text in, fields and the body out. Parsing never raises.

It knows lines, quotes and lists, and nothing of notes, stores or pages. There is no YAML in it: that would retype
values (``NO``, ``1.10``, ``0700``), and here a value stays what was typed. What no field keeps is in ``extra``, so that
a person sees all that an agent sees. Rules: DESIGN 4 and the header section of ``spec/note-discovery.txt``; whoever
changes what comes out for any text raises ``HEADER_VERSION``, so that stores know which notes to read again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

import regex  # type: ignore[import-untyped, unused-ignore]  # the package ships no types

from notewell.domain.header_values import Entry, Value, read_value

HEADER_VERSION = 1

FIELDS = ("title", "kind", "tags", "builds_on", "model")
"""The keys that make a block a header; any other key is kept in ``extra``."""

MAX_TITLE_CHARACTERS = 200
MAX_KIND_CHARACTERS = 40
MAX_MODEL_CHARACTERS = 100
MAX_TAGS = 20
MAX_TAG_CHARACTERS = 60
"""Of the slug. As for a memory note's tags (DESIGN 6): a tag is an index key, and engines bound those."""
MAX_BUILDS_ON = 50

MAX_SHOWN_WORDS_CHARACTERS = 80
"""First words that stand in for a title: one line of a card."""


@dataclass(frozen=True, slots=True)
class Slug:
    """A text as filters compare it."""

    value: str
    """May be empty: then the text has no character that a slug keeps."""
    is_lossless: bool
    """Nothing but letter case and white space was changed."""


@dataclass(frozen=True, slots=True)
class ParsedHeader:
    """What a note's text says about itself, and the text below it."""

    title: str | None
    """As typed, at most 200 characters, never blank."""
    kind: str | None
    """A slug of at most 40 characters."""
    tags: tuple[str, ...]
    """At most 20 slugs in the order written, each once."""
    builds_on: tuple[str, ...]
    """At most 50 ids in the order written, each once."""
    model: str | None
    """As typed, at most 100 characters, never blank."""
    extra: tuple[str, ...]
    """Verbatim, in order: whole lines (unknown keys with their items, comments, values that ``title``, ``kind`` or
    ``model`` rejects), trailing comments from their ``#``, and list entries as written."""
    has_header: bool
    """False: the whole text is body and every other field is empty."""
    body: str
    """``body_md`` from the line after the closing fence, byte for byte; all of it when there is no header."""


def parse(body_md: str) -> ParsedHeader:
    """The header and the body of a note's text. Takes any string, never raises, linear in its length."""
    block = _block(body_md)
    if block is None:
        return ParsedHeader(None, None, (), (), None, (), False, body_md)
    lines, body_start = block
    reading = _Reading()
    for line in lines:
        reading.take(line)
    return ParsedHeader(
        title=reading.texts.get("title"),
        kind=reading.texts.get("kind"),
        tags=tuple(reading.tags),
        builds_on=tuple(reading.builds_on),
        model=reading.texts.get("model"),
        extra=tuple(reading.extra),
        has_header=True,
        body=body_md[body_start:],
    )


def text_below(body_md: str) -> str:
    """``parse(body_md).body``, without reading the header's fields."""
    block = _block(body_md)
    return body_md if block is None else body_md[block[1] :]


# A slug: lower case, a run of white space is one "-", ASCII letters, digits and _ . + - stay, and so do letters, marks
# and digits of the scripts that have no case. The signs listed one by one belong to Kana and Han but to no script in
# Unicode's table; fillers and other invisible letters are dropped.
_PLAIN_SLUG = re.compile(r"[a-z0-9_.+-]+")
_NOT_IN_SLUG = regex.compile(
    r"(?V1)[^a-z0-9_.+\-"
    r"\u3006\u3031-\u3035\u303C\u30FC\uFF70\u3099\u309A\uFF9E\uFF9F"
    r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
    r"&&[\p{L}\p{M}\p{Nd}\p{Nl}]--\p{Default_Ignorable_Code_Point}]]+"
)
_COMPOSED_CHARACTERS = 400


def slug(text: str) -> Slug:
    """The text's slug; a slug's slug is itself. Filter values go through here too, before they are compared."""
    if _PLAIN_SLUG.fullmatch(text):
        return Slug(text, True)
    spaced = "-".join(_composed(text).split()).lower()
    kept: str = _NOT_IN_SLUG.sub("", spaced)
    return Slug(_composed(kept), kept == spaced)


def _composed(text: str) -> str:
    """NFC, so that a tag typed on a system that decomposes is the same tag."""
    # normalize() sorts combining marks by insertion: 40,000 in a row take a second. No text this long fits a field.
    return unicodedata.normalize("NFC", text) if len(text) <= _COMPOSED_CHARACTERS else text


# Lines

_BYTE_ORDER_MARK = "\ufeff"
_FENCE = "---"
_BLANKS = " \t\r"
_KEY = regex.compile(r"([\p{L}\p{M}\p{Nd}_-]++):(?=\s|\Z)")


@dataclass(frozen=True, slots=True)
class _Line:
    source: str
    """Without its line end."""
    key: str
    """A known field, in lower case; empty for unknown keys, for their items and for comments."""
    text: str
    """What stands after the colon or the dash."""


def _block(body_md: str) -> tuple[list[_Line], int] | None:
    """The lines between the fences, blank ones left out, and where the body starts; None when it is no header."""
    sources = _source_lines(body_md, len(_BYTE_ORDER_MARK) if body_md.startswith(_BYTE_ORDER_MARK) else 0)
    if next(sources)[0].rstrip(_BLANKS) != _FENCE:
        return None
    lines: list[_Line] = []
    key: str | None = None
    for source, end in sources:
        if source.rstrip(_BLANKS) == _FENCE:
            return (lines, end) if any(line.key for line in lines) else None
        content = source.strip()
        if not content:
            continue
        if content.startswith("#"):
            lines.append(_Line(source, "", ""))
        elif match := _KEY.match(source):
            key = _field_named(match[1])
            lines.append(_Line(source, key, source[match.end() :]))
        elif key is not None and content.startswith("-") and (content == "-" or content[1].isspace()):
            lines.append(_Line(source, key, content[1:]))
        else:
            return None
    return None


def _source_lines(text: str, start: int) -> Iterator[tuple[str, int]]:
    """Each line without its end, and where the next one starts. Only LF and CRLF end a line, unlike splitlines()."""
    while True:
        end = text.find("\n", start)
        if end < 0:
            yield text[start:].removesuffix("\r"), len(text)
            return
        yield text[start:end].removesuffix("\r"), end + 1
        start = end + 1


def _field_named(key: str) -> str:
    # ASCII only: the Kelvin sign lower-cases to "k", and a key's name is not kept when it is known.
    return key.lower() if key.isascii() and key.lower() in FIELDS else ""


# Fields

_ID = re.compile(r"(?:nte|att|prb|cmp)_[a-z0-9]{10,26}")
_TEXT_LIMITS = {"title": MAX_TITLE_CHARACTERS, "model": MAX_MODEL_CHARACTERS}


@dataclass(slots=True)
class _Reading:
    """What the lines taken so far amount to. The dictionaries of nothing are sets that keep their order."""

    texts: dict[str, str] = field(default_factory=dict)
    tags: dict[str, None] = field(default_factory=dict)
    builds_on: dict[str, None] = field(default_factory=dict)
    extra: list[str] = field(default_factory=list)
    echoed: set[tuple[str, str]] = field(default_factory=set)

    def take(self, line: _Line) -> None:
        if not line.key:
            self.extra.append(line.source)
            return
        value = read_value(line.text)
        if not self._is_kept(line.key, value):
            self.extra.append(line.source)
        elif value.comment:
            self.extra.append(value.comment)

    def _is_kept(self, key: str, value: Value) -> bool:
        """False when the whole line belongs in ``extra``: list fields put their entries there one by one."""
        if not value.entries:
            return True
        if key in ("tags", "builds_on"):
            take = self._take_tag if key == "tags" else self._take_id
            for entry in value.entries:
                take(entry)
            return True
        return self._take_kind(value) if key == "kind" else self._take_text(key, value)

    def _take_text(self, key: str, value: Value) -> bool:
        # A title may well be "[WIP] [draft]": brackets make a list only where a list is expected.
        if key in self.texts or len(value.text) > _TEXT_LIMITS[key]:
            return False
        self.texts[key] = value.text
        return True

    def _take_kind(self, value: Value) -> bool:
        first = value.entries[0]
        kind = slug(first.text)
        if "kind" in self.texts or not 0 < len(kind.value) <= MAX_KIND_CHARACTERS:
            return False
        self.texts["kind"] = kind.value
        if len(value.entries) > 1:
            return False
        if not kind.is_lossless:
            self.extra.append(first.source)
        return True

    def _take_tag(self, entry: Entry) -> None:
        tag = slug(entry.text)
        is_tag = tag.value in self.tags
        if not is_tag and 0 < len(tag.value) <= MAX_TAG_CHARACTERS and len(self.tags) < MAX_TAGS:
            self.tags[tag.value] = None
            is_tag = True
        if not (is_tag and tag.is_lossless):
            self._echo("tags", entry)

    def _take_id(self, entry: Entry) -> None:
        if entry.text in self.builds_on:
            return
        if _ID.fullmatch(entry.text) and len(self.builds_on) < MAX_BUILDS_ON:
            self.builds_on[entry.text] = None
        else:
            self._echo("builds_on", entry)

    def _echo(self, key: str, entry: Entry) -> None:
        """Puts the entry in ``extra``, once."""
        if (key, entry.text) not in self.echoed:
            self.echoed.add((key, entry.text))
            self.extra.append(entry.source)


# Titles for notes without one

_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_CLOSING_MARKS = re.compile(r"(?:^|(?<=[ \t]))#+$")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*$")
_CODE_FENCE = re.compile(r" {0,3}(`{3,}+(?!.*`)|~{3,})")
_ONLY_MARKS = re.compile(r"[\s#>*+=`~_-]*")
_LEADING_MARKS = re.compile(r"[\s>]*(?:(?:[*+-]|#{1,6}|[0-9]{1,9}[.)])[ \t]+)?")


def shown_title(parsed: ParsedHeader) -> str:
    """The header's title, else the body's first heading, else its first words; at most 200 characters.

    What comes from the body has its white space collapsed and ends in ``…`` where it was cut. Empty only for a body
    without words.
    """
    if parsed.title is not None:
        return parsed.title
    body = parsed.body.removeprefix(_BYTE_ORDER_MARK)
    heading = _cut(_first_heading(body), MAX_TITLE_CHARACTERS)
    return heading or _cut(_first_words(body), MAX_SHOWN_WORDS_CHARACTERS)


def _first_heading(body: str) -> str:
    """The text of the first ``#`` heading, or line underlined with ``=``, outside fenced code; empty for none.

    A line over ``---`` is left out: Markdown calls it a heading, its writer as often means a rule.
    """
    fence = previous = ""
    for source, _ in _source_lines(body, 0):
        content = source.strip()
        if fence:
            if content.startswith(fence) and not content.strip(fence[0]):
                fence = ""
        elif match := _CODE_FENCE.match(source):
            fence, previous = match[1], ""
        elif _HEADING.match(source):
            text = _CLOSING_MARKS.sub("", content.lstrip("#")).strip()
            if not _ONLY_MARKS.fullmatch(text):
                return text
            previous = ""
        elif previous and _UNDERLINE.match(source):
            return previous
        else:
            previous = content
    return ""


def _first_words(body: str) -> str:
    """The first line that has more than marks on it, without the marks that open a list item or a quotation."""
    for source, _ in _source_lines(body, 0):
        if not (_ONLY_MARKS.fullmatch(source) or _CODE_FENCE.match(source)):
            return _LEADING_MARKS.sub("", source, count=1)
    return ""


def _cut(text: str, limit: int) -> str:
    """One line within the limit, cut between words where the text has any near the end."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    whole_words = head if text[limit - 1] == " " else head.rpartition(" ")[0]
    return (whole_words if len(whole_words) > limit // 2 else head) + "…"
