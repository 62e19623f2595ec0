"""Texts of tokens, grouped into rectangles of bounded size, through a model, and back in their order.

It knows tokens and arrays, no model. Importing it loads numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from notewell.embedders.pooling import unit_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from notewell.services.ports import Vectors

BATCH_TOKENS = 1_024
"""Tokens in one run, padding included: bounds the memory of a run. 512 to 4,096 were measured; more is no faster."""


def embed_tokens(
    texts: Sequence[Sequence[int]], pad_id: int, forward: Callable[[NDArray[np.int64], NDArray[np.int64]], Vectors]
) -> Vectors:
    """One row of length 1 a text, in order. At least one text, and each has at least one token.

    ``forward`` takes ids and mask, both (texts, tokens), and gives one vector a text.
    """
    batches = list(batches_by_size([len(each) for each in texts], BATCH_TOKENS))
    rows = [forward(*padded([texts[each] for each in batch], pad_id)) for batch in batches]
    in_order = np.argsort(np.concatenate(batches))
    return unit_rows(np.concatenate(rows)[in_order])


def batches_by_size(sizes: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Indices of ``sizes``, shortest first, in groups whose padded size (members times longest) is at most ``budget``.

    A member larger than the budget comes alone. Texts of one length share a batch, so little is spent on padding.
    """
    batch: list[int] = []
    for index in sorted(range(len(sizes)), key=sizes.__getitem__):
        if batch and (len(batch) + 1) * sizes[index] > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def padded(rows: Sequence[Sequence[int]], fill: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Token ids as a rectangle filled up on the right with ``fill``, and its mask: 1 for a token, 0 for filling."""
    longest = max(map(len, rows))
    ids = np.full((len(rows), longest), fill, dtype=np.int64)
    mask = np.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        mask[place, : len(row)] = 1
    return ids, mask
