"""Grouping tokens and putting the rows back, for any sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from notewell.embedders.token_batches import batches_by_size, embed_tokens, padded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from notewell.services.ports import Vectors


@given(st.lists(st.integers(1, 600)), st.integers(1, 1_200))
def test_every_text_is_in_one_batch_and_no_batch_is_over_the_budget(sizes: list[int], budget: int) -> None:
    batches = list(batches_by_size(sizes, budget))
    assert sorted(index for batch in batches for index in batch) == list(range(len(sizes)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(sizes[index] for index in batch) <= budget


@given(st.lists(st.lists(st.integers(1, 99), min_size=1, max_size=700), min_size=1, max_size=12))
def test_rows_come_back_in_the_order_of_the_texts(texts: list[list[int]]) -> None:
    def first_and_length(ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Vectors:
        return np.stack([ids[:, 0], mask.sum(axis=1)], axis=1).astype(np.float32)

    rows = embed_tokens(texts, 0, first_and_length)
    expected = np.array([[each[0], len(each)] for each in texts], dtype=np.float32)
    assert np.allclose(rows, expected / np.linalg.norm(expected, axis=1, keepdims=True))


def test_padding_stands_on_the_right_and_is_masked() -> None:
    ids, mask = padded([[5, 6, 7], [8]], 1)
    assert ids.tolist() == [[5, 6, 7], [8, 1, 1]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0]]
