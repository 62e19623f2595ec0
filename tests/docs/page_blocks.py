"""What the tests of the pages share: the pages, their code blocks, and the commands that stand in them.

A ``console`` block is a session: lines after ``$ `` are typed, the others are what is shown for them. It runs as a
test. An ``sh`` block runs only where the line ``<!-- runs -->`` stands before it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
_FENCED = re.compile(r"^(<!-- runs -->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROMPT = "$ "


class Block(NamedTuple):
    """A code block of a page."""

    language: str
    text: str
    runs: bool


class Example(NamedTuple):
    """What is typed, and what is shown for it."""

    command: str
    shown: str | None
    """None where the page does not say."""


def name_of(page: Path) -> str:
    """A page as a message names it."""
    return str(page.relative_to(ROOT))


def blocks_of(page: Path) -> list[Block]:
    """The code blocks of a page in their order."""
    found = _FENCED.findall(page.read_text(encoding="utf-8"))
    return [Block(language, text, bool(mark) or language == "console") for mark, language, text in found]


def prose_of(page: Path) -> str:
    """A page without its code blocks."""
    return _FENCED.sub("", page.read_text(encoding="utf-8"))


def shell_texts_of(page: Path) -> list[str]:
    """What is typed in each block for a shell."""
    texts = []
    for block in blocks_of(page):
        if block.language == "sh":
            texts.append(block.text)
        elif block.language == "console":
            texts.append("\n".join(example.command for example in _session(block.text)))
    return texts


def examples_of(page: Path) -> list[Example]:
    """All of a page that runs."""
    return [example for block in blocks_of(page) if block.runs for example in _examples(block)]


def _examples(block: Block) -> list[Example]:
    return _session(block.text) if block.language == "console" else [Example(block.text, None)]


def _session(text: str) -> list[Example]:
    """The commands of a session with what is shown; a command goes on in the next line after a backslash."""
    examples: list[Example] = []
    for line in text.splitlines(keepends=True):
        if line.startswith(_PROMPT):
            examples.append(Example(line.removeprefix(_PROMPT), ""))
        elif examples and examples[-1].command.endswith("\\\n"):
            examples[-1] = Example(examples[-1].command + line, "")
        else:
            examples[-1] = Example(examples[-1].command, (examples[-1].shown or "") + line)
    return examples
