"""Results as lines for people: aligned, highlighted where a terminal is, and nothing in a note's text unseen.

Text of a note may come from anywhere, so control characters, direction marks and other invisible characters are written
out (``<U+202E>``): none can move the cursor, turn the text round or hide a word.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import click

Json = dict[str, Any]
CardLines = Callable[[Json], Iterator[str]]

_JOINERS = "\u200c\u200d"
"""Invisible, but needed to write Persian, Hindi and emoji."""


def clean(text: str, kept: str = "\n\t") -> str:
    """A text with what cannot be seen written out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_seen(character, kept) for character in text)


def _seen(character: str, kept: str) -> str:
    if character in kept or character in _JOINERS:
        return character
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return " " if character in "\n\t" else f"<U+{ord(character):04X}>"
    return character


def line(text: str) -> str:
    """A text on one line."""
    return clean(text, "")


def day(time: str) -> str:
    """The date of a time, and its hour and minute in UTC."""
    return f"{time[:10]} {time[11:16]}Z"


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    plain = click.unstyle(text)
    return sum(_columns(character) for character in plain)


def _columns(character: str) -> int:
    if unicodedata.combining(character) or character in _JOINERS:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows in columns under their headings; the last column is not padded."""
    shown = [[click.style(name, bold=True) for name in head], *rows]
    widths = [max(width(row[column]) for row in shown) for column in range(len(head))]
    for row in shown:
        cells = [cell + " " * (widths[column] - width(cell)) for column, cell in enumerate(row[:-1])]
        yield "  ".join([*cells, row[-1]]).rstrip()


def labels(note: Json) -> str:
    """Where a note is filed and what it is labelled with."""
    parts = [
        line(note["collection"]) if note.get("collection") else "",
        " ".join(f"#{line(tag)}" for tag in note["tags"]),
        " ".join(note["symbols"]),
        click.style("archived", fg="yellow") if note["status"] == "archived" else "",
    ]
    return " · ".join(part for part in parts if part)


def search_lines(found: Json, card_lines: CardLines | None = None) -> Iterator[str]:
    """The result of a search or a listing; ``card_lines`` shows one card, by default one of a memory note."""
    card_lines = card_lines or _card_lines
    if found["mode"] != "both":
        yield from _list_lines(found, card_lines)
        return
    for title, name in (("By words", "keyword"), ("By meaning", "semantic")):
        yield click.style(title, bold=True, underline=True)
        yield from _list_lines(found.get(name) or {}, card_lines, f"--mode {name} ")
        yield ""


def _list_lines(found: Json, card_lines: CardLines, mode: str = "") -> Iterator[str]:
    if reason := found.get("unavailable"):
        yield reason
        return
    cards = found.get("cards") or []
    is_ranked = any("score" in card for card in cards)
    for card in cards:
        yield from card_lines(card)
    yield _count_line(cards, found.get("total"), is_ranked=is_ranked)
    yield from _meaning_lines(found)
    if cut := found.get("cut"):
        yield cut
    if hint := (found.get("help") or {}).get("hint"):
        yield clean(hint)
    if cursor := found.get("cursor"):
        yield f"More: the same command with {mode}--cursor {cursor}"


def _meaning_lines(found: Json) -> Iterator[str]:
    """How far a list by meaning is to be trusted: how much of its scope it knows, and whether anything stands out."""
    coverage = found.get("coverage")
    if coverage and coverage["embedded"] < coverage["notes"]:
        yield (
            f"{coverage['embedded']:,} of {coverage['notes']:,} notes are embedded so far; only they are found by"
            " meaning. 'notewell worker' embeds the rest; --mode keyword searches all."
        )
    if weak := found.get("weak"):
        yield click.style(clean(weak), fg="yellow")


def nearness(score: float, z_score: float) -> str:
    """The figures of a card found by meaning."""
    return f"stands out by {z_score:.1f} standard deviations (cosine {score:.2f})"


def _count_line(cards: list[Json], total: int | None, *, is_ranked: bool) -> str:
    """How many cards are shown, of how many."""
    if not cards:
        return "No notes found." if total is None or total == 0 else f"No more of the {total:,} notes."
    if not is_ranked:
        return f"{len(cards)} of {total:,} notes." if total is not None else f"{len(cards)} notes."
    partly = sum("missing" in card for card in cards)
    exact = "" if total is None else f"{total:,} with every word; " if total else "No note has every word; "
    return f"{exact}{len(cards)} shown" + (f", {partly} of them with only some of the words." if partly else ".")


def _card_lines(card: Json) -> Iterator[str]:
    yield click.style(line(card["title"]), bold=True)
    details = [click.style(card["id"], fg="cyan"), labels(card), f"changed {day(card['updatedAt'])}"]
    yield "  " + " · ".join(part for part in details if part)
    if card["summary"]:
        yield f"  {line(card['summary'])}"
    if card["snippet"]:
        yield f"  {click.style('>', dim=True)} {marked(card['snippet'], card['highlights'])}"
    if (z_score := card.get("zScore")) is not None:
        yield f"  {nearness(card['score'], z_score)}"
    if missing := card.get("missing"):
        yield click.style(f"  without: {', '.join(map(line, missing))}", fg="yellow")
    if partial := card.get("partial"):
        yield f"  only inside longer words: {', '.join(map(line, partial))}"
    yield ""


def marked(text: str, spans: Iterable[Sequence[int]]) -> str:
    """A text on one line with its matches bright."""
    parts = []
    end = 0
    for start, stop in spans:
        parts += [line(text[end:start]), click.style(line(text[start:stop]), fg="green", bold=True)]
        end = stop
    return "".join([*parts, line(text[end:])]).strip()


def note_lines(note: Json) -> Iterator[str]:
    """A note in full, or the part of it that came."""
    yield click.style(line(note["title"]), bold=True)
    yield " · ".join(part for part in (click.style(note["id"], fg="cyan"), labels(note)) if part)
    by = f" by {line(note['agent'])}" if note.get("agent") else ""
    yield f"version {note['version']} · made {day(note['createdAt'])} · changed {day(note['updatedAt'])}{by}"
    if note.get("source"):
        yield f"from {line(note['source'])}"
    if note["summary"]:
        yield f"\n{line(note['summary'])}"
    yield f"\n{clean(note['body'])}"
    if part := note.get("part"):
        more = f"; read on with --from {part['next']}" if "next" in part else ""
        yield f"\n[characters {part['from']:,} to {part['to']:,} of {part['of']:,}{more}]"


def saved_lines(verb: str, note: Json) -> Iterator[str]:
    """What a write made or changed."""
    changed = f" ({', '.join(note['changed']) or 'nothing was different'})" if "changed" in note else ""
    yield f"{verb} {click.style(note['id'], fg='cyan')} {line(note['title'])}, version {note['version']}{changed}"
    if note.get("advice"):
        yield "It has no summary, which searches show: add one with 'notewell note edit ID --summary TEXT'."


def overview_lines(found: Json) -> Iterator[str]:
    """The collections, tags and symbols of a memory."""
    more = found.get("more") or {}
    rows = [
        [
            line(each["name"]),
            str(each["active"]),
            str(each["archived"]),
            day(each["changedAt"]) if each.get("changedAt") else "",
        ]
        for each in found["collections"]
    ]
    unfiled = found["unfiled"]
    rows.append(["(in no collection)", str(unfiled["active"]), str(unfiled["archived"]), ""])
    yield from table(["COLLECTION", "ACTIVE", "ARCHIVED", "CHANGED"], rows)
    if "collections" in more:
        yield f"and {more['collections']:,} more collections"
    for name, sign in (("tags", "#"), ("symbols", "")):
        if found[name]:
            listed = "  ".join(f"{sign}{line(each['name'])} {each['notes']}" for each in found[name])
            rest = f"  and {more[name]:,} more" if name in more else ""
            yield f"\n{click.style(name.capitalize(), bold=True)}  {listed}{rest}"
