"""Signing in on the pages: who is let in, what a session may do, and what another site's page may not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from browsing import PASSWORD, Person, Site, site, text_of
from clients import with_settings
from test_guard import code_of

from notewell.services import accounts, memory
from notewell.surfaces.web import login

OPEN = with_settings(host="0.0.0.0")
NOTES = "/api/memory/notes"
NOTE = {"title": "t", "body": "b"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server for several people."""
    with site(tmp_path_factory.mktemp("open"), OPEN) as opened:
        opened.add_person("ana", is_admin=True)
        opened.add_person("cy")
        yield opened


@pytest.fixture
def visitor(shared: Site) -> Iterator[Person]:
    """Somebody who did not sign in."""
    with shared.visit() as person:
        yield person


@pytest.fixture
def ana(shared: Site) -> Iterator[Person]:
    """The owner, signed in."""
    with shared.visit() as person:
        assert person.sign_in("ana").status_code == 303
        yield person


def cookie_of(response: httpx2.Response, name: str) -> str:
    """What a response says of a cookie; empty where it says nothing."""
    return next((each for each in response.headers.get_list("set-cookie") if name in each.partition("=")[0]), "")


# The way in


@pytest.mark.report("F18")
@pytest.mark.parametrize("path", ["/settings", "/tokens", "/tokens/x/revoke", "/logout"])
def test_a_page_sends_who_did_not_sign_in_to_the_login_and_back(path: str, visitor: Person) -> None:
    away = visitor.get(f"{path}?a=1&b=%E9%99%8D")
    assert (away.status_code, away.headers["location"]) == (
        303,
        f"/login?next={path.replace('/', '%2F')}%3Fa%3D1%26b%3D%25E9%2599%258D",
    )

    form = visitor.get(away.headers["location"]).text
    assert f'name="next" value="{path}?a=1&amp;b=%E9%99%8D"' in form
    back = visitor.sign_in("ana", next=f"{path}?a=1&b=%E9%99%8D")

    assert (back.status_code, back.headers["location"]) == (303, f"{path}?a=1&b=%E9%99%8D")
    assert visitor.get("/login?next=/tokens").headers["location"] == "/tokens"


@pytest.mark.parametrize(
    "aim",
    [
        *("https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil", "javascript:alert(1)", "evil", ""),
        *("/a b", "/\n/evil", "/\t/evil.example", "http:/evil", "/" + "a" * 3_000, "/\u2044evil"),
    ],
)
def test_nobody_is_sent_to_another_site(aim: str, visitor: Person) -> None:
    assert visitor.sign_in("ana", next=aim).headers["location"] == "/"


def test_a_wrong_password_says_so_and_keeps_the_name(visitor: Person) -> None:
    response = visitor.sign_in("ana", "a wrong password")

    assert response.status_code == 401
    assert "do not belong together" in text_of(response)
    assert 'value="ana"' in response.text
    assert "a wrong password" not in response.text
    assert cookie_of(response, "session") == ""


def test_the_session_is_a_cookie_that_scripts_and_other_sites_do_not_get(shared: Site, visitor: Person) -> None:
    response = visitor.sign_in("ana")
    token = visitor.token("/tokens")
    behind_https = visitor.client.post(
        "/login",
        data={"form_token": token, "handle": "cy", "password": PASSWORD},
        headers={"origin": shared.url.replace("http:", "https:")},
    )

    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(cookie_of(response, "notewell_session").split("; "))
    secure = cookie_of(behind_https, "notewell_session")
    assert secure.startswith("__Host-notewell_session=")
    assert {"Secure", "HttpOnly", "SameSite=lax", "Path=/"} <= set(secure.split("; "))
    assert "Domain" not in secure


def test_nobody_can_open_an_account(tmp_path: Path) -> None:
    with site(tmp_path, OPEN) as opened, opened.visit() as person:
        page = person.get("/login")
        refused = person.sign_in("local", "")

    assert "notewell account password NAME" in text_of(page)
    assert 'type="password"' not in page.text
    assert refused.status_code == 401


def test_on_ones_own_machine_nobody_signs_in(tmp_path: Path) -> None:
    with site(tmp_path) as opened, opened.visit() as person:
        statuses = [person.get(path).status_code for path in ("/tokens", "/settings", "/logout")]
        login_page = person.get("/login?next=/tokens")

    assert statuses == [200, 200, 200]
    assert (login_page.status_code, login_page.headers["location"]) == (303, "/tokens")


def test_behind_a_proxy_also_ones_own_machine_asks_who_comes(tmp_path: Path) -> None:
    with site(tmp_path) as opened, opened.visit() as person:
        response = person.client.get("/tokens", headers={"x-forwarded-for": "203.0.113.9"})

    assert response.headers["location"] == "/login?next=%2Ftokens"


def test_guessing_is_slowed_down(tmp_path: Path) -> None:
    of_handle, of_address = login.MISSES_PER_HANDLE.amount, login.MISSES_PER_ADDRESS.amount
    with site(tmp_path, OPEN) as opened, opened.visit() as person, opened.visit() as another:
        opened.add_person("ana")
        opened.add_person("cy")
        misses = [person.sign_in("ana", "wrong wrong wrong").status_code for _ in range(of_handle + 1)]
        right = person.sign_in("ana")
        other = another.sign_in("cy").status_code
        rest = [person.sign_in(f"nobody-{number}").status_code for number in range(of_address - of_handle + 1)]
        late = person.sign_in("cy").status_code

    assert misses == [401] * of_handle + [429]
    assert (right.status_code, right.headers["retry-after"]) == (429, "300")
    assert other == 303
    assert rest == [401] * (of_address - of_handle) + [429]
    assert late == 429


# The way out


def test_signing_out_ends_the_session_itself(shared: Site, visitor: Person) -> None:
    visitor.sign_in("ana")
    copied = dict(visitor.client.cookies)
    out = visitor.post("/logout", page="/logout")

    assert out.headers["location"] == "/login"
    assert visitor.get("/tokens").status_code == 303
    assert "signed out" in text_of(visitor.get("/login"))
    assert "signed out" not in text_of(visitor.get("/login"))
    with httpx2.Client(base_url=shared.url, cookies=copied) as thief:
        assert thief.get("/tokens").status_code == 303
        assert thief.get(NOTES).status_code == 401


def test_other_sessions_can_be_ended_from_the_settings(shared: Site, ana: Person) -> None:
    with shared.visit() as elsewhere:
        elsewhere.sign_in("ana")
        assert elsewhere.get("/settings").text.count("this one") == 1
        ended = ana.post("/settings/sessions/end-others", page="/settings")

        assert ended.headers["location"] == "/settings"
        assert elsewhere.get("/settings").status_code == 303
    assert ana.get("/settings").status_code == 200


def test_nobody_ends_the_session_of_another_account(shared: Site, ana: Person) -> None:
    with shared.visit() as other:
        other.sign_in("cy")
        session_id = shared_session_id(shared, "cy")
        refused = ana.post(f"/settings/sessions/{session_id}/end", page="/settings")

        assert refused.status_code == 404
        assert other.get("/settings").status_code == 200
        assert other.post(f"/settings/sessions/{session_id}/end", page="/settings").status_code == 303
        assert other.get("/settings").status_code == 303


def shared_session_id(shared: Site, handle: str) -> str:
    """The id of the newest session of an account."""
    with shared.app.store.read() as reader:
        account = reader.rows("account_by_key", handle_key=handle)[0]["id"]
        found: str = reader.rows("sessions_of_account", account_id=account, now=0, idle_since=0)[0]["id"]
        return found


def test_a_password_is_changed_with_the_old_one(shared: Site) -> None:
    shared.add_person("bo")
    with shared.visit() as person, shared.visit() as elsewhere:
        person.sign_in("bo")
        elsewhere.sign_in("bo")
        new = "several other words"

        def change(**fields: str) -> httpx2.Response:
            sent = {"old_password": PASSWORD, "password": new, "again": new, **fields}
            return person.post("/settings/password", sent, page="/settings")

        assert change(old_password="wrong").status_code == 400
        assert change(again="different words").status_code == 400
        assert change(password="short", again="short").status_code == 400
        assert elsewhere.get("/settings").status_code == 200
        assert change().status_code == 303
        assert "The password is set." in text_of(person.get("/settings"))
        assert elsewhere.get("/settings").status_code == 303
        assert elsewhere.sign_in("bo").status_code == 401
        assert elsewhere.sign_in("bo", new).status_code == 303


# What a session may do elsewhere


def test_a_session_reads_and_writes_over_rest_from_our_own_pages_only(shared: Site, ana: Person) -> None:
    own = {"origin": shared.url}

    assert ana.client.get(NOTES).status_code == 200
    assert ana.client.post(NOTES, json=NOTE, headers=own).status_code == 201
    assert ana.client.post(NOTES, json=NOTE, headers={"sec-fetch-site": "same-origin"}).status_code == 201
    for headers in (
        {},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "cross-site"},
        {"origin": "https://evil.example"},
    ):
        assert code_of(ana.client.post(NOTES, json=NOTE, headers=headers), 403) == "forbidden"
    for headers in ({"sec-fetch-site": "same-site"}, {"origin": "null"}):
        assert code_of(ana.client.post(NOTES, json=NOTE, headers=headers), 403) == "forbidden"


def test_what_a_person_writes_no_agent_wrote(shared: Site, ana: Person) -> None:
    note = ana.client.post(NOTES, json=NOTE, headers={"origin": shared.url}).json()
    actor = accounts.account_actor(shared.app.store, "ana")

    assert memory.read(shared.app.store, actor, [note["id"]])[0][0].view.note.agent == ""


def test_a_session_is_no_way_into_mcp(shared: Site, ana: Person) -> None:
    assert code_of(ana.client.post("/mcp", json={}, headers={"origin": shared.url}), 401) == "unauthenticated"


def test_a_token_goes_before_a_session_over_rest(shared: Site, ana: Person) -> None:
    _, secret = accounts.create_token(shared.app.store, "cy", "codex", ["memory:read"])
    headers = {"authorization": f"Bearer {secret}"}

    assert ana.client.post(NOTES, json=NOTE, headers=headers).status_code == 403
    assert ana.client.get(NOTES, headers={"authorization": "Bearer nw_wrong"}).status_code == 401


@pytest.mark.parametrize("secret", ["", "x", "a" * 4_000, "%00", "\xe9", '"quoted"'])
def test_a_made_up_session_is_nobody(secret: str, shared: Site) -> None:
    with shared.visit() as person:
        headers = [(b"cookie", f"notewell_session={secret}".encode("latin-1"))]

        assert person.client.get("/tokens", headers=headers).headers["location"] == "/login?next=%2Ftokens"
        assert person.client.get(NOTES, headers=headers).status_code == 401


# Forms


@pytest.mark.parametrize(
    "path", ["/logout", "/tokens", "/settings/password", "/language", "/settings/sessions/end-others"]
)
def test_a_form_that_is_not_ours_does_nothing(path: str, shared: Site, ana: Person) -> None:
    own = {"origin": shared.url}
    token = ana.token("/tokens")
    sent = [
        ({"form_token": token}, {}),
        ({"form_token": token}, {"origin": "https://evil.example"}),
        ({"form_token": token}, {**own, "sec-fetch-site": "cross-site"}),
        ({"form_token": "0" * 32}, own),
        ({"form_token": ""}, own),
        ({"form_token": "é"}, own),
        ({"other": "1"}, own),
    ]

    assert {ana.client.post(path, data=fields, headers=headers).status_code for fields, headers in sent} == {403}
    assert ana.get("/tokens").status_code == 200


def test_a_token_of_one_session_is_none_of_another(shared: Site, ana: Person) -> None:
    with shared.visit() as other:
        other.sign_in("cy")

        assert ana.send("/logout", {"form_token": other.token("/tokens")}).status_code == 403


@pytest.mark.parametrize(
    ("content_type", "content"),
    [
        ("application/json", b"{}"),
        ("text/plain", b"form_token=x"),
        ("multipart/form-data; boundary=x", b"--x--"),
        ("application/x-www-form-urlencoded", b"a=%ff"),
        ("application/x-www-form-urlencoded", "a=\u00e9".encode()),
        ("application/x-www-form-urlencoded", b"&".join(b"a=1" for _ in range(600))),
    ],
)
def test_what_is_no_form_is_refused(content_type: str, content: bytes, shared: Site, ana: Person) -> None:
    headers = {"origin": shared.url, "content-type": content_type}

    assert ana.client.post("/tokens", content=content, headers=headers).status_code == 400
