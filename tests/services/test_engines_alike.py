"""Both engines answer alike: the same notes in the same order with the same scores, and the same counts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from budget import examples
from conftest import SettableClock, new_actor, open_store
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from research_record import attempt, people, problem, write

from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit
from notewell.services import memory, memory_search, research_search
from notewell.services.memory_search import NoteSearch
from notewell.services.research_search import ResearchSearch
from notewell.store.database import Database

pytestmark = [pytest.mark.postgres]

WORDS = ["rate", "rates", "cut", "fed", "retrying", "c++", "降息", "预期", "息", "v2.4", "don't", "the"]
ANA, BEN = new_actor("ana"), new_actor("ben")
LEAVES = [
    *WORDS,
    "rat*",
    "re*",
    "title:rate",
    "body:ra*",
    "summary:fe*",
    "title:c*",
    '"rate cut"',
    "降息预期",
    "absent",
    "etry",
]
NEARS = ["NEAR(rate cut, 3)", "NEAR(fed 降息, 5)", "NEAR(absent rate, 2)", 'NEAR("rate cut" fed, 4)']


def some(chance: random.Random, most: int) -> str:
    """A text of random words."""
    return " ".join(chance.choices([*WORDS, *(f"w{number}" for number in range(20))], k=chance.randint(0, most)))


def fill(store: Database) -> str:
    """Two memories and a record of two public problems and a draft, with notes of one row and of several."""
    chance = random.Random(7)
    for number in range(70):
        title, body, summary = f"n{number} {some(chance, 3)}", some(chance, 40), some(chance, 5)
        draft = Draft(title, body, summary, (chance.choice(["fed", "us"]),))
        made = memory.create(store, (ANA, BEN)[number % 3 == 0], draft).view.note
        if number % 5 == 0 and number % 3:
            memory.update(store, ANA, made.id, Edit(status="archived"))
    for length in (16_400, 40_000):
        text = some(chance, length) + " rate cut " * 700 + some(chance, length)
        memory.create(store, ANA, Draft(f"long {length}", text))
    who = people(store)
    for slug, publishes in (("sat", True), ("knots", True), ("draft", False)):
        on = attempt(store, who.owner, problem(store, who.owner, slug, publishes=publishes))
        for number in range(15):
            header = f"---\ntitle: {slug} {number} {some(chance, 2)}\ntags: [t{number % 3}]\n---\n"
            write(store, who.owner, on, header + some(chance, 30))
        write(store, who.owner, on, some(chance, 17_000) + " fed rate" * 300)
    return who.owner.handle


@dataclass(frozen=True)
class Pair:
    """The same notes on both engines."""

    stores: dict[str, Database]
    owner: Actor


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Filled once: nothing here writes."""
    folder: Path = tmp_path_factory.mktemp("pair")
    stores = {engine: open_store(engine, folder, SettableClock()) for engine in ("sqlite", "postgres")}
    for store in stores.values():
        fill(store)
    yield Pair(stores, people_of(stores["sqlite"]))
    for store in stores.values():
        store.close()


def people_of(store: Database) -> Actor:
    """The owner of the record."""
    with store.read() as reader:
        (row,) = reader.rows_of("SELECT owner_id FROM problems WHERE slug = 'draft'", {})
    return Actor(row["owner_id"], "owner", new_actor("x").scopes)


def reply(page: Any, key: Any) -> list[object]:
    """What a caller sees, with scores to the ninth digit."""
    cards = [
        (key(card), round(card.found.score or 0, 9), card.found.missing, card.found.partial, card.snippet)
        for card in page.cards
    ]
    return [page.total, bool(page.cursor), *cards]


@st.composite
def queries(draw: st.DrawFn) -> str:
    """Queries of every shape."""
    parts = draw(st.lists(st.sampled_from([*LEAVES, *NEARS]), min_size=1, max_size=4))
    shape = draw(st.sampled_from(["and", "or", "not", "nested"]))
    if shape == "or":
        return " OR ".join(parts)
    if shape == "not":
        return f"{parts[0]} " + " ".join(f"-{part}" for part in parts[1:])
    if shape == "nested" and len(parts) > 2:
        return f"({parts[0]} OR {parts[1]}) " + " ".join(parts[2:])
    return " ".join(parts)


LIMITS = st.integers(1, 50)
FEW = settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@FEW
@given(
    query=queries(),
    match=st.sampled_from(["best", "all"]),
    tags=st.sampled_from([(), ("fed",)]),
    limit=st.integers(1, 50),
)
def test_a_search_of_a_memory_is_answered_alike(
    pair: Pair, query: str, match: str, tags: tuple[str, ...], limit: int
) -> None:
    wanted = NoteSearch(query, match=match, tags=tags, limit=limit)

    pages = {engine: memory_search.find(store, ANA, wanted) for engine, store in pair.stores.items()}

    shown = {engine: reply(page, lambda card: card.note.title) for engine, page in pages.items()}
    assert shown["postgres"] == shown["sqlite"]


@FEW
@given(
    query=queries(),
    place=st.sampled_from([{}, {"problem": "sat"}, {"problem": "draft"}, {"tags": ("t1",)}, {"sort": "newest"}]),
    limit=st.integers(1, 50),
)
def test_a_search_of_the_record_is_answered_alike(pair: Pair, query: str, place: dict[str, Any], limit: int) -> None:
    wanted = ResearchSearch(query, limit=limit, **place)

    pages = {engine: research_search.find(store, pair.owner, wanted) for engine, store in pair.stores.items()}

    shown = {engine: reply(page, lambda card: card.row.title) for engine, page in pages.items()}
    assert shown["postgres"] == shown["sqlite"]
