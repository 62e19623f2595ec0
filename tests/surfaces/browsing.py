"""Somebody who uses the pages: keeps cookies, reads the token out of the page, sends forms as a browser does."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from clients import LOCAL, open_app
from serving import serving

from notewell.app import App
from notewell.services import accounts, sessions
from notewell.surfaces.guard import HttpSettings
from notewell.surfaces.server import make_asgi

PASSWORD = "correct horse battery"
_TOKEN = re.compile(r'name="form_token" value="([0-9a-f]{32})"')

Fields = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True)
class Person:
    """A browser without script."""

    client: httpx2.Client
    url: str

    def get(self, path: str) -> httpx2.Response:
        """A page, without following where it sends to."""
        return self.client.get(path)

    def post(self, path: str, fields: Fields | None = None, page: str = "/") -> httpx2.Response:
        """Sends a form with the token of a page that was just loaded."""
        return self.send(path, {"form_token": self.token(page), **(fields or {})})

    def send(self, path: str, fields: Fields) -> httpx2.Response:
        """Sends these fields and nothing else."""
        return self.client.post(path, data=dict(fields), headers={"origin": self.url})

    def token(self, page: str = "/") -> str:
        """The token that stands in the forms of a page."""
        match = _TOKEN.search(self.client.get(page).text)
        assert match is not None, page
        return match[1]

    def sign_in(self, handle: str, password: str = PASSWORD, **fields: str) -> httpx2.Response:
        """Sends the login form."""
        return self.post("/login", {"handle": handle, "password": password, **fields}, page="/login")


@dataclass(frozen=True)
class Site:
    """A running server and its store."""

    app: App
    url: str

    @contextmanager
    def visit(self) -> Iterator[Person]:
        """Somebody new, who has no cookies."""
        with httpx2.Client(base_url=self.url, timeout=30, verify=False) as client:
            yield Person(client, self.url)

    def add_person(self, handle: str, *, is_admin: bool = False) -> None:
        """Somebody who can sign in with ``PASSWORD``."""
        accounts.create_account(self.app.store, handle, is_admin=is_admin)
        sessions.set_password(self.app.store, handle, PASSWORD)


@contextmanager
def site(home: Path, settings: HttpSettings = LOCAL) -> Iterator[Site]:
    """A server with these settings; by default one that needs no login."""
    with open_app(home) as app, serving(make_asgi(app, settings)) as url:
        yield Site(app, url)


def text_of(response: httpx2.Response) -> str:
    """What a person reads on a page: without elements, white space as one blank."""
    without = re.sub(r"<[^>]+>", " ", re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", response.text))
    return " ".join(html.unescape(without).split())
