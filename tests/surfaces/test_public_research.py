"""A server that is open for reading: without a token anybody sees the public research record, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from clients import Json, open_app, operation_named
from research_server import SURFACES, Record, filled_in, open_record, running

from notewell.errors import InvalidArgument
from notewell.surfaces.server import check_bind


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Record]:
    """The record of all states, on a server that is open for reading."""
    with open_record(tmp_path_factory.mktemp("record")) as opened:
        yield opened


WRITES: list[tuple[str, Json]] = [
    ("attempt.start", {"problem": "slug-published"}),
    ("attempt.end", {"attempt_id": "<attempt>", "outcome": "failed", "summary_md": "x"}),
    ("research.add", {"attempt_id": "<attempt>", "body_md": "x"}),
    ("research.edit", {"id": "<note>", "body_md": "x"}),
    ("research.delete", {"id": "<note>"}),
    ("campaign.create", {"slug": "x", "title": "x"}),
    ("campaign.publish", {"campaign": "group-closed"}),
    ("problem.create", {"slug": "x", "title": "x", "statement_md": "x"}),
    ("problem.publish", {"problem": "slug-draft"}),
    ("problem.revise", {"problem": "slug-published", "statement_md": "x"}),
    ("memory.search", {}),
    ("memory.create", {"title": "x", "body": "x"}),
    ("memory.collections", {}),
    ("symbol.spell", {"symbol": "NVDA"}),
]


@pytest.mark.parametrize(("operation", "asked"), WRITES)
@pytest.mark.parametrize("surface", SURFACES)
def test_without_a_token_everything_but_reading_public_work_is_refused(
    surface: str, operation: str, asked: Json, record: Record
) -> None:
    if surface in operation_named(operation).left_out:
        return
    arguments = filled_in(asked, record.places["published"])

    answer = record.ask(surface, "anonymous", operation, arguments)

    assert answer["error"]["code"] == "unauthenticated"
    assert "notewell token create" in answer["error"]["message"]


def test_a_refusal_without_a_token_is_a_401(record: Record) -> None:
    response = record.client.get("/api/memory/notes")

    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith("Bearer")


def test_a_bad_token_is_refused_even_where_none_is_needed(record: Record) -> None:
    response = record.client.get("/api/problems", headers={"authorization": "Bearer nw_unknown"})

    assert response.status_code == 401


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
@pytest.mark.parametrize("headers", [{}, {"x-forwarded-for": "192.0.2.1"}])
def test_an_open_server_takes_nobody_for_its_owner_on_any_address(
    host: str, headers: dict[str, str], tmp_path: Path
) -> None:
    with running(tmp_path, host=host, is_public_record_open=True) as (app, client):
        assert client.get("/api/problems", headers=headers).status_code == 200
        assert client.get("/api/memory/notes", headers=headers).status_code == 401
        assert str(app.config.home) not in client.get("/", headers=headers).text


def test_a_server_that_is_not_open_asks_everybody_else_for_a_token(tmp_path: Path) -> None:
    with running(tmp_path, host="0.0.0.0") as (_, client):
        assert client.get("/api/problems").status_code == 401
        assert client.get("/api/notes/search").status_code == 401


def test_a_server_for_the_public_record_starts_without_any_token(tmp_path: Path) -> None:
    with open_app(tmp_path) as app:
        with pytest.raises(InvalidArgument, match="--public-research"):
            check_bind(app, "0.0.0.0")

        assert check_bind(app, "0.0.0.0", is_public_record_open=True).is_public_record_open
