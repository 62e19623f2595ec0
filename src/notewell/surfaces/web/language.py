"""The interface in English and Chinese: which of them a request is answered in, and the texts of each page.

``texts/PAGE.json`` holds ``{"en": {key: text}, "zh": {key: text}}``; ``common.json`` is there for every page. A text is
plain, with ``{name}`` for values. What people and agents wrote is never translated.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from markupsafe import Markup, escape
from starlette.requests import Request

from notewell.surfaces.web.visible import visible

LANGUAGES = {"en": "English", "zh": "中文"}
"""Each by the name that its readers have for it."""
HTML_LANGUAGES = {"en": "en", "zh": "zh-Hans"}
DEFAULT_LANGUAGE = "en"
LANGUAGE_COOKIE = "notewell_language"
COMMON = "common"


def language_of(request: Request) -> str:
    """The language that was chosen, else the one the browser likes best, else English."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    liked = [_liked(part) for part in request.headers.get("accept-language", "")[:200].split(",")]
    best = max((each for each in liked if each[1] in LANGUAGES), key=lambda each: each[0], default=(0.0, ""))
    return best[1] if best[0] > 0 else DEFAULT_LANGUAGE


def _liked(part: str) -> tuple[float, str]:
    """How much a language of ``Accept-Language`` is liked, from 0 to 1, and its short name."""
    name, _, weight = part.partition(";")
    try:
        liked = float(weight.strip().removeprefix("q=")) if weight else 1.0
    except ValueError:
        liked = 0.0
    return liked, name.strip().lower().partition("-")[0]


@cache
def texts(page: str) -> dict[str, dict[str, str]]:
    """The texts of a page by language and key; a page without a file has those of every page."""
    found: dict[str, dict[str, str]] = {language: {} for language in LANGUAGES}
    for name in (COMMON, page):
        file = files("notewell.surfaces.web").joinpath("texts").joinpath(f"{name}.json")
        if file.is_file():
            for language, each in json.loads(file.read_text(encoding="utf-8")).items():
                found[language].update(each)
    return found


def _shown(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


class Translator:
    """The texts of one page in one language."""

    def __init__(self, page: str, language: str) -> None:
        self.page = page
        self.language = language
        self._texts = texts(page)[language]

    def __call__(self, key: str, **values: object) -> Markup:
        """The text of a key, its values filled in and escaped (those of type ``Markup`` stay as they are).

        A ``count`` of one takes the text ``KEY.one``, where there is one. Raises ``KeyError`` for an unknown key.
        """
        text = (
            self._texts[f"{key}.one"] if values.get("count") == 1 and f"{key}.one" in self._texts else self._texts[key]
        )
        shown = {name: _shown(value) for name, value in values.items()}
        return escape(text).format(**shown)

    def of(self, group: str, value: str) -> Markup:
        """The text of ``GROUP.VALUE``, or the value itself where nobody gave it a text."""
        text = self._texts.get(f"{group}.{value}")
        return visible(value) if text is None else escape(text)

    def has(self, key: str) -> bool:
        """Whether there is such a text."""
        return key in self._texts
