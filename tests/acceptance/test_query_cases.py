"""Every row of the query table holds on MCP, REST and the command line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from clients import ONE_OF_EACH, Json, Surface, open_surface
from query_cases import CASES, Case


@pytest.fixture(scope="module", params=ONE_OF_EACH)
def surface(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surface]:
    """A surface on a store that each test leaves empty."""
    with open_surface(request.param, tmp_path_factory.mktemp("home")) as opened:
        yield opened


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_query_finds_what_its_row_says(case: Case, surface: Surface) -> None:
    keys = write_notes(surface, case)

    found = surface.call("memory.search", {"query": case.query})

    for note_id in keys:
        surface.call("memory.delete", {"id": note_id})
    assert problems(case, found, keys) == []


def write_notes(surface: Surface, case: Case) -> dict[str, str]:
    """The keys of the row's notes, by the ids that they got."""
    made = {}
    for key, (title, body) in case.notes.items():
        note = surface.call("memory.create", {"title": title, "body": body, "summary": ""})
        made[note["id"]] = key
    return made


def problems(case: Case, found: Json, keys: dict[str, str]) -> list[str]:
    """What of a row does not hold for an answer."""
    code = found.get("error", {}).get("code")
    if code != case.error:
        return [f"error {code}, not {case.error}"]
    if case.error is not None:
        return []
    cards = found["cards"]
    shown = [keys[card["id"]] for card in cards]
    exact = sorted(keys[card["id"]] for card in cards if "missing" not in card)
    claims = {
        f"exact: {exact}": case.expect is None or exact == sorted(case.expect),
        f"first: {shown[:1]}": case.first is None or shown[:1] == [case.first],
        f"cards: {shown}": not case.is_none or shown == [],
        f"total: {found.get('total')}": case.total is None or found.get("total") == case.total,
    }
    return [claim for claim, holds in claims.items() if not holds]


@pytest.mark.parametrize(
    ("case", "found"),
    [
        (Case("t", "q", {}, expect=("a",)), {"cards": [{"id": "1", "missing": ["x"]}]}),
        (Case("t", "q", {}, expect=()), {"cards": [{"id": "1"}]}),
        (Case("t", "q", {}, first="b"), {"cards": [{"id": "1"}, {"id": "2"}]}),
        (Case("t", "q", {}, is_none=True), {"cards": [{"id": "1"}]}),
        (Case("t", "q", {}, total=2), {"cards": [], "total": 1}),
        (Case("t", "q", {}, error="invalid_query"), {"cards": []}),
        (Case("t", "q", {}, is_free=True), {"error": {"code": "internal"}}),
    ],
)
def test_the_check_of_a_row_can_fail(case: Case, found: Json) -> None:
    assert problems(case, found, {"1": "a", "2": "b"}) != []
