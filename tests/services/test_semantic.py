"""Search by meaning: the exact order, every filter, pages, coverage, and how far a note stands out (DESIGN 5, 8, 11)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from conftest import SettableClock, new_actor
from meaning import drain, rows, save

from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit, Note
from notewell.embedders.fake import FakeEmbedder
from notewell.errors import InvalidArgument, NotewellError, SemanticUnavailable
from notewell.services import memory, memory_search, research, research_notes, research_search, semantic
from notewell.services.memory import Filing
from notewell.services.memory_search import NoteSearch
from notewell.services.research import CampaignDraft, ProblemDraft
from notewell.services.research_search import ResearchSearch
from notewell.services.search import Coverage, Found
from notewell.services.semantic import MIN_NOTES_FOR_Z, WEAK_Z, SemanticSearch
from notewell.store.database import Database

BEN = new_actor("ben")
WORDS = "rate cut bond yield fed bank gold oil tax debt chip risk".split()
DAY = 86_400_000
TOLERANCE = 2e-6
"""Scores are rounded to six digits."""
Cards = memory_search.Cards | research_search.ResearchCards


def text(chance: random.Random, count: int = 6) -> str:
    return " ".join(chance.choices(WORDS, k=count))


def fill(store: Database, actor: Actor, clock: SettableClock, count: int = 60) -> list[Note]:
    """Notes of all kinds, a day apart; every tenth is long enough for several chunks."""
    chance = random.Random(count)
    made = []
    for number in range(count):
        clock.advance(DAY)
        body = text(chance, 900 if number % 10 == 9 else 6)
        tags = ("even",) if number % 2 == 0 else ("odd", *(["third"] if number % 3 == 0 else []))
        draft = Draft(f"{number} {text(chance, 2)}", body, tags=tags, symbols=("NVDA",) if number % 5 == 0 else ())
        filing = Filing("Half" if number % 4 < 2 else None, creates=number % 4 < 2)
        note = memory.create(store, actor, draft, filing).view.note
        if number % 7 == 0:
            note = memory.update(store, actor, note.id, Edit(status="archived")).view.note
        made.append(note)
    return made


@dataclass(frozen=True)
class Meaning:
    """One store, searched by meaning by somebody."""

    store: Database
    actor: Actor
    search: SemanticSearch

    def memory(self, wanted: NoteSearch) -> memory_search.Cards:
        """One page of a memory."""
        return memory_search.find(self.store, self.actor, wanted, self.search.question(wanted.query))

    def research(self, wanted: ResearchSearch) -> research_search.ResearchCards:
        """One page of the research record."""
        return research_search.find(self.store, self.actor, wanted, self.search.question(wanted.query))

    def page(self, wanted: NoteSearch | ResearchSearch) -> Cards:
        """One page."""
        return self.memory(wanted) if isinstance(wanted, NoteSearch) else self.research(wanted)

    def walk(self, wanted: NoteSearch | ResearchSearch) -> list[Found]:
        """What all pages show, in order."""
        found: list[Found] = []
        for _ in range(300):
            page = self.page(wanted)
            found += [card.found for card in page.cards]
            if page.cursor is None:
                return found
            wanted = replace(wanted, cursor=page.cursor)
        raise AssertionError("the walk does not end")


@pytest.fixture
def meaning(database: Database, actor: Actor) -> Meaning:
    return Meaning(database, actor, SemanticSearch(database, FakeEmbedder(48)))


def brute_force(meaning: Meaning, query: str, wanted: Iterable[int]) -> dict[int, float]:
    """The cosine of each of these notes' best chunk, one by one from the stored rows."""
    (vector,) = FakeEmbedder(48).embed_queries([query])
    best: dict[int, float] = {}
    chosen = set(wanted)
    for row in rows(meaning.store, "SELECT row_no, scale, numbers FROM note_vectors WHERE model_id = 'fake;1'"):
        numbers = np.frombuffer(row["numbers"], np.int8).astype(np.float32)
        score = float(numbers @ vector * np.float32(row["scale"]))
        if row["row_no"] in chosen:
            best[row["row_no"]] = max(score, best.get(row["row_no"], -2.0))
    return best


def assert_exact(found: Sequence[Found], expected: dict[int, float]) -> None:
    """Every note once, with its score, best first, then newest."""
    assert len(found) == len(expected)
    assert {each.row_no for each in found} == set(expected)
    for each in found:
        assert each.score == pytest.approx(expected[each.row_no], abs=TOLERANCE)
    order = [(-float(each.score or 0), -each.row_no) for each in found]
    assert order == sorted(order)


@pytest.fixture(params=[semantic.TESTED, 1], ids=["tested", "all rows"])
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of filtering: testing the best ones, and asking for all that pass."""
    monkeypatch.setattr(semantic, "TESTED", request.param)


MEMORY_FILTERS: dict[str, tuple[dict[str, Any], Callable[[Note], bool]]] = {
    "nothing": ({}, lambda _: True),
    "a tag": ({"tags": ("EVEN",)}, lambda note: "even" in note.tags),
    "two tags": ({"tags": ("odd", "third")}, lambda note: {"odd", "third"} <= set(note.tags)),
    "a symbol": ({"symbols": ("$nvda", "AMD")}, lambda note: "NVDA" in note.symbols),
    "a collection": ({"collection": "half"}, lambda note: note.collection_id is not None),
    "unfiled": ({"unfiled": True}, lambda note: note.collection_id is None),
    "active": ({"status": "active"}, lambda note: note.status == "active"),
    "archived": ({"status": "archived"}, lambda note: note.status == "archived"),
    "made from": ({"created_from": "2026-06-20"}, lambda note: note.created_at >= 1_781_913_600_000),
    "made to": ({"created_to": "2026-06-20"}, lambda note: note.created_at < 1_782_000_000_000),
    "changed from": ({"updated_from": "2026-06-20"}, lambda note: note.updated_at >= 1_781_913_600_000),
    "changed to": ({"updated_to": "2026-06-20"}, lambda note: note.updated_at < 1_782_000_000_000),
    "nobody's tag": ({"tags": ("absent",)}, lambda _: False),
    "all at once": (
        {
            "tags": ("even",),
            "collection": "Half",
            "status": "active",
            "created_from": "2026-06-01",
            "symbols": ("NVDA",),
        },
        lambda note: (
            {"even"} <= set(note.tags)
            and note.collection_id is not None
            and note.status == "active"
            and note.created_at >= 1_780_272_000_000
            and "NVDA" in note.symbols
        ),
    ),
}


@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("kind", MEMORY_FILTERS)
def test_the_order_is_that_of_all_cosines_with_every_filter(meaning: Meaning, clock: SettableClock, kind: str) -> None:
    notes = fill(meaning.store, meaning.actor, clock)
    save(meaning.store, BEN, "rate cut")
    drain(meaning.store, FakeEmbedder(48))
    arguments, passes = MEMORY_FILTERS[kind]

    found = meaning.walk(NoteSearch(query="rate cut gold", limit=50, **arguments))

    expected = brute_force(meaning, "rate cut gold", [note.row_no for note in notes if passes(note)])
    assert len(expected) == sum(map(passes, notes))
    assert_exact(found, expected)


@pytest.fixture
def record(meaning: Meaning, clock: SettableClock) -> dict[str, str]:
    """Two public problems, one of a campaign, one hidden problem of Ben's; ids by name."""
    store, actor = meaning.store, meaning.actor
    chance = random.Random(4)
    campaign = research.create_campaign(store, actor, CampaignDraft("solvers", "Solvers", publishes=True))
    names = {"campaign": campaign.slug}
    for owner, slug, group, is_public in (
        (actor, "sat", campaign.slug, True),
        (actor, "tsp", None, True),
        (BEN, "hidden", None, False),
    ):
        problem = research.create_problem(
            store, owner, ProblemDraft(slug, slug.upper(), "Is it?", campaign=group, publishes=is_public)
        )
        for who in (actor, BEN) if is_public else (BEN,):
            clock.advance(DAY)
            attempt, _ = research.start_attempt(store, who, problem.id, "model-x")
            for number in range(8):
                kind = "finding" if number % 2 else "plan"
                cites = f"\nbuilds_on: {names['first']}" if "first" in names and number == 3 else ""
                header = f"---\ntitle: {text(chance, 2)}\nkind: {kind}\ntags: t{number % 3}{cites}\nmodel: M{number % 2}\n---\n"
                note = research_notes.add_note(store, who, attempt.id, header + text(chance)).note
                names.setdefault("first", note.id)
            research_notes.end_attempt(store, who, attempt.id, "progress" if who is BEN else "failed", text(chance))
            names.setdefault("attempt", attempt.id)
    drain(store, FakeEmbedder(48))
    return names


RESEARCH_FILTERS: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "1"),
    "a problem": ({"problem": "sat"}, "p.slug = 'sat'"),
    "a campaign": ({"campaign": "solvers"}, "p.slug = 'sat'"),
    "an attempt": ({"attempt_id": "attempt"}, "i.attempt_id = (SELECT min(id) FROM attempts)"),
    "a kind": ({"kind": "finding"}, "i.kind = 'finding'"),
    "summaries": ({"note_kind": "summary"}, "i.note_kind = 'summary'"),
    "a tag": ({"tags": ("T1",)}, "i.tags LIKE '%t1%'"),
    "builds on": ({"builds_on": "first"}, "i.builds_on LIKE '%nte%'"),
    "a model": ({"model": "m1"}, "i.model_key = 'm1'"),
    "an outcome": ({"outcome": "progress"}, "a.outcome = 'progress'"),
    "a revision": ({"revision": 2}, "0"),
    "since": ({"since": "2026-05-31"}, "n.created_at >= 1780185600000"),
    "until": ({"until": "2026-05-30"}, "n.created_at < 1780185600000"),
    "all at once": (
        {"problem": "sat", "kind": "finding", "tags": ("t1",), "outcome": "failed", "model": "M1"},
        "p.slug = 'sat' AND i.kind = 'finding' AND i.tags LIKE '%t1%' AND a.outcome = 'failed'",
    ),
}


@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("kind", RESEARCH_FILTERS)
def test_research_is_found_in_the_order_of_all_cosines_with_every_filter(
    meaning: Meaning, record: dict[str, str], kind: str
) -> None:
    arguments, condition = RESEARCH_FILTERS[kind]
    named = {name: record.get(value, value) if isinstance(value, str) else value for name, value in arguments.items()}

    found = meaning.walk(ResearchSearch(query="rate cut gold", limit=50, **named))

    listed = rows(
        meaning.store,
        "SELECT n.row_no FROM notes AS n JOIN note_index AS i ON i.note_id = n.id JOIN problems AS p ON p.id = n.space_id"
        f" JOIN attempts AS a ON a.id = i.attempt_id WHERE p.is_public = 1 AND {condition}",
    )
    assert (kind == "a revision") == (not listed)
    assert_exact(found, brute_force(meaning, "rate cut gold", [row["row_no"] for row in listed]))


def test_the_best_chunk_of_a_note_counts_and_the_note_comes_once(meaning: Meaning) -> None:
    long = save(meaning.store, meaning.actor, "Long", "filler " * 700 + "zebra crossing")
    save(meaning.store, meaning.actor, "Short", "something else")
    drain(meaning.store, FakeEmbedder(48))

    found = meaning.walk(NoteSearch(query="zebra crossing"))

    assert [each.row_no for each in found][0] == long.row_no
    assert len(found) == 2


def test_a_cosine_is_never_over_one(meaning: Meaning) -> None:
    for word in WORDS:
        save(meaning.store, meaning.actor, word, word)
    drain(meaning.store, FakeEmbedder(48))

    scores = [meaning.walk(NoteSearch(query=word))[0].score or 0 for word in WORDS]

    assert max(scores) <= 1
    assert min(scores) > 0.999


# Pages


@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("limit", [1, 2, 7, 50])
@pytest.mark.parametrize("tags", [(), ("even",)])
def test_pages_of_any_size_make_the_same_sequence(
    meaning: Meaning, clock: SettableClock, limit: int, tags: tuple[str, ...]
) -> None:
    fill(meaning.store, meaning.actor, clock, 40)
    for _ in range(5):
        save(meaning.store, meaning.actor, "Twins", "rate cut")
    drain(meaning.store, FakeEmbedder(48))
    whole = meaning.walk(NoteSearch(query="rate cut", tags=tags, limit=50))

    assert meaning.walk(NoteSearch(query="rate cut", tags=tags, limit=limit)) == whole


@pytest.mark.parametrize("tags", [(), ("even",)])
def test_notes_written_meanwhile_do_not_shift_pages(
    meaning: Meaning, clock: SettableClock, tags: tuple[str, ...]
) -> None:
    fill(meaning.store, meaning.actor, clock, 30)
    drain(meaning.store, FakeEmbedder(48))
    wanted = NoteSearch(query="rate cut", tags=tags, limit=4)
    whole = [each.row_no for each in meaning.walk(wanted)]
    first = meaning.memory(wanted)
    clock.advance(DAY)
    memory.create(meaning.store, meaning.actor, Draft("rate cut", "rate cut", tags=("even",)))
    drain(meaning.store, FakeEmbedder(48))

    rest = meaning.walk(replace(wanted, cursor=first.cursor))

    assert [card.found.row_no for card in first.cards] + [each.row_no for each in rest] == whole


@pytest.mark.parametrize("change", ["edited to the top", "edited to the bottom", "deleted"])
def test_the_note_where_a_page_ended_may_move_and_nothing_else_is_shown_twice_or_lost(
    meaning: Meaning, clock: SettableClock, change: str
) -> None:
    fill(meaning.store, meaning.actor, clock, 20)
    for _ in range(4):
        save(meaning.store, meaning.actor, "Twins", "rate cut rate cut")
    drain(meaning.store, FakeEmbedder(48))
    wanted = NoteSearch(query="rate cut", limit=2)
    whole = [each.row_no for each in meaning.walk(wanted)]
    first = meaning.memory(wanted)
    anchor = first.cards[-1].note
    if change == "deleted":
        memory.delete(meaning.store, meaning.actor, anchor.id)
    else:
        body = "rate cut" if change == "edited to the top" else "unlike"
        edit = Edit(title=body, body=body, if_version=anchor.version)
        memory.update(meaning.store, meaning.actor, anchor.id, edit)
    drain(meaning.store, FakeEmbedder(48))

    rest = [each.row_no for each in meaning.walk(replace(wanted, cursor=first.cursor))]

    assert [row for row in rest if row != anchor.row_no] == whole[2:]


# What stands out


def test_z_is_measured_in_the_whole_scope_whatever_the_filters(meaning: Meaning, clock: SettableClock) -> None:
    fill(meaning.store, meaning.actor, clock)
    drain(meaning.store, FakeEmbedder(48))

    (vector,) = FakeEmbedder(48).embed_queries(["rate cut"])
    scores = np.array(
        [
            np.frombuffer(row["numbers"], np.int8) @ vector * row["scale"]
            for row in rows(meaning.store, "SELECT scale, numbers FROM note_vectors")
        ]
    )
    for tags in ((), ("even",)):
        for each in meaning.walk(NoteSearch(query="rate cut", tags=tags)):
            assert each.z_score == pytest.approx(((each.score or 0) - scores.mean()) / scores.std(), abs=0.01)


def test_a_list_in_which_nothing_stands_out_says_so_on_every_page(meaning: Meaning) -> None:
    for number in range(40):
        save(meaning.store, meaning.actor, f"Note {number}", text(random.Random(number), 3))
    needle = save(meaning.store, meaning.actor, "Zebra", "zebra crossing")
    drain(meaning.store, FakeEmbedder(48))
    strong, vague = NoteSearch(query="zebra crossing", limit=3), NoteSearch(query="quark", limit=3)

    first = meaning.memory(strong)
    assert first.cards[0].note == needle
    assert (first.cards[0].found.z_score or 0) > WEAK_Z
    for wanted, is_weak in ((strong, False), (vague, True)):
        page = meaning.memory(wanted)
        assert page.is_weak == is_weak
        assert meaning.memory(replace(wanted, cursor=page.cursor)).is_weak == is_weak
    # Filtered to what does not stand out, the list is weak although the memory holds something that does.
    assert meaning.memory(replace(strong, created_to="2026-05-01")).is_weak is False


def test_a_scope_of_few_notes_has_nothing_to_stand_out_from(meaning: Meaning) -> None:
    save(meaning.store, meaning.actor, "Long", "word " * 9_000)
    for number in range(MIN_NOTES_FOR_Z - 2):
        save(meaning.store, meaning.actor, f"Note {number}")
    drain(meaning.store, FakeEmbedder(48))

    page = meaning.memory(NoteSearch(query="quark"))
    assert {card.found.z_score for card in page.cards} == {None}
    assert not page.is_weak

    save(meaning.store, meaning.actor, "One more")
    drain(meaning.store, FakeEmbedder(48))
    assert None not in {card.found.z_score for card in meaning.memory(NoteSearch(query="quark")).cards}


def test_other_peoples_notes_change_nothing_that_somebody_sees(
    meaning: Meaning, record: dict[str, str], clock: SettableClock
) -> None:
    fill(meaning.store, meaning.actor, clock, 20)
    drain(meaning.store, FakeEmbedder(48))
    wanted, public = NoteSearch(query="rate cut", limit=50), ResearchSearch(query="rate cut", limit=50)
    before = meaning.memory(wanted), meaning.research(public)
    assert before[0].coverage == Coverage(20, 20)

    fill(meaning.store, BEN, clock, 30)
    drain(meaning.store, FakeEmbedder(48))

    assert (meaning.memory(wanted), meaning.research(public)) == before
    with pytest.raises(NotewellError):
        meaning.research(replace(public, problem="hidden"))
    theirs = Meaning(meaning.store, BEN, meaning.search)
    assert theirs.memory(wanted).coverage == Coverage(30, 30)
    assert len(theirs.research(replace(public, problem="hidden")).cards) == 9


def test_unpublishing_a_problem_takes_its_notes_out_of_the_public_list_at_once(
    meaning: Meaning, record: dict[str, str]
) -> None:
    everything = len(meaning.walk(ResearchSearch(query="rate")))
    research.publish_problem(meaning.store, meaning.actor, "tsp", is_published=False)

    page = meaning.research(ResearchSearch(query="rate", limit=50))

    assert {card.problem.slug for card in page.cards} == {"sat"}
    assert page.coverage == Coverage(everything // 2, everything // 2)


# What cannot be asked


@pytest.mark.parametrize("query", [None, "", "  \n"])
def test_without_words_there_is_nothing_to_mean(meaning: Meaning, query: str | None) -> None:
    with pytest.raises(InvalidArgument, match="needs a query"):
        meaning.memory(NoteSearch(query=query))


@pytest.mark.parametrize("arguments", [{"sort": "updated"}, {"limit": 0}, {"limit": 51}, {"cursor": "abc"}])
def test_a_bad_argument_is_named(meaning: Meaning, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument) as error:
        meaning.memory(NoteSearch(query="rate", **arguments))
    assert error.value.details["argument"] in arguments


def test_a_cursor_belongs_to_its_way_of_searching(meaning: Meaning) -> None:
    for number in range(4):
        save(meaning.store, meaning.actor, f"rate {number}")
    drain(meaning.store, FakeEmbedder(48))
    wanted = NoteSearch(query="rate", limit=1)
    by_words = memory_search.find(meaning.store, meaning.actor, wanted).cursor
    by_meaning = meaning.memory(wanted).cursor

    with pytest.raises(InvalidArgument, match="mode 'keyword'"):
        meaning.memory(replace(wanted, cursor=by_words))
    with pytest.raises(InvalidArgument, match="mode 'semantic'"):
        memory_search.find(meaning.store, meaning.actor, replace(wanted, cursor=by_meaning))


def test_a_model_that_is_away_is_told_with_its_reason(meaning: Meaning) -> None:
    embedder = FakeEmbedder(48)
    embedder.fail(SemanticUnavailable("The model is away."))

    with pytest.raises(SemanticUnavailable, match="is away"):
        SemanticSearch(meaning.store, embedder).question("rate")
