"""The ways through the pages by the Tab and Enter keys alone."""

from __future__ import annotations

import re

import pytest
from checking import complaints_of, press_until
from playwright.sync_api import Page, expect
from shown import Shown

pytest_plugins = ["browser_fixtures"]
pytestmark = pytest.mark.browser


def test_the_notes_of_a_problem_are_searched_and_one_is_opened(shown_page: Page) -> None:
    page = shown_page
    page.goto("/problems/sat-40k/notes")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    press_until(page, "[name=query]")
    page.keyboard.type("watches")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("query=watches"))

    press_until(page, ".card h4 a")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile("/attempts/att_[0-9a-z]+#nte_"))
    expect(page.locator("article:target h3")).to_be_in_viewport()
    assert complaints_of(page) == []


def test_a_point_of_the_lineage_is_followed(shown: Shown, shown_page: Page) -> None:
    page = shown_page
    page.goto(shown.path("/research/notes/{digest}/lineage"))
    press_until(page, ".lineage")
    selector = "a.lineage-point:not([aria-current])"
    leads_to = page.locator(selector).first.get_attribute("href")
    press_until(page, selector)
    page.keyboard.press("Enter")

    expect(page).to_have_url(f"{shown.site.url}{leads_to}")
    assert complaints_of(page) == []


def test_a_note_of_memory_is_found_and_opened(shown_page: Page) -> None:
    page = shown_page
    page.goto("/notes")
    press_until(page, "[name=q]")
    page.keyboard.type("sourdough")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("q=sourdough"))
    press_until(page, ".card h3 a")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_contain_text("Sourdough")
    assert complaints_of(page) == []
