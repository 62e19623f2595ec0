"""Every page, with script and without it: no fault in any of its looks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from checking import WIDTHS, check_page, new_context, overflows
from playwright.sync_api import Browser, Page
from shown import NOTES, OTHERS, RECORD, Shown

pytest_plugins = ["browser_fixtures"]
pytestmark = pytest.mark.browser


@pytest.mark.parametrize("address", [*NOTES, *RECORD, *OTHERS])
def test_a_page_has_no_fault_with_script(address: str, shown: Shown, shown_page: Page) -> None:
    shown_page.goto(shown.path(address))

    check_page(shown_page)


@pytest.fixture(scope="module")
def scriptless_page(browser: Browser, shown: Shown) -> Iterator[Page]:
    """A page that runs no script."""
    with new_context(browser, shown.site.url, has_script=False) as context:
        yield context.new_page()


@pytest.mark.parametrize("address", [*NOTES, *RECORD, *OTHERS])
def test_a_page_is_whole_without_script(address: str, shown: Shown, scriptless_page: Page) -> None:
    scriptless_page.goto(shown.path(address))

    assert scriptless_page.get_by_role("heading", level=1).count() == 1
    found = []
    for width in WIDTHS:
        scriptless_page.set_viewport_size({"width": width, "height": 800})
        found += overflows(scriptless_page)
    assert found == []
