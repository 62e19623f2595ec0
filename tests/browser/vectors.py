"""Texts that try to become more than text: each would set ``window.__xss`` or load the tracker where it is let."""

from __future__ import annotations

VECTORS = (
    "<script>window.__xss=1</script>",
    '<img src=x onerror="window.__xss=1">',
    '<svg onload="window.__xss=1"></svg>',
    "<svg><script>window.__xss=1</script></svg>",
    '<iframe srcdoc="<script>parent.__xss=1</script>"></iframe>',
    '<a href="javascript:window.__xss=1">x</a>',
    "[x](javascript:window.__xss=1)",
    "[x](JaVaScRiPt:window.__xss=1)",
    "[x](java&#115;cript:window.__xss=1)",
    "[x](&#x6A;avascript:window.__xss=1)",
    "[x](data:text/html;base64,PHNjcmlwdD53aW5kb3cuX194c3M9MTwvc2NyaXB0Pg==)",
    "![x](javascript:window.__xss=1)",
    '![x](x" onerror="window.__xss=1)',
    "[x]: javascript:window.__xss=1",
    '<https://example.org/"onmouseover="window.__xss=1>',
    '```__html" onmouseover="window.__xss=1',
    "$\\href{javascript:window.__xss=1}{x}$",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.__xss=1>",
    "<details open ontoggle=window.__xss=1>",
    '<form action="javascript:window.__xss=1"><button>x</button></form>',
    "<style>@import 'javascript:window.__xss=1';</style>",
    '<meta http-equiv="refresh" content="0;url=javascript:window.__xss=1">',
    '<base href="javascript:window.__xss=1//">',
    '"><img src=x onerror=window.__xss=1>',
    "'-window.__xss=1-'",
    "{{constructor.constructor('window.__xss=1')()}}",
    "</title><script>window.__xss=1</script>",
    "<!-- --><script>window.__xss=1</script>",
    "<input autofocus onfocus=window.__xss=1>",
    "![tracker](http://203.0.113.9/pixel.png)",
)
"""Small enough for a title; some for a tag."""
