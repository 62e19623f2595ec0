"""Clients and how they ask: rows F2 to F20, with those that other tests mark."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path

import httpx2
import pytest
from browsing import Site, site, text_of
from clients import (
    ALL,
    LOCAL,
    META,
    ONE_OF_EACH,
    CliSurface,
    Json,
    Surface,
    initialize_request,
    open_app,
    open_surface,
    stdio_process,
    tool_request,
    with_settings,
)
from meaning import drain
from report_notes import UNKNOWN, code_of, count_all, found_by, noted, read_one
from serving import serving

from notewell.domain.notes import Draft
from notewell.embedders.fake import FakeEmbedder
from notewell.services import memory, research, research_notes
from notewell.services.research import ProblemDraft
from notewell.surfaces.operations import OPERATIONS, Operation, of_surface
from notewell.surfaces.server import make_asgi

pytest_plugins = ["report_fixtures"]

MAX_REPLY_CHARS = 40_000
"""What the reference of the tools states; a client cuts or refuses more."""
NOTE: Json = {"title": "Walnut", "body": "bread", "summary": "s"}


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port where connections are taken and nothing is ever answered: a model that does not come up."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


@pytest.mark.slow
@pytest.mark.parametrize("era", ["2025", "2026"])
def test_f2_a_server_answers_before_its_model_is_there(era: str, silent_port: int, tmp_path: Path) -> None:
    model = {"NOTEWELL_EMBEDDER": f"http://127.0.0.1:{silent_port}/v1", "NOTEWELL_EMBEDDER_MODEL": "m"}
    with stdio_process(tmp_path, era, **model) as server:
        listed = server.ask(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", **_params(era)}))
        made = server.ask(tool_request(era, "noteCreate", NOTE, 2))
        found = server.ask(tool_request(era, "notesSearch", {"query": "bread"}, 3))

    assert len(listed["result"]["tools"]) > 6
    assert made["result"]["structuredContent"]["title"] == "Walnut"
    assert found["result"]["structuredContent"]["total"] == 1


def _params(era: str) -> Json:
    return {"params": {"_meta": META}} if era == "2026" else {}


RESEARCH = of_surface("mcp", "research")


@pytest.mark.parametrize("operation", of_surface("mcp", "all"), ids=lambda each: each.name)
@pytest.mark.parametrize("name", ["mcp-memory-2025", "mcp-memory-2026"])
def test_f7_every_tool_names_an_argument_that_it_does_not_know(operation: Operation, name: str, tmp_path: Path) -> None:
    with open_surface(name, tmp_path) as surface:
        answers = [surface.call(operation.name, {wrong: "x"}) for wrong in ("content", "text", "q", "project", "Query")]

    for answer, wrong in zip(answers, ("content", "text", "q", "project", "Query"), strict=True):
        assert code_of(answer) == "invalid_argument"
        assert f"'{wrong}'" in answer["error"]["message"]


@pytest.mark.parametrize("operation", of_surface("rest"), ids=lambda each: each.name)
def test_f7_every_route_names_an_argument_that_it_does_not_know(operation: Operation, each_kind: Surface) -> None:
    client = getattr(each_kind, "client", None)
    if not isinstance(client, httpx2.Client):
        return
    for route in operation.routes:
        path = route.path
        for hole in ("{ids}", "{id}"):
            path = path.replace(hole, UNKNOWN)
        answer = client.request(route.method, path, params={"contnt": "x"})
        assert answer.json()["error"]["code"] == "invalid_argument", (path, answer.text)
        assert "'contnt'" in answer.json()["error"]["message"]


EVERYTHING: Json = {
    "title": "Walnut",
    "summary": "Nuts.",
    "body": "bread\r\n降息\n",
    "tags": ["nuts", "Macro"],
    "symbols": ["NVDA", "000834"],
    "collection": "Food",
    "createCollection": True,
    "source": "a talk",
}


@pytest.mark.slow
def test_f8_what_one_surface_saves_every_other_reads_searches_and_edits(tmp_path: Path) -> None:
    with ExitStack() as stack:
        surfaces = {name: stack.enter_context(open_surface(name, tmp_path)) for name in ALL}
        for writer, writing in surfaces.items():
            made = writing.call("memory.create", {**EVERYTHING, "title": f"Walnut {writer}"})
            edit = {"id": made["id"], "addTags": ["more"], "removeSymbols": ["NVDA"], "append": "end"}
            reference = {**made, **writing.call("memory.update", edit)}
            for reader, reading in surfaces.items():
                note = read_one(reading, made["id"])
                assert note["body"] == "bread\r\n降息\nend", (writer, reader)
                assert (note["tags"], note["symbols"]) == (["nuts", "Macro", "more"], ["000834"])
                fields = ("title", "summary", "collection", "source", "status", "version", "createdAt", "updatedAt")
                assert [note[field] for field in fields] == [reference[field] for field in fields]
                wanted = {"query": f'title:"Walnut {writer}"', "collection": "food", "tags": ["MACRO"]}
                assert found_by(reading, **wanted, symbols=["000834"]) == [made["id"]], (writer, reader)


def test_f9_listing_and_searching_look_at_all_collections(every_surface: Surface) -> None:
    filed = [{"body": "walnut", "collection": f"C{number}", "createCollection": True} for number in range(3)]
    with noted(every_surface, "walnut", *filed) as made:
        assert sorted(found_by(every_surface)) == sorted(found_by(every_surface, query="walnut")) == sorted(made)

        every_surface.call("memory.update", {"id": made[0], "status": "archived"})

        # The one difference, which the argument's description states.
        assert sorted(found_by(every_surface)) == sorted(made[1:])
        assert sorted(found_by(every_surface, query="walnut")) == sorted(made)
    search = next(operation for operation in OPERATIONS if operation.name == "memory.search")
    assert search.arguments.model_fields["status"].description == "Default: any with a query, active without one."


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_f11_twenty_cards_of_long_notes_fit_into_a_reply(name: str, tmp_path: Path) -> None:
    lines = [
        {"title": f"Walnut {number}", "summary": "s" * 1_000, "body": "walnut bread " * 8_000, "tags": ["nuts"] * 1}
        for number in range(20)
    ]
    CliSurface(tmp_path).run(["import", "-"], "\n".join(map(json.dumps, lines)).encode())
    with open_surface(name, tmp_path) as surface:
        found = surface.call("memory.search", {"query": "walnut", "limit": 20})
        ids = [card["id"] for card in found["cards"]][:5]
        read = surface.call("memory.read", {"ids": ids})

    assert len(json.dumps(found)) <= MAX_REPLY_CHARS
    assert (found["total"], len(found["cards"]) == 20 or "cut" in found) == (20, True)
    assert sum(len(note["body"]) for note in read["notes"]) <= MAX_REPLY_CHARS
    assert [note["part"]["of"] for note in read["notes"]] == [13 * 8_000] * 5


def test_f12_what_is_cut_says_how_much_there_is_and_how_to_read_on(every_surface: Surface) -> None:
    body = "".join(f"{number:07}\n" for number in range(12_500))
    with noted(every_surface, {"body": body, "summary": "s" * 1_000}, "short") as (long_id, short_id):
        (card,) = [each for each in every_surface.call("memory.search", {})["cards"] if each["id"] == long_id]
        parts: list[str] = []
        start: int | None = 0
        while start is not None:
            (note,) = every_surface.call("memory.read", {"ids": [long_id], "from": start})["notes"]
            assert (note["part"]["from"], note["part"]["of"]) == (start, 100_000)
            parts.append(note["body"])
            start = note["part"].get("next")
        (whole,) = every_surface.call("memory.read", {"ids": [short_id]})["notes"]

    assert card["summary"] == "s" * 1_000
    assert card["bodyBytes"] == 100_000
    assert "".join(parts) == body
    assert "part" not in whole


@pytest.mark.parametrize("session", [None, "made-up-session"])
def test_f13_a_client_with_sessions_is_served_by_whichever_server_it_meets(session: str | None, tmp_path: Path) -> None:
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    headers |= {"mcp-protocol-version": "2025-11-25"} | ({"mcp-session-id": session} if session else {})
    messages = [initialize_request(), tool_request("2025", "noteCreate", NOTE, 1)]
    messages += [tool_request("2025", "notesSearch", {"query": "bread"}, number) for number in (2, 3)]
    with ExitStack() as stack:
        urls = [
            stack.enter_context(serving(make_asgi(stack.enter_context(open_app(tmp_path)), LOCAL))) for _ in range(2)
        ]
        answers = [
            httpx2.post(f"{url}/mcp", content=message, headers=headers, timeout=30).json()["result"]
            for url, message in zip(cycle(urls), messages, strict=False)
        ]

    assert answers[0]["serverInfo"]["name"] == "notewell"
    assert [answer["structuredContent"]["total"] for answer in answers[2:]] == [1, 1]


@pytest.mark.parametrize("change", [{"status": "foo"}, {"mode": "foo"}, {"match": "foo"}, {"sort": "foo"}])
def test_f16_a_value_of_no_meaning_is_refused_with_those_that_have_one(change: Json, every_surface: Surface) -> None:
    answer = every_surface.call("memory.search", {"query": "bread", **change})

    assert code_of(answer) == "invalid_argument"
    assert "'foo'" in answer["error"]["message"]
    assert any(word in answer["error"]["message"] for word in ("'archived'", "'keyword'", "'best'", "'title'"))


@pytest.mark.parametrize("kind", ["foo", "naïve-idea", "测试", "open question"])
def test_f16_a_kind_of_ones_own_is_kept_and_can_be_filtered(kind: str, tmp_path: Path) -> None:
    with open_app(tmp_path) as app:
        actor = app.default_actor()
        made = research.create_problem(app.store, actor, ProblemDraft("sat", "SAT", "Solve it.", publishes=True))
        attempt, _ = research.start_attempt(app.store, actor, made.id, "")
        for each in (kind, "other"):
            research_notes.add_note(app.store, actor, attempt.id, f"---\nkind: {each}\n---\nbread")
    for name in ("mcp-memory-2026", "rest"):
        with open_surface(name, tmp_path) as surface:
            shown = surface.call("research.search", {"query": "bread", "problem": "sat"})["cards"]
            kept = [card["kind"] for card in shown if card["kind"] != "other"]
            found = surface.call("research.search", {"query": "bread", "problem": "sat", "kind": kind})["cards"]
        assert len(kept) == 1
        assert [card["kind"] for card in found] == kept


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that others reach, with a person who can sign in."""
    with site(tmp_path_factory.mktemp("shared"), with_settings(host="0.0.0.0")) as here:
        here.add_person("ana")
        yield here


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/.well-known/oauth-protected-resource"),
        ("GET", "/.well-known/oauth-protected-resource/mcp"),
        ("GET", "/.well-known/oauth-authorization-server"),
        ("GET", "/.well-known/openid-configuration"),
        ("POST", "/register"),
        ("GET", "/authorize?response_type=code&client_id=x&code_challenge=y&code_challenge_method=S256"),
        ("POST", "/token"),
    ],
)
def test_f17_a_client_that_looks_for_oauth_is_told_that_there_is_none(method: str, path: str, shared: Site) -> None:
    answer = httpx2.request(method, f"{shared.url}{path}", timeout=30, json={} if method == "POST" else None)

    assert answer.status_code == 404


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE"])
@pytest.mark.parametrize("path", ["/mcp", "/api/memory/notes"])
def test_f17_who_has_no_token_is_told_which_one_is_needed(method: str, path: str, shared: Site) -> None:
    answer = httpx2.request(method, f"{shared.url}{path}", timeout=30)

    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, 'Bearer realm="notewell"')
    assert "notewell token create" in answer.json()["error"]["message"]


def test_f17_a_preflight_of_another_site_is_refused_and_allows_nothing(shared: Site) -> None:
    asked = {"origin": "https://claude.example", "access-control-request-method": "POST"}

    answer = httpx2.request("OPTIONS", f"{shared.url}/mcp", headers=asked, timeout=30)

    assert answer.status_code == 403
    assert [name for name in answer.headers if name.startswith("access-control-")] == []


@pytest.mark.parametrize("path", ["/notes/new", f"/notes/{UNKNOWN}/edit", "/notes/collections", "/tokens"])
def test_f18_a_form_that_is_sent_without_a_session_leads_to_the_login(path: str, shared: Site) -> None:
    fields = {"title": "Lost?", "body": "b", "version": "1", "name": "x"}
    with shared.visit() as person:
        page = person.get(path)
        sent = person.post(path, fields, page="/login")

    assert (page.status_code, page.headers["location"].partition("?")[0]) == (303, "/login")
    assert (sent.status_code, sent.headers.get("location", "").partition("?")[0]) == (303, "/login")
    assert count_all_of(shared) == 0


def count_all_of(here: Site) -> int:
    """How many notes the store holds, of all accounts."""
    with here.app.store.read() as reader:
        count: int = reader.rows_of("SELECT count(*) AS n FROM notes", {})[0]["n"]
    return count


def test_f18_a_form_of_a_session_that_ended_says_so_and_saves_nothing(shared: Site) -> None:
    with shared.visit() as person:
        person.sign_in("ana")
        token = person.token("/notes/new")
        with shared.app.store.write() as tx:
            tx.run_sql("DELETE FROM sessions", {})
        sent = person.send("/notes/new", {"form_token": token, "title": "Lost?", "body": "b"})
        person.client.cookies.clear()
        bare = person.send("/notes/new", {"form_token": token, "title": "Lost?", "body": "b"})

    for page in (sent, bare):
        assert (page.status_code, "nothing was done" in text_of(page)) == (403, True)
        assert 'href="/login' in page.text
    assert count_all_of(shared) == 0


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_f20_a_total_is_exact_on_every_page_or_not_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = FakeEmbedder(64)
    monkeypatch.setattr("notewell.app._embedder", lambda _config: model)
    with open_app(tmp_path) as app:
        for number in range(25):
            memory.create(app.store, app.default_actor(), Draft(f"Walnut {number}", "bread"))
        drain(app.store, model)
    with open_surface(name, tmp_path) as surface:
        for search, totals in (
            ({"query": "bread"}, {25}),
            ({}, {25}),
            ({"query": "bread", "mode": "semantic"}, {None}),
        ):
            pages = list(pages_of(surface, search))
            assert {page.get("total") for page in pages} == totals
            assert len({card["id"] for page in pages for card in page["cards"]}) == 25
            assert len(pages) == 3


def pages_of(surface: Surface, search: Json) -> Iterator[Json]:
    """All pages of ten."""
    more: Json = {}
    while True:
        page = surface.call("memory.search", {**search, **more, "limit": 10})
        yield page
        if "cursor" not in page:
            return
        more = {"cursor": page["cursor"]}


def test_f4_lists_of_every_tool_may_come_as_json_text(tmp_path: Path) -> None:
    with open_surface("mcp-memory-2026", tmp_path) as surface:
        given = {**NOTE, "tags": '["a", "b"]', "symbols": '["NVDA"]'}
        made = surface.call("memory.create", given)
        surface.call("memory.update", {"id": made["id"], "addTags": '["c"]', "removeTags": '["a"]'})
        (note,) = surface.call("memory.read", {"ids": json.dumps([made["id"]])})["notes"]
        found = surface.call("memory.search", {"tags": '["b", "c"]', "symbols": '["NVDA"]'})

        assert (note["tags"], note["symbols"], found["total"], count_all(surface)) == (["b", "c"], ["NVDA"], 1, 1)
