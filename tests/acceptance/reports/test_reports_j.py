"""Models that change, fail or see too little: rows J1 to J9, with those that other tests mark."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest
from clients import ONE_OF_EACH, CliSurface, open_app, open_surface
from meaning import DIMENSION, Meaning, drain, open_meaning, rows, save
from report_notes import found_by, titles_found

from notewell.app import App
from notewell.config import Config
from notewell.domain.notes import Draft, Edit
from notewell.embedders.fake import FakeEmbedder
from notewell.embedders.local import LocalEmbedder
from notewell.services import memory, memory_search, transfer
from notewell.services.memory_search import NoteSearch
from notewell.services.ports import EmbedderUnavailable
from notewell.services.search import Coverage
from notewell.services.semantic import SemanticSearch
from notewell.services.sweep import sweep
from notewell.store.database import Database

A = {"model_id": "a;1"}
B = {"model_id": "b;1", "synonyms": {"walnut": "almond", "almond": "walnut"}}
"""A model of the same size, to which the words mean something else."""


@pytest.fixture
def meaning(database: Database) -> Meaning:
    """An empty store on each engine."""
    return open_meaning(database)


def asked(meaning: Meaning, embedder: FakeEmbedder, query: str) -> memory_search.Cards:
    """What a search by meaning shows with a model."""
    search = SemanticSearch(meaning.store, embedder)
    return memory_search.find(meaning.store, meaning.actor, NoteSearch(query=query), search.question(query))


def titles(cards: memory_search.Cards) -> list[str]:
    """The titles of cards, in order."""
    return [card.note.title for card in cards.cards]


def fill(meaning: Meaning, embedder: FakeEmbedder) -> None:
    """Two notes with vectors."""
    save(meaning.store, meaning.actor, "walnut", "walnut")
    save(meaning.store, meaning.actor, "almond", "almond")
    drain(meaning.store, embedder)


def test_j1_a_model_of_the_same_size_sees_no_vector_of_the_one_before(meaning: Meaning) -> None:
    a, b = FakeEmbedder(DIMENSION, **A), FakeEmbedder(DIMENSION, **B)  # type: ignore[arg-type]  # its options
    fill(meaning, a)

    before = asked(meaning, b, "walnut")
    sweep(meaning.store, b.model_id)
    drain(meaning.store, b)
    after = asked(meaning, b, "walnut")

    assert (titles(before), before.coverage) == ([], Coverage(0, 2))
    # To the second model walnut is almond throughout, so its own vectors still agree with its own questions.
    assert (titles(after)[0], after.coverage) == ("walnut", Coverage(2, 2))
    assert after.cards[0].found.score == pytest.approx(1, abs=0.01)
    assert {row["model_id"] for row in rows(meaning.store, "SELECT model_id FROM note_vectors")} >= {"b;1"}


@pytest.mark.parametrize("dimension", [8, DIMENSION - 1, DIMENSION * 2])
def test_j2_with_a_model_of_another_size_words_are_searched_and_coverage_says_what_is_missing(
    dimension: int, meaning: Meaning
) -> None:
    fill(meaning, FakeEmbedder(DIMENSION, model_id="a;1"))
    other = FakeEmbedder(dimension, model_id="b;1")

    found = asked(meaning, other, "walnut")

    assert (titles(found), found.coverage) == ([], Coverage(0, 2))
    assert titles_found(meaning.store, meaning.actor, "walnut") == ["walnut"]
    sweep(meaning.store, other.model_id)
    drain(meaning.store, other)
    assert titles(asked(meaning, other, "walnut"))[0] == "walnut"


def test_j4_after_another_model_and_back_every_note_is_found_by_meaning(meaning: Meaning) -> None:
    a, b = FakeEmbedder(DIMENSION, model_id="a;1"), FakeEmbedder(DIMENSION * 2, model_id="b;1")
    fill(meaning, a)
    for model in (b, a, b, a):
        sweep(meaning.store, model.model_id)
        drain(meaning.store, model)
        save(meaning.store, meaning.actor, f"cashew {model.model_id}", "cashew")
        drain(meaning.store, model)
    sweep(meaning.store, a.model_id)
    drain(meaning.store, a)

    found = asked(meaning, a, "cashew")

    assert found.coverage == Coverage(6, 6)
    assert sorted(titles(found)[:4]) == ["cashew a;1", "cashew a;1", "cashew b;1", "cashew b;1"]


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_j3_a_change_of_the_model_starts_and_keeps_every_note(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_app(tmp_path) as app:
        actor = app.default_actor()
        for number in range(5):
            memory.create(app.store, actor, Draft(f"Walnut {number}", "bread"))
        drain(app.store, FakeEmbedder(DIMENSION, model_id="a;1"))
    models = [
        FakeEmbedder(DIMENSION, model_id="b;1"),
        FakeEmbedder(8, model_id="c;1"),
        EmbedderUnavailable("There is no model. Use keyword search."),
    ]
    for model in models:
        monkeypatch.setattr("notewell.app._embedder", lambda _config, model=model: model)
        with open_surface(name, tmp_path) as surface:
            assert len(found_by(surface, query="walnut")) == 5
            both = surface.call("memory.search", {"query": "walnut", "mode": "both"})
            assert len(both["keyword"]["cards"]) == 5
            is_told = both["semantic"].get("coverage") == {"embedded": 0, "notes": 5}
            assert is_told or "keyword" in both["semantic"]["unavailable"]
            made = surface.call("memory.create", {"title": "New", "body": "", "summary": "s"})
            surface.call("memory.delete", {"id": made["id"]})


@pytest.mark.parametrize("pages", [1, 20, 60])
def test_j5_a_fact_in_the_last_line_of_a_long_note_is_found_by_meaning(pages: int, meaning: Meaning) -> None:
    filler = "\n".join(f"Line {number} of minutes about the budget and the schedule." for number in range(50 * pages))
    save(meaning.store, meaning.actor, "Minutes", f"{filler}\nThe zebra password hint is marmalade.")
    for number in range(10):
        save(meaning.store, meaning.actor, f"Other {number}", "Minutes about the budget and the schedule.")
    embedder = FakeEmbedder(256)
    drain(meaning.store, embedder)

    found = asked(meaning, embedder, "zebra marmalade password hint")

    assert titles(found)[0] == "Minutes"
    assert found.coverage == Coverage(11, 11)


def test_j7_notes_that_were_imported_edited_or_restored_are_found_by_meaning(meaning: Meaning) -> None:
    store, actor, embedder = meaning.store, meaning.actor, FakeEmbedder(256)
    lines = [{"title": "Imported", "body": "zebra"}, {"title": "Edited", "body": "nothing"}]
    transfer.import_notes(store, actor, BytesIO("\n".join(map(json.dumps, lines)).encode()))
    (edited,) = [card.note for card in memory_search.find(store, actor, NoteSearch(query="title:edited")).cards]
    drain(store, embedder)
    memory.update(store, actor, edited.id, Edit(body="marmalade", if_version=1))
    drain(store, embedder)

    assert titles(asked(meaning, embedder, "zebra"))[0] == "Imported"
    assert titles(asked(meaning, embedder, "marmalade"))[0] == "Edited"
    memory.restore(store, actor, edited.id, 1)
    drain(store, embedder)
    assert titles(asked(meaning, embedder, "nothing"))[0] == "Edited"
    assert asked(meaning, embedder, "zebra").coverage == Coverage(2, 2)


@pytest.mark.parametrize("content", [b"", b"E5S1", b"E5S1" + bytes(100_000)], ids=["empty", "head", "zeros"])
@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_j8_a_damaged_model_is_told_and_words_are_searched_as_ever(
    name: str, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = tmp_path / "model.bin"
    damaged.write_bytes(content)
    monkeypatch.setattr("notewell.app._embedder", lambda _config: LocalEmbedder(path=damaged))
    home = tmp_path / "home"
    CliSurface(home).call("memory.create", {"title": "Walnut", "body": "bread"})

    with open_surface(name, home) as surface:
        both = surface.call("memory.search", {"query": "walnut", "mode": "both"})
        alone = surface.call("memory.search", {"query": "walnut", "mode": "semantic"})

    assert [card["title"] for card in both["keyword"]["cards"]] == ["Walnut"]
    assert "SHA-256 begins" in both["semantic"]["unavailable"]
    assert alone["error"]["code"] == "semantic_unavailable"
    assert str(tmp_path) not in json.dumps([both, alone])


def test_j8_a_model_that_was_mended_is_used_again_without_anybodys_help(tmp_path: Path) -> None:
    working = FakeEmbedder(DIMENSION)
    app = App(Config(tmp_path), working)
    actor = app.default_actor()
    memory.create(app.store, actor, Draft("Walnut", "bread"))
    working.fail(EmbedderUnavailable("damaged").error())

    failed = app.embed_step()
    with app.store.write() as tx:
        tx.run_sql("UPDATE jobs SET due_at = 0", {})  # when it is tried again
    healed = app.embed_step()

    found = memory_search.find(app.store, actor, NoteSearch(query="bread"), app.semantic.question("bread"))
    app.close()
    assert (failed, healed, titles(found)) == (False, True, ["Walnut"])


def test_j9_different_questions_have_different_answers(meaning: Meaning) -> None:
    embedder = FakeEmbedder(256)
    words = ["zebra", "marmalade", "violin", "granite", "lagoon", *(f"filler{number}" for number in range(20))]
    for word in words:
        save(meaning.store, meaning.actor, word, f"about {word}")
    drain(meaning.store, embedder)

    clear = [asked(meaning, embedder, word) for word in words[:5]]
    vague = asked(meaning, embedder, "xyzzy qwop")

    assert [titles(each)[0] for each in clear] == words[:5]
    assert [each.is_weak for each in clear] == [False] * 5
    assert vague.is_weak
    assert max(card.found.score or 0 for card in vague.cards) < 0.5
    assert min(each.cards[0].found.score or 0 for each in clear) > 0.5
