"""Where very many notes match, PostgreSQL ranks those that promise most: the first page stays what it would be."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ENGINES, SettableClock, open_store
from searching import Text, page, shown, write

from notewell.domain.access import Actor
from notewell.services.search import SearchRequest
from notewell.store import tsearch, tsearch_candidates


@pytest.mark.postgres
@pytest.mark.parametrize(
    "words", ["rate", "rate cut", "rate OR cut", "ra*", "ra* cu*", "rate absent", "body:ra*", "title:ra*", "*at*"]
)
def test_the_first_page_of_a_common_word_is_that_of_an_exact_ranking(
    words: str, actor: Actor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (tsearch, tsearch_candidates):
        monkeypatch.setattr(module, "MAX_RANKED", 30)
    first: dict[str, list[str]] = {}
    for engine in sorted(ENGINES):
        store = open_store(engine, tmp_path, SettableClock())
        write(store, actor, [_text(number) for number in range(200)])
        found = page(store, actor, SearchRequest(words, limit=5)).found
        first[engine] = shown(store, actor, found)
        store.close()

    assert first["postgres"] == first["sqlite"]


def _text(number: int) -> Text:
    """Every note holds the words; a few hold them in the title or many times."""
    title = f"n{number} rate cut" if number % 50 == 7 else f"n{number} other"
    body = "rate cut " * (6 if number % 40 == 3 else 1) + "filler " * (number % 11)
    return Text(title, body)
