"""The bridge from async surfaces to the synchronous core: a few worker threads, for which work waits in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.lowlevel
import anyio.to_thread

WORKERS = 8
"""Requests that are worked on at once in one process; each may hold one connection of the store."""

Result = TypeVar("Result")
_limiter: anyio.lowlevel.RunVar[anyio.CapacityLimiter] = anyio.lowlevel.RunVar("notewell_workers")


async def in_thread(work: Callable[[], Result]) -> Result:
    """The result of some synchronous work, done in a worker thread while the event loop goes on."""
    limiter = _limiter.get(None)
    if limiter is None:
        limiter = anyio.CapacityLimiter(WORKERS)
        _limiter.set(limiter)
    return await anyio.to_thread.run_sync(work, limiter=limiter)
