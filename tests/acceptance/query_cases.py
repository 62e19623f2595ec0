"""One search a row, over a store that holds only the row's notes. Each row stands for its whole kind.

A query language is judged by what people type into it: compound words, signs, versions, paths, halves of syntax, and
scripts that write no spaces. What must hold of the answer is in the fields of ``Case``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Texts = dict[str, tuple[str, str]]
"""Notes by their keys: title and body."""


@dataclass(frozen=True)
class Case:
    """A query, the notes it runs over, and what must hold."""

    id: str
    query: str
    notes: Texts
    expect: tuple[str, ...] | None = None
    """Exactly these notes hold every word: the cards without ``missing``, in any order."""
    first: str | None = None
    """The first card of all."""
    is_none: bool = False
    """There is no card."""
    total: int | None = None
    error: str | None = None
    """The error's code."""
    is_free: bool = False
    """Any list will do, as long as it is no error."""
    where: Literal["memory", "everywhere"] = "everywhere"


AGENTS: Texts = {
    "a": ("Multi-agent drafting", "Several workers in a multi-agent setting share one board."),
    "b": ("Agents", "A single agent did it alone."),
    "c": ("Rain", "The sky was grey."),
}
LANGUAGES: Texts = {
    "a": ("C++ compile times", "headers"),
    "b": ("C# compile times", "assemblies"),
    "c": ("C compile times", "objects"),
}

CASES = (
    Case("hyphen", "multi-agent", AGENTS, expect=("a",)),
    Case(
        "slash",
        "Downloads/transcripts",
        {"a": ("Folders", "They lie under Downloads/transcripts now"), "b": ("Folders", "My downloads went away")},
        expect=("a",),
    ),
    Case(
        "apostrophe",
        "don't use",
        {"a": ("Habits", "Here people don't use semicolons"), "b": ("Habits", "Here people use semicolons")},
        expect=("a",),
    ),
    Case(
        "unit",
        "GB/s",
        {"a": ("Disk", "It reads 10 GB/s at best"), "b": ("Disk", "It holds nine GBs of films")},
        expect=("a",),
    ),
    Case("cplusplus", "C++", {**LANGUAGES, "d": ("Café", "espresso")}, expect=("a",)),
    Case("csharp", "C#", LANGUAGES, expect=("b",)),
    Case(
        "version-exact",
        "1.1",
        {"a": ("Upgrade", "mended by 1.1"), "b": ("Upgrade", "mended by 1.10"), "c": ("Upgrade", "mended by 11")},
        expect=("a",),
    ),
    Case(
        "dotted",
        "BRK.B",
        {"a": ("Holding", "BRK.B went up"), "b": ("Holding", "BRK went down, so plan B it is")},
        expect=("a",),
    ),
    Case(
        "email",
        "ops@example.org",
        {"a": ("Whom to ask", "It is ops@example.org"), "b": ("Whom to ask", "Somebody of ops, at example")},
        expect=("a",),
    ),
    Case(
        "backslash",
        r"C:\repo\src",
        {"a": ("Where", r"Everything is below C:\repo\src"), "b": ("Where", "the source of the repo")},
        expect=("a",),
    ),
    Case(
        "file-name",
        "CLAUDE.md",
        {"a": ("Manual", "Begin with CLAUDE.md"), "b": ("Manual", "It was claude who began")},
        expect=("a",),
    ),
    Case("lone-operator-and", "AND", AGENTS, is_free=True),
    Case("lone-operator-not", "NOT", AGENTS, is_free=True),
    Case("open-quote", '"multi-agent', AGENTS, expect=("a",)),
    Case("open-paren", "(agent", AGENTS, expect=("a", "b")),
    Case("only-punctuation", "*** --- ()", AGENTS, error="invalid_query"),
    Case("empty-phrase", '""', AGENTS, error="invalid_query"),
    Case(
        "near",
        "NEAR(alpha beta, 5)",
        {"a": ("Q", "alpha and then beta"), "b": ("Q", f"alpha {'q ' * 20}beta")},
        expect=("a",),
    ),
    Case("near-open", "NEAR(", AGENTS, is_free=True),
    Case("minus", "apple -plum", {"a": ("Basket", "apple cherry"), "b": ("Basket", "apple plum")}, expect=("a",)),
    Case(
        "or",
        "apple OR plum",
        {"a": ("Basket", "apple"), "b": ("Basket", "plum"), "c": ("Basket", "cherry")},
        expect=("a", "b"),
    ),
    Case(
        "phrase",
        '"rate cut"',
        {"a": ("Bank", "a rate cut is likely"), "b": ("Bank", "they cut the rate")},
        expect=("a",),
    ),
    Case(
        "prefix",
        "colum*",
        {"a": ("Storage", "a columnar layout"), "b": ("Storage", "a layout by rows")},
        expect=("a",),
    ),
    Case(
        "infix",
        "olumn",
        {"a": ("Storage", "Column after column"), "b": ("Storage", "Row after row")},
        expect=("a",),
        where="memory",
    ),
    Case("field", "title:rates", {"a": ("Rates", "nothing more"), "b": ("More", "on rates")}, expect=("a",)),
    Case("stem", "index rebuild", {"a": ("Night", "the indexes were rebuilt"), "b": ("Night", "quiet")}, first="a"),
    Case(
        "title-weight",
        "retry policy",
        {"a": ("Retry policy", "brief"), "b": ("More", "retry by policy, retry"), "c": ("More", "quiet")},
        first="a",
    ),
    Case("zh-1", "息", {"a": ("笔记", "央行宣布降息"), "b": ("笔记", "货币升值")}, expect=("a",)),
    Case("zh-2", "降息", {"a": ("笔记", "大家都在谈降息预期"), "b": ("笔记", "下降的利息收入")}, expect=("a",)),
    Case("zh-4", "降息预期", {"a": ("笔记", "大家都在谈降息预期"), "b": ("笔记", "预期会降息")}, expect=("a",)),
    Case(
        "zh-mixed",
        "NVDA降息预期",
        {"a": ("笔记", "留意NVDA降息预期带来的变化"), "b": ("笔记", "NVDA 走高,降息预期变强")},
        expect=("a",),
    ),
    Case(
        "zh-question",
        "我们最近配置的检索模型是什么",
        {"a": ("检索", "上周把检索模型配置成了 e5-small"), "b": ("天气", "明天有雨")},
        first="a",
        expect=(),
    ),
    Case("ja-2", "天気", {"a": ("メモ", "今日の天気は曇り"), "b": ("メモ", "気温が低い")}, expect=("a",)),
    Case(
        "ko-inner",
        "분석기",
        {"a": ("메모", "새형태소분석기다"), "b": ("메모", "없음")},
        expect=("a",),
    ),
    Case("th-inner", "อากาศ", {"a": ("บันทึก", "พรุ่งนี้สภาพอากาศแย่"), "b": ("บันทึก", "ว่างเปล่า")}, expect=("a",)),
    Case("ru-case", "блины", {"a": ("Запись", "Блины на завтрак"), "b": ("Запись", "каша")}, expect=("a",)),
    Case("diacritic", "muller", {"a": ("Call", "Frau Müller was here"), "b": ("Call", "Frau Maier")}, expect=("a",)),
    Case(
        "nfd",
        "M\u00fcller",
        {"a": ("Call", "Frau Mu\u0308ller was here"), "b": ("Call", "nobody")},
        expect=("a",),
    ),
    Case("fullwidth", "nvda", {"a": ("Chips", "ＮＶＤＡ rose"), "b": ("Chips", "AMD rose")}, expect=("a",)),
    Case("emoji", "🚀", {"a": ("Day", "we launched 🚀 it"), "b": ("Day", "we slept")}, expect=("a",)),
    Case(
        "far-word",
        "zanzibar",
        {"a": ("Long", f"{'filler ' * 3_000}zanzibar"), "b": ("Long", "filler")},
        expect=("a",),
    ),
    Case(
        "underscore",
        "foo_bar",
        {"a": ("Setting", "foo_bar was off"), "b": ("Setting", "foo with bar")},
        expect=("a",),
    ),
    Case("lone-underscore", "foo _ bar", {"a": ("Q", "foo bar"), "b": ("Q", "qux")}, expect=("a",)),
    Case("percent", "12%", {"a": ("Q", "grew 12% in May"), "b": ("Q", "grew 12 in May")}, expect=("a", "b")),
    Case(
        "relax-two-of-three",
        "database migration kangaroo",
        {"a": ("Q", "a migration of the database"), "b": ("Q", "soup of the day")},
        expect=(),
        first="a",
    ),
    Case("no-relax-phrase", '"rate cut"', {"a": ("Q", "they cut the rate")}, expect=(), is_none=True),
    Case("exact-total", "unique1", {"a": ("Q", "dolor unique1"), "b": ("Q", "amet")}, expect=("a",), total=1),
)
