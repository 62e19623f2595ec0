"""Ids and row numbers: made here, unique by construction, with the time first.

An id is a prefix and 16 characters of Crockford's base 32 (48 bits of milliseconds, 32 random bits); ids of 10 to 26
lower-case letters and digits are accepted from elsewhere. A row number is a 63-bit integer that carries a note's
creation time, so that "newest" means one thing in every engine and a date is a range of row numbers.
"""

from __future__ import annotations

import re
import secrets
from hashlib import blake2b

from notewell.errors import InvalidArgument

CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
PREFIXES = ("nte", "att", "prb", "cmp", "acc", "tok", "col")
LINK_PREFIXES = ("nte", "att", "prb", "cmp")
"""What a research note may build on."""
_ID = re.compile(rf"(?:{'|'.join(PREFIXES)})_[0-9a-z]{{10,26}}")

ROW_BITS = 21
"""Row numbers in one millisecond: two million."""
MAX_MILLISECONDS = 2**42 - 1
"""The latest time a row number holds: the year 2109; the earliest is as far before 1970."""


def _base32(number: int, length: int) -> str:
    return "".join(CROCKFORD[number >> 5 * place & 31] for place in reversed(range(length)))


def new_id(prefix: str, now: int, random_bits: int | None = None) -> str:
    """A new id; ``now`` is milliseconds since 1970."""
    low = secrets.randbits(32) if random_bits is None else random_bits
    return f"{prefix}_{_base32((now % 2**48) << 32 | low, 16)}"


def id_from_text(prefix: str, text: str) -> str:
    """The same id for the same text: 80 bits of its hash."""
    return f"{prefix}_{_base32(int.from_bytes(blake2b(text.encode(), digest_size=10).digest()), 16)}"


def is_id(text: str, prefix: str) -> bool:
    """Whether a text has the form of an id of that kind."""
    return text.startswith(f"{prefix}_") and _ID.fullmatch(text) is not None


def check_id(text: str, prefix: str, argument: str) -> str:
    """The id itself; ``invalid_argument`` where it has not the form."""
    if not is_id(text, prefix):
        raise InvalidArgument(
            f"{argument}: {text[:60]!r} is no id. An id is '{prefix}_' and 10 to 26 lower-case letters and digits, as"
            " a search or a listing returns it.",
            argument=argument,
        )
    return text


def first_row_no(milliseconds: int) -> int:
    """The least row number of a moment; the greatest one is that of the next millisecond less one."""
    return milliseconds << ROW_BITS


def row_no_time(row_no: int) -> int:
    """The milliseconds since 1970 that a row number carries."""
    return row_no >> ROW_BITS
