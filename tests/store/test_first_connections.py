"""Two processes that reach a new file at the same moment both come to a store."""

from __future__ import annotations

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.synchronize import Barrier
from pathlib import Path

from notewell.errors import Unavailable
from notewell.store.sqlite import SqliteDatabase

FILES = 200
"""So many that without a second try somebody is refused in most runs."""


def refusals(folder: Path) -> list[str]:
    """What a process was told that opened each file of a folder together with another one."""
    told = []
    for number in range(FILES):
        store = SqliteDatabase(folder / f"{number}.db")
        _together[0].wait(20)
        _wait_for_the_tick()
        try:
            with store.connection():
                pass
        except Unavailable as error:
            told.append(error.message)
        store.close()
    return told


def _wait_for_the_tick() -> None:
    """Returns at a moment that all processes share: a barrier wakes them one after the other."""
    tick = time.monotonic() // 0.002
    while time.monotonic() // 0.002 == tick:
        pass


_together: list[Barrier] = []


def meet_at(barrier: Barrier) -> None:
    """Tells a process where it waits for the other one."""
    _together.append(barrier)


def test_nobody_is_refused_a_new_file(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(2)
    with ProcessPoolExecutor(2, mp_context=spawn, initializer=meet_at, initargs=(barrier,)) as pool:
        assert list(pool.map(refusals, [tmp_path, tmp_path])) == [[], []]
