"""multilingual-e5-small, loaded: texts in, vectors out.

It joins the file's weights, the graph, onnxruntime and SentencePiece; it must not know where the file comes from
(``local.py`` does). Importing it loads all four libraries, so ``local.py`` imports it with the first text.

Prefixes, mean pooling and 512 tokens are those of the model's card (intfloat/multilingual-e5-small).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from notewell.embedders import e5_graph
from notewell.embedders.e5_weights import E5Vocabulary, E5Weights, read_e5
from notewell.embedders.onnx_session import OnnxSession
from notewell.embedders.pooling import pool
from notewell.embedders.texts import safe_text
from notewell.embedders.token_batches import embed_tokens

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from notewell.services.ports import Vectors

_SPACES = re.compile(" {2,}")
_WORDS = "emb.word"
_FLOATS = ("q.b", "k.b", "v.b", "ao.b", "aln.w", "aln.b", "fi.b", "fo.b", "oln.w", "oln.b")
_MATRICES = ("q.w", "k.w", "v.w", "ao.w", "fi.w", "fo.w")
"""The tensors of a layer; ``fo`` leads back from the wide inner layer, the others start from the hidden size."""


class E5Model:
    """The model in memory. Calls may come from several threads."""

    def __init__(self, path: Path, threads: int | None = None) -> None:
        """``path`` holds the bytes that ``local.py`` has checked. Raises ``SemanticUnavailable``."""
        vocabulary, self._weights = read_e5(path)
        self._shape = self._weights.shape
        self._pad = vocabulary.pad
        self._tokenizer = _Tokenizer(vocabulary, self._shape.positions)
        self._positions = _position_vectors(self._weights)
        self._session = OnnxSession(e5_graph.build(self._shape), _initializers(self._weights), threads)

    def embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        """``(len(texts), 384)``, rows of length 1."""
        if not texts:
            return np.empty((0, self._shape.hidden), dtype=np.float32)
        tokens = [self._tokenizer.ids(prefix + safe_text(each)) for each in texts]
        return embed_tokens(tokens, self._pad, self._forward)

    def _forward(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Vectors:
        words = self._input_vectors(ids)
        hidden = self._session.run(e5_graph.OUTPUT, {e5_graph.INPUT: words, e5_graph.MASK: mask})
        return pool(hidden, mask, "mean")

    def _input_vectors(self, ids: NDArray[np.int64]) -> Vectors:
        """Words plus positions. Looked up outside the graph, so that only the rows in use leave the 4-bit table."""
        distinct, places = np.unique(ids, return_inverse=True)
        words = self._weights.rows(_WORDS, self._shape.hidden, distinct)
        return words[places.reshape(ids.shape)] + self._positions[: ids.shape[1]]


class _Tokenizer:
    """XLM-RoBERTa's tokenizer over SentencePiece: the ids of the model's official ``tokenizer.json``.

    Not the ``tokenizers`` package, which keeps this vocabulary in 240 MB where SentencePiece takes 60 (measured).
    """

    def __init__(self, vocabulary: E5Vocabulary, limit_tokens: int) -> None:
        self._bos, self._eos = vocabulary.bos, vocabulary.eos
        self._limit = limit_tokens - 2
        self._replacements = vocabulary.replacements
        self._pieces = sentencepiece.SentencePieceProcessor(model_proto=_sentencepiece_model(vocabulary))

    def ids(self, text: str) -> list[int]:
        """At most ``limit_tokens``, the two that mark start and end included."""
        # SentencePiece's own normalizer is off: its table is not in the file, its effect (the replacements) is.
        plain = _SPACES.sub(" ", text.translate(self._replacements))
        return [self._bos, *self._pieces.encode(plain)[: self._limit], self._eos]


def _sentencepiece_model(vocabulary: E5Vocabulary) -> bytes:
    control = {vocabulary.bos, vocabulary.eos, vocabulary.pad}
    # protobuf makes the class when the module loads
    model = sentencepiece_model_pb2.ModelProto()  # type: ignore[attr-defined]
    kinds = model.SentencePiece
    for place, (piece, score) in enumerate(zip(vocabulary.pieces, vocabulary.scores, strict=True)):
        kind = kinds.UNKNOWN if place == vocabulary.unk else kinds.CONTROL if place in control else kinds.NORMAL
        model.pieces.add(piece=piece, score=score, type=kind)
    model.trainer_spec.unk_id = vocabulary.unk
    model.trainer_spec.bos_id = vocabulary.bos
    model.trainer_spec.eos_id = vocabulary.eos
    model.trainer_spec.pad_id = vocabulary.pad
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.remove_extra_whitespaces = False
    return bytes(model.SerializeToString())


def _position_vectors(weights: E5Weights) -> Vectors:
    """What is added to a word by its place: the position's vector, and token type 0, the only one in use."""
    size = weights.shape.hidden
    return weights.floats("emb.pos").reshape(-1, size) + weights.floats("emb.type")[:size]


def _initializers(weights: E5Weights) -> dict[str, NDArray[np.generic]]:
    """Every weight that the graph names."""
    found: dict[str, NDArray[np.generic]] = {name: weights.floats(name) for name in ("emb.ln.w", "emb.ln.b")}
    for layer in range(weights.shape.layers):
        found.update({name: weights.floats(name) for name in (f"l{layer}.{part}" for part in _FLOATS)})
        for part in _MATRICES:
            name = f"l{layer}.{part}"
            width = weights.shape.feed_forward if part == "fo.w" else weights.shape.hidden
            found[name], found[f"{name}.scales"] = weights.packed(name, width)
    return found
