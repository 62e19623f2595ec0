"""From token vectors to one vector of length 1."""

from __future__ import annotations

import numpy as np
import pytest

from notewell.embedders.pooling import Pooling, pool, unit_rows

HIDDEN = np.array([[[1, 5], [3, 1], [99, 99]], [[2, 2], [4, 0], [0, 7]]], dtype=np.float32)
MASK = np.array([[1, 1, 0], [1, 1, 1]], dtype=np.int64)


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ("cls", [[1, 5], [2, 2]]),
        ("mean", [[2, 3], [2, 3]]),
        ("max", [[3, 5], [4, 7]]),
        ("lasttoken", [[3, 1], [0, 7]]),
    ],
)
def test_padding_never_counts(pooling: Pooling, expected: list[list[float]]) -> None:
    assert pool(HIDDEN, MASK, pooling).tolist() == expected


def test_rows_get_length_one_whatever_their_size() -> None:
    rows = unit_rows(np.array([[3.0, 4.0], [3e200, 4e200], [3e-200, 4e-200]]))
    assert np.allclose(rows, [[0.6, 0.8]] * 3)
    assert rows.dtype == np.float32


def test_a_row_of_zeros_stays_zeros() -> None:
    assert unit_rows(np.zeros((1, 3))).tolist() == [[0, 0, 0]]


def test_no_rows_are_no_rows() -> None:
    assert unit_rows(np.zeros((0, 3))).shape == (0, 3)
