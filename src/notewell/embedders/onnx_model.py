"""One ONNX embedding model, loaded: texts in, vectors out.

It joins the folder's tokenizer and graph. Importing it loads onnxruntime, tokenizers and numpy, so ``hub.py`` imports
it with the first text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from notewell.embedders.onnx_session import OnnxSession
from notewell.embedders.pooling import pool
from notewell.embedders.texts import safe_text
from notewell.embedders.token_batches import embed_tokens
from notewell.errors import SemanticUnavailable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from notewell.embedders.onnx_folder import OnnxFolder
    from notewell.services.ports import Vectors

_IDS, _MASK, _TYPES, _POSITIONS = "input_ids", "attention_mask", "token_type_ids", "position_ids"
_POOLED, _HIDDEN = "sentence_embedding", ("last_hidden_state", "token_embeddings")
"""Names that the exporters of sentence-transformers, optimum and fastembed give."""


class OnnxModel:
    """The model in memory. Calls may come from several threads."""

    def __init__(self, folder: OnnxFolder, threads: int | None = None) -> None:
        """Raises ``SemanticUnavailable`` where the graph does not load or is not of this kind."""
        self.folder = folder
        self._tokenizer = Tokenizer.from_file(str(folder.path / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(folder.limit_tokens)
        self._session = OnnxSession(folder.onnx, threads=threads)
        unknown = set(self._session.input_names) - {_IDS, _MASK, _TYPES, _POSITIONS}
        if unknown or _IDS not in self._session.input_names:
            raise SemanticUnavailable(
                f"The graph {folder.onnx.name} is no text embedder: its inputs are "
                f"{', '.join(self._session.input_names)}."
            )
        self._output, self._is_pooled = self._choose_output()
        self.dimension: int = self.embed(["."], "").shape[1]

    def embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        """``(len(texts), dimension)``, rows of length 1."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        # A tokenizer without special tokens gives none for an empty text; a graph needs one.
        tokens = [
            each.ids or [self.folder.pad_id]
            for each in self._tokenizer.encode_batch([prefix + safe_text(text) for text in texts])
        ]
        return embed_tokens(tokens, self.folder.pad_id, self._forward)

    def _forward(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Vectors:
        found = self._session.run(self._output, self._inputs(ids, mask))
        return found if self._is_pooled else pool(found, mask, self.folder.pooling)

    def _inputs(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> dict[str, NDArray[np.generic]]:
        positions = np.broadcast_to(np.arange(ids.shape[1], dtype=np.int64), ids.shape)
        known = {_IDS: ids, _MASK: mask, _TYPES: np.zeros_like(ids), _POSITIONS: positions}
        return {name: known[name] for name in self._session.input_names}

    def _choose_output(self) -> tuple[str, bool]:
        """The output to read, and whether it is one vector a text already."""
        shapes = self._session.output_shapes
        if len(shapes.get(_POOLED, ())) == 2:
            return _POOLED, True
        by_token = [name for name, shape in shapes.items() if len(shape) == 3]
        chosen = next((name for name in _HIDDEN if name in by_token), by_token[0] if by_token else None)
        if chosen is None:
            raise SemanticUnavailable(
                f"The graph {self.folder.onnx.name} gives no vectors: its outputs are {', '.join(shapes)}."
            )
        if self.folder.extra_module is not None:
            raise SemanticUnavailable(
                f"The model needs a step after pooling ({self.folder.extra_module}, in modules.json) that its graph "
                f"does not hold. Export it with an output named {_POOLED}."
            )
        return chosen, False
