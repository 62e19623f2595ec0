"""How texts go to the embedder process and vectors come back: lengths, JSON, and rows of float32 over a stream socket.

request    length (4 bytes, big-endian), JSON {"kind": "documents" | "queries", "texts": [...]}
answer     length, JSON {"rows": n, "columns": d} or {"error": reason}; then n * d float32, little-endian
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
_LENGTH = struct.Struct(">I")


class WireError(Exception):
    """The other side went away or does not speak this protocol."""


def send(stream: socket.socket, value: dict[str, Any], raw: bytes = b"") -> None:
    """Sends a message, with raw bytes behind it."""
    packed = json.dumps(value, ensure_ascii=True).encode()
    stream.sendall(_LENGTH.pack(len(packed)) + packed + raw)


def receive(stream: socket.socket) -> dict[str, Any]:
    """The next message; raises ``WireError`` at the end of the stream."""
    (length,) = _LENGTH.unpack(receive_bytes(stream, _LENGTH.size))
    if length > MAX_MESSAGE_BYTES:
        raise WireError("a message is too long")
    try:
        value = json.loads(receive_bytes(stream, length))
    except (ValueError, RecursionError):
        raise WireError("a message is no JSON") from None
    if not isinstance(value, dict):
        raise WireError("a message is no object")
    return value


def receive_bytes(stream: socket.socket, count: int) -> bytes:
    """Exactly so many bytes; raises ``WireError`` where the stream ends before."""
    parts = []
    while count:
        part = stream.recv(min(count, 1 << 20))
        if not part:
            raise WireError("the stream ended")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
