"""The tools over HTTP with arguments that Hypothesis makes up, on the store of two accounts, as REST is fuzzed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from budget import examples
from clients import Json, tool_request
from fuzz_site import MARK, FuzzSite, aims_at, fuzz_site
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notewell.surfaces.operations import of_surface
from notewell.surfaces.schemas import plain_schema

ANSWER_SECONDS = 10
HEADERS = {
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-method": "tools/call",
}
VERSIONS = {"2025": "2025-11-25", "2026": "2026-07-28"}
TOOLS = {operation.tool: plain_schema(operation.arguments, "validation") for operation in of_surface("mcp")}

TEXTS = st.text(st.characters(exclude_categories=()), max_size=40)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=6
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FuzzSite]:
    """The server of two accounts."""
    with fuzz_site(tmp_path_factory.mktemp("mcp")) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(site: FuzzSite) -> Iterator[httpx2.Client]:
    """Somebody with the token of one of them."""
    headers = {**HEADERS, "authorization": f"Bearer {site.token}"}
    with httpx2.Client(base_url=site.url, timeout=ANSWER_SECONDS, verify=False, headers=headers) as opened:
        yield opened


def arguments_of(data: st.DataObject, tool: str, aims: dict[str, list[Any]]) -> Json:
    """Arguments for a tool: what it needs and some of the rest, each fitting, made up, or naming something there."""
    schema = TOOLS[tool]
    names = set(schema.get("required", ())) | data.draw(
        st.sets(st.sampled_from(sorted(schema["properties"])), max_size=4)
    )
    arguments: Json = {}
    for name in sorted(names):
        fitting = schema["properties"][name].get("enum") or aims.get(name) or ["text"]
        arguments[name] = data.draw(st.sampled_from(fitting) | VALUES, label=name)
    return arguments


@pytest.mark.fuzz
@pytest.mark.skipif("NOTEWELL_FUZZ_MINUTES" not in os.environ, reason="takes minutes: ./dev test --fuzz")
@settings(
    max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(data=st.data(), era=st.sampled_from(sorted(VERSIONS)), tool=st.sampled_from(sorted(TOOLS)))
def test_no_arguments_of_a_tool_are_a_defect_or_show_what_is_private(
    data: st.DataObject, era: str, tool: str, site: FuzzSite, client: httpx2.Client
) -> None:
    arguments = arguments_of(data, tool, aims_at(site))
    sent = {"mcp-protocol-version": VERSIONS[era], "mcp-name": tool}

    response = client.post("/mcp", content=tool_request(era, tool, arguments), headers=sent)

    assert MARK not in response.text.lower()
    result = response.json()["result"]
    value = json.loads(result["content"][0]["text"])
    assert value.get("error", {}).get("code") != "internal"
    assert result.get("isError", False) == ("error" in value)
