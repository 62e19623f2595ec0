"""The least MCP server over stdio that the SDK allows: one tool that answers with one word.

What the product's server is compared with. Run as a program: ``python -m benchmarks.speeds.trivial_server``.
"""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

Context = ServerRequestContext[Any, Any]
TOOL = "ping"


async def _list_tools(_context: Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name=TOOL, input_schema={"type": "object"})])


async def _call_tool(_context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text="pong")])


async def _serve() -> None:
    server: Server[Any] = Server("trivial", version="1", on_list_tools=_list_tools, on_call_tool=_call_tool)
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_serve)
