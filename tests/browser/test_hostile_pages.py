"""What agents and people write stays text in a real browser: nothing of it runs, loads, navigates or asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

import browsing
import pytest
from browsing import Site
from checking import complaints_of, new_context, watch
from hostile import Hostile, fill_hostile
from playwright.sync_api import Browser, Dialog, Page
from vectors import VECTORS

pytest_plugins = ["browser_fixtures"]
pytestmark = pytest.mark.browser

ACTIVE = """() => [...document.querySelectorAll("*")].flatMap((each) => [...each.attributes].filter((one) =>
  one.name.startsWith("on") || one.name === "srcdoc" || one.name === "style" ||
  (["href", "src", "action", "formaction", "xlink:href"].includes(one.name) &&
    /^\\s*(javascript|vbscript|data:(?!image))/i.test(one.value))
).map((one) => each.outerHTML.slice(0, 150)))"""
"""The elements of a page that could act, would the policy not forbid it."""
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"


@dataclass
class Watched:
    """A page with everything noted down that it does beyond showing text."""

    page: Page
    url: str
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def wrong(self, path: str) -> list[str]:
        """Opens a page of the server and says what a text made it do."""
        self.page.goto(path)
        self.page.evaluate(SETTLED)
        found = [f"active: {each}" for each in self.page.evaluate(ACTIVE)]
        if self.page.evaluate("() => window.__xss") is not None:
            found.append("script ran")
        if not self.page.url.startswith(self.url + path.partition("?")[0]):
            found.append(f"led to {self.page.url}")
        found += [f"asked for {each}" for each in self.requests if not each.startswith(self.url)]
        found += [f"dialog: {each}" for each in self.dialogs]
        found += complaints_of(self.page)
        return [f"{path[:100]}: {each}" for each in found]


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Hostile]]:
    """A server that has nothing but hostile texts."""
    with browsing.site(tmp_path_factory.mktemp("hostile")) as opened:
        yield opened, fill_hostile(opened.app)


@pytest.fixture(scope="module")
def watched(browser: Browser, hostile_site: tuple[Site, Hostile]) -> Iterator[Watched]:
    """A page of that server."""
    site, _ = hostile_site
    with new_context(browser, site.url) as context:
        page = context.new_page()
        yield _watched(page, site.url)


def _watched(page: Page, url: str) -> Watched:
    watch(page)
    noted = Watched(page, url)

    def dismiss(dialog: Dialog) -> None:
        noted.dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.on("request", lambda request: noted.requests.append(request.url))
    return noted


@pytest.mark.parametrize("path", ["", "/edit", "/history"])
def test_no_text_of_a_memory_note_acts(path: str, watched: Watched, hostile_site: tuple[Site, Hostile]) -> None:
    wrong = [each for note_id in hostile_site[1].note_ids for each in watched.wrong(f"/notes/{note_id}{path}")]

    assert wrong == []


@pytest.mark.parametrize("path", ["/delete", "/raw", "/history/1", "/history/1/restore"])
def test_no_text_acts_on_the_lesser_pages_of_a_note(
    path: str, watched: Watched, hostile_site: tuple[Site, Hostile]
) -> None:
    assert [each for note_id in hostile_site[1].note_ids[:5] for each in watched.wrong(f"/notes/{note_id}{path}")] == []


def test_no_text_acts_in_the_list_of_notes_and_its_labels(watched: Watched) -> None:
    paths = [
        "/notes",
        "/notes?sort=title",
        "/notes/labels?kind=tags",
        "/notes/labels?kind=symbols",
        "/notes/collections",
    ]

    assert [each for path in paths for each in watched.wrong(path)] == []
    assert watched.page.get_by_text(VECTORS[0]).count() > 0


def test_no_text_of_a_research_note_acts(watched: Watched, hostile_site: tuple[Site, Hostile]) -> None:
    notes = hostile_site[1].research_note_ids

    assert [each for note_id in notes for each in watched.wrong(f"/research/notes/{note_id}")] == []
    few = [f"/research/notes/{note_id}/{page}" for note_id in notes[:2] for page in ("raw", "lineage")]
    assert [each for path in few for each in watched.wrong(path)] == []


def test_no_text_acts_on_the_pages_of_the_record(watched: Watched, hostile_site: tuple[Site, Hostile]) -> None:
    hostile = hostile_site[1]
    problem = f"/problems/{hostile.problem_slug}"
    paths = ["/research", f"/campaigns/{hostile.problem_slug}", problem, f"{problem}/notes", f"{problem}/attempts"]
    paths += [f"{problem}/revisions/1/raw", *(f"/attempts/{each}" for each in hostile.attempt_ids)]

    assert [each for path in paths for each in watched.wrong(path)] == []


@pytest.mark.parametrize(
    "path",
    [
        "/notes?q={}",
        "/notes?q=x&tag={0}&collection={0}&symbol={0}&createdFrom={0}&mode={0}",
        "/notes/collections/rename?name={}",
        "/problems/hostile/notes?query={}",
        "/problems/hostile/notes?kind={0}&tags={0}&author={0}&since={0}",
        "/research/notes/{}",
    ],
)
def test_no_word_in_an_address_acts(path: str, watched: Watched) -> None:
    wrong = [each for vector in VECTORS for each in watched.wrong(path.format(quote(vector, safe="")))]

    assert wrong == []


def test_what_acts_is_noticed(browser: Browser, hostile_site: tuple[Site, Hostile]) -> None:
    site, _ = hostile_site
    with new_context(browser, site.url) as context:
        noted = _watched(context.new_page(), site.url)
        body = f"<!doctype html><title>x</title>{VECTORS[1]}{VECTORS[5]}<script>alert('asked')</script>"
        body += "<img src='http://203.0.113.9/pixel.png'>"
        context.route("**/acts", lambda route: route.fulfill(body=body, content_type="text/html"))
        context.route("http://203.0.113.9/*", lambda route: route.abort())

        wrong = "\n".join(noted.wrong("/acts"))

    for what in ("script ran", "active: <img", "active: <a", "asked for http://203.0.113.9/", "dialog: asked"):
        assert what in wrong
