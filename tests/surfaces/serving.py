"""A real HTTP server for a test."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp


class _PromptServer(uvicorn.Server):
    """Ends within milliseconds: uvicorn's own looks whether it should only ten times a second."""

    async def main_loop(self) -> None:
        while not self.should_exit:
            await asyncio.sleep(0.005)


@contextmanager
def serving(asgi: ASGIApp) -> Iterator[str]:
    """The address of a real server on a free port of this machine."""
    # The socket listens before the server runs, so that nobody has to wait for it: connections queue.
    # Its protocol is named, or asyncio would not switch Nagle's delay of 40 ms off.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        options = {"log_level": "critical", "lifespan": "on", "timeout_graceful_shutdown": 2}
        server = _PromptServer(uvicorn.Config(asgi, **options))  # type: ignore[arg-type]  # each as uvicorn wants it
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)
