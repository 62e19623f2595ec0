"""Moments as text and as milliseconds since 1970, always UTC."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

from notewell.domain.ids import MAX_MILLISECONDS
from notewell.errors import InvalidArgument

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)  # noqa: UP017
DAY_MILLISECONDS = 86_400_000


def format_time(milliseconds: int) -> str:
    """ISO 8601 in UTC with milliseconds: ``2026-12-01T07:44:29.123Z``."""
    moment = _EPOCH + timedelta(milliseconds=milliseconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def parse_time(text: str, argument: str, *, is_end: bool = False) -> int:
    """Milliseconds since 1970 of a date or a date and time; without an offset it is UTC.

    A bare date as the end of a range is the last millisecond of its day. Raises ``invalid_argument``.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidArgument(
            f"{argument}: {text[:60]!r} is no time. Write 2026-12-01 or 2026-12-01T07:44:29Z (with an offset such as"
            " +08:00 where it is not UTC).",
            argument=argument,
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)  # noqa: UP017
    milliseconds = (moment - _EPOCH) // timedelta(milliseconds=1)
    if is_end and _is_day(text.strip()):
        milliseconds += DAY_MILLISECONDS - 1
    if not -MAX_MILLISECONDS <= milliseconds <= MAX_MILLISECONDS:
        raise InvalidArgument(
            f"{argument}: {text[:60]!r} is outside what a note's time can be (1831 to 2109).", argument=argument
        )
    return milliseconds


def _is_day(text: str) -> bool:
    """Whether a text is a date without a time, in any form of ISO 8601."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
