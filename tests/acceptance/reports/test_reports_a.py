"""Searches whose signs broke other products, and notes that were too much for them: rows A1 to A22."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from clients import Json, Surface, open_surface, operation_named
from report_notes import OTHER_WIRES, code_of, found_by, noted, read_one, titles_found
from report_queries import ROWS, Query, each_query, exact, queries_of, shown
from research_record import attempt, found, ids, people, problem, write

from notewell.domain.access import Actor
from notewell.domain.notes import MAX_BODY_BYTES, Draft
from notewell.domain.query import MAX_QUERY_CHARS
from notewell.services import memory, research_notes
from notewell.store.database import Database

pytest_plugins = ["report_fixtures"]

SEARCH_PAGE = Path(__file__).parents[3] / "docs" / "why" / "search.md"


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHER_WIRES)
def test_each_other_way_in_answers_a_query_of_each_row_alike(name: str, corpus_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus_folder, tmp_path / "home")
    queries = [query for row in ROWS for query in queries_of(row)[:2]]

    with open_surface(name, tmp_path / "home") as surface:
        found = {query.tag: exact(surface, query) for query in queries}

    assert found == {query.tag: list(query.held) for query in queries}


@each_query("A1")
def test_a1_a_word_with_a_hyphen_finds_its_note_and_names_no_column(query: Query, corpus: Surface) -> None:
    assert exact(corpus, query) == [0]


@each_query("A2")
def test_a2_a_path_is_found_as_it_is_written(query: Query, corpus: Surface) -> None:
    assert exact(corpus, query) == [0]


@each_query("A3")
def test_a3_an_apostrophe_is_part_of_its_word(query: Query, corpus: Surface) -> None:
    assert exact(corpus, query) == [0]


@each_query("A4")
def test_a4_a_unit_with_a_slash_is_not_the_word_without_it(query: Query, corpus: Surface) -> None:
    assert exact(corpus, query) == [0]
    assert shown(corpus, query)[0] == 0


@each_query("A6")
def test_a6_operators_work_beside_compounds(query: Query, corpus: Surface) -> None:
    assert exact(corpus, query) == list(query.held)


def test_a6_the_page_on_search_and_the_tool_say_that_operators_work() -> None:
    page = SEARCH_PAGE.read_text("utf-8")
    field = operation_named("memory.search").arguments.model_fields["query"]

    assert [form for form in ("`bank OR", "`(bank OR", "`-march", "NOT march", "`NEAR(") if form not in page] == []
    assert "prefix*, -without, OR, NEAR(" in (field.description or "")


@each_query("A7")
def test_a7_a_text_of_signs_finds_the_note_that_holds_it(query: Query, corpus: Surface) -> None:
    assert exact(corpus, query) == [0]


@each_query("A7 syntax")
def test_a7_halves_of_syntax_are_read_as_words(query: Query, corpus: Surface) -> None:
    alone = corpus.call("memory.search", {"query": query.words.removeprefix("unicode ")})

    assert isinstance(alone["cards"], list)
    assert exact(corpus, query) == [0]


@pytest.mark.parametrize("words", ["(", ")", "*", "()", '"', "''", "-", "--", "||", ":", "\\", "%", "_", ";--", "?"])
def test_a7_signs_without_a_word_are_refused_as_such_and_harm_no_word_beside_them(words: str, corpus: Surface) -> None:
    alone = corpus.call("memory.search", {"query": words})
    beside = corpus.call("memory.search", {"query": f"unicode {words}", "tags": ["A6-0"]})

    assert (code_of(alone), "word" in alone["error"]["message"]) == ("invalid_query", True)
    assert beside["total"] == 2


@each_query("A9")
def test_a9_a_file_is_found_by_its_name_and_by_a_prefix_with_a_star(query: Query, corpus: Surface) -> None:
    assert exact(corpus, query) == [0]


@pytest.mark.parametrize("words", ["session-rec", "CLAU", "pyproj", "backup.t"])
def test_a9_without_a_star_the_beginning_of_a_name_is_no_whole_word(words: str, corpus: Surface) -> None:
    found = corpus.call("memory.search", {"query": words, "match": "all"})

    assert [card for card in found["cards"] if "partial" not in card] == []
    assert "| `retr*` | words that begin so" in SEARCH_PAGE.read_text("utf-8")


@each_query("A14")
def test_a14_backslashes_and_pipes_are_searched_for_as_they_stand(query: Query, corpus: Surface) -> None:
    assert exact(corpus, query) == [0]


def test_a16_a_deleted_note_is_found_by_nothing(every_surface: Surface) -> None:
    given = {"title": "Walnut", "body": "walnut bread 胡桃面包", "tags": ["nuts"], "symbols": ["NVDA"]}
    words = ["walnut", '"walnut bread"', "waln", "wal*", "胡桃", "title:walnut", "walnut OR absent", "NVDA", "nuts"]
    searches: list[Json] = [{"query": each} for each in words]
    searches += [{"tags": ["nuts"]}, {"symbols": ["NVDA"]}, {"status": "any", "sort": "title"}]
    with noted(every_surface, given):
        assert [len(found_by(every_surface, **each)) for each in searches] == [1] * len(searches)

    assert [found_by(every_surface, **each) for each in searches] == [[]] * len(searches)


def test_a16_a_deleted_research_note_is_found_by_nothing(database: Database) -> None:
    who = people(database)
    on = attempt(database, who.author, problem(database, who.owner))
    kept, gone = (
        write(database, who.author, on, f"---\ntags: nuts\n---\n{word} 胡桃 bread") for word in ("rye", "pie")
    )
    searches: list[Json] = [{"query": "bread"}, {"query": "胡桃"}, {"query": "pie"}, {"tags": ("nuts",)}]
    assert [len(ids(found(database, who.author, problem="sat", **each))) for each in searches] == [2, 2, 1, 2]

    research_notes.delete_note(database, who.author, gone)

    assert [ids(found(database, who.author, problem="sat", **each)) for each in searches] == [
        [kept],
        [kept],
        [],
        [kept],
    ]


LARGE = {
    "60,000 distinct words": ("".join(f"w{number:x}qz " for number in range(60_000)) + "lastword", "lastword"),
    "300,000 Chinese characters": (
        "".join(chr(0x4E00 + number % 19_997) for number in range(300_000)) + "终点站",
        "终点站",
    ),
    "one word 200,000 times": ("same " * 200_000 + "lastword", "lastword"),
    "60,000 emoji and a word": ("🚀😀" * 30_000 + " lastword", "lastword"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LARGE)
def test_a21_a_large_note_is_kept_and_found_by_its_last_word(kind: str, database: Database, actor: Actor) -> None:
    body, last = LARGE[kind]
    assert len(body.encode()) <= MAX_BODY_BYTES

    made = memory.create(database, actor, Draft(kind, body)).view.note
    memory.create(database, actor, Draft("small", "nothing of it"))

    assert titles_found(database, actor, last) == [kind]
    (read,), _ = memory.read(database, actor, [made.id], max_chars=2_000_000)
    assert read.body == body


@pytest.mark.parametrize("body", ["x" * 3_000_000, "word " * 600_000, "降" * 1_000_000], ids=["one", "words", "Han"])
def test_a21_three_megabytes_are_refused_with_the_limit(body: str, every_surface: Surface) -> None:
    answer = every_surface.call("memory.create", {"title": "T", "body": body})

    assert code_of(answer) == "too_large"
    assert "1,048,576" in answer["error"]["message"]
    assert every_surface.call("memory.search", {"status": "any"})["total"] == 0


@pytest.mark.parametrize("length", [255, 256, 400, 2_047, 5_000, 100_000])
@pytest.mark.parametrize("letter", ["x", "7", "é", "Ж", "a-"], ids=["x", "digit", "accent", "Cyrillic", "hyphens"])
def test_a22_a_token_of_any_length_is_kept_and_finds_its_note(
    letter: str, length: int, database: Database, actor: Actor
) -> None:
    token = (letter * length)[:length].rstrip("-")
    made = memory.create(database, actor, Draft("Long", f"before {token} after", "sum", tags=(token[:60],))).view.note

    assert titles_found(database, actor, "after") == ["Long"]
    if length <= MAX_QUERY_CHARS:
        assert titles_found(database, actor, token) == ["Long"]
    (read,), _ = memory.read(database, actor, [made.id], max_chars=2_000_000)
    assert read.body == f"before {token} after"


def test_a22_a_long_token_is_kept_on_every_surface(every_surface: Surface) -> None:
    token = "a1" * 200
    with noted(every_surface, f"see {token}", "see nothing") as made:
        assert found_by(every_surface, query=token) == made[:1]
        assert read_one(every_surface, made[0])["body"] == f"see {token}"
