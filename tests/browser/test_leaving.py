"""Leaving a page with a text that is stored nowhere: with script the browser asks, and only then."""

from __future__ import annotations

import pytest
from browsing import Site
from checking import complaints_of
from playwright.sync_api import Dialog, Page, expect
from research_record import attempt, problem, write

from notewell.domain.notes import Draft
from notewell.services import memory

pytest_plugins = ["browser_fixtures"]
pytestmark = pytest.mark.browser


@pytest.fixture
def asked(page: Page) -> list[str]:
    """The kinds of question that came; whoever is asked stays."""
    questions: list[str] = []

    def heard(dialog: Dialog) -> None:
        questions.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", heard)
    return questions


@pytest.fixture
def editors(site: Site) -> dict[str, tuple[str, str]]:
    """The addresses of editors, each with the field of its text."""
    store, actor = site.app.store, site.app.default_actor()
    note = memory.create(store, actor, Draft("Rates", "Rates fall.\r\n\r\nSoon.")).view.note
    of = attempt(store, actor, problem(store, actor, "sat"))
    written = write(store, actor, of, "One.\n")
    return {
        "new": ("/notes/new", "body"),
        "edit": (f"/notes/{note.id}/edit", "body"),
        "attempt": (f"/attempts/{of.id}", "body_md"),
        "research": (f"/research/notes/{written}/edit", "body_md"),
        "end": (f"/attempts/{of.id}/end", "summary_md"),
        "revise": ("/problems/sat/revise", "statement_md"),
        "problem": ("/research/new/problem", "statement_md"),
    }


def leave(page: Page) -> None:
    """Follows a link, and waits for the question whether to."""
    with page.expect_event("dialog"):
        page.get_by_role("link", name="Overview").click(no_wait_after=True)


@pytest.mark.parametrize("name", ["new", "edit", "attempt", "research", "end", "revise", "problem"])
def test_who_leaves_an_unsaved_text_is_asked(
    name: str, page: Page, asked: list[str], editors: dict[str, tuple[str, str]]
) -> None:
    path, field = editors[name]
    page.goto("/")
    page.goto(path)
    page.get_by_role("link", name="Overview").click()
    expect(page).not_to_have_url(path)
    assert asked == []

    page.goto(path)
    page.locator(f"[name={field}]").press_sequentially("More.")
    leave(page)

    assert asked == ["beforeunload"]
    assert page.url.endswith(path)
    assert "More." in page.locator(f"[name={field}]").input_value()
    assert complaints_of(page) == []


def test_who_saves_or_previews_is_not_asked_and_who_leaves_a_preview_is(
    page: Page, asked: list[str], editors: dict[str, tuple[str, str]]
) -> None:
    path, field = editors["edit"]
    page.goto(path)
    page.locator(f"[name={field}]").press_sequentially("More.")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Preview")).to_be_visible()
    assert asked == []

    leave(page)
    assert asked == ["beforeunload"]

    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_be_visible()
    assert asked == ["beforeunload"]
