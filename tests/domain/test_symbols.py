"""Market symbols: one spelling for each (DESIGN 6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.domain.symbols import MAX_SYMBOL_CHARS, normalize_symbol, normalize_symbols
from notewell.errors import InvalidSymbol


@pytest.mark.parametrize(
    "text",
    [
        "NVDA",
        "BRK-B",
        "0700.HK",
        "^GSPC",
        "EURUSD=X",
        "ES=F",
        "BTC-USD",
        "600519.SS",
        "000834",
        "VOD.L",
        "SAP.F",
        "7203.T",
    ],
)
def test_the_watchlists_spelling_stays(text: str) -> None:
    assert normalize_symbol(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("brk.b", "BRK-B"),
        ("BRK.A", "BRK-A"),
        ("600519.SH", "600519.SS"),
        ("00700.HK", "0700.HK"),
        ("700.HK", "0700.HK"),
        ("5.hk", "0005.HK"),
        ("80700.HK", "80700.HK"),
        ("$nvda", "NVDA"),
        (" $ nvda ", "NVDA"),
        ("ＮＶＤＡ", "NVDA"),
        ("＄ＮＶＤＡ", "NVDA"),
        ("０００８３４", "000834"),
    ],
)
def test_other_spellings_of_one_thing_meet(text: str, expected: str) -> None:
    assert normalize_symbol(text) == expected


def test_six_digits_with_leading_zeros_stay_text() -> None:
    assert normalize_symbol("000001") == "000001"


@pytest.mark.parametrize(
    "text", ["", " ", "$", "^", "a b", "降息", "NV/DA", "x" * 21, "-X", "=X", ".B", "N\0", "\ud800", "straße", "ı", "٣"]
)
def test_what_cannot_be_a_symbol_is_named_in_the_error(text: str) -> None:
    with pytest.raises(InvalidSymbol) as caught:
        normalize_symbol(text)

    assert caught.value.code == "invalid_symbol"
    assert caught.value.details["symbol"] == text
    assert repr(text) in caught.value.message


def test_a_symbol_of_twenty_characters_is_one() -> None:
    assert normalize_symbol("X" * MAX_SYMBOL_CHARS) == "X" * MAX_SYMBOL_CHARS == "X" * 20


def test_several_symbols_keep_their_order_and_each_stands_once() -> None:
    assert normalize_symbols(["nvda", "brk.b", "NVDA", "BRK-B"]) == ("NVDA", "BRK-B")


SYMBOLS = st.text(st.sampled_from("$ABab01.-=^HKSZ ０Ａ"), max_size=10) | st.text(st.characters(exclude_categories=()))


@given(SYMBOLS)
def test_the_spelling_of_a_spelling_is_itself(text: str) -> None:
    try:
        symbol = normalize_symbol(text)
    except InvalidSymbol:
        return

    assert normalize_symbol(symbol) == symbol
    assert symbol.isascii()
    assert 1 <= len(symbol) <= MAX_SYMBOL_CHARS
