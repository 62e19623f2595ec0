"""Who may come in over HTTP, as what, how often and with how much; and how those who may not are told."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from clients import ERAS, LOCAL, open_app, with_settings
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from serving import serving
from test_parity import command_named

from notewell.app import App
from notewell.errors import InvalidArgument
from notewell.services import accounts, sessions
from notewell.store import fts5
from notewell.store.sqlite import SqliteDatabase
from notewell.surfaces.guard import MAX_REQUEST_BYTES, HttpSettings
from notewell.surfaces.server import check_bind, make_asgi

NOTES = "/api/memory/notes"
OPEN = with_settings(host="0.0.0.0")
"""The settings of a server that other machines reach; in the tests only this one does."""


@dataclass(frozen=True)
class Server:
    """A running server and its store."""

    app: App
    client: httpx2.Client
    url: str

    def token(self, handle: str = "ana", agent: str = "", **options: Any) -> dict[str, str]:
        """The header of a new token; its account is made where it is missing."""
        accounts.create_account(self.app.store, handle, may_exist=True)
        _, secret = accounts.create_token(self.app.store, handle, agent, **options)
        return {"authorization": f"Bearer {secret}"}


@contextmanager
def running(home: Path, settings: HttpSettings = LOCAL) -> Iterator[Server]:
    """A server with these settings, reached over this machine's own address."""
    with (
        open_app(home) as app,
        serving(make_asgi(app, settings)) as url,
        httpx2.Client(base_url=url, timeout=30, verify=False) as client,
    ):
        yield Server(app, client, url)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on one's own machine."""
    with running(tmp_path_factory.mktemp("local")) as server:
        yield server


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that other machines reach."""
    with running(tmp_path_factory.mktemp("public"), OPEN) as server:
        yield server


def raw_connection(server: Server) -> closing[http.client.HTTPConnection]:
    """A connection for requests that the usual client would not send, or not let go of."""
    return closing(http.client.HTTPConnection("127.0.0.1", httpx2.URL(server.url).port, timeout=10))


def code_of(response: httpx2.Response, status: int) -> str:
    """The code of an error, which must come as a problem of that status."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["status"] == status
    assert problem["detail"] == problem["error"]["message"]
    code: str = problem["error"]["code"]
    return code


# Names and pages of others


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8765", "localhost:1", "LOCALHOST", "[::1]:8765"])
def test_a_request_for_this_machine_comes_in(host: str, local: Server) -> None:
    assert local.client.get(NOTES, headers={"host": host}).status_code == 200


@pytest.mark.report("I8")
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "127.0.0.1@evil.example",
        "[::1",
        "0.0.0.0",
    ],
)
@pytest.mark.parametrize("path", [NOTES, "/mcp", "/", "/api/health"])
def test_a_request_for_another_name_is_refused(host: str, path: str, local: Server) -> None:
    assert code_of(local.client.get(path, headers={"host": host}), 403) == "forbidden"


def test_a_further_name_can_be_allowed_by_the_option_that_the_refusal_names(tmp_path: Path) -> None:
    with running(tmp_path, with_settings(allowed_hosts=("notes.example",))) as server:
        allowed = server.client.get(NOTES, headers={"host": "notes.example", **server.token()})
        nobody = server.client.get(NOTES, headers={"host": "notes.example"})
        at_hand = server.client.get(NOTES)
        refused = server.client.get(NOTES, headers={"host": "other.example"})

    # By another name requests come through a proxy, where nothing tells a stranger from the owner.
    assert (allowed.status_code, nobody.status_code, at_hand.status_code) == (200, 401, 401)
    options = {option for each in command_named("serve").params for option in each.opts if "host" in option}
    assert [option for option in options - {"--host"} if option in refused.json()["detail"].split()] != []


def test_its_own_pages_may_ask(local: Server) -> None:
    assert local.client.get(NOTES, headers={"origin": local.url}).status_code == 200


@pytest.mark.report("I8")
@pytest.mark.parametrize(
    "origin",
    [
        *("https://evil.example", "null", "", "file://", "http://localhost.evil.example", "http://[::1"),
        # Whatever serves another port of this machine is another site.
        *("http://127.0.0.1:3000", "http://localhost:3000", "http://evil.example@localhost", "javascript://localhost"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_a_page_of_another_site_is_refused(origin: str, method: str, local: Server) -> None:
    for path in (NOTES, "/mcp"):
        response = local.client.request(method, path, headers={"origin": origin})
        assert code_of(response, 403) == "forbidden"
        assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE", "PUT"])
def test_a_write_that_a_browser_marks_as_from_another_site_is_refused(method: str, local: Server) -> None:
    response = local.client.request(method, NOTES, headers={"sec-fetch-site": "cross-site"})

    assert code_of(response, 403) == "forbidden"


def test_a_link_from_another_site_opens_the_page(local: Server) -> None:
    assert local.client.get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200


# Tokens


@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "x-real-ip"])
def test_what_a_proxy_passes_on_needs_a_token_even_here(header: str, local: Server) -> None:
    refused = local.client.get(NOTES, headers={header: "192.0.2.1"})
    let_in = local.client.get(NOTES, headers={header: "192.0.2.1", **local.token()})

    assert (code_of(refused, 401), let_in.status_code) == ("unauthenticated", 200)


@pytest.mark.report("I7")
@pytest.mark.parametrize("path", [NOTES, "/mcp", "/api/memory/collections", "/api/problems", "/api/nope"])
def test_others_need_a_token(path: str, public: Server) -> None:
    response = public.client.get(path)

    assert code_of(response, 401) == "unauthenticated"
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert "notewell token create" in response.json()["detail"]


@pytest.mark.parametrize(
    "credentials",
    ["Bearer nw_unknown", "Bearer", "Basic YTpi", "nw_unknown", "Bearer \xff\xfe", "Bearer a b"],
)
@pytest.mark.parametrize("place", ["local", "public"])
def test_a_credential_that_is_none_is_refused(credentials: str, place: str, request: pytest.FixtureRequest) -> None:
    server: Server = request.getfixturevalue(place)

    headers = [(b"authorization", credentials.encode("latin-1"))]
    response = server.client.get(NOTES, headers=headers)

    assert code_of(response, 401) == "unauthenticated"


def test_a_token_lets_its_account_in_and_nobody_else(public: Server) -> None:
    ana, bob = public.token("ana", "assistant"), public.token("bob")
    note = public.client.post(NOTES, json={"title": "Ana's", "body": "secret plan"}, headers=ana).json()

    assert (note["account"], note["agent"]) == ("ana", "assistant")
    assert public.client.get(NOTES, headers=ana).json()["total"] == 1
    assert public.client.get(NOTES, params={"query": "secret"}, headers=bob).json()["total"] == 0
    for method in ("GET", "PATCH", "DELETE"):
        body = {"json": {"title": "Bob's"}} if method == "PATCH" else {}
        response = public.client.request(method, f"{NOTES}/{note['id']}", headers=bob, **body)  # type: ignore[arg-type]  # a body or none
        assert code_of(response, 404) == "not_found"


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer  "])
def test_the_scheme_is_read_in_any_case(scheme: str, public: Server) -> None:
    secret = public.token()["authorization"].partition(" ")[2]

    assert public.client.get(NOTES, headers={"authorization": f"{scheme} {secret}"}).status_code == 200


def test_a_revoked_token_ends_at_once(public: Server) -> None:
    accounts.create_account(public.app.store, "cleo", may_exist=True)
    token, secret = accounts.create_token(public.app.store, "cleo", "")
    headers = {"authorization": f"Bearer {secret}"}
    assert public.client.get(NOTES, headers=headers).status_code == 200

    accounts.revoke_token(public.app.store, "cleo", token.id)

    response = public.client.get(NOTES, headers=headers)
    assert code_of(response, 401) == "unauthenticated"
    assert "revoked" in response.json()["detail"]
    assert secret not in response.text


def test_an_expired_token_is_refused(tmp_path: Path) -> None:
    with running(tmp_path, OPEN) as server:
        headers = server.token(days=1)
        assert server.client.get(NOTES, headers=headers).status_code == 200
        server.app.store.close()
        two_days = 2 * accounts.DAY_MILLISECONDS
        path = server.app.config.database_path
        with server.app.store.read() as reader:
            later = reader.now + two_days
        server.app.store = SqliteDatabase(path, clock=lambda: later, prepare=fts5.prepare)

        response = server.client.get(NOTES, headers=headers)

    assert code_of(response, 401) == "unauthenticated"
    assert "expired" in response.json()["detail"]


@pytest.mark.parametrize("era", ERAS)
def test_a_token_sees_and_calls_only_the_tools_of_its_scopes(era: str, public: Server) -> None:
    headers = public.token("ana", scopes=("memory:read",))

    names, refused = _list_and_call(public, era, headers)

    assert names == ["noteCollections", "notesSearch", "noteRead"]
    assert (refused["error"]["code"], refused["error"]["scope"]) == ("forbidden", "memory:write")


def test_a_token_of_research_sees_no_tool_of_memory(public: Server) -> None:
    names, _ = _list_and_call(public, "2026", public.token("ana", scopes=("research:read",)))

    assert [name for name in names if name.startswith("note")] == []
    assert "search_notes" in names


def _list_and_call(server: Server, era: str, headers: dict[str, str]) -> tuple[list[str], dict[str, Any]]:
    """The tools that a token sees, and the answer when it writes a note."""

    async def talk() -> tuple[list[str], dict[str, Any]]:
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            transport = streamable_http_client(f"{server.url}/mcp", http_client=http)
            async with Client(transport, mode=ERAS[era]) as client:
                tools = await client.list_tools()
                result = await client.call_tool("noteCreate", {"title": "T", "body": "B"})
                assert result.is_error
                return [tool.name for tool in tools.tools], json.loads(result.content[0].text)  # type: ignore[union-attr]  # ours is text

    return anyio.run(talk)


def test_rest_asks_for_scopes_too(public: Server) -> None:
    headers = public.token("ana", scopes=("memory:read",))

    response = public.client.post(NOTES, json={"title": "T", "body": "B"}, headers=headers)

    assert code_of(response, 403) == "forbidden"
    assert "memory:write" in response.json()["detail"]
    spelling = public.client.get("/api/symbols/nvda", headers=public.token("ana", scopes=("research:read",)))
    assert code_of(spelling, 403) == "forbidden"


# Addresses


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "notes.example"])
def test_an_address_that_others_reach_needs_a_live_token_first(host: str, tmp_path: Path) -> None:
    with open_app(tmp_path) as app:
        with pytest.raises(InvalidArgument, match=r"notewell token create"):
            check_bind(app, host)
        accounts.create_account(app.store, "ana")
        token, _ = accounts.create_token(app.store, "ana", "")
        assert not check_bind(app, host).is_local
        accounts.revoke_token(app.store, "ana", token.id)
        with pytest.raises(InvalidArgument):
            check_bind(app, host)


def test_a_password_opens_an_address_too(tmp_path: Path) -> None:
    with open_app(tmp_path) as app:
        accounts.create_account(app.store, "ana")
        with pytest.raises(InvalidArgument, match=r"notewell account password"):
            check_bind(app, "0.0.0.0")
        sessions.set_password(app.store, "ana", "correct horse battery")

        assert not check_bind(app, "0.0.0.0").is_local


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_this_machine_needs_none(host: str, tmp_path: Path) -> None:
    with open_app(tmp_path) as app:
        assert check_bind(app, host).is_local


def test_the_public_pages_come_with_what_they_are_made_of(public: Server) -> None:
    for path in ("/", "/api/docs", "/api/health", "/api/openapi.json", "/static/notewell.css", "/static/notewell.svg"):
        assert public.client.get(path).status_code == 200, path


def test_the_first_page_does_not_tell_others_where_the_data_is(public: Server) -> None:
    assert str(public.app.config.home) not in public.client.get("/").text


# How much, how often


def chunks(size: int) -> Iterator[bytes]:
    """A body of that size, of which nothing is announced."""
    yield b'{"title": "T", "body": "'
    for _ in range(size // 65_536 + 1):
        yield b"x" * 65_536
    yield b'"}'


@pytest.mark.parametrize("path", [NOTES, "/mcp"])
@pytest.mark.parametrize("is_announced", [True, False])
def test_a_request_over_the_size_limit_is_refused(path: str, is_announced: bool, local: Server) -> None:
    content = b"x" * (MAX_REQUEST_BYTES + 1) if is_announced else chunks(MAX_REQUEST_BYTES)
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}

    response = local.client.post(path, content=content, headers=headers)

    assert code_of(response, 413) == "too_large"
    assert f"{MAX_REQUEST_BYTES:,}" in response.json()["detail"]


def test_an_announced_size_is_refused_before_anything_is_sent(local: Server) -> None:
    with raw_connection(local) as connection:
        connection.putrequest("POST", NOTES)
        connection.putheader("Content-Length", str(MAX_REQUEST_BYTES + 1))
        connection.endheaders()

        assert connection.getresponse().status == 413


def test_the_largest_body_fits_however_it_is_escaped(local: Server) -> None:
    made = local.client.post(NOTES, content=json.dumps({"title": "Large", "body": "\x01" * 1_048_576}).encode())

    assert (made.status_code, made.json()["bodyBytes"]) == (201, 1_048_576)


def test_too_many_requests_are_told_when_to_come_back(tmp_path: Path) -> None:
    with running(tmp_path, with_settings(rate="5/minute")) as server:
        headers = server.token()
        answers = [server.client.get(NOTES) for _ in range(6)]
        other = server.client.get(NOTES, headers=headers)

    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert code_of(answers[-1], 429) == "rate_limited"
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert "5 requests a minute" in answers[-1].json()["detail"]
    assert other.status_code == 200


def test_made_up_tokens_do_not_get_round_the_limit(tmp_path: Path) -> None:
    with running(tmp_path, with_settings(host="0.0.0.0", rate="5/minute")) as server:
        guesses = [server.client.get(NOTES, headers={"authorization": f"Bearer nw_{n}"}) for n in range(6)]

    assert [answer.status_code for answer in guesses] == [401] * 5 + [429]
