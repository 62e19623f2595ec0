"""What the services need from outside, as protocols that other rooms implement and ``app.py`` hands in.

It knows shapes and promises only: no model, no library, no network. numpy is named in types and never loaded here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from notewell.errors import SemanticUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
"""A matrix of float32, one row a text, each row of length 1, so that a dot product is the cosine."""


class Embedder(Protocol):
    """Turns texts into vectors. Made cheaply: what is heavy loads with the first text, in the thread that asks.

    Every method may be called from several threads at once. A failure is ``SemanticUnavailable`` with its reason.
    """

    @property
    def model_id(self) -> str:
        """Part of the key of every stored vector: two embedders have the same id only if their vectors compare.

        It covers the weights, the prefixes and the pooling, not the speed settings.
        """

    @property
    def dimension(self) -> int | None:
        """Numbers in a vector; None until the first text where only the model or its server can tell."""

    @property
    def document_limit_chars(self) -> int:
        """Characters of one text that are read; what comes after them changes nothing."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts to be found, ``(len(texts), dimension)``, in the order given; any text is accepted."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts that look for others; some models want the two told apart."""


@dataclass(frozen=True, slots=True)
class EmbedderUnavailable:
    """There is no embedder, and why. A value rather than an error, since a server without one is whole."""

    reason: str
    """What is missing and what to do about it; shown to agents and people as it is."""

    def error(self) -> SemanticUnavailable:
        """The error for a caller who asked for search by meaning alone."""
        return SemanticUnavailable(self.reason)
