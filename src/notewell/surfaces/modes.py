"""The modes of a search, alike for both kinds of note: by words, by meaning, or two separate lists, never fused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from notewell.app import App
from notewell.errors import InvalidArgument, SemanticUnavailable
from notewell.services.search import MAX_REPLY_CHARS, Finder, search

List = TypeVar("List")

WEAK = (
    "Nothing stands out: these are only the nearest of what there is, and may have nothing to do with the question. Try"
    " mode 'keyword'."
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What decides how a search goes."""

    mode: str
    query: str | None
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Answer(Generic[List]):
    """The lists of a search; only ``both`` has both."""

    keyword: List | None
    semantic: List | None
    unavailable: str | None
    """Why there is no list by meaning, where ``both`` asked for one."""


def answer(app: App, asked: Asked, find: Callable[[Finder, int], List]) -> Answer[List]:
    """The list or lists that a mode asks for; ``find`` makes one with a finder and a limit of characters.

    Raises ``semantic_unavailable`` where meaning alone was asked for.
    """
    if asked.mode == "keyword":
        return Answer(find(search, MAX_REPLY_CHARS), None, None)
    if asked.mode == "semantic":
        return Answer(None, find(app.semantic.question(asked.query), MAX_REPLY_CHARS), None)
    if asked.cursor is not None:
        raise InvalidArgument(
            "cursor: with mode 'both' each list has its own cursor. Send it with mode 'keyword' or 'semantic', to go on"
            " in that list.",
            argument="cursor",
        )
    half = MAX_REPLY_CHARS // 2
    try:
        question = app.semantic.question(asked.query)  # before the first list: what is refused leaves no trace
    except SemanticUnavailable as error:
        return Answer(find(search, half), None, error.message)
    return Answer(find(search, half), find(question, half), None)
