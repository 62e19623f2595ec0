"""What every page must pass in a real browser: axe finds nothing, the policy is kept, no script fails, all fits.

Each look is tried: light and dark, a telephone and a desk.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it has none
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

SCHEMES = ("light", "dark")
WIDTHS = (375, 1280)
_complaints: WeakKeyDictionary[Page, list[str]] = WeakKeyDictionary()
_axe = Axe()


def new_context(browser: Browser, url: str, *, has_script: bool = True, locale: str = "en-US") -> BrowserContext:
    """A browser with no cookies, whose pages have addresses of that server."""
    return browser.new_context(
        base_url=url, java_script_enabled=has_script, locale=locale, reduced_motion="reduce", service_workers="block"
    )


REPORT_VIOLATIONS = """document.addEventListener("securitypolicyviolation", (each) =>
  console.error(`policy: ${each.effectiveDirective} forbids ${each.blockedURI} ${each.sample}`));"""
"""The policy's own report of each violation, also of those that Chromium says nothing of."""


def watch(page: Page) -> None:
    """Notes down what the browser complains of from now on: failed scripts, and what the policy forbade."""
    page.add_init_script(REPORT_VIOLATIONS)
    complaints = _complaints.setdefault(page, [])

    def heard(message: ConsoleMessage) -> None:
        # A page that is an error on purpose is "failed to load", too.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            complaints.append(f"console: {message.text}")

    page.on("console", heard)
    page.on("pageerror", lambda error: complaints.append(f"script: {error}"))


def complaints_of(page: Page) -> list[str]:
    """What the browser complained of since the page is watched."""
    return list(_complaints[page])


def check_page(page: Page) -> None:
    """Fails with everything that is wrong with the page that is shown, in any of its looks."""
    found = []
    size = page.viewport_size
    for scheme in SCHEMES:
        page.emulate_media(color_scheme="light" if scheme == "light" else "dark", reduced_motion="reduce")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            # Between light and dark only colours differ.
            wrong = _violations(page, () if scheme == "light" else ("color-contrast",))
            found += [f"{scheme}, {width} px: {each}" for each in (*wrong, *overflows(page))]
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    if size is not None:
        page.set_viewport_size(size)
    if found := [*found, *complaints_of(page)]:
        raise AssertionError("\n".join([page.url, *found]))


def press_until(page: Page, selector: str) -> None:
    """Goes on with the Tab key until an element has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.locator(selector).first.evaluate("each => each === document.activeElement"):
            return
    raise AssertionError(f"{selector} is not reached by the Tab key")


def _violations(page: Page, rules: tuple[str, ...]) -> list[str]:
    options: dict[str, Any] = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    response: dict[str, Any] = _axe.run(page, options=options).response
    return [
        f"axe {each['id']}: {node['html'][:200]} ({' '.join(node['failureSummary'].split())[:300]})"
        for each in response["violations"]
        for node in each["nodes"]
    ]


def overflows(page: Page) -> list[str]:
    """Whether the page is wider than the window, and by which element."""
    script = """() => {
      const root = document.documentElement;
      if (root.scrollWidth <= root.clientWidth) return [];
      const wide = [...document.body.querySelectorAll("*")]
        .filter((each) => each.getBoundingClientRect().right > root.clientWidth + 1 && !each.closest(".scroll, pre"));
      return wide.slice(0, 3).map((each) => each.outerHTML.slice(0, 150));
    }"""
    found: list[str] = page.evaluate(script)
    return [f"wider than the window: {each}" for each in found]
