"""From one vector a token to one vector a text, and to length 1.

It knows numpy arrays and no model. Importing it loads numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from notewell.services.ports import Vectors

Pooling: TypeAlias = Literal["mean", "cls", "max", "lasttoken"]
"""Named as sentence-transformers names them in ``1_Pooling/config.json``."""


def pool(hidden: Vectors, mask: NDArray[np.int64], pooling: Pooling) -> Vectors:
    """``hidden`` is (texts, tokens, dimension); ``mask`` is 1 for tokens and 0 for padding, which stands on the right.

    Every text has at least one token.
    """
    is_token = mask[:, :, np.newaxis]
    pooled: Vectors
    match pooling:
        case "cls":
            pooled = hidden[:, 0]
        case "lasttoken":
            pooled = hidden[np.arange(len(hidden)), mask.sum(axis=1) - 1]
        case "max":
            pooled = np.where(is_token == 1, hidden, np.float32(-np.inf)).max(axis=1)
        case "mean":
            kept = is_token.astype(np.float32)
            pooled = (hidden * kept).sum(axis=1) / kept.sum(axis=1)
    return pooled


def unit_rows(vectors: NDArray[np.floating]) -> Vectors:
    """The rows at length 1 as float32; a row of zeros stays zeros, a row that is not finite stays so.

    Divided by the largest number first, so that no square overflows.
    """
    wide = vectors.astype(np.float64)
    largest = np.abs(wide).max(axis=1, keepdims=True, initial=0.0)
    wide /= np.where(largest > 0, largest, 1.0)
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    return (wide / np.where(length > 0, length, 1.0)).astype(np.float32)
