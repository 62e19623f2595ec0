"""Half a surrogate pair in JSON (``"\\ud83d"`` without its other half) on its way to the operations.

It is no text, and JSON readers differ: the MCP SDK's refuses the whole message, so a client would wait for an answer
for ever. Here each half becomes a mark that no text holds by accident, and the arguments' reader refuses the mark by
the name of its argument, as it does half a pair that came another way.
"""

from __future__ import annotations

import re

_ESCAPES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u(?P<half>[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
# Between two characters that Unicode promises never to assign.
_HALF = re.compile("[\ud800-\udfff]|\ufdd0(?P<marked>[dD][0-9a-fA-F]{3})\ufdef")


def marked(message: bytes) -> bytes:
    """The message with a mark for each escaped half of a pair; whole pairs and escaped backslashes stay."""
    if b"\\ud" not in message.lower():
        return message
    return _ESCAPES.sub(_mark, message)


def _mark(match: re.Match[bytes]) -> bytes:
    half = match["half"]
    return match.group() if half is None else rb"\ufdd0" + half + rb"\ufdef"


def half_pair_in(text: str) -> tuple[str, int] | None:
    """The escape of the first half a pair in a text and where it stands; None where there is none."""
    found = _HALF.search(text)
    if found is None:
        return None
    code = found["marked"] or f"{ord(found.group()):04x}"
    return f"\\u{code.lower()}", found.start()
