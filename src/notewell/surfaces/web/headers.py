"""What every page forbids the browser to do, whatever stands on the page."""

from __future__ import annotations

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:{images}; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def page_headers(*, shows_images: bool = False) -> dict[str, str]:
    """The headers of a page; with ``shows_images`` it may load pictures from other sites."""
    return {
        "Content-Security-Policy": _POLICY.format(images=" http: https:" if shows_images else ""),
        "X-Content-Type-Options": "nosniff",
        # Other sites learn nothing; our own forms must say where they come from ("no-referrer" makes that "null").
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
