"""What every page has: its language, its navigation, its notices, its headers, its static files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browsing import Person, Site, site, text_of
from clients import with_settings
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.errors import Internal, Interrupted, NotFound, RateLimited, VersionConflict
from notewell.surfaces.web import pages, tokens
from notewell.surfaces.web.forms import token_of
from notewell.surfaces.web.shell import Confirmation, Web, local_path
from notewell.surfaces.web.static_files import static_url, static_version
from notewell.surfaces.web.templating import bytes_text, day_html, plain_text, time_html
from notewell.surfaces.web.visible import visible

OWN_PAGES = ("/", "/settings", "/tokens", "/logout", "/api/docs", "/nope")


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server on one's own machine."""
    with site(tmp_path_factory.mktemp("local")) as opened:
        yield opened


@pytest.fixture
def person(local: Site) -> Iterator[Person]:
    """Somebody at that machine."""
    with local.visit() as visitor:
        yield visitor


class Outline(HTMLParser):
    """The headings and the elements of a page, and whether each element is closed."""

    VOID = ("meta", "link", "img", "input", "br", "hr")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[int] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens an element."""
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Closes the innermost element."""
        assert self.open.pop() == tag


@pytest.mark.parametrize("path", OWN_PAGES)
def test_a_page_is_whole(path: str, person: Person) -> None:
    text = person.get(path).text
    outline = Outline(text)

    assert outline.open == []
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    assert len(outline.ids) == len(set(outline.ids))
    assert re.search(r"<title>[^<]+ · Notewell</title>", text)
    assert re.search(r"<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=|javascript:", text, re.IGNORECASE) is None


@pytest.mark.parametrize("path", OWN_PAGES)
def test_a_page_speaks_both_languages(path: str, person: Person) -> None:
    english = person.client.get(path, headers={"accept-language": "en"}).text
    chinese = person.client.get(path, headers={"accept-language": "zh-TW,zh;q=0.9"}).text

    assert '<html lang="en">' in english
    assert '<html lang="zh-Hans">' in chinese
    assert re.findall(r"<(?:h1|title)>[^<]*[\u4e00-\u9fff]", english) == []
    assert "跳到正文" in chinese


def test_the_language_that_is_chosen_stays(person: Person) -> None:
    switched = person.post("/language", {"language": "zh", "next": "/tokens"}, page="/tokens")

    assert (switched.status_code, switched.headers["location"]) == (303, "/tokens")
    assert '<html lang="zh-Hans">' in person.client.get("/settings", headers={"accept-language": "en"}).text
    assert person.post("/language", {"language": "klingon"}).status_code == 400
    assert person.post("/language", {"language": "en", "next": "//evil.example"}).headers["location"] == "/"


def test_the_navigation_shows_what_is_there_and_allowed(local: Site, tmp_path: Path) -> None:
    with local.visit() as person:
        at_home = re.findall(r'<li><a href="(/\w+)"', person.get("/").text)
    with site(tmp_path, with_settings(host="0.0.0.0")) as opened, opened.visit() as stranger:
        of_stranger = stranger.get("/").text

    assert "/tokens" in at_home
    assert [path for path in at_home if person_status(local, path) != 200] == []
    assert "<nav" not in of_stranger
    assert '<a href="/login">' in of_stranger


def person_status(local: Site, path: str) -> int:
    """How a page answers."""
    with local.visit() as person:
        return person.get(path).status_code


def test_a_page_is_not_kept_by_browsers(person: Person) -> None:
    assert {person.get(path).headers["cache-control"] for path in OWN_PAGES} == {"no-store"}


# Notices


@pytest.mark.parametrize("value", ["<b>x</b>", "tokens.nope", "../common.save", "common", "nope.title", "a" * 5_000])
def test_a_notice_is_one_of_our_own_texts_or_none(value: str, person: Person) -> None:
    response = person.client.get("/tokens", headers={"cookie": f"notewell_notice={value}"})

    assert response.status_code == 200
    assert 'role="status"' not in response.text


# Static files


def test_a_static_file_is_kept_for_good_under_an_address_of_its_version(person: Person) -> None:
    own = person.get(static_url("notewell.css"))
    older = person.get("/static/000000000000/notewell.css")

    assert static_url("notewell.css") in person.get("/").text
    assert own.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert older.headers["cache-control"] == "public, max-age=300"
    assert own.content == older.content
    assert own.headers["content-type"] == "text/css; charset=utf-8"
    assert re.fullmatch("[0-9a-f]{12}", static_version())


def test_modules_and_styles_ask_nobody_else() -> None:
    folder = Path(pages.__file__).parent / "static"
    texts = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}
    addresses = {
        name: re.findall(r"""(?:https?:)?//[\w.-]+\.\w+|url\([^)]*\)|@import""", text) for name, text in texts.items()
    }

    assert {name: found for name, found in addresses.items() if found not in ([], ["http://www.w3.org"])} == {}


# A page of one's own


class Sample:
    """A page module as somebody writes one."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.failures = 0

    def routes(self) -> list[Route]:
        """Its pages."""
        return [
            self.web.get("/sample/{what}", self.show),
            self.web.post("/sample/{what}", self.sent),
            self.web.get("/sample-ask", self.ask),
        ]

    def show(self, request: Request) -> Response:
        """Shows, or fails as its path says."""
        what = request.path_params["what"]
        if what == "frozen-store" and self.failures < 2:
            self.failures += 1
            raise Interrupted("The store broke off.")
        errors = {
            "missing": NotFound("No <b>note</b> \u202e."),
            "stale": VersionConflict("Somebody was faster."),
            "fast": RateLimited("Wait.", retryAfterSeconds=7),
            "broken": Internal("Broken."),
        }
        if what in errors:
            raise errors[what]
        if what == "defect":
            raise ZeroDivisionError
        wants = self.web.wants_images(request)
        t = self.web.texts(request, "tokens")
        return self.web.render(
            request, "logout.html", remote_images=wants, has_session=bool(t.has("title")) and what == "images"
        )

    def sent(self, request: Request) -> Response:
        """Answers with what came."""
        form = self.web.form(request)
        return Response(repr((form.text("a"), form.line("a"), form.values("b"), form.is_on("c"), form.text("d", "?"))))

    def ask(self, request: Request) -> Response:
        """Asks before something is done."""
        t = self.web.texts(request, "tokens")
        title = t("revoke_title", hint="<i>\u202e")
        return self.web.confirm(
            request, Confirmation(title, "A & B?", t("revoke"), "/sample/x", "/tokens", (("version", '3"'),))
        )


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that has that page, too."""
    patch = pytest.MonkeyPatch()

    def with_sample(web: Web) -> list[Route]:
        return [*old(web), *Sample(web).routes()]

    old = tokens.routes
    patch.setattr(tokens, "routes", with_sample)
    with site(tmp_path_factory.mktemp("sample")) as opened:
        yield opened
    patch.undo()


@pytest.mark.parametrize(
    ("what", "status"),
    [("missing", 404), ("stale", 409), ("fast", 429), ("broken", 500), ("defect", 500), ("frozen-store", 200)],
)
def test_an_error_of_a_page_is_a_page(what: str, status: int, sample: Site) -> None:
    with sample.visit() as person:
        response = person.get(f"/sample/{what}")

    assert response.status_code == status
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert "ZeroDivision" not in response.text
    if what == "missing":
        assert "No <b>note</b> U+202E ." in text_of(response)
    if what == "fast":
        assert response.headers["retry-after"] == "7"


def test_a_form_gives_what_was_typed(sample: Site) -> None:
    with sample.visit() as person:
        sent = person.post("/sample/x", {"a": " 降息\r\n\r\nx\r ", "b": ["1", "", "2"], "c": "on"})

    assert sent.text == repr((" 降息\n\nx\r ", "降息\n\nx", ["1", "", "2"], True, "?"))


def test_a_question_before_something_is_done_is_a_form(sample: Site) -> None:
    with sample.visit() as person:
        response = person.get("/sample-ask")

    assert "<title>Revoke the token &lt;i&gt;U+202E…? · Notewell</title>" in response.text
    assert "Revoke the token <i> U+202E …? A & B?" in text_of(response)
    assert 'name="version" value="3&#34;"' in response.text
    assert '<form method="post" action="/sample/x"' in response.text
    assert 'href="/tokens"' in response.text


def test_pictures_of_other_sites_are_let_in_for_one_response_of_who_asked(sample: Site) -> None:
    with sample.visit() as person, sample.visit() as other:
        assert policy(person.get("/sample/images"))["img-src"] == "'self' data:"
        name, value = next(iter(person.client.cookies.items()))
        asked = images_token(value)
        shown = person.get(f"/sample/images?images={asked}")
        again = person.get("/sample/images")
        other.get("/")
        by_link = other.get(f"/sample/images?images={asked}")
        without = person.get("/sample/images?images=1")

    assert name == "notewell_form"
    assert policy(shown)["img-src"] == "'self' data: http: https:"
    assert {policy(each)["img-src"] for each in (again, by_link, without)} == {"'self' data:"}
    assert policy(shown)["script-src"] == "'self'"


def images_token(seed: str) -> str:
    """What a page puts into the address of its link."""
    return token_of(seed, "images")


def policy(response: object) -> dict[str, str]:
    """The rules of a page's policy."""
    header = response.headers["content-security-policy"]  # type: ignore[attr-defined]  # any response
    return dict(part.strip().partition(" ")[::2] for part in header.split(";"))


# Small things


@pytest.mark.parametrize("path", ["/", "/notes", "/notes?q=%E9%99%8D&tags=a", "/research/x#y"])
def test_a_path_of_this_server_is_one(path: str) -> None:
    assert local_path(path, "no") == path


def test_times_and_sizes_are_for_people() -> None:
    assert (
        time_html(0)
        == '<time datetime="1970-01-01T00:00:00.000Z" title="1970-01-01 00:00:00 UTC">1970-01-01 00:00</time>'
    )
    assert day_html(86_400_000).endswith(">1970-01-02</time>")
    assert (time_html(None), day_html(None)) == ("", "")
    assert [bytes_text(size) for size in (0, 999, 1_000, 999_999, 1_048_576)] == [
        "0 B",
        "999 B",
        "1 kB",
        "1,000 kB",
        "1.0 MB",
    ]
    assert (plain_text(visible("<\u202e")), plain_text("<\u202e")) == ("<U+202E", "<⟨U+202E⟩")
