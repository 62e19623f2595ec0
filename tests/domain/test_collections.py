"""Collections: when two names mean one, and which real names are near a wrong one (DESIGN 6)."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from notewell.domain.collections import collection_key, fold, nearest

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)


@pytest.mark.parametrize(
    "name",
    [
        "trade notes",
        "Trade Notes",
        "trade-notes",
        "trade_notes",
        " TRADE  -_ notes ",
        "ｔｒａｄｅ notes",
        "trade\u3000notes",
    ],
)
def test_case_width_spaces_hyphens_and_underscores_make_no_difference(name: str) -> None:
    assert collection_key(name) == "trade notes"


@pytest.mark.parametrize("name", ["tradenotes", "trade/notes", "trade notes 2", "trade.notes", "träde notes"])
def test_any_other_difference_makes_another_name(name: str) -> None:
    assert collection_key(name) != "trade notes"


def test_names_of_every_script_fold() -> None:
    assert collection_key("Straße") == collection_key("STRASSE")
    assert collection_key("ΣΊΣΥΦΟΣ") == collection_key("Σίσυφος")
    assert collection_key("市场_笔记") == "市场 笔记"


@given(ANY_TEXT)
@example("\u0345\u0301")
@example("ᾳ\u0301")
def test_folding_again_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert collection_key(collection_key(text)) == collection_key(text)


def test_the_nearest_name_comes_first() -> None:
    assert nearest("tianda", ["weather", "Tianda-WC", "tiando"])[:2] == ["Tianda-WC", "tiando"]


def test_a_misspelt_name_finds_its_neighbour() -> None:
    assert nearest("recipies", ["travel", "recipes", "money"])[0] == "recipes"


def test_equally_near_names_stand_in_alphabetical_order() -> None:
    assert nearest("zzz", ["b", "a", "c"]) == ["a", "b", "c"]


@given(ANY_TEXT, st.lists(ANY_TEXT, max_size=6))
def test_every_known_name_is_listed_once(name: str, known: list[str]) -> None:
    assert sorted(nearest(name, known)) == sorted(known)
