"""How a client that starts its own server reaches the store of this one, and how a page names that store.

The folder and the setting that leads there are for the owner at hand alone; everybody else gets the setting of any
installation. It must not know templates.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

from starlette.requests import Request

from notewell.config import Config, from_environment
from notewell.surfaces.guard import ACTOR, SESSION

ELSEWHERE = "postgresql://…"
"""Stands where the owner puts the address of the database, which may hold a password."""
_HOST = r"(?:[\w.-]*|\[[0-9A-Fa-f:.]+\])(?::\d+)?"
_ADDRESS = re.compile(
    rf"\w+://(?:[^@/?]*@)?(?P<hosts>{_HOST}(?:,{_HOST})*)(?:/(?P<database>[^@/?:]*))?(?:\?[^@]*)?", re.ASCII
)
_PORT = re.compile(r":\d+(?=,|\Z)")


def is_owner_at_hand(request: Request) -> bool:
    """Whether who asks needed no login because nobody but the owner reaches this server."""
    actor = request.scope.get(ACTOR)
    return SESSION not in request.scope and actor is not None and bool(actor.account_id)


def client_setting(config: Config | None = None) -> str:
    """The setting of an MCP client, as JSON: one that leads to the store of ``config``, else one that names none."""
    server: dict[str, object] = {"command": _command() if config else "notewell", "args": ["mcp"]}
    if config and (environment := _environment(config)):
        server["env"] = environment
    return json.dumps({"mcpServers": {"notewell": server}}, indent=2, ensure_ascii=False)


def database_name(url: str) -> str:
    """The hosts and the name of a database's address; empty where they cannot be told from a name or password."""
    match = _ADDRESS.fullmatch(url)
    if match is None:
        return ""
    return "/".join(filter(None, (_PORT.sub("", match["hosts"]), match["database"])))


def _command() -> str:
    """The program of this installation; its bare name where it does not stand beside the interpreter."""
    return shutil.which("notewell", path=str(Path(sys.executable).parent.absolute())) or "notewell"


def _environment(config: Config) -> dict[str, str]:
    if config.database_url:
        return {"NOTEWELL_DATABASE_URL": ELSEWHERE}
    home = config.home.absolute()
    return {} if home == from_environment({}).home.absolute() else {"NOTEWELL_HOME": str(home)}
