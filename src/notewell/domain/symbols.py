"""One spelling for each market symbol: the watchlist's.

Used for writing, filtering and showing, and offered to a watchlist elsewhere, so that a note about ``000834`` and a
watchlist item for it agree. Rules: DESIGN 6. Six digits alone are a China fund, anything else is a Yahoo symbol.
"""

from __future__ import annotations

import re

from notewell.domain.normal_form import nfkc
from notewell.errors import InvalidSymbol

MAX_SYMBOL_CHARS = 20
_SYMBOL = re.compile(r"\^?[A-Z0-9][A-Z0-9.\-=^]*")
_SHARE_CLASS = re.compile(r"(?P<stem>[A-Z]+)\.(?P<share>[AB])")
_SHANGHAI = re.compile(r"(?P<code>[0-9]{6})\.SH")
_HONG_KONG = re.compile(r"0*(?P<code>[0-9]{1,5})\.HK")


def normalize_symbol(text: str) -> str:
    """The watchlist's spelling of a symbol: ``$brk.b`` is ``BRK-B``, ``700.HK`` is ``0700.HK``.

    Raises ``invalid_symbol`` for text that cannot be one.
    """
    plain = nfkc(text).strip().removeprefix("$").strip()
    symbol = plain.upper() if plain.isascii() else ""  # some letters turn into others: upper("ß") is "SS"
    if len(symbol) > MAX_SYMBOL_CHARS or not _SYMBOL.fullmatch(symbol):
        raise InvalidSymbol(
            f"{text[:60]!r} cannot be a symbol. Write a fund's six digits (000834) or a Yahoo symbol of at most"
            f" {MAX_SYMBOL_CHARS} letters, digits and . - = ^ (NVDA, BRK-B, 0700.HK, ^GSPC, EURUSD=X); put anything"
            " else into tags.",
            symbol=text[:60],
        )
    if match := _SHARE_CLASS.fullmatch(symbol):
        return f"{match['stem']}-{match['share']}"
    if match := _SHANGHAI.fullmatch(symbol):
        return f"{match['code']}.SS"
    if match := _HONG_KONG.fullmatch(symbol):
        return f"{int(match['code']):04d}.HK"
    return symbol


def normalize_symbols(texts: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """The spellings of several symbols in the order given, each once."""
    return tuple(dict.fromkeys(normalize_symbol(text) for text in texts))
