"""What is not there over HTTP is told as a problem, and nothing hangs."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from test_guard import NOTES, Server, code_of, raw_connection, running


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on this machine."""
    with running(tmp_path_factory.mktemp("local")) as server:
        yield server


@pytest.mark.parametrize("path", ["/api/nope", "/api/memory/notes/nte_0000000000", "/api/memory", "/api/"])
def test_what_is_not_there_is_a_problem(path: str, local: Server) -> None:
    assert code_of(local.client.get(path), 404) == "not_found"


@pytest.mark.parametrize(("method", "path"), [("DELETE", NOTES), ("PUT", NOTES), ("POST", "/api/memory/collections")])
def test_a_method_that_a_path_does_not_have_is_a_problem(method: str, path: str, local: Server) -> None:
    response = local.client.request(method, path)

    assert code_of(response, 405) == "invalid_argument"
    assert method in response.json()["detail"]
    assert method not in response.headers["allow"].split(", ")


def test_a_refused_method_is_told_every_method_of_the_path(local: Server) -> None:
    paths = local.client.get("/api/openapi.json").json()["paths"]
    told = {path: local.client.request("QUERY", path.replace("{", "").replace("}", "")) for path in paths}

    assert {path: response.headers["allow"].lower().split(", ") for path, response in told.items()} == {
        path: sorted(methods) for path, methods in paths.items()
    }


def test_no_two_documented_paths_differ_by_the_names_of_their_parameters_only(local: Server) -> None:
    paths = local.client.get("/api/openapi.json").json()["paths"]

    assert len({re.sub(r"\{\w+\}", "{}", path) for path in paths}) == len(paths)


def test_a_body_that_needs_nothing_is_documented_as_optional(local: Server) -> None:
    paths = local.client.get("/api/openapi.json").json()["paths"]
    bodies = [each["requestBody"] for path in paths.values() for each in path.values() if "requestBody" in each]

    assert {(body["required"], "required" in body["content"]["application/json"]["schema"]) for body in bodies} == {
        (True, True),
        (False, False),
    }


def test_a_get_of_the_mcp_address_does_not_hang(local: Server) -> None:
    with raw_connection(local) as connection:
        connection.request("GET", "/mcp", headers={"accept": "text/event-stream"})

        # A stateless server has nothing to push, so a stream would stay open for nothing.
        assert connection.getresponse().status == 405
