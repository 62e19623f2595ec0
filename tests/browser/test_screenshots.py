"""The pictures in the documentation: drawn anew with ``NOTEWELL_SCREENSHOTS=1``, otherwise only looked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest
from browsing import site
from checking import new_context
from playwright.sync_api import Browser
from shown import demonstrated

pytest_plugins = ["browser_fixtures"]
pytestmark = pytest.mark.browser

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
MAX_BYTES = 200_000
Look = Literal["light", "dark"]
PICTURES: tuple[tuple[str, str, Look, int], ...] = (
    ("notes", "/notes", "light", 1280),
    ("note", "/notes/{note}", "light", 1280),
    ("problem-notes", "/problems/sat-40k/notes", "light", 1280),
    ("lineage", "/research/notes/{digest}/lineage", "light", 1280),
    ("overview", "/overview", "light", 1280),
    ("notes-dark", "/notes?q=rates", "dark", 1280),
    ("note-narrow", "/notes/{note}", "light", 375),
)
"""Name, address, look and width in pixels of each."""


def test_each_picture_is_there_and_small(browser: Browser, tmp_path: Path) -> None:
    if os.environ.get("NOTEWELL_SCREENSHOTS") == "1":
        draw(browser, tmp_path)

    sizes = {name: (FOLDER / f"{name}.png").stat().st_size for name, *_ in PICTURES}

    assert {name: size for name, size in sizes.items() if size >= MAX_BYTES} == {}


def draw(browser: Browser, home: Path) -> None:
    """Writes all pictures, of the demonstration alone."""
    FOLDER.mkdir(exist_ok=True)
    with site(home) as opened, new_context(browser, opened.url) as context:
        page, shown = context.new_page(), demonstrated(opened)
        for name, address, look, width in PICTURES:
            page.emulate_media(color_scheme=look, reduced_motion="reduce")
            page.set_viewport_size({"width": width, "height": 800})
            page.goto(shown.path(address))
            page.screenshot(path=FOLDER / f"{name}.png")
