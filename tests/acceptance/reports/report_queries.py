"""Searches that broke other products, each with the notes that it runs over and those of them that hold every word.

All notes lie in one store; the notes of a query carry its tag, so that one search a query is enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from clients import Surface, open_app

from notewell.domain.notes import Draft
from notewell.services import memory

PARTS = "an agent, a page, a scan, a row and a mini method, but nothing that is joined"
FINDABLE = ("C++", "C#", "BRK.B", "AT&T", "a@b.com", "foo:bar", "F#", ".NET", "x=y", "a%b", "$NVDA", "~home", "{a}")
SYNTAX = ("AND", "NOT", "OR", '"open', "NEAR(", "NEAR(open", "title:", "open)", "foo*bar", "^open", "a--b", "+foo")
FILES = ("CLAUDE.md", "session-recorder.py", "pyproject.toml", "backup.tar.gz", "v1.2.3-rc1")
OPERATED = ("tier1-test of unicode", "tier1-test alone", "unicode alone")

Row = tuple[str, tuple[int, ...], tuple[str, ...]]

ROWS: dict[str, list[Row]] = {
    "A1": [
        ("multi-agent", (0,), ("a multi-agent board", PARTS)),
        ("title-page", (0,), ("the title-page is missing", PARTS)),
        ("body-scan", (0,), ("a body-scan took an hour", PARTS)),
        ("summary-first", (0,), ("we write summary-first", PARTS)),
        ("space_id-row_no", (0,), ("sorted by space_id-row_no there", PARTS)),
        ("gpt-5-mini", (0,), ("asked gpt-5-mini twice", PARTS)),
        ("state-of-the-art", (0,), ("a state-of-the-art method", PARTS)),
        ("co\u2010op", (0,), ("a co-op of bakers", PARTS)),
    ],
    "A2": [
        (path, (0,), (f"It lies in {path} now.", "downloads of transcripts, the main source, hosts"))
        for path in (
            "Downloads/transcripts",
            "src/main.py",
            "/etc/hosts",
            "./dev",
            "a/b/c",
            "https://example.org/x?y=1",
        )
    ],
    "A3": [
        ("don't use", (0,), ("we don't use tabs", "we use spaces")),
        ("don\u2019t use", (0,), ("we don't use tabs", "we use spaces")),
        ("don't use", (0,), ("we don\u2019t use tabs", "we use spaces")),
        ("O'Brien", (0,), ("Ms O'Brien called", "Brien called")),
        ("l'été", (0,), ("pendant l'été", "un été chaud")),
        ("rock 'n' roll", (0,), ("rock 'n' roll is here", "rock is here")),
        ("'quoted", (0,), ("a quoted word", "a bare word")),
    ],
    "A4": [
        (unit, (0,), (f"about 10 {unit} here", f"about 10 {joined} here", f"{joined} {joined}"))
        for unit, joined in (("GB/s", "GBs"), ("km/h", "kmh"), ("I/O", "IO"), ("TCP/IP", "TCPIP"), ("p/e", "pe"))
    ],
    "A6": [
        ("tier1-test AND unicode", (0,), OPERATED),
        ("tier1-test OR unicode", (0, 1, 2), OPERATED),
        ("tier1-test NOT unicode", (1,), OPERATED),
        ("tier1-test -unicode", (1,), OPERATED),
        ("(tier1-test OR absent) AND unicode", (0,), OPERATED),
        ("NOT tier1-test", (2,), OPERATED),
        ("AND tier1-test", (), OPERATED),
    ],
    "A7": [(words, (0,), (f"it says {words} here", "it says nothing")) for words in FINDABLE],
    "A7 syntax": [(f"unicode {words}", (0,), (f"unicode here, {words} there", "only here")) for words in SYNTAX],
    "A9": [
        (words, (0,), (f"begin with {name} today", "begin with nothing today"))
        for name in FILES
        for words in (name, name.lower(), f"{name[:-3]}*")
    ],
    "A14": [
        (words, (0,), (f"so: {words} it is", "only the repo"))
        for words in (r"C:\repo\src", r"\\server\share", r"a\b", "a | b", "x|y", r"\d+\.\d+", "a || b")
    ],
    "B3": [
        (words, (0,), (f"今天整理了{words}的笔记", "今日は何もない"))
        for words in ("内存", "天气", "息", "天気", "날씨", "おや", "ゲーム", "อา")
    ],
    "B7": [
        ("京都", (0, 1), ("京都の夏", "東京都の夏", "東京の都会")),
        ("都の", (0, 1), ("京都の夏", "東京都の夏", "東京の都会")),
        ("东京", (0,), ("东京大学的图书馆", "东方和北京")),
        ("人工智能", (0,), ("关于人工智能的笔记", "工人有智能手机")),
    ],
    "B8": [
        ("memobase-use", (0,), ("我们把memobase-use装好了", "我们装好了memobase")),
        ("qwen3:8b", (0,), ("默认模型是qwen3:8b，很快", "默认模型是qwen3")),
        ("NVDA", (0,), ("英伟达NVDA股价上涨", "英伟达股价上涨")),
        ("text-embedding-3", (0,), ("用text-embedding-3做检索。", "用embedding做text检索。")),
        ("v1.10", (0,), ("升级到v1.10后正常", "升级到v1.1后正常")),
        ("C++编译", (0,), ("关于C++编译的问题", "关于C语言编译的问题")),
        ("API密钥", (0,), ("把API密钥放好", "把密钥放好，API再说")),
    ],
    "B10": [
        *(
            (words, (0,), (text, "nothing like it"))
            for text in ("Блины", "ΛΌΓΟΣ", "ÉCOLE", "İstanbul", "ՀԱՅ", "STRASSE")
            for words in (text, text.lower(), text.upper())
        ),
        ("straße", (0,), ("STRASSE", "Gasse")),
    ],
    "B11": [
        *(
            (words, (0,), (text, "nothing like it"))
            for text in ("Frau M\u00fcller", "Frau Mu\u0308ller", "Frau Muller")
            for words in ("m\u00fcller", "mu\u0308ller", "muller", "M\u00dcLLER")
        ),
        *(
            (words, (0,), (text, "другое"))
            for text in ("ёлка и йод", "е\u0308лка и и\u0306од")
            for words in ("\u0451лка", "е\u0308лка", "\u0439од", "и\u0306од")
        ),
        ("가나", (0,), ("\u1100\u1161\u1102\u1161 다", "마바")),
        ("Å", (0,), ("10 \u212b wide", "ten wide")),
    ],
}
"""Of each row: a query, the places of the notes that hold every word, and the notes."""


@dataclass(frozen=True)
class Query:
    """A query of a row, and what must hold of its answer."""

    tag: str
    """The tag of its notes."""
    words: str
    held: tuple[int, ...]
    bodies: tuple[str, ...]


def queries_of(row: str) -> list[Query]:
    """The queries of a row."""
    return [Query(f"{row.replace(' ', '-')}-{number}", *each) for number, each in enumerate(ROWS[row])]


def each_query(row: str) -> pytest.MarkDecorator:
    """Runs a test once for every query of a row, as ``query``."""
    return pytest.mark.parametrize("query", queries_of(row), ids=lambda query: f"{query.tag} {query.words}")


def write_corpus(home: Path) -> None:
    """Writes the notes of all queries."""
    with open_app(home) as app:
        actor = app.default_actor()
        for row in ROWS:
            for query in queries_of(row):
                for place, body in enumerate(query.bodies):
                    memory.create(app.store, actor, Draft(f"{query.tag} {place}", body, tags=(query.tag,)))


def shown(surface: Surface, query: Query, **more: object) -> list[int]:
    """The places of the notes that are shown, in order."""
    found = surface.call("memory.search", {"query": query.words, "tags": [query.tag], "limit": 50, **more})
    assert "error" not in found, found
    return [int(card["title"].split()[-1]) for card in found["cards"]]


def exact(surface: Surface, query: Query) -> list[int]:
    """The places of the notes that hold every word, sorted."""
    return sorted(shown(surface, query, match="all"))
