"""The overview and the administrators' page in every look, with and without notes."""

from __future__ import annotations

import pytest
from browsing import Site
from checking import check_page, new_context, watch
from filling import Filled
from playwright.sync_api import Browser, Page, expect

pytest_plugins = ["browser_fixtures"]
pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", ["/overview", "/admin", "/admin/sweep"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_a_page_of_numbers_has_no_fault_in_any_of_its_looks(
    path: str, locale: str, browser: Browser, site: Site, filled: Filled
) -> None:
    with new_context(browser, site.url, locale=locale) as context:
        page = context.new_page()
        watch(page)
        page.goto(path)

        assert filled.note_ids
        check_page(page)


def test_an_empty_memory_is_met_with_the_way_on(page: Page) -> None:
    page.goto("/overview")

    expect(page.get_by_role("link", name="Make a token for an agent")).to_be_visible()
    check_page(page)


def test_the_store_is_swept_without_script(plain_page: Page) -> None:
    plain_page.goto("/admin")
    plain_page.get_by_role("link", name="Sweep now").click()
    plain_page.get_by_role("button", name="Sweep now").click()

    expect(plain_page.get_by_role("status")).to_have_text("The sweep is done.")
