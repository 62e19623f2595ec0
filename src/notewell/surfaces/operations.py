"""The operations table: everything that can be asked of Notewell by agents and programs, once.

MCP, REST and the command line are all fed from it, so an operation means the same on each of them. One that is left
out of a surface says so by name and reason.
"""

from __future__ import annotations

from typing import Literal

from notewell.surfaces.memory_table import MEMORY_OPERATIONS
from notewell.surfaces.operation import Operation, Route, Surface, ToolSet
from notewell.surfaces.research_table import RESEARCH_OPERATIONS

__all__ = ["OPERATIONS", "Operation", "Route", "Surface", "ToolSet", "of_surface"]

OPERATIONS: tuple[Operation, ...] = (*MEMORY_OPERATIONS, *RESEARCH_OPERATIONS)


def of_surface(surface: Surface, tool_set: ToolSet | Literal["all"] = "all") -> list[Operation]:
    """The operations that a surface has, in their fixed order."""
    return [
        operation
        for operation in OPERATIONS
        if surface not in operation.left_out and tool_set in ("all", operation.tool_set)
    ]
