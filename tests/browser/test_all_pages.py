"""Every page, with script and without it: no fault in any of its looks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from checking import WIDTHS, check_page, complaints_of, new_context, overflows, watch
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
    assert _too_wide(scriptless_page) == []


def _too_wide(page: Page) -> list[str]:
    """What is wider than a telephone or a desk."""
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        found += overflows(page)
    return found


@pytest.fixture(scope="module")
def chinese_page(browser: Browser, shown: Shown) -> Iterator[Page]:
    """A watched page of somebody who reads Chinese."""
    with new_context(browser, shown.site.url, locale="zh-CN") as context:
        page = context.new_page()
        watch(page)
        yield page


@pytest.mark.parametrize("address", [*NOTES, *RECORD, *OTHERS])
def test_a_page_fits_in_chinese(address: str, shown: Shown, chinese_page: Page) -> None:
    chinese_page.goto(shown.path(address))

    assert chinese_page.locator("html").get_attribute("lang") == "zh-Hans"
    assert _too_wide(chinese_page) == []
    assert complaints_of(chinese_page) == []


@pytest.mark.parametrize("element", ["script", "style", "img", "iframe", "object"])
def test_what_the_policy_forbids_is_noticed(element: str, shown: Shown, shown_page: Page) -> None:
    shown_page.goto(shown.path("/notes"))
    assert complaints_of(shown_page) == []

    add = """(name) => {
      const each = document.createElement(name);
      if (name === "script" || name === "style") each.textContent = "/* in the page */";
      else each[name === "object" ? "data" : "src"] = "http://203.0.113.9/pixel.png";
      document.body.append(each);
    }"""
    with shown_page.expect_console_message(lambda message: "policy:" in message.text, timeout=10_000):
        shown_page.evaluate(add, element)

    assert [each for each in complaints_of(shown_page) if "policy:" in each] != []
