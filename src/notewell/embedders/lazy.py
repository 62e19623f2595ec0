"""A model that loads with its first use, once, whichever thread comes first.

It knows neither models nor libraries.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from notewell.errors import SemanticUnavailable

Model = TypeVar("Model")

WAIT_SECONDS = 10
"""How long a second caller waits for the first one's loading; a download may take longer than anybody should."""

RETRY_SECONDS = 60
"""A failure is remembered so long: it may pass (a hub, a package), and each try costs a second or more."""


class Lazy(Generic[Model]):
    """Holds what ``load`` gives. ``load`` raises ``SemanticUnavailable`` where it cannot."""

    def __init__(self, load: Callable[[], Model], clock: Callable[[], float] = time.monotonic) -> None:
        self._load = load
        self._clock = clock
        self._lock = threading.Lock()
        self._model: Model | None = None
        self._failure: tuple[float, str] | None = None
        """Until when, and its message."""

    def get(self) -> Model:
        """The model, loaded now if it was not. Raises ``SemanticUnavailable`` with the reason of ``load``."""
        if self._model is not None:
            return self._model
        if not self._lock.acquire(timeout=WAIT_SECONDS):
            raise SemanticUnavailable(
                "The model for search by meaning is still loading. Try again in a minute, or use keyword search."
            )
        try:
            if self._model is None:
                self._model = self._loaded()
            return self._model
        finally:
            self._lock.release()

    def _loaded(self) -> Model:
        if self._failure is not None and self._clock() < self._failure[0]:
            raise SemanticUnavailable(self._failure[1])
        try:
            return self._load()
        except SemanticUnavailable as error:
            self._failure = (self._clock() + RETRY_SECONDS, error.message)
            raise
