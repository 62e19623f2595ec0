"""The interface's texts: the same in both languages, and each key that a page uses is there and used."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment, nodes
from markupsafe import Markup
from starlette.requests import Request

from notewell.surfaces.problems import STATUSES
from notewell.surfaces.web import language as language_module
from notewell.surfaces.web.language import COMMON, LANGUAGES, Translator, language_of, texts
from notewell.surfaces.web.shell import NAVIGATION

WEB = Path(language_module.__file__).parent
PAGES = sorted(file.stem for file in (WEB / "texts").glob("*.json"))
TEMPLATES = sorted((WEB / "templates").rglob("*.html"))
_HOLE = re.compile(r"\{(\w+)[^}]*\}")


def page_of(template: Path) -> str:
    """The page whose texts a template has; parts have those of every page."""
    first = template.relative_to(WEB / "templates").parts[0].removesuffix(".html")
    return COMMON if first in ("parts", "base", "confirm", "problem") else first


def calls_in(template: Path) -> Iterator[tuple[str, str]]:
    """What a template asks for: ("key", KEY) or ("group", GROUP)."""
    tree = Environment().parse(template.read_text(encoding="utf-8"))
    for call in tree.find_all(nodes.Call):
        target = call.node
        first = call.args[0].value if call.args and isinstance(call.args[0], nodes.Const) else None
        if isinstance(target, nodes.Name) and target.name == "t":
            assert isinstance(first, str), f"{template.name}: t(...) takes a key that stands there; else t.of(...)"
            yield "key", first
        elif isinstance(target, nodes.Getattr) and target.attr == "of" and getattr(target.node, "name", "") == "t":
            assert isinstance(first, str), f"{template.name}: t.of(...) takes a group that stands there"
            yield "group", first


def words_in_code() -> set[str]:
    """Every text that stands in the code of the pages: keys may be among them."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in WEB.glob("*.py")]
    return {
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def keys_of(page: str, language: str = "en") -> set[str]:
    """The keys of a page's own file."""
    found: dict[str, dict[str, str]] = json.loads((WEB / "texts" / f"{page}.json").read_text(encoding="utf-8"))
    return set(found[language])


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_have_the_same_keys_and_values(page: str) -> None:
    found: dict[str, dict[str, str]] = json.loads((WEB / "texts" / f"{page}.json").read_text(encoding="utf-8"))
    # Chinese has no plural.
    keys = {name: {key for key in each if not key.endswith(".one")} for name, each in found.items()}
    holes = {name: {key: set(_HOLE.findall(each[key])) for key in keys[name]} for name, each in found.items()}

    assert set(found) == set(LANGUAGES)
    assert keys["en"] == keys["zh"]
    assert holes["en"] == holes["zh"]
    assert [key for each in found.values() for key, text in each.items() if not text.strip()] == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda each: str(each.relative_to(WEB / "templates")))
def test_every_text_that_a_template_asks_for_is_there(template: Path) -> None:
    known = texts(page_of(template))["en"]
    missing = [
        name
        for kind, name in calls_in(template)
        if (kind == "key" and name not in known)
        or (kind == "group" and not any(key.startswith(f"{name}.") for key in known))
    ]

    assert missing == []


@pytest.mark.parametrize("page", PAGES)
def test_every_text_is_used(page: str) -> None:
    templates = [each for each in TEMPLATES if page in (COMMON, page_of(each))]
    asked = [call for template in templates for call in calls_in(template)]
    keys = {name for kind, name in asked if kind == "key"}
    groups = tuple(f"{name}." for kind, name in asked if kind == "group")
    words = words_in_code()

    assert {
        key
        for key in (each.removesuffix(".one") for each in keys_of(page))
        if key not in keys and not key.startswith(groups) and key not in words and f"{page}.{key}" not in words
    } == set()


def test_every_error_and_every_page_of_the_navigation_has_its_words() -> None:
    assert {f"problem.{code}" for code in STATUSES} | {item.key for item in NAVIGATION} <= keys_of(COMMON)


@pytest.mark.parametrize(
    ("header", "cookie", "language"),
    [
        ("", "", "en"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "", "zh"),
        ("de,zh;q=0.5,en;q=0.4", "", "zh"),
        ("en-US,en;q=0.9,zh;q=0.8", "", "en"),
        ("fr", "", "en"),
        ("zh;q=0", "", "en"),
        ("zh;q=x,;;,,en;q=nan", "", "en"),
        ("en", "zh", "zh"),
        ("zh", "klingon", "zh"),
    ],
)
def test_the_language_is_the_chosen_one_else_the_one_liked_best(header: str, cookie: str, language: str) -> None:
    headers = [(b"accept-language", header.encode()), (b"cookie", f"notewell_language={cookie}".encode())]

    assert language_of(Request({"type": "http", "headers": headers})) == language


def test_a_text_escapes_what_it_is_filled_with() -> None:
    t = Translator("tokens", "en")

    assert t("revoke_title", hint="<b>\u202e") == Markup(
        'Revoke the token &lt;b&gt;<span class="mark" title="right-to-left override">U+202E</span>…?'
    )
    assert t("revoke_title", hint=Markup("<code>x</code>")) == Markup("Revoke the token <code>x</code>…?")
    assert t.of("scope", "<i>") == Markup("&lt;i&gt;")
    assert (t("images.away", count=1)[:9], t("images.away", count=1200)[:5]) == ("A picture", "1,200")
