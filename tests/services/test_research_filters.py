"""Every filter, alone and with every other one, over 200 made-up notes: listing and search against a brute-force list.

The oracle knows what was written and nothing of SQL. Without words a listing comes newest first; with words every
filter acts inside the search, so totals and pages are exact.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from conftest import ENGINES, START_MILLISECONDS, SettableClock, open_store
from research_record import (
    People,
    attempt_at_all,
    campaign,
    found,
    ids,
    people,
    problem,
    write,
)

from notewell.domain.research import Attempt
from notewell.domain.times import format_time
from notewell.errors import InvalidArgument
from notewell.services import research, research_notes, research_search
from notewell.services.research_search import ResearchSearch
from notewell.store.database import Database

NOTES = 200
HOUR = 3_600_000
WORD = "zebra"
KINDS = ("finding", "dead_end", "digest", None)
TAGS = ("sat", "cdcl", "c++", "降息")
MODELS = ("Opus", "opus-5", None)
OUTCOMES = ("succeeded", "failed", None)
LINK = "nte_0h3k9x2c7m"


@dataclass(frozen=True)
class Fact:
    """What was written."""

    id: str
    problem: str
    campaign: str | None
    attempt_id: str
    revision: int
    author: str
    outcome: str | None
    note_kind: str
    kind: str | None
    tags: frozenset[str]
    builds_on: frozenset[str]
    model: str | None
    created_at: int
    has_word: bool
    is_public: bool = True


Holds = Callable[[Fact], bool]


@dataclass(frozen=True)
class Record:
    """A filled store and the facts of its notes, oldest first."""

    store: Database
    who: People
    facts: list[Fact]


class Writer:
    """Fills a store with notes that differ in everything that can be filtered by."""

    def __init__(self, store: Database, clock: SettableClock) -> None:
        self._store = store
        self._clock = clock
        self._random = random.Random(5)
        self.who = people(store)
        self.facts: list[Fact] = []

    def fill(self) -> None:
        """Writes the notes of eight attempts at four problems, two of them in two revisions."""
        campaign(self._store, self.who.owner, "solvers")
        slugs = {"sat": "solvers", "smt": "solvers", "knots": None, "hidden": None}
        made = {
            slug: problem(self._store, self.who.owner, slug, campaign=group, publishes=slug != "hidden")
            for slug, group in slugs.items()
        }
        tries = []
        for number in range(2 * len(made)):
            slug = list(made)[number % len(made)]
            if number >= len(made) and slug in ("sat", "knots"):
                research.revise_problem(self._store, self.who.owner, slug, "Again.")
            author = (self.who.author, self.who.other, self.who.owner)[number % 3]
            tries.append((slug, author, attempt_at_all(self._store, author, made[slug])))
        left = NOTES - sum(OUTCOMES[number % 3] is not None for number in range(len(tries)))
        for _ in range(left):
            slug, author, running = self._random.choice(tries)
            self._write(slug, slugs[slug], author, running)
        for number, (slug, author, running) in enumerate(tries):
            if (outcome := OUTCOMES[number % 3]) is not None:
                self._end(slug, slugs[slug], author, running, outcome)

    def _write(self, slug: str, group: str | None, author: Any, running: Attempt) -> None:
        self._clock.advance(self._random.choice((0, 1, HOUR)))
        body, values = self._body()
        note_id = write(self._store, author, running, body)
        self._add(slug, group, author, running, id=note_id, note_kind="note", **values)

    def _body(self) -> tuple[str, dict[str, Any]]:
        pick = self._random
        kind, model = pick.choice(KINDS), pick.choice(MODELS)
        tags = pick.sample(TAGS, pick.randrange(3))
        links = [LINK] if pick.random() < 0.3 else []
        has_word = pick.random() < 0.6
        lines = [f"tags: [{', '.join(tags)}]", f"builds_on: [{', '.join(links)}]"]
        lines += [f"kind: {kind}"] if kind else []
        lines += [f"model: {model}"] if model else []
        text = "\n".join(["---", *lines, "---", *(["other words"] * pick.randrange(1, 9)), WORD * has_word, ""])
        values = {"kind": kind, "model": model, "tags": frozenset(tags), "builds_on": frozenset(links)}
        return text, {**values, "has_word": has_word}

    def _end(self, slug: str, group: str | None, author: Any, running: Attempt, outcome: str) -> None:
        body, values = self._body()
        note = research_notes.end_attempt(self._store, author, running.id, outcome, body).note
        self.facts = [replace(fact, outcome=outcome) if fact.attempt_id == running.id else fact for fact in self.facts]
        self._add(slug, group, author, running, id=note.id, note_kind="summary", **values)
        self.facts[-1] = replace(self.facts[-1], outcome=outcome)

    def _add(self, slug: str, group: str | None, author: Any, running: Attempt, **values: Any) -> None:
        self.facts.append(
            Fact(
                problem=slug,
                campaign=group,
                attempt_id=running.id,
                revision=running.revision,
                author=author.handle,
                outcome=None,
                created_at=self._clock.now,
                is_public=slug != "hidden",
                **values,
            )
        )


@pytest.fixture(scope="module", params=sorted(ENGINES))
def record(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Record]:
    """A filled store, for all tests of this file: none changes it."""
    folder: Path = tmp_path_factory.mktemp("record")
    clock = SettableClock(START_MILLISECONDS)
    store = open_store(request.param, folder, clock)
    writer = Writer(store, clock)
    writer.fill()
    yield Record(store, writer.who, writer.facts)
    store.close()


# Each filter, with what holds for the notes that it lets through

PLAIN: dict[str, list[tuple[Any, Holds]]] = {
    "kind": [
        ("dead_end", lambda fact: fact.kind == "dead_end"),
        ("DIGEST", lambda fact: fact.kind == "digest"),
        ("plan", lambda fact: False),
    ],
    "note_kind": [
        ("note", lambda fact: fact.note_kind == "note"),
        ("summary", lambda fact: fact.note_kind == "summary"),
    ],
    "tags": [
        (("sat",), lambda fact: "sat" in fact.tags),
        (("#SAT", "c++"), lambda fact: {"sat", "c++"} <= fact.tags),
        (("降息",), lambda fact: "降息" in fact.tags),
        (("sa",), lambda fact: False),
    ],
    "builds_on": [(LINK, lambda fact: LINK in fact.builds_on), ("att_0000000000", lambda fact: False)],
    "model": [("opus", lambda fact: fact.model == "Opus"), ("OPUS-5", lambda fact: fact.model == "opus-5")],
    "author": [("cy", lambda fact: fact.author == "cy"), ("Nobody", lambda fact: False)],
    "outcome": [
        ("succeeded", lambda fact: fact.outcome == "succeeded"),
        ("failed", lambda fact: fact.outcome == "failed"),
        ("abandoned", lambda fact: False),
    ],
    "revision": [(1, lambda fact: fact.revision == 1), (2, lambda fact: fact.revision == 2)],
}
SCOPES: dict[str, list[tuple[Any, Holds]]] = {
    "problem": [
        ("sat", lambda fact: fact.problem == "sat"),
        ("hidden", lambda fact: fact.problem == "hidden"),
    ],
    "campaign": [("solvers", lambda fact: fact.campaign == "solvers")],
}
NAMES = [*PLAIN, *SCOPES, "since", "until", "attempt_id"]
PAIRS = [*((name,) for name in NAMES), *combinations(NAMES, 2)]


def values_of(record: Record, name: str) -> list[tuple[Any, Holds]]:
    """The values to try for a filter; times and attempts are those of the record."""
    if name == "attempt_id":
        chosen = sorted({record.facts[place].attempt_id for place in (0, 1)})
        return [(each, partial(_is_of, each)) for each in chosen]
    if name in ("since", "until"):
        places = (NOTES // 4, NOTES // 3) if name == "since" else (NOTES // 2, NOTES * 2 // 3)
        moments = [record.facts[place].created_at for place in places]
        is_beyond = _is_since if name == "since" else _is_until
        return [(format_time(each), partial(is_beyond, each)) for each in moments]
    return {**PLAIN, **SCOPES}[name]


def _is_of(attempt_id: str, fact: Fact) -> bool:
    return fact.attempt_id == attempt_id


def _is_since(moment: int, fact: Fact) -> bool:
    return fact.created_at >= moment


def _is_until(moment: int, fact: Fact) -> bool:
    return fact.created_at <= moment


def cases(record: Record, names: tuple[str, ...]) -> Iterator[tuple[dict[str, Any], list[Fact]]]:
    """Every choice of values for some filters, with the notes that all of them let through, newest first."""
    choices: list[tuple[dict[str, Any], list[Holds]]] = [({}, [])]
    for name in names:
        choices = [
            ({**given, name: value}, [*holds, hold])
            for given, holds in choices
            for value, hold in values_of(record, name)
        ]
    is_one_space = bool({"problem", "attempt_id"} & set(names))
    for given, holds in choices:
        facts = [fact for fact in record.facts if is_one_space or fact.is_public]
        yield given, [fact for fact in reversed(facts) if all(hold(fact) for hold in holds)]


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_filters_let_through_exactly_what_a_brute_force_list_says(names: tuple[str, ...], record: Record) -> None:
    if len({"problem", "campaign", "attempt_id"} & set(names)) > 1:
        return  # where to search is named once; test_research_search tells what happens otherwise
    for given, expected in cases(record, names):
        listed = walked(record, ResearchSearch(**given, limit=50))
        held = {fact.id for fact in expected if fact.has_word}
        searched = walked(record, ResearchSearch(WORD, **given, limit=50))
        newest = walked(record, ResearchSearch(WORD, **given, limit=50, sort="newest"))

        assert listed == [fact.id for fact in expected], given
        assert (set(searched), len(searched)) == (held, len(held)), given
        assert newest == [fact.id for fact in expected if fact.has_word], given


def walked(record: Record, wanted: ResearchSearch) -> list[str]:
    """The ids of all pages, as the owner of the problems sees them; each page says the same total."""
    shown: list[str] = []
    totals = set()
    while True:
        page = research_search.find(record.store, record.who.owner, wanted)
        shown += ids(page)
        totals.add(page.total)
        if page.cursor is None:
            break
        wanted = replace(wanted, cursor=page.cursor)
    assert totals == {len(shown)}
    return shown


def test_the_made_up_notes_differ_enough_to_tell_filters_apart(record: Record) -> None:
    sizes = {name: [sum(hold(fact) for fact in record.facts) for _, hold in values_of(record, name)] for name in NAMES}

    assert len(record.facts) == NOTES
    # Each filter has a value that some notes pass and some do not.
    assert [name for name, counts in sizes.items() if not any(5 <= count <= NOTES - 5 for count in counts)] == []


def test_a_date_counts_as_its_whole_day(record: Record) -> None:
    day = format_time(record.facts[NOTES // 2].created_at)[:10]
    expected = {fact.id for fact in record.facts if format_time(fact.created_at)[:10] == day and fact.is_public}

    assert set(walked(record, ResearchSearch(since=day, until=day, limit=50))) == expected != set()


@pytest.mark.parametrize(
    "bad",
    [
        {"outcome": "won"},
        {"note_kind": "digest"},
        {"builds_on": "nte_short"},
        {"builds_on": "acc_0000000000"},
        {"since": "yesterday"},
        {"since": "2026-06-02", "until": "2026-06-01"},
        {"match": "some"},
        {"sort": "oldest"},
        {"sort": "relevance"},
        {"limit": 0},
        {"limit": 51},
        {"attempt_id": "42"},
        {"working_attempt_id": "42"},
    ],
)
def test_a_filter_that_cannot_be_is_refused_by_its_name(bad: dict[str, Any], record: Record) -> None:
    with pytest.raises(InvalidArgument) as refused:
        found(record.store, record.who.other, **bad)

    assert refused.value.details["argument"] in bad


def test_a_filter_by_a_problem_finds_it_by_either_name(record: Record) -> None:
    with record.store.read() as reader:
        problem_id = reader.rows("problem", reference="sat")[0]["id"]

    assert walked(record, ResearchSearch(problem=problem_id)) == walked(record, ResearchSearch(problem="sat"))


def test_the_running_attempt_of_a_hidden_problem_lists_its_notes_for_its_author_alone(record: Record) -> None:
    hidden = [fact for fact in record.facts if fact.problem == "hidden" and fact.author == "ana"]
    store, who = record.store, record.who

    assert hidden
    assert set(ids(found(store, who.author, attempt_id=hidden[0].attempt_id))) == {
        fact.id for fact in hidden if fact.attempt_id == hidden[0].attempt_id
    }
