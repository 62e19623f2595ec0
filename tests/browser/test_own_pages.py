"""The first page, the login, settings and tokens: with script, without it, and by keyboard alone."""

from __future__ import annotations

import pytest
from browsing import PASSWORD, Site
from checking import check_page, complaints_of, new_context, press_until, watch
from playwright.sync_api import Browser, Page, expect

pytest_plugins = ["browser_fixtures"]
pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", ["/", "/settings", "/tokens", "/api/docs", "/nope", "/logout"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_a_page_has_no_fault_in_any_of_its_looks(path: str, locale: str, browser: Browser, site: Site) -> None:
    with new_context(browser, site.url, locale=locale) as context:
        page = context.new_page()
        watch(page)
        page.goto(path)

        assert page.locator("html").get_attribute("lang") == {"en-US": "en", "zh-CN": "zh-Hans"}[locale]
        check_page(page)


def test_a_token_is_made_and_revoked_with_script(page: Page) -> None:
    make_and_revoke(page)

    assert complaints_of(page) == []


def test_a_token_is_made_and_revoked_without_script(plain_page: Page) -> None:
    make_and_revoke(plain_page)


def make_and_revoke(page: Page) -> None:
    """Walks through the pages of tokens."""
    page.goto("/tokens")
    page.get_by_label("Agent").fill("claude\u202e")
    page.get_by_label("write research").uncheck()
    page.get_by_role("button", name="Make the token").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your new token")
    assert page.locator("#secret").inner_text().startswith("nw_")
    page.get_by_role("link", name="Done").click()
    expect(page.locator("tbody tr")).to_contain_text("claudeU+202E")
    page.get_by_role("link", name="Revoke").click()
    page.get_by_role("link", name="Cancel").click()
    page.get_by_role("link", name="Revoke").click()
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("status")).to_have_text("The token is revoked.")
    page.reload()
    expect(page.get_by_role("status")).to_have_count(0)
    expect(page.locator("tbody tr")).to_contain_text("revoked")


def test_pages_of_tokens_have_no_fault(page: Page) -> None:
    page.goto("/tokens")
    page.get_by_label("Agent").fill("claude")
    page.get_by_role("button", name="Make the token").click()
    check_page(page)
    page.get_by_role("link", name="Done").click()
    check_page(page)
    page.get_by_role("link", name="Revoke").click()
    check_page(page)


def test_somebody_signs_in_and_out_by_keyboard_alone(browser: Browser, open_site: Site) -> None:
    with new_context(browser, open_site.url) as context:
        page = context.new_page()
        watch(page)
        page.goto("/tokens")
        check_page(page)  # how the first owner is made
        open_site.add_person("ana", is_admin=True)
        page.goto("/tokens")
        check_page(page)

        page.keyboard.press("Tab")
        expect(page.get_by_text("Skip to content")).to_be_focused()
        page.keyboard.press("Enter")
        press_until(page, "#handle")
        page.keyboard.type("ana")
        page.keyboard.press("Tab")
        page.keyboard.type("a wrong password")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_be_visible()
        check_page(page)
        page.get_by_label("Password").focus()
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Tokens")

        page.goto("/settings")
        check_page(page)
        page.reload()
        press_until(page, ".menu summary")
        page.keyboard.press("Enter")
        press_until(page, ".menu-list button")
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_have_text("You are signed out.")
        assert [cookie["name"] for cookie in context.cookies() if "session" in cookie.get("name", "")] == []


@pytest.mark.parametrize("has_script", [True, False])
def test_the_language_can_be_switched_on_any_page(browser: Browser, site: Site, has_script: bool) -> None:
    with new_context(browser, site.url, has_script=has_script) as context:
        page = context.new_page()
        page.goto("/tokens")
        page.get_by_role("button", name="中文").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("令牌")
        page.get_by_role("button", name="English").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Tokens")
