"""A real server with a record of every kind of privacy, asked by each kind of viewer over MCP and REST."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2
from clients import Json, open_app, operation_named, tool_request, with_settings
from research_record import attempt_at_all, campaign, people, problem, write
from serving import serving

from notewell.app import App
from notewell.services import accounts
from notewell.surfaces.server import make_asgi

STATES = ("published", "draft", "unpublished", "validation")
"""A published problem; one that is not; a published one in an unpublished campaign; a published validation copy."""
HANDLES = {"other": "cy", "owner": "olga", "admin": "root", "author": "ana"}
"""The viewers who have a token; the one without is anonymous."""
SURFACES = ("mcp", "rest")
WORD = "quagga"
"""In every note."""


@dataclass(frozen=True)
class Place:
    """Where the note of a state stands."""

    problem_id: str
    slug: str
    campaign: str
    attempt_id: str
    note_id: str


@dataclass(frozen=True)
class Record:
    """A running server and what its record holds."""

    app: App
    client: httpx2.Client
    tokens: dict[str, dict[str, str]]
    places: dict[str, Place]

    def ask(self, surface: str, viewer: str, operation: str, arguments: Json) -> Json:
        """What a viewer is answered: the result, or ``{"error": …}``."""
        headers = self.tokens.get(viewer, {})
        if surface == "rest":
            return self._rest(headers, operation, arguments)
        tool = operation_named(operation).tool
        sent = {**_MCP_HEADERS, "mcp-name": tool, **headers}
        answer = self.client.post("/mcp", content=tool_request("2026", tool, arguments), headers=sent).json()["result"]
        value: Json = json.loads(answer["content"][0]["text"])
        return value

    def _rest(self, headers: dict[str, str], operation: str, arguments: Json) -> Json:
        route = operation_named(operation).routes[0]
        left = dict(arguments)
        path = route.path
        for name in [name for name in left if f"{{{name}}}" in path]:
            path = path.replace(f"{{{name}}}", left.pop(name))
        if route.method == "GET":
            response = self.client.get(f"{path}?{urlencode(left, doseq=True)}", headers=headers)
        else:
            response = self.client.request(route.method, path, json=left, headers=headers)
        value: Json = response.json()
        return value if response.is_success else {"error": value["error"]}


_MCP_HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
}


def fill(app: App) -> dict[str, Place]:
    """One problem of each state with a note by the author, who is nobody else."""
    store = app.store
    who = people(store)
    shown = campaign(store, who.owner, "group-shown")
    closed = campaign(store, who.owner, "group-closed", publishes=False)
    options: dict[str, Json] = {
        "published": {"campaign": shown.id},
        "draft": {"campaign": shown.id, "publishes": False},
        "unpublished": {"campaign": closed.id},
        "validation": {"campaign": shown.id, "is_validation_copy": True},
    }
    places: dict[str, Place] = {}
    for state in STATES:
        made = problem(store, who.owner, f"slug-{state}", **options[state])
        on = attempt_at_all(store, who.author, made)
        cites = f"builds_on: [{places['published'].note_id}]" if places else "kind: finding"
        header = f"---\ntitle: Title of {state}\ntags: [tag-{state}]\n{cites}\n---\n"
        note_id = write(store, who.author, on, f"{header}{WORD} word{state}\n")
        group = closed if state == "unpublished" else shown
        places[state] = Place(made.id, made.slug, group.slug, on.id, note_id)
    return places


@contextmanager
def running(home: Path, **settings: Any) -> Iterator[tuple[App, httpx2.Client]]:
    """A server and a client of it."""
    with (
        open_app(home) as app,
        serving(make_asgi(app, with_settings(**settings))) as url,
        httpx2.Client(base_url=url, timeout=30, verify=False) as client,
    ):
        yield app, client


@contextmanager
def open_record(home: Path) -> Iterator[Record]:
    """The record of all states, on a server that other machines reach and that is open for reading."""
    with running(home, host="0.0.0.0", is_public_record_open=True) as (app, client):
        places = fill(app)
        tokens = {}
        for viewer, handle in HANDLES.items():
            scopes = accounts.DEFAULT_SCOPES + (("admin",) if viewer == "admin" else ())
            _, secret = accounts.create_token(app.store, handle, "", scopes)
            tokens[viewer] = {"authorization": f"Bearer {secret}"}
        yield Record(app, client, tokens, places)


def filled_in(asked: Json, place: Place) -> Json:
    """Arguments with the ids of a place where they say ``<note>`` and ``<attempt>``."""
    given = {"<note>": place.note_id, "<attempt>": place.attempt_id}
    return {name: given.get(value, value) if isinstance(value, str) else value for name, value in asked.items()}
