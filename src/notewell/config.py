"""Settings from the environment; each has a default that works on one person's machine.

NOTEWELL_HOME    the data folder (default: ``~/.local/share/notewell``, or ``$XDG_DATA_HOME/notewell``)
NOTEWELL_DATABASE_URL    a PostgreSQL database instead of the file in the data folder: postgresql://…
NOTEWELL_DATABASE_READ_URL  where searches may be answered (a standby, which may not know the last writes)
NOTEWELL_DATABASE_POOLED 1 where a transaction pooler stands before the database
NOTEWELL_AGENT   the agent label of what this process writes; it goes before the name that a client gives itself
NOTEWELL_TOKEN   act as the account of this token instead of the local account (stdio and command line)
NOTEWELL_EMBEDDER        local (default), none, onnx:FOLDER, onnx:OWNER/NAME, or http:URL
NOTEWELL_EMBEDDER_MODEL  the model's name, for http:
NOTEWELL_EMBEDDER_KEY    the API key, for http:
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one process."""

    home: Path
    database_url: str | None = field(default=None, repr=False)
    """None: the file in the data folder."""
    database_read_url: str | None = field(default=None, repr=False)
    is_database_pooled: bool = False
    agent: str = ""
    token: str | None = None
    embedder: str = "local"
    embedder_model: str | None = None
    embedder_key: str | None = field(default=None, repr=False)

    @property
    def file(self) -> Path | None:
        """The file that holds the store; None where a PostgreSQL server does."""
        return None if self.database_url else self.database_path

    @property
    def database_path(self) -> Path:
        """The file that holds the store."""
        return self.home / "notewell.db"


def from_environment(environment: Mapping[str, str] | None = None) -> Config:
    """The settings that the environment gives."""
    values = os.environ if environment is None else environment
    home = values.get("NOTEWELL_HOME") or str(
        Path(values.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "notewell"
    )
    return Config(
        home=Path(home).expanduser(),
        database_url=values.get("NOTEWELL_DATABASE_URL") or None,
        database_read_url=values.get("NOTEWELL_DATABASE_READ_URL") or None,
        is_database_pooled=values.get("NOTEWELL_DATABASE_POOLED", "") not in ("", "0"),
        agent=values.get("NOTEWELL_AGENT", ""),
        token=values.get("NOTEWELL_TOKEN") or None,
        embedder=values.get("NOTEWELL_EMBEDDER") or "local",
        embedder_model=values.get("NOTEWELL_EMBEDDER_MODEL") or None,
        embedder_key=values.get("NOTEWELL_EMBEDDER_KEY") or None,
    )
