"""What is asked of both engines: questions of test collections, and queries drawn from their texts in every form.

Each kind has its share of the queries; drawn ones take match, page size and number of pages at random from a seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from benchmarks.parity.corpora import CHINESE, COLLECTIONS, Corpora, Drawing
from benchmarks.parity.filling import FOLDERS, KINDS, MIXED, MODELS, OTHER, OWNER, SYMBOLS, TAGS, Contents
from benchmarks.parity.twins import START_MILLISECONDS
from notewell.domain.research import OUTCOMES
from notewell.domain.times import DAY_MILLISECONDS, format_time
from notewell.services.memory_search import NoteSearch
from notewell.services.research_search import ResearchSearch

QUERIES = 2_000
MAX_PAGES = 4
DAYS = 70
"""What the filled store spans, about."""
SHARES = {
    "cmrc2018_dev questions": 190,
    "locomo questions": 190,
    "cranfield questions": 180,
    "words": 100,
    "phrases": 110,
    "prefixes": 90,
    "fragments": 60,
    "Chinese, 1 to 6 characters": 140,
    "AND, OR, NOT, parentheses": 160,
    "NEAR": 80,
    "fields": 80,
    "very common": 60,
    "odd characters": 80,
    "memory filters": 180,
    "memory listings": 60,
    "research filters": 140,
}
"""Queries of each kind; the cases come to that, and words in research scopes fill up to ``QUERIES``."""
VERY_COMMON = ("the", "and", "you", "of", "that", "it", "have", "for", "with", "your")

_MARKS = "'\"\\:*()&|!<>-+%_.,/@#$^~`{}[]=?;，。🚀é\u0301\u200b\u00a0\u0000ß"
_FORMS = (
    "{0} AND {1}",
    "{0} OR {1}",
    "{0} -{1}",
    "{0} NOT {1}",
    "-{0}",
    "{0} OR -{1}",
    "{0} OR {1} OR {2}",
    "({0} OR {1}) {2}",
    "({0} OR {1}) AND {2}",
    "{0} OR ({1} AND {2})",
    "({0} {1}) OR ({2} -{3})",
    '"{0}" OR {1}* OR {2}',
    "{0} AND NOT ({1} OR {2}*)",
    "({0}* OR {1}) -{2}*",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, by whom, and how many of its pages are looked at."""

    kind: str
    handle: str
    wanted: NoteSearch | ResearchSearch
    pages: int = 1


def asked(corpora: Corpora, contents: Contents) -> list[Asked]:
    """The queries, in the order of their kinds."""
    asker = _Asker(corpora, contents)
    found = [Asked("cases", f"case-{case.id}"[:40], NoteSearch(case.query)) for case in corpora.cases]
    for kind, count in SHARES.items():
        found += [replace(each, kind=kind) for each, _ in zip(asker.makers[kind](), range(count), strict=False)]
    while len(found) < QUERIES:
        found.append(replace(next(asker.research_words()), kind="words in research scopes"))
    return found[:QUERIES]


class _Asker:
    """Draws requests."""

    def __init__(self, corpora: Corpora, contents: Contents) -> None:
        self._random = random.Random(41)
        self._corpora = corpora
        self._contents = contents
        self._drawings = {name: Drawing(self._random, corpora.collections[name]) for name in COLLECTIONS}
        self.makers: dict[str, Callable[[], Iterator[Asked]]] = {
            **{f"{name} questions": partial(self._questions, name) for name in COLLECTIONS},
            "words": lambda: self._drawn(lambda drawing: " ".join(drawing.word() for _ in range(self._few(3)))),
            "phrases": lambda: self._drawn(lambda drawing: f'"{" ".join(drawing.words(self._few(4) + 1))}"'),
            "prefixes": lambda: self._drawn(self._prefix),
            "fragments": lambda: self._drawn(self._fragment, is_memory=True),
            "Chinese, 1 to 6 characters": self._chinese,
            "AND, OR, NOT, parentheses": lambda: self._drawn(self._operators),
            "NEAR": lambda: self._drawn(self._near),
            "fields": lambda: self._drawn(self._fields),
            "very common": lambda: self._drawn(self._very_common),
            "odd characters": lambda: self._drawn(self._odd),
            "memory filters": lambda: self._filtered(self._word_or_two),
            "memory listings": lambda: self._filtered(lambda: None),
            "research filters": self._research_filtered,
        }

    def _few(self, most: int) -> int:
        return self._random.randint(1, most)

    def _name(self) -> str:
        return self._random.choice(COLLECTIONS)

    def _shape(self, wanted: NoteSearch | ResearchSearch) -> tuple[NoteSearch | ResearchSearch, int]:
        """The request with a match and a page size, and how many pages of it."""
        match = self._random.choice(("best", "best", "all"))
        limit = self._random.choice((10, 10, 10, 3, 5, 20, 50))
        return replace(wanted, match=match, limit=limit), self._random.choice((1, 1, 2, MAX_PAGES))

    def _in_memory(self, name: str, query: str | None, **filters: object) -> Asked:
        handle = self._random.choice((name, name, MIXED))
        wanted, pages = self._shape(NoteSearch(query, **filters))  # type: ignore[arg-type]  # named as its fields
        return Asked("", handle, wanted, pages)

    def _in_research(self, query: str | None, **filters: object) -> Asked:
        """In all public work, a campaign, or a problem; some of what the owner alone sees."""
        places: list[tuple[str, dict[str, str]]] = [
            *[(self._random.choice((OWNER, OTHER)), {})] * 5,
            (OTHER, {"campaign": self._random.choice(("air", "talk"))}),
            *[(OWNER, {"problem": self._random.choice(self._contents.problems)})] * 3,
            (OWNER, {"problem": self._random.choice(("hidden", "withdrawn", "talk-4"))}),
            (OWNER, {"attempt_id": self._random.choice(self._contents.attempts)}),
        ]
        handle, place = self._random.choice(places)
        wanted, pages = self._shape(ResearchSearch(query, **place, **filters))  # type: ignore[arg-type]  # as above
        return Asked("", handle, wanted, pages)

    def _questions(self, name: str) -> Iterator[Asked]:
        queries = self._corpora.collections[name].queries
        for query in self._random.sample(queries, len(queries)):
            place = self._random.random()
            if place < 0.2:
                yield self._in_research(query.text)
            elif place < 0.4:
                yield self._in_memory(MIXED, query.text)
            else:
                yield Asked("", name, NoteSearch(query.text, collection=query.group), self._few(2))
        yield from self._questions(name)

    def _drawn(self, text: Callable[[Drawing], str], *, is_memory: bool = False) -> Iterator[Asked]:
        while True:
            name = self._name()
            query = text(self._drawings[name if name != CHINESE or self._random.random() < 0.3 else "cranfield"])
            yield self._in_memory(name, query) if is_memory or self._random.random() < 0.7 else self._in_research(query)

    def research_words(self) -> Iterator[Asked]:
        """One to three words in some scope of the research record."""
        while True:
            drawing = self._drawings[self._name()]
            yield self._in_research(" ".join(drawing.word() for _ in range(self._few(3))))

    def _word_or_two(self) -> str:
        drawing = self._drawings[self._name()]
        return " ".join(drawing.word() for _ in range(self._few(2)))

    def _prefix(self, drawing: Drawing) -> str:
        parts = [drawing.words(1)[0][: self._few(5)] + "*" for _ in range(self._few(2))]
        return " ".join([*parts, *drawing.words(1)] if self._random.random() < 0.3 else parts)

    def _fragment(self, drawing: Drawing) -> str:
        longest: str = max(drawing.words(8), key=len)
        word = "".join(letter for letter in longest if letter.isalpha())
        start = self._random.randint(0, 2)
        return word[start : start + self._random.randint(3, 6)].lower() or "ing"

    def _chinese(self) -> Iterator[Asked]:
        drawing = self._drawings[CHINESE]
        while True:
            text = drawing.characters(self._few(6))
            if self._random.random() < 0.2:
                text = f"{text} {drawing.characters(2)}"
            yield self._in_memory(CHINESE, text) if self._random.random() < 0.7 else self._in_research(text)

    def _operators(self, drawing: Drawing) -> str:
        return self._random.choice(_FORMS).format(*(drawing.word() for _ in range(4)))

    def _near(self, drawing: Drawing) -> str:
        words = drawing.words(12)
        first, second = words[0], words[min(self._few(8), len(words) - 1)]
        distance = self._random.choice(("", ", 1", ", 3", ", 5", ", 20"))
        near = (
            f"NEAR({first} {second}{distance})" if self._random.random() < 0.5 else f"NEAR({second} {first}{distance})"
        )
        form = self._random.choice(("{0}", "{0}", "{0} OR {1}", "{1} -{0}", 'NEAR("{2} {3}" {4}{5})'))
        return form.format(near, drawing.word(), *words[:2], words[-1], distance)

    def _fields(self, drawing: Drawing) -> str:
        field, other = self._random.sample(("title", "summary", "body"), 2)
        one, two = drawing.word(), drawing.word()
        forms = (
            f"{field}:{one}",
            f"{field}:{one} {other}:{two}",
            f'{field}:"{" ".join(drawing.words(2))}"',
            f"{field}:{one[:3]}*",
            f"{field}:{one} OR {other}:{two}",
            f"{one} -{field}:{two}",
        )
        return self._random.choice(forms)

    def _very_common(self, drawing: Drawing) -> str:
        one, two = self._random.sample(VERY_COMMON, 2)
        forms = (
            f'"{one}"',
            f'"{one}" OR "{two}"',
            f'"{one}" {drawing.word()}',
            f"{one[0]}*",
            f'"{one}" AND "{two}"',
            f'"{one}" OR {drawing.word()}',
            f"{one} {two}",
            " ".join(drawing.words(9)),
        )
        return self._random.choice(forms)

    def _odd(self, drawing: Drawing) -> str:
        text = " ".join([drawing.word(), *drawing.words(self._few(2))])
        for mark in self._random.choices(_MARKS, k=self._few(4)):
            place = self._random.randint(0, len(text))
            text = text[:place] + mark + text[place:]
        return text

    def _moment(self) -> str:
        moment = format_time(START_MILLISECONDS + self._random.randint(0, DAYS) * DAY_MILLISECONDS)
        return self._random.choice((moment, moment[:10]))

    def _some(self, choices: dict[str, Callable[[], object]]) -> dict[str, object]:
        """One to three of these arguments."""
        names = self._random.sample(sorted(choices), self._few(min(3, len(choices))))
        return {name: choices[name]() for name in names}

    def _filtered(self, text: Callable[[], str | None]) -> Iterator[Asked]:
        while True:
            filters = self._some(
                {
                    "tags": lambda: tuple(self._random.sample(TAGS[:8], self._few(2))),
                    "symbols": lambda: tuple(self._random.sample(SYMBOLS, self._few(2))),
                    "collection": lambda: self._random.choice((*FOLDERS, "conv-26")),
                    "status": lambda: self._random.choice(("active", "archived", "any")),
                    "created_from": self._moment,
                    "created_to": self._moment,
                    "updated_from": self._moment,
                    "updated_to": self._moment,
                    "sort": lambda: self._random.choice(("updated", "created", "title")),
                }
            )
            yield self._in_memory(self._name(), text(), **filters)

    def _research_filtered(self) -> Iterator[Asked]:
        while True:
            query = self._word_or_two() if self._random.random() < 0.7 else None
            filters = self._some(
                {
                    "kind": lambda: self._random.choice(KINDS),
                    "note_kind": lambda: self._random.choice(("note", "summary")),
                    "tags": lambda: tuple(self._random.sample(TAGS[:6], self._few(2))),
                    "builds_on": lambda: self._random.choice(self._contents.cited),
                    "model": lambda: self._random.choice(MODELS).upper(),
                    "author": lambda: self._random.choice((OWNER, "nobody")),
                    "outcome": lambda: self._random.choice(OUTCOMES),
                    "revision": lambda: 1,
                    "since": self._moment,
                    "until": self._moment,
                    "sort": lambda: "newest",
                }
            )
            yield self._in_research(query, **filters)
