"""How much is tried: the examples of a property, and the minutes of ``./dev test --fuzz``."""

from __future__ import annotations

import os

from hypothesis import settings

FUZZ_MINUTES = float(os.environ.get("NOTEWELL_FUZZ_MINUTES", "5"))
"""How long ``./dev test --fuzz`` is to run; its profile gives properties so many times their usual examples."""
USUAL_EXAMPLES = 100
"""Hypothesis's own number, from which a profile sets out."""


def examples(usual: int) -> int:
    """So many examples, or more under a profile with more; at least one."""
    return max(1, usual * settings().max_examples // USUAL_EXAMPLES)
