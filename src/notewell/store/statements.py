"""The named statements of ``store/sql``, read once.

A file holds blocks; each opens with ``-- name: NAME`` and may go on with ``--`` lines that say what it is for.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


@cache
def statements() -> dict[str, str]:
    """Every statement by its name; a name that stands twice is a defect and raises ``ValueError``."""
    found: dict[str, str] = {}
    for file in sorted(files("notewell.store").joinpath("sql").iterdir(), key=lambda each: each.name):
        if not file.name.endswith(".sql"):
            continue
        parts = _NAME.split(file.read_text(encoding="utf-8"))
        for name, sql in zip(parts[1::2], parts[2::2], strict=True):
            if name in found:
                raise ValueError(f"two statements are named {name}")
            found[name] = sql.strip()
    return found
