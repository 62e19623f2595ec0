"""A session of a real MCP client with Notewell, printed as a model reads it.

Run it with the project's Python: ``.venv/bin/python docs/start/client_session.py > docs/start/client-session.md``.
It starts its own servers on a data folder of its own: one over stdio, and then, as another process that finds what the
first one saved, one over HTTP on loopback. It speaks both protocol revisions.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import Implementation

NOTEWELL = [sys.executable, "-m", "notewell"]
REVISIONS = {"2025-11-25": "legacy", "2026-07-28": "2026-07-28"}
NAMES = Implementation(name="example-assistant", version="1.0")


class Session:
    """Prints each call and what came back."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Calls a tool, prints both sides, and returns the structured result."""
        result = await self._client.call_tool(tool, arguments)
        text = result.content[0].text  # type: ignore[union-attr]  # Notewell answers with text
        print(f"\n**{tool}** `{json.dumps(arguments, ensure_ascii=False)}`\n")
        print("```json")
        print(json.dumps(json.loads(text), ensure_ascii=False, indent=1))
        print("```")
        return result.structured_content or {}


@asynccontextmanager
async def over_stdio(home: Path, revision: str) -> AsyncIterator[Session]:
    """A session with ``notewell mcp``."""
    parameters = StdioServerParameters(
        command=NOTEWELL[0], args=[*NOTEWELL[1:], "mcp"], env={**os.environ, "NOTEWELL_HOME": str(home)}
    )
    async with Client(stdio_client(parameters), mode=REVISIONS[revision], client_info=NAMES) as client:
        yield Session(client)


@asynccontextmanager
async def over_http(home: Path, revision: str) -> AsyncIterator[Session]:
    """A session with ``notewell serve`` on a free port of loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = await asyncio.create_subprocess_exec(
        *NOTEWELL, "serve", "--port", str(port), env={**os.environ, "NOTEWELL_HOME": str(home)}, stdout=sys.stderr
    )
    try:
        for _ in range(200):
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                break
            except OSError:
                await asyncio.sleep(0.1)
        async with Client(f"http://127.0.0.1:{port}/mcp", mode=REVISIONS[revision], client_info=NAMES) as client:
            yield Session(client)
    finally:
        server.terminate()
        await server.wait()


async def first_conversation(session: Session) -> None:
    """An assistant saves what a conversation established."""
    print("\nThe assistant looks around, finds nothing on the subject, and saves what the conversation established.")
    await session.call("noteCollections", {})
    await session.call("notesSearch", {"query": "Fed rate cuts March"})
    await session.call(
        "noteCreate",
        {
            "title": "Fed: March cut is priced in",
            "summary": "Markets price a 25 bp cut in March; the thesis breaks if core PCE prints above 2.8 %.",
            "body": "We agreed to hold duration.\n\n市场在讨论降息预期。NVDA and AMD react to yields more than to guidance.\n",
            "tags": ["rates", "降息"],
            "symbols": ["$nvda", "AMD"],
            "collection": "Macro",
            "createCollection": True,
            "source": "Conversation of 1 December",
        },
    )
    print("\nA near-miss of the collection's name is an error that lists the real ones.")
    await session.call("noteCreate", {"title": "ECB", "body": "On hold.", "collection": "Makro"})


async def later_conversation(session: Session) -> None:
    """Another process finds the note, reads it, edits, files and archives it."""
    print("\nLater, another assistant finds it, in either language, and reads it before it changes it.")
    found = await session.call("notesSearch", {"query": "降息预期"})
    note_id = found["cards"][0]["id"]
    await session.call("notesSearch", {"query": "duration thesis inflation", "symbols": ["NVDA", "TSLA"]})
    read = await session.call("noteRead", {"ids": [note_id]})
    await session.call("noteUpdate", {"id": note_id, "append": "2 December: core PCE at 2.9 %, thesis broken.\n"})
    print("\nA rewrite that names the version read before is refused, since the note has changed.")
    await session.call(
        "noteUpdate", {"id": note_id, "body": "Thesis broken.", "ifVersion": read["notes"][0]["version"]}
    )
    print("\nIt files the note elsewhere and archives it: searchable still, and out of the listing.")
    await session.call(
        "noteUpdate",
        {
            "id": note_id,
            "summary": "The March cut thesis broke on 2 December: core PCE at 2.9 %.",
            "collection": "Closed theses",
            "createCollection": True,
            "addTags": ["closed"],
            "status": "archived",
        },
    )
    await session.call("notesSearch", {})
    await session.call("notesSearch", {"query": "thesis", "status": "archived"})


async def main() -> None:
    """Both transports, both revisions, one data folder."""
    print("# A client session")
    print("\nPrinted by `docs/start/client_session.py`: the SDK's own client, real servers, one data folder.")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        print("\n## Over stdio, revision 2025-11-25")
        async with over_stdio(home, "2025-11-25") as session:
            await first_conversation(session)
        print("\n## Over HTTP, revision 2026-07-28")
        async with over_http(home, "2026-07-28") as session:
            await later_conversation(session)
        for transport, name, revision in (
            (over_stdio, "stdio", "2026-07-28"),
            (over_http, "HTTP", "2025-11-25"),
        ):
            print(f"\n## Over {name}, revision {revision}")
            async with transport(home, revision) as session:
                await session.call("notesSearch", {"query": "降息", "limit": 1})


if __name__ == "__main__":
    asyncio.run(main())
