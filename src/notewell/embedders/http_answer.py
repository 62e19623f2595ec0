"""What an embedding server's answer means: vectors, or a reason and whether to ask again.

It knows the shape of OpenAI's ``/embeddings`` and no connection. numpy loads with the first vectors.
"""

from __future__ import annotations

import email.utils
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from notewell.errors import SemanticUnavailable

if TYPE_CHECKING:
    from notewell.services.ports import Vectors

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may succeed."""
_QUOTED_CHARS = 200

_REASONS = {
    401: "refused the key. Check NOTEWELL_EMBEDDER_KEY.",
    403: "refused the key for this model. Check NOTEWELL_EMBEDDER_KEY and NOTEWELL_EMBEDDER_MODEL.",
    404: "has no such address or model. Check NOTEWELL_EMBEDDER and NOTEWELL_EMBEDDER_MODEL.",
    413: "finds the texts too long. Let it cut them (TEI: --auto-truncate), or use a model that reads more.",
    429: "asks for fewer requests. Try again later, or use keyword search.",
}
"""Where the server's own words add nothing, or may hold a part of the key."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One try without vectors."""

    reason: str
    """The rest of a sentence that begins with the server's name."""
    may_pass: bool
    """The same request may succeed a little later."""
    retry_after_seconds: float | None = None
    """As the server said."""

    def details(self) -> dict[str, object]:
        """For the error's ``details``."""
        return {} if self.retry_after_seconds is None else {"retryAfterSeconds": round(self.retry_after_seconds)}


def refusal(status: int, words: str, retry_after_seconds: float | None) -> Refusal:
    """What a status other than 200 means; ``words`` are the server's own, fit to be shown."""
    reason = _REASONS.get(status) or f"answered {status}: {words}"
    if 300 <= status < 400:  # not followed: the key would travel to an address that nobody set
        reason = f"answered {status}, which sends elsewhere. Set the address that it should be asked at."
    return Refusal(reason, status in _PASSING, retry_after_seconds)


def retry_after_seconds(value: str | None, now: float) -> float | None:
    """The header ``Retry-After``, seconds or a date (RFC 9110, 10.2.3); None where it says nothing usable."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def parse_vectors(content: bytes, count: int) -> Vectors:
    """The vectors in the order of the request, at length 1.

    Raises ``SemanticUnavailable`` unless there are ``count`` of one size, all numbers finite and none all zero.
    """
    import numpy as np  # noqa: PLC0415 (only here, and not before the first answer)

    from notewell.embedders.pooling import unit_rows  # noqa: PLC0415 (loads numpy)

    rows = _rows_by_index(content, count)
    try:
        vectors = np.array(rows, dtype=np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise _unusable("its vectors are not lists of numbers of one length") from error
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        raise _unusable("its vectors are not lists of numbers of one length")
    if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
        raise _unusable("a vector is all zeros or holds something that is no finite number")
    return unit_rows(vectors)


def _rows_by_index(content: bytes, count: int) -> list[object]:
    try:
        answer = json.loads(content)
        rows = [(each.get("index", place), each["embedding"]) for place, each in enumerate(answer["data"])]
        rows.sort(key=lambda row: row[0])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _unusable("it does not have the shape of OpenAI's /embeddings") from error
    if [index for index, _ in rows] != list(range(count)):
        raise _unusable(f"it holds {len(rows)} vectors for {count} texts, or numbers them wrongly")
    return [row for _, row in rows]


def _unusable(why: str) -> SemanticUnavailable:
    return SemanticUnavailable(f"The embedding server's answer cannot be used: {why}. Check NOTEWELL_EMBEDDER_MODEL.")


def message(content: bytes) -> str:
    """The message in an error's body, in whatever shape the server gives it."""
    text = content.decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    while isinstance(found, dict):
        found = found.get("error") or found.get("message") or found.get("detail") or json.dumps(found)
    return str(found)


def quoted(words: str, key: str | None) -> str:
    """Words from outside, fit to be shown: without the key, in one line, cut."""
    free = words.replace(key, "[key]") if key else words
    return " ".join(free.split())[:_QUOTED_CHARS]
