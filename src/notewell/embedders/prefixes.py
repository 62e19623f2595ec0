"""Words that a model was trained to see before a query or a document, for the models whose cards ask for them.

Known by the model's name, since most folders and servers do not say. It knows names only.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Prefixes(NamedTuple):
    """What stands before each text; empty where the model wants nothing."""

    query: str = ""
    document: str = ""


_ENGLISH_SEARCH = "Represent this sentence for searching relevant passages: "

_KNOWN: tuple[tuple[re.Pattern[str], Prefixes], ...] = (
    (re.compile(r"e5-mistral|e5-.*instruct"), Prefixes()),  # these want an instruction of one's own
    (re.compile(r"bge-(small|base|large)-zh"), Prefixes("为这个句子生成表示以用于检索相关文章：")),
    (re.compile(r"bge-(small|base|large)|mxbai-embed-large"), Prefixes(_ENGLISH_SEARCH)),
    (re.compile(r"\be5-(small|base|large)"), Prefixes("query: ", "passage: ")),
    (re.compile(r"nomic-embed-text"), Prefixes("search_query: ", "search_document: ")),
)
"""From the cards of BAAI/bge-*, mixedbread-ai/mxbai-embed-large-v1, intfloat/*e5-* and nomic-ai/nomic-embed-text-*."""


def known_prefixes(model_name: str) -> Prefixes:
    """The prefixes that the model's card asks for, both empty for a name that is not known."""
    name = model_name.lower().replace("_", "-")
    return next((prefixes for pattern, prefixes in _KNOWN if pattern.search(name)), Prefixes())
