"""What pages tell browsers to forbid, and what static files can be asked for."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator
from importlib.resources import files

import httpx2
import pytest
from clients import LOCAL, open_app
from serving import serving

from notewell.surfaces.server import make_asgi

PAGES = ("/", "/api/docs", "/nope", "/static/nope.css", "/mcp/", "/static/notewell.css", "/static/notewell.svg")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A client of a local server."""
    with (
        open_app(tmp_path_factory.mktemp("home")) as app,
        serving(make_asgi(app, LOCAL)) as url,
        httpx2.Client(base_url=url, timeout=30, verify=False) as opened,
    ):
        yield opened


@pytest.mark.parametrize("path", PAGES)
def test_a_page_forbids_what_it_does_not_need(path: str, client: httpx2.Client) -> None:
    headers = client.get(path).headers

    policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert (policy["script-src"], policy["style-src"], policy["form-action"]) == ("'self'",) * 3
    assert "unsafe" not in headers["content-security-policy"]
    assert "*" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"


@pytest.mark.parametrize("path", ["/", "/api/docs", "/nope"])
def test_a_page_keeps_its_own_policy(path: str, client: httpx2.Client) -> None:
    text = client.get(path).text

    assert re.search(r"<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=|javascript:", text, re.IGNORECASE) is None
    assert re.search(r"""(?:src|href)=["'](?:https?:)?//""", text) is None


def test_a_page_that_is_not_there_shows_its_path_as_text(client: httpx2.Client) -> None:
    response = client.get("/<script>alert(1)</script>")

    assert response.status_code == 404
    assert "<script>" not in response.text
    assert "&lt;script&gt;" in response.text


def test_static_files_are_served_by_their_type(client: httpx2.Client) -> None:
    types = {name: client.get(f"/static/{name}").headers["content-type"] for name in ("notewell.css", "notewell.svg")}

    assert types == {"notewell.css": "text/css; charset=utf-8", "notewell.svg": "image/svg+xml"}


@pytest.mark.parametrize(
    "path",
    [
        "/static/../pages.py",
        "/static/..%2fpages.py",
        "/static/%2e%2e/%2e%2e/templates/base.html",
        "/static/..%5c..%5cpages.py",
        "/static/....//pages.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/..",
        "/static/.css",
        "/static/notewell.css%00.py",
        "/static/a%00.css",
        "/static/" + "a" * 5_000 + ".css",
        "/static/__init__.py",
    ],
)
def test_only_static_files_are_served(path: str, client: httpx2.Client) -> None:
    address = client.base_url
    # Not the usual client, which would tidy the path before it sends it.
    connection = http.client.HTTPConnection(address.host, address.port, timeout=10)
    connection.request("GET", path)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()

    assert response.status in (400, 404)
    assert not any(line in text for line in ("root:", "import ", "{% block", "Traceback"))


def test_a_style_in_another_folder_is_no_static_file(client: httpx2.Client) -> None:
    folder = files("notewell.surfaces.web").joinpath("static")
    names = sorted(each.name for each in folder.iterdir())

    assert [name for name in names if client.get(f"/static/{name}").status_code != 200] == []
    assert client.get("/static/other/notewell.css").status_code == 404


@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example"}, {"host": "<script>alert(1)</script>"}, {"origin": "https://evil.example"}],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_person_is_told_of_a_refusal_on_a_page(headers: dict[str, str], language: str, client: httpx2.Client) -> None:
    asked = {"accept": "text/html,*/*;q=0.8", "accept-language": language, **headers}

    response = client.get("/notes", headers=asked)

    assert (response.status_code, response.headers["content-type"]) == (403, "text/html; charset=utf-8")
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert "<script>alert" not in response.text
    assert client.get("/api/memory/notes", headers=asked).headers["content-type"] == "application/problem+json"
