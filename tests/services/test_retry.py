"""What broke off before anything was kept is done again; what may have been kept is not."""

from __future__ import annotations

import pytest

from notewell.errors import Interrupted, NotewellError, Unavailable
from notewell.services.retry import WAITS_SECONDS, persistently


class Work:
    """Fails in a given way a number of times, then answers how often it was asked."""

    def __init__(self, error: NotewellError, times: int) -> None:
        self.error = error
        self.times = times
        self.asked = 0

    def __call__(self) -> int:
        self.asked += 1
        if self.asked <= self.times:
            raise self.error
        return self.asked


@pytest.mark.parametrize("times", [0, 1, len(WAITS_SECONDS)])
def test_what_broke_off_is_done_again_until_it_is_done(times: int) -> None:
    waited: list[float] = []

    assert persistently(Work(Interrupted("gone"), times), waited.append) == times + 1
    assert tuple(waited) == WAITS_SECONDS[:times]


def test_at_last_the_caller_is_told() -> None:
    with pytest.raises(Interrupted):
        persistently(Work(Interrupted("gone"), 99), lambda _seconds: None)


def test_what_may_have_been_kept_is_not_done_again() -> None:
    work = Work(Unavailable("who knows", outcomeUnknown=True), 1)

    with pytest.raises(Unavailable):
        persistently(work, lambda _seconds: None)
    assert work.asked == 1
