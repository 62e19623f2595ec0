"""Pages of search by meaning, what stands out in them, and that nobody sees anything of others (DESIGN 5, 8)."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from conftest import SettableClock
from meaning import DAY, DIMENSION, Meaning, drain, fill, open_meaning, rows, save, text, write_record

from notewell.domain.notes import Draft, Edit
from notewell.embedders.fake import FakeEmbedder
from notewell.errors import NotFound
from notewell.services import memory, research, semantic
from notewell.services.memory_search import NoteSearch
from notewell.services.research_search import ResearchSearch
from notewell.services.search import Coverage
from notewell.services.semantic import MIN_NOTES_FOR_Z, WEAK_Z
from notewell.store.database import Database


@pytest.fixture
def meaning(database: Database) -> Meaning:
    return open_meaning(database)


@pytest.fixture(params=[semantic.TESTED, 1], ids=["tested", "all rows"])
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of filtering: testing the best ones, and asking for all that pass."""
    monkeypatch.setattr(semantic, "TESTED", request.param)


@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("limit", [1, 2, 7, 50])
@pytest.mark.parametrize("tags", [(), ("even",)])
def test_pages_of_any_size_make_the_same_sequence(
    meaning: Meaning, clock: SettableClock, limit: int, tags: tuple[str, ...]
) -> None:
    fill(meaning.store, meaning.actor, clock, 40)
    for _ in range(5):
        save(meaning.store, meaning.actor, "Twins", "rate cut")
    drain(meaning.store, FakeEmbedder(DIMENSION))
    whole = meaning.walk(NoteSearch(query="rate cut", tags=tags, limit=50))

    assert meaning.walk(NoteSearch(query="rate cut", tags=tags, limit=limit)) == whole


@pytest.mark.parametrize("tags", [(), ("even",)])
def test_notes_written_meanwhile_do_not_shift_pages(
    meaning: Meaning, clock: SettableClock, tags: tuple[str, ...]
) -> None:
    fill(meaning.store, meaning.actor, clock, 30)
    drain(meaning.store, FakeEmbedder(DIMENSION))
    wanted = NoteSearch(query="rate cut", tags=tags, limit=4)
    whole = [each.row_no for each in meaning.walk(wanted)]
    first = meaning.memory(wanted)
    clock.advance(DAY)
    for text_of_it in ("rate cut", "unlike"):  # one for the top, one for the bottom
        memory.create(meaning.store, meaning.actor, Draft(text_of_it, text_of_it, tags=("even",)))
    drain(meaning.store, FakeEmbedder(DIMENSION))

    rest = meaning.walk(replace(wanted, cursor=first.cursor))

    assert [card.found.row_no for card in first.cards] + [each.row_no for each in rest] == whole


@pytest.mark.parametrize("change", ["edited to the top", "edited to the bottom", "deleted"])
def test_the_note_where_a_page_ended_may_move_and_nothing_else_is_shown_twice_or_lost(
    meaning: Meaning, clock: SettableClock, change: str
) -> None:
    fill(meaning.store, meaning.actor, clock, 20)
    for _ in range(4):
        save(meaning.store, meaning.actor, "Twins", "rate cut rate cut")
    drain(meaning.store, FakeEmbedder(DIMENSION))
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
    drain(meaning.store, FakeEmbedder(DIMENSION))

    rest = [each.row_no for each in meaning.walk(replace(wanted, cursor=first.cursor))]

    assert [row for row in rest if row != anchor.row_no] == whole[2:]


# What stands out


def test_z_is_measured_in_the_whole_scope_whatever_the_filters(meaning: Meaning, clock: SettableClock) -> None:
    fill(meaning.store, meaning.actor, clock)
    drain(meaning.store, FakeEmbedder(DIMENSION))

    (vector,) = FakeEmbedder(DIMENSION).embed_queries(["rate cut"])
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
    drain(meaning.store, FakeEmbedder(DIMENSION))
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
    drain(meaning.store, FakeEmbedder(DIMENSION))

    page = meaning.memory(NoteSearch(query="quark"))
    assert {card.found.z_score for card in page.cards} == {None}
    assert not page.is_weak

    save(meaning.store, meaning.actor, "One more")
    drain(meaning.store, FakeEmbedder(DIMENSION))
    assert None not in {card.found.z_score for card in meaning.memory(NoteSearch(query="quark")).cards}


def test_other_peoples_notes_change_nothing_that_somebody_sees(meaning: Meaning, clock: SettableClock) -> None:
    write_record(meaning, clock)
    fill(meaning.store, meaning.actor, clock, 20)
    drain(meaning.store, FakeEmbedder(DIMENSION))
    wanted, public = NoteSearch(query="rate cut", limit=50), ResearchSearch(query="rate cut", limit=50)
    before = meaning.memory(wanted), meaning.research(public)
    assert before[0].coverage == Coverage(20, 20)

    fill(meaning.store, meaning.ben, clock, 30)
    drain(meaning.store, FakeEmbedder(DIMENSION))

    assert (meaning.memory(wanted), meaning.research(public)) == before
    with pytest.raises(NotFound):
        meaning.research(replace(public, problem="hidden"))
    theirs = replace(meaning, actor=meaning.ben)
    assert theirs.memory(wanted).coverage == Coverage(30, 30)
    assert len(theirs.research(replace(public, problem="hidden")).cards) == 9


def test_unpublishing_a_problem_takes_its_notes_out_of_the_public_list_at_once(
    meaning: Meaning, clock: SettableClock
) -> None:
    write_record(meaning, clock)
    everything = len(meaning.walk(ResearchSearch(query="rate")))
    research.publish_problem(meaning.store, meaning.actor, "tsp", is_published=False)

    page = meaning.research(ResearchSearch(query="rate", limit=50))

    assert {card.problem.slug for card in page.cards} == {"sat"}
    assert page.coverage == Coverage(everything // 2, everything // 2)
