"""Texts that try to become more than text on a page of notes: values as notes, labels and addresses can hold them."""

from __future__ import annotations

HOSTILE = (
    "<script>window.__xss=1</script>",
    "<img src=x onerror=window.__xss=1>",
    '"><svg onload=window.__xss=1>',
    "'-window.__xss=1-'",
    "</title><script>window.__xss=1</script>",
    "</textarea><script>window.__xss=1</script>",
    "{{7*'7'}}{% raw %}",
    "[x](javascript:window.__xss=1)",
    "<!-- --><script>window.__xss=1</script>",
    '<a href="javascript:window.__xss=1">x</a>',
)
SHORT = '"><b onx=1>'
"""The same for what may hold 60 or 100 characters."""
