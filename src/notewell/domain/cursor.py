"""The opaque text with which a caller asks for the next page.

It holds a hash of the request, so that it cannot be used with another one, the part of the sequence, the sort key and
row number of the last note shown, and the newest note that the first page could see.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from dataclasses import asdict, dataclass
from hashlib import blake2b

from notewell.errors import InvalidArgument

RANKED_PARTS = ("exact", "partial", "rest", "semantic")
PARTS = (*RANKED_PARTS, "listing", "problems")
"""The parts that a sequence may have; the key of a ranked one is a score."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page ended."""

    request: str
    """``request_hash`` of the request it belongs to."""
    part: str
    key: str | int | float
    """The last note's rounded score, or what the listing is sorted by."""
    row_no: int
    newest_row: int
    has_rest: bool
    """Whether inexact matches follow the exact ones."""

    def encode(self) -> str:
        """The text that callers see."""
        packed = json.dumps(list(asdict(self).values()), separators=(",", ":"), ensure_ascii=False)
        return base64.urlsafe_b64encode(packed.encode()).decode().rstrip("=")


def request_hash(*parts: object) -> str:
    """What tells one request from another."""
    return blake2b(repr(parts).encode("utf-8", "replace"), digest_size=6).hexdigest()


def decode(text: str, request: str) -> Cursor:
    """The cursor in a text; ``invalid_argument`` where it is none, or belongs to another request."""
    wrong = InvalidArgument(
        "The cursor is not one of this search. Send it back unchanged, together with the same query, filters and"
        " sorting; or leave it out to begin at the first page.",
        argument="cursor",
    )
    try:
        values = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        raise wrong from None
    if not isinstance(values, list) or not _is_cursor(values) or values[0] != request:
        raise wrong
    return Cursor(*values)


def _is_cursor(values: list[object]) -> bool:
    """Whether unpacked values have the types and ranges that ``encode`` packs."""
    if len(values) != 6:
        return False
    request, part, key, row_no, newest_row, has_rest = values
    is_key = (isinstance(key, float) and math.isfinite(key)) or _is_row(key) or (isinstance(key, str) and _is_text(key))
    if part in RANKED_PARTS and isinstance(key, str):
        return False
    return (
        isinstance(request, str)
        and part in PARTS
        and is_key
        and _is_row(row_no)
        and _is_row(newest_row)
        and isinstance(has_rest, bool)
    )


def _is_row(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def _is_text(value: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in value)
