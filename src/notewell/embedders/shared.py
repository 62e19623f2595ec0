"""An embedder whose model lives in another process, shared by all processes of a store.

A model takes hundreds of megabytes, and there is one stdio server for each client: so whoever needs it first starts one
process for all of them (``daemon``), and it ends when idle.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from notewell.embedders.places import process_key, socket_path
from notewell.embedders.wire import WireError, receive, receive_bytes, send
from notewell.errors import SemanticUnavailable

if TYPE_CHECKING:
    from notewell.services.ports import Embedder, Vectors

START_SECONDS = 20.0
QUERY_SECONDS = 30.0
DOCUMENT_SECONDS = 600.0
BATCH_CHARS = 200_000
"""Texts of one request; a long list goes in several, so that others' queries get their turn between them."""


class SharedEmbedder:
    """Has the texts embedded by the process of a data folder, started where there is none.

    ``inner`` is the same embedder in this process: it says what the model is, and never loads it.
    """

    def __init__(self, inner: Embedder, home: Path, setting: str) -> None:
        self._inner = inner
        self._home = home.absolute()
        self._setting = setting

    @property
    def model_id(self) -> str:
        """As the inner embedder's."""
        return self._inner.model_id

    @property
    def dimension(self) -> int | None:
        """As the inner embedder's."""
        return self._inner.dimension

    @property
    def document_limit_chars(self) -> int:
        """As the inner embedder's."""
        return self._inner.document_limit_chars

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts to be found."""
        return self._embedded("documents", texts, DOCUMENT_SECONDS)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts that look for others."""
        return self._embedded("queries", texts, QUERY_SECONDS)

    def _embedded(self, kind: str, texts: Sequence[str], seconds: float) -> Vectors:
        import numpy as np  # noqa: PLC0415 - optional, and loaded only where vectors are asked for

        parts = [self._asked(kind, batch, seconds) for batch in _batches(texts)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimension or 0), np.float32)

    def _asked(self, kind: str, texts: Sequence[str], seconds: float) -> Vectors:
        """One request; a process that ends meanwhile is started again once."""
        for is_last in (False, True):
            try:
                return self._request(kind, texts, seconds)
            except TimeoutError:
                raise SemanticUnavailable(
                    f"The model did not answer within {seconds:.0f} seconds; the machine is busy. Try again later, or"
                    " use keyword search."
                ) from None
            except (WireError, OSError):
                if is_last:
                    raise SemanticUnavailable(
                        "The embedder process ended while it worked. Try again, or use keyword search; 'notewell"
                        " doctor' says more."
                    ) from None
        raise AssertionError("the second try returns or raises")

    def _request(self, kind: str, texts: Sequence[str], seconds: float) -> Vectors:
        """Over a connection of its own (0.1 ms): none stays open in a thread that may have ended."""
        import numpy as np  # noqa: PLC0415 - as above

        with self._connected() as stream:
            stream.settimeout(seconds)
            send(stream, {"kind": kind, "texts": list(texts)})
            answer = receive(stream)
            if "error" in answer:
                raise SemanticUnavailable(str(answer["error"]))
            rows, columns = int(answer["rows"]), int(answer["columns"])
            raw = receive_bytes(stream, rows * columns * 4)
        return np.frombuffer(raw, "<f4").reshape(rows, columns).astype(np.float32)

    def _connected(self) -> socket.socket:
        """A connection to the process, which is started where nobody listens."""
        path = self._path()
        until = time.monotonic() + START_SECONDS
        process = None
        while True:
            stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                stream.connect(str(path))
            except OSError:
                stream.close()
            else:
                return stream
            # One that ended well found another one at work, which may be at its own end: then the next one stays.
            ended = 0 if process is None else process.poll()
            if ended == 0:
                process = self._start()
            if ended or time.monotonic() > until:
                raise SemanticUnavailable(
                    "The embedder process could not start; embedder.log in the data folder says more. Use keyword"
                    " search meanwhile."
                )
            time.sleep(0.05)

    def _path(self) -> Path:
        try:
            return socket_path(self._home, process_key(self._setting, self.model_id))
        except OSError as error:
            raise SemanticUnavailable(
                f"There is no place for the embedder process's socket ({error}). Use keyword search."
            ) from None

    def _start(self) -> subprocess.Popen[bytes]:
        """Starts the process; where another one came first, this one ends at once."""
        # Without -P, Python would look for modules in the folder that this program was started in, which may be
        # anybody's project.
        command = [sys.executable, "-P", "-m", "notewell.embedders.daemon", str(self._home)]
        try:
            with (self._home / "embedder.log").open("ab") as log:
                process = subprocess.Popen(
                    [*command, "--model-id", self.model_id],
                    env={**os.environ, "NOTEWELL_EMBEDDER": self._setting},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        except OSError as error:
            raise SemanticUnavailable(
                f"The embedder process cannot be started in the data folder ({error.strerror}). Use keyword search."
            ) from None
        # It may outlive this process; where it ends before, somebody has to take note of that.
        threading.Thread(target=process.wait, name="notewell-embedder-end", daemon=True).start()
        return process


def _batches(texts: Sequence[str]) -> list[list[str]]:
    batches: list[list[str]] = []
    size = 0
    for text in texts:
        if not batches or size + len(text) > BATCH_CHARS:
            batches.append([])
            size = 0
        batches[-1].append(text)
        size += len(text)
    return batches
