"""A real HTTP server on the loopback that answers ``/embeddings`` by a script, for the tests of the HTTP embedder."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What to send back; ``hang_up`` ends the connection without an answer."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hang_up: bool = False


@dataclass
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class EmbeddingServer:
    """Answers with ``replies`` in turn, then with ``answer``."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.replies: list[Reply] = []
        self.answer: Callable[[list[str]], Reply] = good_answer
        self.url = ""

    def next_reply(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        return self.replies.pop(0) if self.replies else self.answer(asked.body["input"])


def vector_of(text: str) -> list[float]:
    """Three numbers that tell texts of other lengths and beginnings apart."""
    return [1.0, float(len(text)), float(ord(text[0]))]


def good_answer(texts: list[str]) -> Reply:
    """Vectors in reverse order, told apart by ``index`` only."""
    rows = [{"object": "embedding", "index": place, "embedding": vector_of(text)} for place, text in enumerate(texts)]
    return as_json({"object": "list", "data": rows[::-1], "model": "m"})


def as_json(answer: object, status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(json.dumps(answer).encode(), status, named)


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """A server in a thread of its own, on a free port, ended with the block."""
    script = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            reply = script.next_reply(Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            if reply.hang_up:
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in {"content-length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *_: object) -> None:
            """Nothing: the tests look at ``asked``."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
