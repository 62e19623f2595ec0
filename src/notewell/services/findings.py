"""What a check found: alike findings are one, with a count and the first examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]
MAX_EXAMPLES = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be."""

    severity: Severity
    check: str
    """Which part of the store: ``file``, ``terms``, ``note_tags``, …"""
    message: str
    count: int = 1
    examples: tuple[str, ...] = ()
    """Ids or the engine's own words; never a note's text."""


class Findings:
    """Findings as they come."""

    def __init__(self) -> None:
        self._found: dict[tuple[Severity, str, str], tuple[int, list[str]]] = {}

    def add(self, severity: Severity, check: str, message: str, example: str | None = None) -> None:
        """Adds one, to those that say the same."""
        key = (severity, check, message)
        count, examples = self._found.get(key, (0, []))
        if example is not None and len(examples) < MAX_EXAMPLES:
            examples = [*examples, example]
        self._found[key] = count + 1, examples

    def holds(self, check: str) -> bool:
        """Whether anything was found by a check."""
        return any(key[1] == check for key in self._found)

    def all(self) -> tuple[Finding, ...]:
        """All of them, errors first."""
        found = [Finding(*key, count, tuple(examples)) for key, (count, examples) in self._found.items()]
        return tuple(sorted(found, key=lambda finding: finding.severity != "error"))
