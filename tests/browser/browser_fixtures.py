"""A server with a filled store and a browser before it: a plugin for the tests that ``./dev test --browser`` runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import browsing
import pytest
from browsing import Site
from checking import new_context, watch
from clients import with_settings
from filling import Filled, fill
from playwright.sync_api import Browser, Page, sync_playwright
from shown import Shown, show

PROGRAM = os.environ.get("NOTEWELL_TEST_BROWSER", "")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-dev-shm-usage --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leaves them out where nobody asked for a browser."""
    for item in items:
        if item.get_closest_marker("browser") and not PROGRAM:
            item.add_marker(pytest.mark.skip(reason="needs ./dev test --browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS.split())


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A server on one's own machine, which needs no login; ``filled`` fills it."""
    with browsing.site(tmp_path) as opened:
        yield opened


@pytest.fixture
def filled(site: Site) -> Filled:
    """What the store of ``site`` then holds."""
    return fill(site.app)


@pytest.fixture
def open_site(tmp_path: Path) -> Iterator[Site]:
    """A server for several people: they sign in."""
    with browsing.site(tmp_path / "open", with_settings(host="0.0.0.0")) as opened:
        yield opened


@pytest.fixture(scope="session")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """A server whose store has everything, for tests that only look."""
    with browsing.site(tmp_path_factory.mktemp("shown")) as opened:
        yield show(opened)


@pytest.fixture
def shown_page(browser: Browser, shown: Shown) -> Iterator[Page]:
    """A watched page of that server, 1280 pixels wide."""
    with new_context(browser, shown.site.url) as context:
        page = context.new_page()
        page.set_viewport_size({"width": 1280, "height": 800})
        watch(page)
        yield page


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    """A page of ``site``, watched; see ``checking.check_page``."""
    with new_context(browser, site.url) as context:
        page = context.new_page()
        watch(page)
        yield page


@pytest.fixture
def plain_page(browser: Browser, site: Site) -> Iterator[Page]:
    """The same without script: everything must work there, too."""
    with new_context(browser, site.url, has_script=False) as context:
        yield context.new_page()
