"""Loading once, remembering failures, and not waiting for ever."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from notewell.embedders import lazy
from notewell.embedders.lazy import RETRY_SECONDS, Lazy
from notewell.errors import SemanticUnavailable


class AnnouncedLock:
    """A lock that says when a second caller comes to it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callers = 0
        self.second_came = threading.Event()

    def acquire(self, timeout: float) -> bool:
        self._callers += 1
        if self._callers == 2:
            self.second_came.set()
        return self._lock.acquire(timeout=timeout)

    def release(self) -> None:
        self._lock.release()


def test_two_threads_load_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = AnnouncedLock()
    loads: list[int] = []

    def load() -> str:
        loads.append(1)
        lock.second_came.wait()
        return "model"

    model = Lazy(load)
    monkeypatch.setattr(model, "_lock", lock)
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda _: model.get(), range(2))) == ["model", "model"]
    assert loads == [1]


@pytest.mark.report("J8")
def test_a_failure_is_told_again_without_loading_and_tried_again_later() -> None:
    now = [0.0]
    loads: list[float] = []

    def load() -> str:
        loads.append(now[0])
        if len(loads) == 1:
            raise SemanticUnavailable("no file")
        return "model"

    model = Lazy(load, clock=lambda: now[0])
    for now[0] in (0.0, RETRY_SECONDS - 1.0):
        with pytest.raises(SemanticUnavailable, match="no file"):
            model.get()
    now[0] = RETRY_SECONDS + 1.0
    assert model.get() == "model"
    assert loads == [0.0, RETRY_SECONDS + 1.0]


def test_a_second_caller_does_not_wait_for_a_long_download(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy, "WAIT_SECONDS", 0)
    is_loading, may_end = threading.Event(), threading.Event()

    def load() -> str:
        is_loading.set()
        may_end.wait()
        return "model"

    model = Lazy(load)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(model.get)
        is_loading.wait()
        with pytest.raises(SemanticUnavailable, match="still loading"):
            model.get()
        may_end.set()
        assert first.result() == "model"
