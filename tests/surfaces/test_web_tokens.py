"""The page of tokens: made with no more than one's own rights, shown once, ended after a question."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx2
import pytest
from browsing import Person, Site, site, text_of
from clients import with_settings

from notewell.services import accounts
from notewell.surfaces.web.tokens import DAYS

OPEN = with_settings(host="0.0.0.0")
FIELDS = {"agent": "claude", "scopes": ["memory:read", "memory:write"], "days": "30"}


@pytest.fixture
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with an administrator and somebody else."""
    with site(tmp_path_factory.mktemp("open"), OPEN) as opened:
        opened.add_person("ana", is_admin=True)
        opened.add_person("cy")
        yield opened


@pytest.fixture
def cy(shared: Site) -> Iterator[Person]:
    """Somebody who is no administrator, signed in."""
    with shared.visit() as person:
        person.sign_in("cy")
        yield person


def secret_of(response: httpx2.Response) -> str:
    """The token that a page shows."""
    match = re.search(r">(nw_[\w-]{40,})<", response.text)
    assert match is not None
    return match[1]


def test_a_token_is_shown_once_and_works(cy: Person) -> None:
    made = cy.post("/tokens", FIELDS, page="/tokens")
    secret = secret_of(made)

    assert made.headers["cache-control"] == "no-store"
    assert secret not in cy.get("/tokens").text
    headers = {"authorization": f"Bearer {secret}"}
    with httpx2.Client(base_url=cy.url) as program:
        note = program.post("/api/memory/notes", json={"title": "t", "body": "b"}, headers=headers)
        assert (note.status_code, note.json().get("agent", "claude")) == (201, "claude")
        assert program.get("/api/problems", headers=headers).status_code == 403


def test_the_list_says_what_each_token_may_and_when_it_was_used(cy: Person) -> None:
    secret = secret_of(cy.post("/tokens", FIELDS, page="/tokens"))
    assert "never" in text_of(cy.get("/tokens"))
    with httpx2.Client(base_url=cy.url) as program:
        program.get("/api/memory/notes", headers={"authorization": f"Bearer {secret}"})

    shown = text_of(cy.get("/tokens"))

    assert f"claude {secret[:8]}…" in shown
    assert "memory:read memory:write" in shown
    assert "never" not in shown


@pytest.mark.parametrize("scopes", [[], ["admin"], ["everything"], ["admin", "nope"]])
def test_nobody_gives_away_what_they_have_not(scopes: list[str], shared: Site, cy: Person) -> None:
    response = cy.post("/tokens", {**FIELDS, "scopes": scopes}, page="/tokens")

    assert response.status_code == 400
    assert "at least one scope" in text_of(response)
    assert accounts.tokens(shared.app.store, "cy") == []


def test_an_administrator_may_make_a_token_for_the_store(shared: Site) -> None:
    with shared.visit() as ana:
        ana.sign_in("ana")
        ana.post("/tokens", {**FIELDS, "scopes": ["admin", "memory:read"]}, page="/tokens")

    assert accounts.tokens(shared.app.store, "ana")[0].scopes == ("memory:read", "admin")


@pytest.mark.parametrize(
    ("days", "is_made"), [(each, True) for each in DAYS] + [("0", False), ("-1", False), ("x", False)]
)
def test_a_token_ends_when_it_was_said_to(days: str, is_made: bool, shared: Site, cy: Person) -> None:
    response = cy.post("/tokens", {**FIELDS, "days": days}, page="/tokens")
    found = accounts.tokens(shared.app.store, "cy")

    assert (response.status_code, len(found)) == ((200, 1) if is_made else (400, 0))
    if is_made:
        ends = found[0].expires_at
        assert (ends - found[0].created_at if ends else 0) == int(days or 0) * accounts.DAY_MILLISECONDS


def test_a_bad_form_keeps_what_was_typed(cy: Person) -> None:
    response = cy.post(
        "/tokens", {"agent": "a" * 101 + '"', "scopes": ["research:read"], "days": "365"}, page="/tokens"
    )

    assert response.status_code == 400
    assert 'value="' + "a" * 101 + '&#34;"' in response.text
    assert re.findall(r'value="(\S+)" checked', response.text) == ["research:read"]
    assert '<option value="365" selected>' in response.text


def test_a_token_ends_after_a_question(shared: Site, cy: Person) -> None:
    cy.post("/tokens", FIELDS, page="/tokens")
    token = accounts.tokens(shared.app.store, "cy")[0]
    path = f"/tokens/{token.id}/revoke"

    question = cy.get(path)
    assert "claude" in text_of(question)
    assert accounts.tokens(shared.app.store, "cy")[0].revoked_at is None
    done = cy.post(path, page=path)

    assert done.headers["location"] == "/tokens"
    assert accounts.tokens(shared.app.store, "cy")[0].revoked_at is not None
    assert "The token is revoked." in text_of(cy.get("/tokens"))
    assert (cy.get(path).status_code, cy.post(path, page="/tokens").status_code) == (404, 404)


def test_nobody_ends_the_token_of_another_account(shared: Site, cy: Person) -> None:
    token, _ = accounts.create_token(shared.app.store, "ana", "claude")
    path = f"/tokens/{token.id}/revoke"

    assert (cy.get(path).status_code, cy.post(path, page="/tokens").status_code) == (404, 404)
    assert accounts.tokens(shared.app.store, "ana")[0].revoked_at is None
