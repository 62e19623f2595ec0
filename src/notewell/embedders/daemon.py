"""The one process that holds a model for all processes of a store: ``python -m notewell.embedders.daemon FOLDER``.

It listens on a socket inside the data folder, whose mode keeps others out, and ends when nobody has asked for a while.
Of two that start at once, the one that gets the lock stays.
"""

from __future__ import annotations

import argparse
import os
import socket
import threading
import time
from pathlib import Path

from notewell.embedders.choose import from_setting
from notewell.embedders.places import lock_path, locked, socket_path
from notewell.embedders.wire import WireError, receive, send
from notewell.errors import NotewellError
from notewell.services.ports import Embedder, EmbedderUnavailable

IDLE_SECONDS = 300
TICK_SECONDS = 1.0


class Daemon:
    """Answers requests, each connection in a thread of its own."""

    def __init__(self, embedder: Embedder | EmbedderUnavailable, path: Path, idle_seconds: float) -> None:
        self._embedder = embedder
        self._path = path
        self._idle_seconds = idle_seconds
        self._last_used = time.monotonic()
        self._busy = 0
        self._lock = threading.Lock()

    def serve(self) -> None:
        """Serves until it has been idle long enough, or the socket's folder is gone."""
        self._path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(self._path))
            self._path.chmod(0o600)
            listener.listen(64)
            listener.settimeout(TICK_SECONDS)
            while not self._is_done():
                try:
                    stream, _ = listener.accept()
                except TimeoutError:
                    continue
                threading.Thread(target=self._converse, args=(stream,), daemon=True).start()
        self._path.unlink(missing_ok=True)

    def _is_done(self) -> bool:
        with self._lock:
            is_idle = not self._busy and time.monotonic() - self._last_used > self._idle_seconds
        return is_idle or not self._path.exists()

    def _converse(self, stream: socket.socket) -> None:
        with stream:
            while True:
                try:
                    request = receive(stream)
                    self._answer(stream, request)
                except (WireError, OSError):
                    return

    def _answer(self, stream: socket.socket, request: dict[str, object]) -> None:
        with self._lock:
            self._busy += 1
        try:
            texts = request.get("texts")
            if isinstance(self._embedder, EmbedderUnavailable):
                send(stream, {"error": self._embedder.reason})
            elif not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                send(stream, {"error": "the request holds no texts"})
            else:
                embed = (
                    self._embedder.embed_queries if request.get("kind") == "queries" else self._embedder.embed_documents
                )
                try:
                    matrix = embed(texts)
                except NotewellError as error:
                    send(stream, {"error": error.message})
                else:
                    rows, columns = matrix.shape
                    send(stream, {"rows": rows, "columns": columns}, matrix.astype("<f4").tobytes())
        finally:
            with self._lock:
                self._busy -= 1
                self._last_used = time.monotonic()


def main() -> None:
    """Serves the embedder that the environment names, unless another process does already."""
    parser = argparse.ArgumentParser(prog="notewell.embedders.daemon")
    parser.add_argument("home", type=Path)
    parser.add_argument("--idle-seconds", type=float, default=IDLE_SECONDS)
    given = parser.parse_args()
    setting = os.environ.get("NOTEWELL_EMBEDDER", "local")
    with locked(lock_path(given.home, setting)) as is_mine:
        if is_mine:
            Daemon(from_setting(setting), socket_path(given.home, setting), given.idle_seconds).serve()


if __name__ == "__main__":
    main()
