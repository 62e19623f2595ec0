"""The picture of a lineage in windows of several widths: whole where it can be read, else with its own note in view."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import Site
from checking import check_page, new_context, overflows
from playwright.sync_api import Browser, Page, expect
from research_record import attempt, problem, write

pytest_plugins = ["browser_fixtures"]
pytestmark = pytest.mark.browser

_SEEN = """each => {
  const box = each.getBoundingClientRect(), frame = each.closest(".lineage").getBoundingClientRect();
  return box.left >= Math.max(0, frame.left) && box.right <= Math.min(innerWidth, frame.right) + 1;
}"""
"""Whether the whole width of a box can be seen."""


@pytest.fixture
def chain(site: Site) -> list[str]:
    """Notes, each of which builds on the one before."""
    store, actor = site.app.store, site.app.default_actor()
    of = attempt(store, actor, problem(store, actor, "sat"))
    notes = [write(store, actor, of, "---\ntitle: Number 0\n---\nx\n")]
    for number in range(1, 7):
        notes.append(write(store, actor, of, f"---\ntitle: Number {number}\nbuilds_on: [{notes[-1]}]\n---\nx\n"))
    return notes


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def looker(request: pytest.FixtureRequest, browser: Browser, site: Site) -> Iterator[Page]:
    """A page with script or without."""
    with new_context(browser, site.url, has_script=request.param) as context:
        yield context.new_page()


@pytest.mark.parametrize("place", [0, 1])
def test_a_picture_of_five_columns_is_whole_at_a_desk(place: int, looker: Page, chain: list[str]) -> None:
    looker.set_viewport_size({"width": 1200, "height": 800})
    looker.goto(f"/research/notes/{chain[place]}/lineage")
    points = looker.locator(".lineage-point")

    expect(points).to_have_count(4 + place)
    assert [each.evaluate(_SEEN) for each in points.all()] == [True] * (4 + place)
    assert overflows(looker) == []


@pytest.mark.parametrize("width", [360, 768, 1200])
@pytest.mark.parametrize("place", [0, 3, 6])
def test_its_own_note_is_in_view(width: int, place: int, looker: Page, chain: list[str]) -> None:
    looker.set_viewport_size({"width": width, "height": 800})
    looker.goto(f"/research/notes/{chain[place]}")
    looker.get_by_role("link", name="Lineage").click()

    expect(looker.get_by_role("heading", level=1)).to_be_in_viewport()
    assert looker.locator(".lineage-point.is-here").evaluate(_SEEN)
    assert looker.locator(".lineage-about").first.evaluate("each => each.getBoundingClientRect().height") > 9
    assert overflows(looker) == []


def test_the_picture_has_no_fault_and_is_scrolled_by_keys(page: Page, chain: list[str]) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(f"/research/notes/{chain[3]}/lineage#here")
    picture = page.locator(".lineage")
    picture.focus()
    before = picture.evaluate("each => each.scrollLeft")
    for _ in range(12):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function("before => document.querySelector('.lineage').scrollLeft < before - 100", arg=before)
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("before => document.querySelector('.lineage').scrollLeft > before + 100", arg=before)

    check_page(page)
