"""A small file in the layout of ``e5-small-q4.bin`` with random weights, and the same model once more in plain numpy.

So the reader, the graph and the tokenizer are tested without the 72 MB package.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

HIDDEN, LAYERS, HEADS, INNER, POSITIONS, EPSILON = 64, 2, 4, 128, 16, 1e-12
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "a", "b", "c", "▁a", "▁ab", "降", "息", ":", "query", "▁query"]
BOS, PAD, EOS, UNK = range(4)
REPLACEMENTS = {ord("Ａ"): "a", ord("ﷺ"): "ab c"}
_WIDTHS = {"q": HIDDEN, "k": HIDDEN, "v": HIDDEN, "ao": HIDDEN, "fi": HIDDEN, "fo": INNER}
_HEIGHTS = {"q": HIDDEN, "k": HIDDEN, "v": HIDDEN, "ao": HIDDEN, "fi": INNER, "fo": HIDDEN}


@dataclass(frozen=True)
class TinyE5:
    """The file, and its matrices as float32 by name."""

    path: Path
    tensors: dict[str, Floats]

    def vector(self, ids: list[int]) -> Floats:
        """What the model gives for one text, computed in numpy: mean of the tokens, length 1."""
        tensors = self.tensors
        hidden = tensors["emb.word"][ids] + tensors["emb.pos"].reshape(-1, HIDDEN)[: len(ids)]
        hidden = self._norm(hidden + tensors["emb.type"][:HIDDEN], "emb.ln")
        for layer in range(LAYERS):
            heard = self._dense(self._attention(hidden, f"l{layer}"), f"l{layer}.ao")
            hidden = self._norm(hidden + heard, f"l{layer}.aln")
            inner = self._dense(hidden, f"l{layer}.fi")
            inner = inner * (1 + np.vectorize(math.erf)(inner / math.sqrt(2))) / 2
            hidden = self._norm(hidden + self._dense(inner.astype(np.float32), f"l{layer}.fo"), f"l{layer}.oln")
        mean: Floats = hidden.mean(axis=0)
        return mean / np.float32(np.linalg.norm(mean))

    def _attention(self, hidden: Floats, name: str) -> Floats:
        query, key, value = (
            self._dense(hidden, f"{name}.{part}").reshape(len(hidden), HEADS, -1).swapaxes(0, 1) for part in "qkv"
        )
        scores = query @ key.swapaxes(1, 2) / np.float32(math.sqrt(HIDDEN // HEADS))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        heard: Floats = (weights @ value).swapaxes(0, 1).reshape(len(hidden), HIDDEN)
        return heard

    def _dense(self, inputs: Floats, name: str) -> Floats:
        out: Floats = inputs @ self.tensors[f"{name}.w"].T + self.tensors[f"{name}.b"]
        return out

    def _norm(self, inputs: Floats, name: str) -> Floats:
        centred = inputs - inputs.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
        out: Floats = centred / scale * self.tensors[f"{name}.w"] + self.tensors[f"{name}.b"]
        return out


def write_tiny_e5(path: Path) -> TinyE5:
    """A whole file with random weights, the same at every call."""
    random = np.random.default_rng(7)
    packed: dict[str, bytes] = {}
    tensors: dict[str, Floats] = {}

    def floats(name: str, count: int, centre: float = 0.0) -> None:
        tensors[name] = (centre + 0.1 * random.standard_normal(count)).astype(np.float32)
        packed[name] = tensors[name].tobytes()

    def matrix(name: str, height: int, width: int) -> None:
        packed[name], tensors[name] = q4_rows(0.2 * random.standard_normal((height, width)).astype(np.float32))

    matrix("emb.word", len(PIECES), HIDDEN)
    floats("emb.pos", POSITIONS * HIDDEN)
    floats("emb.type", 2 * HIDDEN)
    norms = ["emb.ln", *(f"l{layer}.{part}" for layer in range(LAYERS) for part in ("aln", "oln"))]
    for name in norms:
        floats(f"{name}.w", HIDDEN, 1.0)
        floats(f"{name}.b", HIDDEN)
    for layer in range(LAYERS):
        for part, width in _WIDTHS.items():
            matrix(f"l{layer}.{part}.w", _HEIGHTS[part], width)
            floats(f"l{layer}.{part}.b", _HEIGHTS[part])
    path.write_bytes(_head() + _directory(packed))
    return TinyE5(path, tensors)


def q4_rows(weights: Floats) -> tuple[bytes, Floats]:
    """Q4_0 blocks of a matrix, and the weights that they stand for."""
    blocks = weights.reshape(-1, 32)
    scales = (np.abs(blocks).max(axis=1, keepdims=True) / 7).astype(np.float16)
    numbers = np.clip(np.rint(blocks / scales.astype(np.float32)) + 8, 0, 15).astype(np.uint8)
    halves = numbers[:, :16] | (numbers[:, 16:] << np.uint8(4))
    stored = np.concatenate([scales.view(np.uint8), halves], axis=1).tobytes()
    kept = ((numbers.astype(np.float32) - 8) * scales.astype(np.float32)).reshape(weights.shape)
    return stored, kept


def _head() -> bytes:
    texts = [each.encode() for each in PIECES]
    starts = np.cumsum([0, *map(len, texts)]).astype(np.uint32)
    scores = np.array([0, 0, 0, 0, *(-1.0 - 1 / (1 + len(each)) for each in PIECES[4:])], dtype=np.float32)
    rules = b"".join(
        struct.pack(f"<IB{len(to)}I", code, len(to), *map(ord, to)) for code, to in sorted(REPLACEMENTS.items())
    )
    return (
        b"E5S1"
        + struct.pack("<I7ifi", 1, HIDDEN, LAYERS, HEADS, INNER, len(PIECES), POSITIONS, 2, EPSILON, 32)
        + struct.pack("<5iQ", len(PIECES), BOS, EOS, PAD, UNK, int(starts[-1]))
        + starts.tobytes()
        + scores.tobytes()
        + b"".join(texts)
        + struct.pack("<iI", len(REPLACEMENTS), len(rules))
        + rules
    )


def _directory(packed: dict[str, bytes]) -> bytes:
    """The list of tensors and their bytes. Offsets count from the start of the file."""
    entry = "<BIQQ"
    size = 4 + sum(2 + len(name) + struct.calcsize(entry) for name in packed)
    offset = len(_head()) + size
    listed = struct.pack("<i", len(packed))
    for name, content in packed.items():
        listed += struct.pack("<H", len(name)) + name.encode() + struct.pack(entry, 0, 0, offset, len(content))
        offset += len(content)
    return listed + b"".join(packed.values())
