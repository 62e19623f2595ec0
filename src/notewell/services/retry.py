"""The one place where an operation is tried again after the store broke off.

Only what surely changed nothing is tried again (``Interrupted``): a commit of unknown outcome is not, unless the caller
repeats it with an idempotency key.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from notewell.errors import Interrupted

Result = TypeVar("Result")
WAITS_SECONDS = (0.05, 0.2, 0.5, 1.0, 2.0)
"""Together longer than a failover that is watched over takes; the store itself waits for a server besides."""


def persistently(work: Callable[[], Result], wait: Callable[[float], None] = time.sleep) -> Result:
    """The result of some work, which is done again where the store broke off before anything was kept."""
    for seconds in WAITS_SECONDS:
        try:
            return work()
        except Interrupted:
            wait(seconds)
    return work()
