"""The one process that holds a model for all processes of a store: ``python -m notewell.embedders.daemon FOLDER``.

It listens on a socket inside the data folder, whose mode keeps others out, and ends when nobody has asked for a while.
Of two that start at once, the one that gets the lock stays.
"""

from __future__ import annotations

import argparse
import logging
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notewell.embedders.choose import from_setting
from notewell.embedders.places import lock_path, locked, process_key, socket_path
from notewell.embedders.wire import WireError, receive, send
from notewell.errors import NotewellError
from notewell.services.ports import Embedder, EmbedderUnavailable

if TYPE_CHECKING:
    from notewell.services.ports import Vectors

_log = logging.getLogger(__name__)

IDLE_SECONDS = 300
TICK_SECONDS = 1.0


class Daemon:
    """Answers requests, each connection in a thread of its own."""

    def __init__(self, embedder: Embedder | EmbedderUnavailable, home: Path, key: str, idle_seconds: float) -> None:
        self._embedder = embedder
        self._home = home
        self._path = socket_path(home, key)
        self._idle_seconds = idle_seconds
        self._last_used = time.monotonic()
        self._busy = 0
        self._lock = threading.Lock()
        self._identity: tuple[int, int] | None = None

    def serve(self) -> None:
        """Serves until it has been idle long enough, or its socket or the data folder is gone."""
        self._path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(self._path))
            self._path.chmod(0o600)
            self._identity = self._found()
            listener.listen(64)
            listener.settimeout(TICK_SECONDS)
            while not self._is_done():
                try:
                    stream, _ = listener.accept()
                except TimeoutError:
                    continue
                threading.Thread(target=self._converse, args=(stream,), daemon=True).start()
            if self._is_there():
                self._path.unlink(missing_ok=True)

    def _found(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _is_there(self) -> bool:
        """Whether the socket is still this process's own: a data folder that was made again may hold another one."""
        return self._identity is not None and self._found() == self._identity

    def _is_done(self) -> bool:
        with self._lock:
            is_idle = not self._busy and time.monotonic() - self._last_used > self._idle_seconds
        return is_idle or not self._is_there() or not self._home.is_dir()

    def _converse(self, stream: socket.socket) -> None:
        with stream:
            while True:
                try:
                    request = receive(stream)
                    self._answer(stream, request)
                except (WireError, OSError):
                    return

    def _answer(self, stream: socket.socket, request: dict[str, Any]) -> None:
        with self._lock:
            self._busy += 1
        try:
            matrix = self._embedded(request)
            if isinstance(matrix, str):
                send(stream, {"error": matrix})
            else:
                rows, columns = matrix.shape
                send(stream, {"rows": rows, "columns": columns}, matrix.astype("<f4").tobytes())
        finally:
            with self._lock:
                self._busy -= 1
                self._last_used = time.monotonic()

    def _embedded(self, request: dict[str, Any]) -> Vectors | str:
        """The vectors of a request's texts, or why there are none."""
        texts = request.get("texts")
        if isinstance(self._embedder, EmbedderUnavailable):
            return self._embedder.reason
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            return "The request to the embedder process holds no texts."
        try:
            if request.get("kind") == "queries":
                return self._embedder.embed_queries(texts)
            return self._embedder.embed_documents(texts)
        except NotewellError as error:
            return error.message
        except Exception as error:  # noqa: BLE001 - the outermost handler: the asker gets an answer, the process goes on
            _log.exception("the model failed")
            return f"The model failed ({type(error).__name__}); embedder.log in the data folder says more."


def main() -> None:
    """Serves the embedder that the environment names, unless another process does already."""
    parser = argparse.ArgumentParser(prog="notewell.embedders.daemon")
    parser.add_argument("home", type=Path)
    parser.add_argument("--model-id", default="", help="what whoever starts this expects to get")
    parser.add_argument("--idle-seconds", type=float, default=IDLE_SECONDS)
    given = parser.parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    setting = os.environ.get("NOTEWELL_EMBEDDER", "local")
    key = process_key(setting, given.model_id)
    with locked(lock_path(given.home, key)) as is_mine:
        if is_mine:
            embedder = _expected(from_setting(setting), given.model_id)
            Daemon(embedder, given.home, key, given.idle_seconds).serve()


def _expected(embedder: Embedder | EmbedderUnavailable, model_id: str) -> Embedder | EmbedderUnavailable:
    """The embedder itself, where it is the expected one: vectors of another model must not get its name."""
    if isinstance(embedder, EmbedderUnavailable) or embedder.model_id == model_id:
        return embedder
    return EmbedderUnavailable(
        f"The model changed while Notewell ran (from {model_id} to {embedder.model_id}). Start this program again, or"
        " use keyword search."
    )


if __name__ == "__main__":
    main()
