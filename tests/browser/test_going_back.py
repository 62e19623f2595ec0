"""The Back button: a search form shows what the address asks for, as the results below it do."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from checking import complaints_of
from playwright.sync_api import Page

pytest_plugins = ["browser_fixtures"]
pytestmark = pytest.mark.browser


def chosen(page: Page) -> tuple[str, str]:
    """The place and the mode that are checked."""
    return page.locator("[name=scope]:checked").input_value(), page.locator("[name=mode]:checked").input_value()


def asked(page: Page) -> tuple[str, str]:
    """The place and the mode of the address."""
    given = parse_qs(urlsplit(page.url).query)
    return given.get("scope", ["problem"])[0], given.get("mode", ["keyword"])[0]


def search(page: Page) -> None:
    """Sends the form and waits for its results."""
    with page.expect_navigation():
        page.get_by_role("button", name="Search", exact=True).click()


def test_the_form_of_a_problems_notes_fits_the_address_after_going_back(shown_page: Page) -> None:
    page = shown_page
    page.goto("/problems/sat-40k/notes")
    page.locator("[name=query]").fill("watches")
    search(page)
    page.get_by_label("All public work").check()
    search(page)
    page.get_by_label("Both").check()
    search(page)
    seen = [(chosen(page), asked(page))]
    for _ in range(2):
        page.go_back()
        seen.append((chosen(page), asked(page)))

    assert seen == [
        (("all", "both"), ("all", "both")),
        (("all", "keyword"), ("all", "keyword")),
        (("problem", "keyword"), ("problem", "keyword")),
    ]
    assert complaints_of(page) == []


def test_the_form_of_memory_notes_fits_the_address_after_going_back(shown_page: Page) -> None:
    page = shown_page
    page.goto("/notes?q=sourdough")
    page.locator("select[name=mode]").select_option("both")
    search(page)
    page.go_back()

    assert page.locator("select[name=mode]").input_value() == "keyword"
