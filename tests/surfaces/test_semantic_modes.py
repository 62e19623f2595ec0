"""The modes of a search on every surface: two labelled lists, never fused, and a reason where one cannot be had."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from clients import ONE_OF_EACH, Json, Surface, open_app, open_surface

from notewell.app import App
from notewell.domain.access import Actor
from notewell.domain.notes import Draft
from notewell.embedders.fake import FakeEmbedder
from notewell.services import memory, research, research_notes
from notewell.services.embedding import step
from notewell.services.ports import Embedder, EmbedderUnavailable
from notewell.services.research import ProblemDraft

REASON = "Search by meaning is switched off (NOTEWELL_EMBEDDER=none). Use keyword search."
SYNONYMS = {"feline": "cat"}
WITH_RESEARCH = ("mcp-memory-2026", "rest")
REPLY_CHARS = 40_000


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> FakeEmbedder:
    """The model that every surface of this test gets."""
    made = FakeEmbedder(64, synonyms=SYNONYMS)
    use(monkeypatch, made)
    return made


def use(monkeypatch: pytest.MonkeyPatch, embedder: Embedder | EmbedderUnavailable) -> None:
    monkeypatch.setattr("notewell.app._embedder", lambda _config: embedder)


@contextmanager
def filled(name: str, home: Path, titles: list[str]) -> Iterator[tuple[Surface, App, Actor]]:
    """A surface on a memory with notes, all embedded where there is a model."""
    with open_app(home) as app:
        actor = app.default_actor()
        for title in titles:
            memory.create(app.store, actor, Draft(title, f"About a {title}."))
        while app.embed_step():
            pass
        with open_surface(name, home) as surface:
            yield surface, app, actor


def titles_of(cards: Json) -> list[str]:
    return [card["title"] for card in cards["cards"]]


CATS = ["cat", "dog", "feline dog", "horse"]


@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_each_mode_gives_its_own_list_and_both_gives_two(tmp_path: Path, name: str) -> None:
    with filled(name, tmp_path, CATS) as (surface, _app, _actor):
        keyword, semantic, both = (
            surface.call("memory.search", {"query": "feline", "mode": mode}) for mode in ("keyword", "semantic", "both")
        )

    assert (keyword["mode"], titles_of(keyword), keyword["total"]) == ("keyword", ["feline dog"], 1)
    assert "coverage" not in keyword
    assert semantic["mode"] == "semantic"
    assert titles_of(semantic)[:2] == ["cat", "feline dog"]
    assert (semantic["coverage"], "total" in semantic) == ({"embedded": 4, "notes": 4}, False)
    assert all(-1 <= card["score"] <= 1 for card in semantic["cards"])
    assert both == {
        "mode": "both",
        "keyword": {key: value for key, value in keyword.items() if key != "mode"},
        "semantic": {key: value for key, value in semantic.items() if key != "mode"},
    }


@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_each_list_of_both_goes_on_with_its_own_cursor(tmp_path: Path, name: str) -> None:
    with filled(name, tmp_path, [f"cat {number}" for number in range(5)]) as (surface, _app, _actor):
        asked = {"query": "cat", "limit": 2}
        both = surface.call("memory.search", {**asked, "mode": "both"})
        for mode, other in (("keyword", "semantic"), ("semantic", "keyword")):
            first = both[mode]
            seen = titles_of(first)
            while "cursor" in first:
                first = surface.call("memory.search", {**asked, "mode": mode, "cursor": first["cursor"]})
                seen += titles_of(first)
            assert sorted(seen) == [f"cat {number}" for number in range(5)]

            for wrong in (other, "both"):
                refused = surface.call("memory.search", {**asked, "mode": wrong, "cursor": both[mode]["cursor"]})
                assert refused["error"]["code"] == "invalid_argument"
                assert refused["error"]["argument"] == "cursor"
                assert ("each list has its own cursor" in refused["error"]["message"]) == (wrong == "both")


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_without_a_model_meaning_alone_is_an_error_and_both_says_why(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, EmbedderUnavailable(REASON))
    with filled(name, tmp_path, CATS) as (surface, _app, _actor):
        alone = surface.call("memory.search", {"query": "cat", "mode": "semantic"})
        both = surface.call("memory.search", {"query": "cat", "mode": "both"})

    assert alone == {"error": {"code": "semantic_unavailable", "message": REASON}}
    assert titles_of(both["keyword"]) == ["cat"]
    assert both["semantic"] == {"unavailable": REASON}


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_notes_that_wait_for_their_vector_are_told(tmp_path: Path, name: str, embedder: FakeEmbedder) -> None:
    with filled(name, tmp_path, CATS) as (surface, app, actor):
        memory.create(app.store, actor, Draft("late", "cat"))
        found = surface.call("memory.search", {"query": "cat", "mode": "semantic"})
        assert found["coverage"] == {"embedded": 4, "notes": 5}
        assert "late" not in titles_of(found)
        assert step(app.store, embedder).stored == 1
        assert "late" in titles_of(surface.call("memory.search", {"query": "cat", "mode": "semantic"}))


@pytest.mark.report("J9")
@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_list_in_which_nothing_stands_out_says_so(tmp_path: Path, name: str) -> None:
    with filled(name, tmp_path, [f"note {number}" for number in range(20)] + ["zebra crossing"]) as (surface, _, _a):
        vague = surface.call("memory.search", {"query": "quark", "mode": "semantic"})
        clear = surface.call("memory.search", {"query": "zebra crossing", "mode": "semantic"})

    assert "Nothing stands out" in vague["weak"]
    assert "weak" not in clear
    assert clear["cards"][0]["zScore"] > 2.5
    assert titles_of(clear)[0] == "zebra crossing"


REFUSED: dict[str, tuple[Json, str]] = {
    "no words to mean": ({"mode": "semantic", "query": "  "}, "invalid_argument"),
    "no words in both": ({"mode": "both", "query": " "}, "invalid_argument"),
    "only punctuation in both": ({"mode": "both", "query": "!!!"}, "invalid_query"),
    "another mode": ({"mode": "fused", "query": "cat"}, "invalid_argument"),
    "sorted": ({"mode": "semantic", "query": "cat", "sort": "title"}, "invalid_argument"),
    "too many": ({"mode": "semantic", "query": "cat", "limit": 51}, "invalid_argument"),
    "a made-up cursor": ({"mode": "semantic", "query": "cat", "cursor": "eyJ9"}, "invalid_argument"),
}


@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("name", ["mcp-memory-2026", "rest"])
def test_what_cannot_be_asked_is_refused_alike(tmp_path: Path, name: str) -> None:
    with filled(name, tmp_path, CATS[:1]) as (surface, _app, _actor):
        codes = {kind: surface.call("memory.search", asked)["error"]["code"] for kind, (asked, _) in REFUSED.items()}

    assert codes == {kind: code for kind, (_, code) in REFUSED.items()}


@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_two_full_lists_fit_into_one_reply(tmp_path: Path, name: str) -> None:
    with filled(name, tmp_path, []) as (surface, app, actor):
        for number in range(50):
            draft = Draft(
                f"cat {number} {'降' * 150}", "cat " * 200, "息" * 1_000, tuple(f"tag {n}" for n in range(20))
            )
            memory.create(app.store, actor, draft)
        while app.embed_step():
            pass
        both = surface.call("memory.search", {"query": "cat", "mode": "both", "limit": 50})

    assert len(json.dumps(both, ensure_ascii=False, separators=(",", ":"))) <= REPLY_CHARS
    for mode in ("keyword", "semantic"):
        assert both[mode]["cards"]
        assert "cursor" in both[mode]
        assert "fitted" in both[mode]["cut"]


# Research


def write_research(app: App, actor: Actor) -> tuple[str, str]:
    """A public problem with two notes, and a running attempt; the ids of both."""
    problem = research.create_problem(app.store, actor, ProblemDraft("pets", "Pets", "Which?", publishes=True))
    attempt, _ = research.start_attempt(app.store, actor, problem.id)
    for body in ("# cat\nIt sleeps.", "# feline dog\nIt does not."):
        research_notes.add_note(app.store, actor, attempt.id, body)
    while app.embed_step():
        pass
    return problem.id, attempt.id


@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("name", WITH_RESEARCH)
def test_research_is_searched_in_the_same_modes_and_recorded_once(tmp_path: Path, name: str) -> None:
    with filled(name, tmp_path, ["private cat"]) as (surface, app, actor):
        problem_id, attempt_id = write_research(app, actor)
        asked: dict[str, Any] = {"query": "feline", "problem": problem_id, "working_attempt_id": attempt_id}
        both = surface.call("research.search", {**asked, "mode": "both"})
        semantic = surface.call("research.search", {"query": "feline", "mode": "semantic"})
        with app.store.read() as reader:
            recorded = reader.rows_of("SELECT * FROM attempt_searches", {})

    assert titles_of(both["keyword"]) == ["feline dog"]
    assert sorted(titles_of(both["semantic"])) == ["cat", "feline dog"]
    assert (both["search_recorded"], len(recorded)) == (True, 1)
    assert sorted(titles_of(semantic)) == ["cat", "feline dog"]
    assert semantic["coverage"] == {"embedded": 2, "notes": 2}


@pytest.mark.parametrize("name", WITH_RESEARCH)
def test_research_without_a_model_says_why(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, EmbedderUnavailable(REASON))
    with filled(name, tmp_path, []) as (surface, app, actor):
        write_research(app, actor)
        alone = surface.call("research.search", {"query": "cat", "mode": "semantic"})
        both = surface.call("research.search", {"query": "cat", "mode": "both"})

    assert alone == {"error": {"code": "semantic_unavailable", "message": REASON}}
    assert titles_of(both["keyword"]) == ["cat"]
    assert both["semantic"] == {"unavailable": REASON}


@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("name", WITH_RESEARCH)
def test_a_search_that_is_refused_is_not_recorded(tmp_path: Path, name: str) -> None:
    with filled(name, tmp_path, []) as (surface, app, actor):
        _, attempt_id = write_research(app, actor)
        asked = {"mode": "both", "working_attempt_id": attempt_id}
        for refused in ({"query": ""}, {"query": "?!"}, {"query": "cat", "sort": "newest"}):
            assert "error" in surface.call("research.search", {**asked, **refused})
        with app.store.read() as reader:
            assert reader.rows_of("SELECT * FROM attempt_searches", {}) == []
