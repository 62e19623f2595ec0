"""Texts that would do something on a page that believed them, each for its whole kind."""

from __future__ import annotations

from vectors import VECTORS as SMALL

VECTORS = (
    *SMALL,
    "[x](java\tscript:window.__xss=1)",
    "[x](<java\u0000script:window.__xss=1>)",
    "[x](vbscript:window.__xss=1)",
    "[x](file:///etc/passwd)",
    "[x](blob:https://example.org/1)",
    '![x" onerror="window.__xss=1](http://example.org/x)',
    '![x](http://example.org/x "t\\" onerror=\\"window.__xss=1")',
    "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
    "[x]: javascript:window.__xss=1\n\n[x]",
    "<javascript:window.__xss=1>",
    '```__html" onmouseover="window.__xss=1\nx\n```',
    '```python" onmouseover="window.__xss=1\n</code></pre><script>window.__xss=1</script>\n```',
    "$\\text{</math><img src=x onerror=window.__xss=1>}$",
    '$x" onmouseover="window.__xss=1$',
    "$$\n\\unicode{<script>window.__xss=1</script>}\n$$",
    "{% raw %}{{ 7*7 }}",
    "</textarea></pre><script>window.__xss=1</script>",
    '[^a"onclick="x]: y\n\nz[^a"onclick="x]',
    '# " onmouseover="window.__xss=1',
    "- [ ] <script>window.__xss=1</script>",
    "| <script>window.__xss=1</script> | b |\n|--|--|\n| 1 | 2 | <script>window.__xss=1</script> |",
)
