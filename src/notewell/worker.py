"""The worker: embeds what waits in the queue, and sweeps once an hour, until it is told to stop.

It runs as a thread inside the servers and alone as ``notewell worker``. It outlives every failure: what fails waits in
the queue with its reason, and the loop goes on.
"""

from __future__ import annotations

import logging
import threading
import time

from notewell.app import App
from notewell.errors import NotewellError

_log = logging.getLogger(__name__)

IDLE_SECONDS = 1.0
SWEEP_CHECK_SECONDS = 60.0


class Worker:
    """One consumer of a store's queue. ``first_wait_seconds`` keeps it out of the way of a server that starts."""

    def __init__(self, app: App, first_wait_seconds: float = 0.0, idle_seconds: float = IDLE_SECONDS) -> None:
        self._app = app
        self._first_wait_seconds = first_wait_seconds
        self._idle_seconds = idle_seconds
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Works in a thread of its own."""
        self._thread = threading.Thread(target=self.run, name="notewell-worker", daemon=True)
        self._thread.start()

    def stop(self, seconds: float = 5.0) -> None:
        """Asks the thread to end after the step it is at, and waits for it a while."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(seconds)

    def run(self) -> None:
        """Works until stopped."""
        self._stop.wait(self._first_wait_seconds)
        next_check = time.monotonic()
        while not self._stop.is_set():
            if time.monotonic() >= next_check:  # by the clock, since a long queue leaves no idle moment
                next_check = time.monotonic() + SWEEP_CHECK_SECONDS
                self._tried(self._sweep)
            if not self._tried(self._embed):
                self._stop.wait(self._idle_seconds)

    def _sweep(self) -> bool:
        """The hourly sweep, where it is due; whether it was."""
        report = self._app.sweep_if_due()
        if report is not None and report.vectors_drifted:
            _log.error("%d sampled vectors are of an older text than their notes'", report.vectors_drifted)
        return report is not None

    def _embed(self) -> bool:
        """One step of the queue; whether there was something to do."""
        return self._app.embed_step()

    def _tried(self, work: object) -> bool:
        try:
            return bool(work())  # type: ignore[operator]  # one of the methods above
        except NotewellError as error:
            _log.warning("%s", error.message)
        except Exception:  # noqa: BLE001 - the worker's loop goes on, whatever happens
            _log.exception("a step of the worker failed")
        return False
