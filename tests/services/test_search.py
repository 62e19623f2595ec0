"""What a keyword search finds and in which order (DESIGN 5), through the search service on a store of each engine."""

from __future__ import annotations

import random

import pytest
from budget import examples
from conftest import SettableClock, new_actor
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from searching import Text, exact_titles, page, shown, titles, write

from notewell.domain.access import Actor
from notewell.domain.filters import NoteFilters
from notewell.domain.notes import tag_key
from notewell.errors import InvalidArgument, InvalidQuery
from notewell.services.search import SearchRequest
from notewell.store.database import Database

FRUIT = (
    Text("apple", "apple pear"),
    Text("plum", "apple plum"),
    Text("fig", "fig"),
    Text("cherry", "cherry pie retrying"),
    Text("column", "a Column of numbers"),
)


# Exact matches, then the rest


def test_notes_with_every_word_come_before_those_with_some(database: Database, actor: Actor) -> None:
    write(database, actor, [Text("both", "rate cut and much else besides"), Text("one", "rate rate rate rate")])

    found = page(database, actor, SearchRequest("rate cut")).found

    assert shown(database, actor, found) == ["both", "one"]
    assert [(each.part, each.missing) for each in found] == [("exact", ()), ("rest", ("cut",))]


def test_missing_names_the_words_as_typed(database: Database, actor: Actor) -> None:
    write(database, actor, [Text("note", "database schema migration")])

    found = page(database, actor, SearchRequest("Databases kangaroo MIGRATION 袋鼠")).found

    assert [each.missing for each in found] == [("kangaroo", "袋鼠")]


def test_match_all_leaves_the_rest_out(database: Database, actor: Actor) -> None:
    write(database, actor, [Text("both", "rate cut"), Text("one", "rate")])

    answer = page(database, actor, SearchRequest("rate cut", match="all"))

    assert shown(database, actor, answer.found) == ["both"]
    assert answer.cursor_after(1) is None


def test_the_rest_follows_only_where_exact_matches_leave_room(database: Database, actor: Actor) -> None:
    write(database, actor, [Text("one", "rate"), *[Text(f"both {number}", "rate cut") for number in range(3)]])

    full, roomy = (page(database, actor, SearchRequest("rate cut", limit=limit)) for limit in (3, 4))

    assert [each.part for each in full.found] == ["exact"] * 3
    assert full.cursor_after(3) is None
    assert [each.part for each in roomy.found] == ["exact"] * 3 + ["rest"]


def test_the_total_counts_exact_matches_only(database: Database, actor: Actor) -> None:
    write(database, actor, [Text(f"both {number}", "rate cut") for number in range(7)] + [Text("one", "rate")])

    assert [page(database, actor, SearchRequest("rate cut", limit=limit)).total for limit in (1, 6, 7, 8, 50)] == [
        7
    ] * 5


def test_what_never_relaxes_is_held_by_every_note(database: Database, actor: Actor) -> None:
    write(database, actor, [Text("phrase", "rate cut"), Text("other", "cut the rate soon"), Text("soon", "soon")])

    assert titles(database, actor, '"rate cut" soon') == ["phrase"]
    assert titles(database, actor, '"rate cut" -fed absent') == ["phrase"]


def test_a_whole_question_in_chinese_finds_its_note(database: Database, actor: Actor) -> None:
    write(database, actor, [Text("model", "检索模型已改为新的配置"), Text("lunch", "午饭吃面条")])

    found = page(database, actor, SearchRequest("我们最近配置的检索模型是什么")).found

    assert shown(database, actor, found) == ["model"]
    assert found[0].missing == ("我们最近配置的检索模型是什么",)


def test_words_of_every_alphabet_relax(database: Database, actor: Actor) -> None:
    write(database, actor, [Text("ru", "Блины со сметаной"), Text("el", "ρυθμός μείωσης"), Text("ar", "سعر الفائدة")])

    assert titles(database, actor, "блины сметаной завтра") == ["ru"]
    assert titles(database, actor, "ΡΥΘΜΌΣ αύριο") == ["el"]
    assert titles(database, actor, "سعر غدا") == ["ar"]


# Operators


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("apple -plum", {"apple"}),
        ("apple OR fig", {"apple", "plum", "fig"}),
        ("(fig OR cherry) -pie", {"fig"}),
        ("(apple AND pear) OR (apple AND (plum OR fig))", {"apple", "plum"}),
        ("-apple", {"fig", "cherry", "column"}),
        ("NOT apple -fig", {"cherry", "column"}),
        ("-(apple pear)", {"plum", "fig", "cherry", "column"}),
        ("-a1 OR -apple", {"apple", "plum", "fig", "cherry", "column"}),
        ("retry*", {"cherry"}),
        ("retr* -pie", set()),
        ("colum* OR ap*", {"apple", "plum", "column"}),
        ("ap* pl*", {"plum"}),
        ("-ap* -fi*", {"cherry", "column"}),
        ("title:apple", {"apple"}),
        ("body:ap* -title:ap*", {"plum"}),
        ('"apple pear"', {"apple"}),
        ("NEAR(a numbers, 2)", {"column"}),
        ("NEAR(a numbers, 1)", set()),
        ("NEAR(numbers column) OR fig", {"column", "fig"}),
        ("NEAR(pie cherry, 0)", {"cherry"}),
    ],
)
def test_an_operator_finds_what_it_says(database: Database, actor: Actor, words: str, expected: set[str]) -> None:
    write(database, actor, FRUIT)

    assert exact_titles(database, actor, words) == expected


def test_a_query_of_exclusions_alone_lists_the_newest_first(database: Database, actor: Actor) -> None:
    write(database, actor, FRUIT)

    answer = page(database, actor, SearchRequest("-apple"))

    assert shown(database, actor, answer.found) == ["column", "cherry", "fig"]
    assert (answer.total, [each.score for each in answer.found]) == (3, [None] * 3)


def test_a_phrase_crosses_neither_fields_nor_labels(database: Database, actor: Actor) -> None:
    write(database, actor, [Text("rate", "cut", "soon", ("fed", "day off"), ("NVDA", "AMD"))])

    for words in ('"rate cut"', '"rate soon"', '"fed day"', '"off nvda"', '"nvda amd"', "NEAR(rate cut, 9)"):
        assert exact_titles(database, actor, words) == set()
    assert exact_titles(database, actor, '"day off" nvda fed') == {"rate"}


def test_scope_and_filter_terms_are_no_text(database: Database, actor: Actor) -> None:
    write(database, actor, [Text("note", "body", tags=("t",), symbols=("NVDA",))])

    for words in (f'"s:{actor.account_id}"', "f:s", "y:nvda", actor.account_id, "acc*", "s:acc*"):
        assert exact_titles(database, actor, words) == set()


# Fragments


def test_a_fragment_is_found_inside_a_word_and_says_so(database: Database, actor: Actor) -> None:
    write(database, actor, FRUIT)

    answer = page(database, actor, SearchRequest("olumn"))

    assert shown(database, actor, answer.found) == ["column"]
    assert [(each.partial, each.missing) for each in answer.found] == [(("olumn",), ())]
    assert (answer.total, answer.fragment) == (1, "olumn")


def test_whole_words_come_before_fragments_and_both_are_counted(database: Database, actor: Actor) -> None:
    write(database, actor, [Text("inside", "columns and pillars"), Text("whole", "a lumns word"), Text("none", "x")])

    answer = page(database, actor, SearchRequest("lumns"))

    assert shown(database, actor, answer.found) == ["whole", "inside"]
    assert [each.partial for each in answer.found] == [(), ("lumns",)]
    assert answer.total == 2


def test_a_fragment_is_looked_for_in_tags_and_symbols(database: Database, actor: Actor) -> None:
    write(database, actor, [Text("tag", tags=("Quarterly",)), Text("symbol", symbols=("NVDA",))])

    assert titles(database, actor, "uarterl") == ["tag"]
    assert titles(database, actor, "vda") == ["symbol"]


@pytest.mark.parametrize("words", ["ol", '"olumn"', "olumn fig", "23", "a_b"])
def test_short_quoted_and_other_words_have_no_fragments(database: Database, actor: Actor, words: str) -> None:
    write(database, actor, [Text("note", "column 12345 xa_bx")])

    assert titles(database, actor, words) == []


def test_past_64_words_a_fragment_has_no_total(database: Database, actor: Actor) -> None:
    write(
        database, actor, [Text(f"n{number}", f"x{'abcdefghij'[number % 10]}frag{'q' * number}") for number in range(70)]
    )

    answer = page(database, actor, SearchRequest("frag", limit=50))

    assert (len(answer.found), answer.total) == (50, None)


def test_a_fragment_that_holds_signs_of_a_pattern_is_read_as_text(database: Database, actor: Actor) -> None:
    write(database, actor, FRUIT)

    for words in ("c%n", "col_mn", "co%", "_lumn%x"):
        assert titles(database, actor, words) == []


# Filters act inside the search


def test_three_notes_of_one_collection_are_found_behind_a_thousand_of_another(database: Database, actor: Actor) -> None:
    many = [Text(f"many {number}", "rate rate rate", collection_id="col_a") for number in range(1_000)]
    few = [Text(f"few {number}", f"one rate {'among others ' * 9}", collection_id="col_b") for number in range(3)]
    write(database, actor, few + many)

    for words in ("rate", "rate absent", "ra*", "rat"):
        assert titles(database, actor, words, NoteFilters(collection_id="col_b")) == ["few 2", "few 1", "few 0"]


def test_each_filter_keeps_what_it_names(database: Database, actor: Actor, clock: SettableClock) -> None:
    write(database, actor, [Text("old", "rate", tags=("Fed", "us"), symbols=("NVDA",), collection_id="col_a")])
    clock.advance(10)
    write(database, actor, [Text("new", "rate", tags=("fed",), symbols=("AMD",), is_archived=True)])
    filters = {
        NoteFilters(tags=(tag_key("#FED"),)): {"old", "new"},
        NoteFilters(tags=("fed", "us")): {"old"},
        NoteFilters(tags=("fe",)): set(),
        NoteFilters(symbols=("NVDA",)): {"old"},
        NoteFilters(symbols=("NVDA", "AMD")): {"old", "new"},
        NoteFilters(collection_id="col_a"): {"old"},
        NoteFilters(is_unfiled=True): {"new"},
        NoteFilters(status="active"): {"old"},
        NoteFilters(status="archived"): {"new"},
        NoteFilters(created_from=clock.now): {"new"},
        NoteFilters(created_to=clock.now - 1): {"old"},
        NoteFilters(updated_from=clock.now - 10, updated_to=clock.now - 10): {"old"},
        NoteFilters(tags=("fed",), status="archived", symbols=("NVDA",)): set(),
    }

    for each, expected in filters.items():
        for words in (None, "rate", "rat*", "rate absent", "-absent", "ate", "rate OR x*"):
            assert set(titles(database, actor, words, each)) == expected, (each, words)


# Nothing raises


@pytest.mark.parametrize("limit", [0, -1, 51])
def test_a_limit_outside_1_to_50_is_refused(database: Database, actor: Actor, limit: int) -> None:
    with pytest.raises(InvalidArgument, match="limit"):
        page(database, actor, SearchRequest("x", limit=limit))


@pytest.mark.parametrize(
    "words",
    [
        " ".join(f"p{number}*" for number in range(300)),
        " ".join(f"w{number}" for number in range(400)),
        " OR ".join(f"p{number}*" for number in range(220)),
        " OR ".join(f"w{number}" for number in range(220)),
        " ".join(f"-p{number}*" for number in range(250)),
        "-" + " -".join(f"w{number}" for number in range(300)),
        "(a1 OR (b1 " * 24 + "c1" + "))" * 24,
        "(a* OR (b* " * 24 + "c*" + "))" * 24,
        "(a1 OR NOT (b1 " * 24 + "c1" + "))" * 24,
        "NEAR(" + " ".join(f"w{number}" for number in range(300)) + ")",
        "a*" + " a*" * 600,
        " ".join(f"{chr(0x1200 + number)}*" for number in range(600)),
        " OR ".join(f"{chr(0x1200 + number)}*" for number in range(285)),
        " ".join(f"{chr(0x4E00 + number)}*" for number in range(600)),
        "降" * 1_999,
    ],
)
def test_a_query_of_any_size_within_its_limit_is_answered(database: Database, actor: Actor, words: str) -> None:
    write(database, actor, FRUIT)

    page(database, actor, SearchRequest(words))


PIECES = ["apple", "fi*", "降", "C++", "to", "1.1", "🎉", '"', "(", ")", "-", "NEAR(", ", 2)", " OR ", " AND ", " NOT "]
SIGNS = ["title:", "%", "'", "\0", "\ud800", ";", "|", " ", " ", " "]
SYNTAX = st.lists(st.sampled_from(PIECES + SIGNS), max_size=25).map("".join)


@settings(deadline=None, max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=SYNTAX | st.text(st.characters(exclude_categories=()), max_size=20))
def test_no_words_make_a_search_raise_anything_but_an_invalid_query(
    database: Database, actor: Actor, words: str
) -> None:
    if not page(database, actor, SearchRequest()).found:
        write(database, actor, FRUIT)

    try:
        answer = page(database, actor, SearchRequest(words))
    except InvalidQuery:
        return

    assert answer.total is None or answer.total <= len(FRUIT)


def test_another_accounts_notes_are_never_found(database: Database, actor: Actor) -> None:
    write(database, new_actor("ben"), FRUIT)

    for words in (None, "apple", "ap*", "pple", "-x", "-x*", "apple OR -x", "x OR -ap*"):
        assert titles(database, actor, words) == []


# The substring promise, through the engine

CHINESE = (
    (
        """央行宣布下调存款准备金率|市场预期年内还会降息两次|昨天的会议决定推迟新产品发布|他把备份脚本改成了每小时运行一次
数据库连接池在高峰期耗尽|我们最近配置的检索模型效果更好|这条笔记记录了一次失败的实验|东京都的天气比京都凉快
新能源汽车销量同比增长三成|编译缓存让构建时间缩短一半|请在周五之前提交季度报告|内存泄漏的原因是循环引用
汇率波动影响了出口企业利润|测试环境的证书下个月到期|她喜欢在雨天读历史小说|搜索结果按相关度排序
火车票需要提前十五天预订|备用电源可以支撑四个小时|这段代码没有处理空指针|黄金价格创下历史新高
团队决定采用渐进式迁移方案|用户反馈页面加载太慢|日志显示请求在网关超时|机器学习模型需要重新训练
合同第三条约定了违约责任|会议纪要已经发到邮箱|早餐店的豆浆非常好喝|分布式事务的代价很高
索引与正文必须同时更新|图书馆周一闭馆整理书籍|孩子们在公园里放风筝|加密算法的选择要谨慎
房贷利率下降减轻了还款压力|服务器迁移到了新的机房|医生建议每天散步半小时|这篇论文提出了新的证明方法
半导体行业进入下行周期|请把重要结论写在摘要里|春节期间物流会有延迟|防火墙规则误拦了内部流量
股票回购计划获得董事会批准|海鲜市场凌晨三点开门|旧系统的接口文档已经丢失|线程安全的队列解决了竞争
国债收益率曲线出现倒挂|中秋节的月亮又大又圆|监控告警阈值设置得太低|向量检索补充了关键词搜索
租房合同下个月到期续签|论文的数据集已经公开下载|咖啡机的水箱需要清洗|回滚脚本在演练中验证通过
消费者信心指数连续回升|登山时要注意天气变化|容器镜像的体积减少一半|这个问题值得单独记录下来"""
    )
    .replace("\n", "|")
    .split("|")
)


def test_every_short_piece_of_a_chinese_sentence_finds_exactly_the_notes_that_hold_it(
    database: Database, actor: Actor
) -> None:
    write(database, actor, [Text(f"n{number}", sentence) for number, sentence in enumerate(CHINESE)])
    chance = random.Random(7)

    for _ in range(200):
        sentence, size = chance.choice(CHINESE), chance.randint(1, 6)
        start = chance.randint(0, len(sentence) - size)
        piece = sentence[start : start + size]
        holding = {f"n{number}" for number, each in enumerate(CHINESE) if piece in each}
        assert exact_titles(database, actor, piece) == holding, piece
