"""Scripts that other products searched badly, or not at all: rows B3 to B19."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from cli_runs import process
from clients import Json, Surface, environment_of, open_surface, stdio_process, tool_request
from report_notes import EVERY, code_of, count_all, found_by, noted, read_one, titles_found
from report_queries import Query, each_query, exact, shown

from notewell.domain.access import Actor
from notewell.domain.notes import Draft
from notewell.errors import InvalidArgument
from notewell.services import memory
from notewell.store.database import Database

pytest_plugins = ["report_fixtures"]

SEARCH_PAGE = Path(__file__).parents[3] / "docs" / "why" / "search.md"
SCRIPTS = {
    "Chinese": "内存里的天气预报",
    "Japanese": "東京の天気は晴れ",
    "Korean": "서울의 날씨는 맑음",
    "Thai": "สภาพอากาศวันนี้",
    "Russian": "Блины на завтрак",
    "Greek": "η γλώσσα",
    "Arabic": "مذكرات اليوم",
    "Hebrew": "פתקים של היום",
    "Hindi": "आज की टिप्पणी",
    "emoji": "launch 🚀👩‍👩‍👧",
    "beyond the first plane": "𠮷野家 𝔘nicode",
}


@each_query("B3")
def test_b3_one_or_two_characters_of_a_script_without_spaces_are_found(query: Query, corpus: Surface) -> None:
    assert exact(corpus, query) == [0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("我们最近配置的检索模型是什么", "上周把检索模型配置成了 e5-small"),
        ("上次讨论的数据库迁移方案怎么样了", "数据库迁移方案：先复制，再切换"),
        ("最近天気がよくない理由は何ですか", "低気圧のため天気がよくない"),
        ("어제 회의에서 결정한 배포 일정은 무엇인가요", "배포 일정은 금요일로 결정"),
        ("ทำไมวันนี้สภาพอากาศไม่ดี", "สภาพอากาศไม่ดีเพราะฝนตก"),
    ],
)
def test_b5_a_whole_question_finds_its_note_first(question: str, answer: str, every_surface: Surface) -> None:
    with noted(every_surface, "今天买了苹果和牛奶", answer, "りんごを買った", "사과", "แอปเปิล") as made:
        found = every_surface.call("memory.search", {"query": question})

    assert found["cards"][0]["id"] == made[1]
    assert found["cards"][0]["missing"] != []


@each_query("B7")
def test_b7_characters_are_found_wherever_they_stand(query: Query, corpus: Surface) -> None:
    assert exact(corpus, query) == list(query.held)


def test_b7_of_two_that_hold_the_characters_the_better_match_comes_first_as_documented(corpus: Surface) -> None:
    query = Query("B7-0", "京都", (0, 1), ())

    # Each holds them once; the note of fewer terms is the better one.
    assert shown(corpus, query)[:2] == [0, 1]
    assert "`京都` is found in `東京都`" in " ".join(SEARCH_PAGE.read_text("utf-8").split())


@each_query("B8")
def test_b8_a_latin_name_inside_another_script_is_found(query: Query, corpus: Surface) -> None:
    assert exact(corpus, query) == [0]


@pytest.mark.parametrize(
    ("present", "absent"),
    [
        ("database migration", "kangaroo"),
        ("миграция базы", "кенгуру"),
        ("μετάβαση βάσης", "καγκουρό"),
        ("ترحيل البيانات", "كنغر"),
        ("העברת נתונים", "קנגורו"),
        ("ย้ายข้อมูล", "จิงโจ้"),
        ("डेटा स्थानांतरण", "कंगारू"),
        ("տվյալների փոխանցում", "կենգուրու"),
    ],
)
def test_b9_a_word_too_many_relaxes_alike_in_every_alphabet(present: str, absent: str, every_surface: Surface) -> None:
    with noted(every_surface, f"1 {present} 2", "nothing") as made:
        found = every_surface.call("memory.search", {"query": f"{present} {absent}"})
        strict = found_by(every_surface, query=f"{present} {absent}")

    assert [(card["id"], card["missing"]) for card in found["cards"]] == [(made[0], [absent])]
    assert (found["total"], strict) == (0, [])


@each_query("B10")
def test_b10_case_makes_no_difference_in_any_alphabet(query: Query, corpus: Surface) -> None:
    assert exact(corpus, query) == [0]


@each_query("B11")
def test_b11_composed_decomposed_and_latin_without_marks_are_one_word(query: Query, corpus: Surface) -> None:
    assert exact(corpus, query) == [0]


def test_b11_the_page_on_search_says_which_marks_are_dropped() -> None:
    assert "marks are dropped from Latin and Greek letters only" in " ".join(SEARCH_PAGE.read_text("utf-8").split())


@pytest.mark.parametrize("tag", ["测试", "тест", "テスト", "시험", "café", "اختبار", "🚀", "ทดสอบ", "c++"])
def test_b12_a_tag_of_any_script_filters(tag: str, each_kind: Surface) -> None:
    forms = [tag, f"#{tag}", f"\uff03{tag}", f" #{tag} "]
    with noted(each_kind, {"tags": [f"{tag}2"]}, *({"tags": [form]} for form in forms)) as made:
        assert sorted(found_by(each_kind, tags=[f"#{unicodedata.normalize('NFD', tag)}"])) == sorted(made[1:])
        assert read_one(each_kind, made[-1])["tags"] == [tag]
        assert {"name": tag, "notes": 4} in each_kind.call("memory.collections", {})["tags"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("era", "locale"),
    [("2025", {"LANG": "C", "LC_ALL": "C"}), ("2026", {"PYTHONIOENCODING": "gbk", "PYTHONUTF8": "0"})],
)
def test_b18_stdio_speaks_utf_8_under_any_locale(era: str, locale: dict[str, str], tmp_path: Path) -> None:
    with stdio_process(tmp_path, era, **locale) as server:
        for number, (title, text) in enumerate(SCRIPTS.items(), 1):
            arguments = {"title": title, "body": text, "summary": text}
            # As it stands, not escaped: the bytes of the line are those of the text.
            line = json.dumps(json.loads(tool_request(era, "noteCreate", arguments, number)), ensure_ascii=False)
            made = server.ask(line)["result"]["structuredContent"]
            read = server.ask(tool_request(era, "noteRead", {"ids": [made["id"]]}, 100 + number))
            assert read["result"]["structuredContent"]["notes"][0]["body"] == text
            assert json.loads(read["result"]["content"][0]["text"])["notes"][0]["summary"] == text


@pytest.mark.slow
@pytest.mark.parametrize("locale", [{"LANG": "C", "LC_ALL": "C"}, {"PYTHONIOENCODING": "gbk"}])
def test_b18_the_command_line_speaks_utf_8_under_any_locale(locale: dict[str, str], tmp_path: Path) -> None:
    text = "\n".join(SCRIPTS.values())
    environment = {**environment_of(tmp_path), **locale}
    made = process("note", "add", "内存", "--body", "-", "--json", stdin=text.encode(), environment=environment)
    note_id = json.loads(made.stdout)["id"]

    read = process("note", "show", note_id, "--json", environment=environment)
    found = process("note", "search", "天气", "--json", environment=environment)

    assert json.loads(read.stdout)["notes"][0]["body"] == text
    assert json.loads(found.stdout)["cards"][0]["title"] == "内存"


NO_COMMAND_LINE = [each for each in EVERY if each.values != ("cli",)]


@pytest.mark.parametrize("name", NO_COMMAND_LINE)
def test_b19_a_nul_is_refused_wherever_it_stands(name: str, tmp_path: Path) -> None:
    """The words of a command line hold none; its standard input is the next test's."""
    bad: list[Json] = [
        *({"title": "T", "body": "B", field: "a\0b"} for field in ("title", "summary", "body", "source")),
        *({"title": "T", "body": "B", field: ["a\0b"]} for field in ("tags", "symbols")),
        {"title": "T", "body": "\0"},
        {"title": "T", "body": "B", "collection": "a\0b", "createCollection": True},
        {"title": "T", "body": "B", "idempotencyKey": "a\0b"},
    ]
    with open_surface(name, tmp_path) as surface, noted(surface, "kept") as made:
        answers = [surface.call("memory.create", each) for each in bad]
        answers.append(surface.call("memory.update", {"id": made[0], "append": "a\0b"}))
        searched = surface.call("memory.search", {"query": "kept\0"})

        assert {code_of(answer) for answer in answers} <= {"invalid_argument", "invalid_symbol"}
        assert code_of(searched) in (None, "invalid_argument")
        assert (count_all(surface), read_one(surface, made[0])["body"]) == (1, "kept")


def test_b19_a_nul_from_a_pipe_is_refused_by_the_command_line(tmp_path: Path) -> None:
    with open_surface("cli", tmp_path) as surface:
        answer = surface.call("memory.create", {"title": "T", "body": "a\0b"})

        assert (code_of(answer), count_all(surface)) == ("invalid_argument", 0)
        assert "NUL" in answer["error"]["message"]


def test_b19_both_engines_keep_every_other_control_character(database: Database, actor: Actor) -> None:
    body = "".join(map(chr, range(1, 0xA0))) + "\ufeff\ufffe\uffff\u2028"
    made = memory.create(database, actor, Draft("Controls", f"{body} walnut")).view.note

    with pytest.raises(InvalidArgument, match="NUL"):
        memory.create(database, actor, Draft("NUL", "a\0b"))

    (read,), _ = memory.read(database, actor, [made.id])
    assert read.body == f"{body} walnut"
    assert titles_found(database, actor, "walnut") == ["Controls"]
