"""A deterministic embedder for tests: texts that share words are near, nothing is loaded, failures come on demand.

It knows no model. Words are hashed to directions and summed, so cosine grows with the share of common words;
``synonyms`` makes words near that are spelled differently, as a real model would.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from notewell.embedders.pooling import unit_rows
from notewell.embedders.texts import TEXT_LIMIT_CHARS, safe_text

if TYPE_CHECKING:
    from notewell.errors import NotewellError
    from notewell.services.ports import Vectors

_WORD = re.compile(r"[a-z0-9]+|[^\W_]")
"""Latin words whole, other letters one by one, after case folding."""


class FakeEmbedder:
    """An ``Embedder`` that counts its calls. Not for use outside tests: it knows words, not meaning."""

    document_limit_chars = TEXT_LIMIT_CHARS

    def __init__(
        self, dimension: int = 64, *, model_id: str = "fake;1", synonyms: Mapping[str, str] | None = None
    ) -> None:
        """``synonyms`` maps a word to the word whose direction it takes, both in lower case."""
        self.model_id = model_id
        self.dimension = dimension
        self.document_calls = 0
        """Calls of ``embed_documents``, the failed ones included."""
        self.query_calls = 0
        self.embedded: list[str] = []
        """Every text that got a vector, in order, as it came."""
        self._synonyms = dict(synonyms or {})
        self._failures: list[NotewellError] = []
        self._lock = threading.Lock()

    def fail(self, error: NotewellError, times: int = 1) -> None:
        """The next ``times`` calls raise ``error`` instead of answering."""
        with self._lock:
            self._failures.extend([error] * times)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        with self._lock:
            self.document_calls += 1
            return self._embed(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``; a query and a document of the same text have the same vector."""
        with self._lock:
            self.query_calls += 1
            return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        if self._failures:
            raise self._failures.pop(0)
        self.embedded.extend(texts)
        rows = [self._sum(safe_text(each)) for each in texts]
        return unit_rows(np.array(rows, dtype=np.float32).reshape(len(rows), self.dimension))

    def _sum(self, text: str) -> Vectors:
        """The directions of the distinct words; a text without words has one of its own, so that no row is zero."""
        words = sorted(set(_WORD.findall(text.casefold()))) or [""]
        total: Vectors = np.sum(
            [self._direction(self._synonyms.get(word, word)) for word in words], axis=0, dtype=np.float32
        )
        return total

    def _direction(self, word: str) -> Vectors:
        # Not hash(), which differs between processes.
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
