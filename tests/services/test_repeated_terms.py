"""A text or a question that says one thing again and again costs no more than others."""

from __future__ import annotations

import pytest
from searching import Text, page, shown, write

from notewell.domain.access import Actor
from notewell.domain.query_tree import Phrase
from notewell.services.search import SearchRequest
from notewell.store.database import Database
from notewell.store.tsearch_match import MAX_REPEATED, counted_phrase

TEXTS = {"run": "降" * 20_000, "pair": "降息" * 10_000, "words": "the cat " * 10_000, "apart": "降 息 " * 5_000}


@pytest.mark.parametrize("words", ["降" * 40, "降息" * 20, '"' + "the cat " * 20 + '"', "降" * 5])
def test_a_repeated_phrase_is_found_where_it_stands(words: str, database: Database, actor: Actor) -> None:
    write(database, actor, [Text(title, body) for title, body in TEXTS.items()])

    found = page(database, actor, SearchRequest(words, match="all")).found

    expected = {"降": {"run"}, "息": {"pair"}, '"': {"words"}}
    assert set(shown(database, actor, found)) == expected[words[1] if words[1] == "息" else words[0]]


def test_what_is_counted_of_a_phrase_ends_before_a_term_that_comes_too_often() -> None:
    run = Phrase(("a",) * 40, is_open=True, field="title")
    pair = Phrase(("a", "b") * 20)
    usual = Phrase(("a", "b", "a", "c"), is_open=True)

    assert counted_phrase(run) == Phrase(("a",) * MAX_REPEATED, field="title")
    assert counted_phrase(pair) == Phrase(("a", "b") * MAX_REPEATED)
    assert counted_phrase(usual) is usual
