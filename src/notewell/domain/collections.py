"""When two names mean one collection, and which real names are near a wrong one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from notewell.domain.normal_form import nfkc

_GAPS = re.compile(r"[\s_-]+")


def collection_key(name: str) -> str:
    """What a name is compared by: NFKC, case folded, each stretch of spaces, ``-`` and ``_`` as one space."""
    return _GAPS.sub(" ", fold(name)).strip()


def fold(text: str) -> str:
    """NFKC and case folding, until nothing changes any more: what tags and names are compared by."""
    return nfkc(nfkc(text).casefold())


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The known names, nearest first; those that are equally near in alphabetical order."""
    key = collection_key(name)

    def distance(other: str) -> tuple[float, str]:
        other_key = collection_key(other)
        holds = bool(key) and (key in other_key or other_key in key)
        return -SequenceMatcher(None, key, other_key).ratio() - holds, other_key

    return sorted(known, key=distance)


MIN_LIKENESS = 0.5


def alike(name: str, known: Iterable[str]) -> list[str]:
    """The known names that may have been meant, nearest first; none where nothing is near."""
    key = collection_key(name)

    def is_near(other: str) -> bool:
        other_key = collection_key(other)
        shares = bool(key) and (key in other_key or other_key in key)
        return shares or SequenceMatcher(None, key, other_key).ratio() >= MIN_LIKENESS

    return [each for each in nearest(name, known) if is_near(each)]
