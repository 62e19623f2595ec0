"""Makes every character of a text something that a person sees: what is invisible or turns the reading direction.

An agent reads all characters of a note; without this a person would not. It must not know Markdown or pages.
"""

from __future__ import annotations

import unicodedata

import regex
from markupsafe import Markup, escape

MAX_MARKS = 2_000
"""In one text as elements of their own; past that as shorter plain text, so that a page stays of a bounded size."""
MAX_RUN = 16
"""How many marks in a row are shown one by one."""

# Control, format, surrogate and private characters, line and paragraph separators, those that may be left out when
# drawn (variation selectors, fillers of Hangul, Khmer and Mongolian, tags), and the blank that Unicode calls a symbol.
_HIDDEN = r"[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800]"
# Signs that stand before a number and are drawn, though Unicode counts them among the format characters.
_DRAWN = r"[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\U000110BD\U000110CD\t\n]"
_RUN = regex.compile(rf"(?:(?!{_DRAWN}|\r\n){_HIDDEN})+", regex.V1)
_JOINED_SCRIPT = regex.compile(
    r"[\p{Arabic}\p{Syriac}\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Oriya}\p{Tamil}\p{Telugu}\p{Kannada}"
    r"\p{Malayalam}\p{Sinhala}\p{Khmer}\p{Myanmar}\p{Mongolian}\p{Tibetan}]",
    regex.V1,
)
_EMOJI = regex.compile(r"[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Emoji}--[0-9]]", regex.V1)
_TAGS = range(0xE0000, 0xE0080)


def visible(text: object) -> Markup:
    """The text escaped for a page's content, with each hidden character as a small labelled mark."""
    return Markup(visible_html(str(text)))


def has_hidden(text: str) -> bool:
    """Whether a text holds a character that nobody would see."""
    return _RUN.search(text) is not None


def visible_html(text: str) -> str:
    """The same as plain HTML."""
    pieces: list[str] = []
    end = count = 0
    for match in _RUN.finditer(text):
        shown = _shown(text, match.start(), match.end())
        pieces.append(str(escape(text[end : match.start()])))
        for label, title in shown:
            count += 1
            if not label:
                pieces.append(title)
            elif count > MAX_MARKS:
                pieces.append(f"⟨{escape(label)}⟩")
            else:
                pieces.append(f'<span class="mark" title="{escape(title)}">{escape(label)}</span>')
        end = match.end()
    pieces.append(str(escape(text[end:])))
    return "".join(pieces)


def visible_text(text: object) -> str:
    """The same as plain text, for attributes and the title of a page: marks stand in ⟨⟩. It is not escaped."""
    given = str(text)
    return _RUN.sub(
        lambda match: "".join(
            f"⟨{label}⟩" if label else title for label, title in _shown(given, match.start(), match.end())
        ),
        given,
    )


def _shown(text: str, start: int, end: int) -> list[tuple[str, str]]:
    """The marks of a run of hidden characters, as label and title; no label: characters that are right as they are."""
    run = text[start:end]
    if len(run) == 1 and _is_in_place(run, text[max(0, start - 1) : start], text[end : end + 1]):
        return [("", run)]
    if run == "\ufe0f\u200d" and _EMOJI.match(text[end : end + 1]) and _EMOJI.match(text[max(0, start - 1) : start]):
        return [("", run)]
    if len(run) > 1 and all(ord(each) in _TAGS for each in run):
        hidden = "".join(chr(ord(each) - 0xE0000) if 0xE0020 <= ord(each) < 0xE007F else "·" for each in run)
        return [(f"tags: {hidden}", f"{len(run)} invisible tag characters")]
    marks = [(f"U+{ord(each):04X}", _name(each)) for each in run[:MAX_RUN]]
    if len(run) > MAX_RUN:
        rest = " ".join(f"U+{ord(each):04X}" for each in run[MAX_RUN : MAX_RUN * 4])
        marks.append((f"+{len(run) - MAX_RUN:,}", f"more hidden characters: {rest}"))
    return marks


def _is_in_place(mark: str, before: str, after: str) -> bool:
    """Whether a single joiner or selector does what it is for: in an emoji, or inside a word of a joined script."""
    if mark == "\ufe0f":
        return bool(_EMOJI.match(before)) or (before in "0123456789#*" and after == "\u20e3")
    if mark == "\u200d" and _EMOJI.match(before) and _EMOJI.match(after):
        return True
    if mark in "\u200c\u200d":
        return bool(_JOINED_SCRIPT.match(before) and _JOINED_SCRIPT.match(after))
    return False


def _name(character: str) -> str:
    default = "control character" if unicodedata.category(character) == "Cc" else "hidden character"
    return unicodedata.name(character, default).lower()
