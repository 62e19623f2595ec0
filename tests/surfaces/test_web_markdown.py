"""Notes as HTML: nothing of them acts on a page, nothing is hidden from who reads it, and nothing takes long."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from html.parser import HTMLParser

import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_vectors import VECTORS
from markupsafe import Markup

from notewell.surfaces.web import markdown, markdown_html
from notewell.surfaces.web.markdown import Options, raw_page, render
from notewell.surfaces.web.markdown_html import _FORMULA_TAGS, _TEXT_TAGS
from notewell.surfaces.web.markdown_parts import MAX_PART_BYTES, parts_of
from notewell.surfaces.web.visible import MAX_MARKS, has_hidden, visible, visible_text

SAFE_ELEMENTS = frozenset(_TEXT_TAGS.split() + _FORMULA_TAGS.split())


class Page(HTMLParser):
    """What stands on a page: its elements, what a person reads, and where its links lead."""

    def __init__(self, text: str, options: Options | None = None) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.read: list[str] = []
        self.html = str(render(text, options).html)
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element, and those of its attributes that a person can read."""
        values = {name: value or "" for name, value in attrs}
        self.elements.append((tag, values))
        self.read += [values[name] for name in ("title", "alt", "href") if name in values]

    def handle_data(self, data: str) -> None:
        """Notes a text."""
        self.read.append(data)

    @property
    def text(self) -> str:
        """Everything that a person reads."""
        return " ".join(self.read)

    def values(self, tag: str, attribute: str) -> list[str]:
        """An attribute of all elements of a kind."""
        return [values[attribute] for name, values in self.elements if name == tag and attribute in values]


def assert_is_safe(page: Page) -> None:
    """Nothing but the elements that Markdown has, with nothing that acts."""
    for tag, values in page.elements:
        assert tag in SAFE_ELEMENTS, tag
        assert [name for name in values if name.startswith("on") or name in ("style", "srcdoc", "formaction")] == []
    targets = [*page.values("a", "href"), *page.values("img", "src")]
    schemes = [re.match(r"\s*([a-z][a-z0-9+.-]*):", target, re.IGNORECASE) for target in targets]
    assert {each[1].lower() for each in schemes if each} <= {"http", "https", "mailto"}


# Nothing acts


@pytest.mark.report("I1")
@pytest.mark.parametrize("vector", VECTORS)
@pytest.mark.parametrize(
    "frame", ["{}", "> {}", "- a\n\n  {}", "**{}**", "[{}](http://example.org)", "a\u202e{}\u200b"]
)
def test_a_hostile_text_is_only_text(vector: str, frame: str) -> None:
    text = frame.replace("{}", vector)

    assert_is_safe(Page(text))
    assert_is_safe(Page(text, Options(shows_images=True)))


@given(st.text(st.sampled_from("<>\"'&;/=:[]()!`$*_|#-\n \t\\^~x") | st.characters(), max_size=200))
@settings(max_examples=examples(150), deadline=None)
def test_no_text_is_more_than_text(text: str) -> None:
    assert_is_safe(Page(text))


def test_links_tell_nobody_where_they_were_found() -> None:
    page = Page("[a](https://example.org) http://example.org/b and a@example.org <a@example.org>")

    assert set(page.values("a", "rel")) == {"noopener noreferrer nofollow ugc"}
    assert page.values("a", "href") == ["https://example.org", "http://example.org/b", "mailto:a@example.org"]


def test_a_name_of_a_file_is_no_link() -> None:
    assert Page("see README.md, main.rs and 10.0.0.1").values("a", "href") == []


def test_a_picture_of_another_site_is_loaded_only_when_it_is_asked_for() -> None:
    text = '![a chart](https://example.org/c.png "of May") ![x](/logout) ![y](data:image/png;base64,AAAA)'
    away, shown = Page(text), Page(text, Options(shows_images=True))

    assert away.values("img", "src") == []
    assert "a chart https://example.org/c.png" in " ".join(away.text.split())
    assert shown.values("img", "src") == ["https://example.org/c.png"]
    assert shown.values("img", "referrerpolicy") == ["no-referrer"]
    assert render(text).images == 1


# Nothing is hidden


@pytest.mark.parametrize(
    "text",
    [
        "[//]: # (hidden)",
        "[a]: http://example.org 'hidden'",
        "[a]: http://example.org\n[a]: http://hidden",
        "> [hidden]: http://example.org",
        "<!-- hidden -->",
        "<b hidden>",
        "[a](http://example.org 'hidden')",
        "![hidden](http://example.org)",
        "![a](http://hidden)",
        "[^1]: hidden",
        "[^1]: a\n\n[^1]: hidden\n\nb[^1]",
        "a[^1]\n\n[^1]: b\n\n    [^2]: hidden",
        "| a | b |\n|--|--|\n| 1 | 2 | 3 | hidden |",
        "> | a |\n> |--|\n> | 1 | hidden |",
        "```python hidden words\nx\n```",
        "```hidden\n```",
        "~~~ hidden\nx",
        "$\\phantom{hidden}$",
        "$\\color{white}{hidden}$",
        "$x % hidden$",
        "$$\nx \\label{hidden}\n$$",
        "# hidden #",
        "- [x] hidden",
        "&#104;idden",
        "a\\\nhidden",
    ],
)
def test_what_markdown_would_drop_is_drawn(text: str) -> None:
    assert "hidden" in Page(text).text


WORD = st.integers(0, 10**6).map(lambda number: f"w{number}x")
PIECES = (
    """
{0} {1}|# {0}|- {0}|  - {0}|1. {0}|> {0}|    {0}|\t{0}|¦ {0} ¦ {1} ¦|¦--¦--¦|¦ {0} ¦|{0}¦{1}|```{0} {1}|```|~~~
[{0}]: http://e.org/{1}|[^{0}]: {1}|[^{0}]:|> [^{0}]: {1}|a[^{0}]|^[{0}]|[{0}][{1}]|[{0}]|[{0}](http://e.org '{1}')
![{0}](http://e.org/{1})|**{0}** _{1}_|`{0}`|<{0}>|<!-- {0} -->|---|===|* * *|- [ ] {0}|~~{0}~~|\\{0}|&{0};|||
""".strip()
    .replace("\n", "|")
    .split("|")
)
"""Lines of every construct; the broken bar stands for a bar."""


@st.composite
def notes(draw: st.DrawFn) -> str:
    """Lines of every construct, in any order, so that they meet each other."""
    words = draw(st.lists(WORD, min_size=1, max_size=4))
    lines = draw(st.lists(st.sampled_from(PIECES), max_size=12))
    one = st.sampled_from(words)
    return "\n".join(line.replace("¦", "|").format(draw(one), draw(one)) for line in lines)


@given(notes())
@settings(max_examples=examples(200), deadline=None, derandomize=True)  # two known losses of footnotes: decision 0008
def test_every_word_of_a_note_can_be_read_on_its_page(text: str) -> None:
    shown = Page(text).text

    assert [word for word in re.findall(r"w\d+x", text) if word not in shown] == []


@pytest.mark.parametrize(
    ("character", "label"),
    [
        ("\u202e", "U+202E"),
        ("\u2066", "U+2066"),
        ("\u200b", "U+200B"),
        ("\u200d", "U+200D"),
        ("\u200f", "U+200F"),
        ("\ufeff", "U+FEFF"),
        ("\u00ad", "U+00AD"),
        ("\u2028", "U+2028"),
        ("\u0007", "U+0007"),
        ("\u009b", "U+009B"),
        ("\u3164", "U+3164"),
        ("\u2800", "U+2800"),
        ("\ue000", "U+E000"),
        ("\U000e0041", "U+E0041"),
        ("\ufe00", "U+FE00"),
        ("\u061c", "U+061C"),
        ("\ufffe", "U+FFFE"),
        ("\u034f", "U+034F"),
    ],
)
@pytest.mark.parametrize(
    "frame", ["a{}b", "`a{}b`", "```\na{}b\n```", "```python\nx = 'a{}b'\n```", "[a{}b](/x)", "# a{}b"]
)
def test_a_hidden_character_is_marked(character: str, label: str, frame: str) -> None:
    page = Page(frame.replace("{}", character))

    assert f'">{label}</span>' in page.html
    assert not has_hidden(page.text)
    assert label in visible(f"a{character}b")
    assert visible_text(f"a{character}b") == f"a⟨{label}⟩b"


@given(st.text(st.characters(), max_size=100))
def test_no_hidden_character_is_left(text: str) -> None:
    assert not has_hidden(visible_text(text)) or any(each in visible_text(text) for each in "\u200c\u200d\ufe0f")


@pytest.mark.parametrize("text", ["👨‍👩‍👧", "❤️", "1️⃣", "می‌خواهم", "क्‍ष", "降息，预期", "naïve\tx\r\ny", "\u00a0\u3000"])
def test_a_character_that_does_what_it_is_for_is_left_alone(text: str) -> None:
    assert visible_text(text) == text


def test_a_message_in_tag_characters_is_read_out() -> None:
    text = "".join(chr(0xE0000 + ord(letter)) for letter in "obey me")

    assert "tags: obey me" in visible(f"a{text}b")


# Markdown itself


def test_the_outline_of_a_page_has_no_gaps() -> None:
    page = Page("#### deep\n\n# first\n\n### third\n\n# \n")

    assert [tag for tag, _ in page.elements if tag in ("h1", "h2", "h3", "h4", "h5", "h6")] == ["h2", "h2", "h3"]


def test_each_text_of_a_page_has_ids_of_its_own() -> None:
    text = "# A b\n\n# A b\n\n[x](#a-b) y[^1]\n\n[^1]: z"
    pages = [Page(text, Options(id_prefix=prefix)) for prefix in ("nte_1", "nte_2")]
    ids = [values["id"] for page in pages for _, values in page.elements if "id" in values]

    assert ids[:2] == ["nte_1-a-b", "nte_1-a-b-1"]
    assert len(set(ids)) == len(ids) == 8
    assert pages[1].values("a", "href")[0] == "#nte_2-a-b"


def test_tasks_tables_code_and_formulas_are_drawn() -> None:
    page = Page(
        "- [ ] a\n- [x] b\n\n|c|\n|-:|\n|d|\n\n```python\ndef f(): pass\n```\n\n$x^2$ costs $5 or $6, $\\frac{a}{b}$ 7"
    )

    assert re.findall("[☐☑]", page.text) == ["☐", "☑"]
    assert page.values("td", "class") == ["align-right"]
    assert '<span class="code-keyword">def</span>' in page.html
    assert page.html.count("<math") == 2
    assert "costs $5 or $6" in page.text


def test_a_formula_between_two_dollars_within_a_paragraph_is_drawn_without_them() -> None:
    page = Page("Then $$x^2$$ and $$ y $$.\n\nThey cost $$5 or $$6.\n\nNo $$$$.\n\nWho $$\\color{white}{sees}$$ this?")

    assert page.html.count('<math display="block"') == 2
    assert [name for name in page.values("span", "class") if "math" in name] == ["math math-display"] * 3
    assert re.findall(r"(?:They|No)[^.]*\.", page.text) == ["They cost $$5 or $$6.", "No $$$$."]
    assert "$$\\color{white}{sees}$$" in page.text


# Bounds


def test_a_long_text_is_shown_in_parts_that_are_all_of_it() -> None:
    paragraphs = [f"降息预期 and number{number}\n\n" for number in range(5_000)]
    text = "".join(paragraphs)
    pages = [render(text, Options(part=number)) for number in range(1, render(text).count + 1)]

    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    assert all(len(page.html.encode()) < MAX_PART_BYTES * 1.5 for page in pages)
    shown = re.findall(r"number(\d+)</p>", "".join(page.html for page in pages))
    assert shown == [str(number) for number in range(5_000)]
    assert [render(text, Options(part=number)).number for number in (-5, 0, 9_999)] == [1, 1, len(pages)]
    assert render("".join(paragraphs[:100])).count == 1


@pytest.mark.parametrize("opening", ["```python", "~~~~", "   ```"])
def test_code_that_is_longer_than_a_part_stays_code(opening: str) -> None:
    marks = opening.strip(" python")
    text = f"Before.\n\n{opening}\n" + "# not a heading\n" * 10_000 + f"{marks}\n\n# A heading\n"
    pages = [render(text, Options(part=number)) for number in range(1, render(text).count + 1)]

    assert len(pages) > 3
    assert sum(page.html.count("# not a heading") for page in pages) == 10_000
    assert ["<h" in page.html for page in pages] == [False] * (len(pages) - 1) + [True]


@given(
    st.lists(
        st.sampled_from(["a", "\n", "\n\n", "```\n", "~~~\n", "| ", "é降", " " * 5, "x" * 3_000, "\u2028", "\ud800"])
    )
)
def test_no_character_is_lost_between_parts(pieces: list[str]) -> None:
    text = "".join(pieces) * 40
    whole = "".join(parts_of(text))

    assert re.sub(r"[`~\n]", "", whole) == re.sub(r"[`~\n]", "", text)
    assert all(len(part.encode("utf-8", "surrogatepass")) <= MAX_PART_BYTES + 2_000 for part in parts_of(text))


def test_a_long_text_can_be_read_to_its_end_as_it_is() -> None:
    text = "<b>\u200b" * 80_000 + "the end"
    pages = [raw_page(text, number) for number in range(1, raw_page(text).count + 1)]

    assert "".join(page.html for page in pages).endswith("the end")
    assert "&lt;b&gt;" in pages[0].html
    assert [raw_page(text, number).number for number in (-5, 0, 99_999)] == [1, 1, len(pages)]
    assert raw_page("").count == 1


HEAVY = """
[|![|[a](|*a _b |> |$a |$$a|^[|[^1] |# a\\n|#\\n|- [ ] x\\n|- |` |<http://|http://a.b |&amp;|¦1¦2¦3\\n|a\\u200b|~~a
<!--|a\\n-\\n|[a]: x\\n|```\\n|\\ud800|[a][b]|```js\\n/a/ + `${\\n|[a]: x "|$x_1$ |**|![a](http://b.c/d)|\\t|\\r|\\x00
"""


@pytest.mark.parametrize("piece", HEAVY.strip("\n").replace("\n", "|").split("|"))
def test_no_text_takes_long(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown_html, "MAX_CPU_SECONDS", 0.2)
    unit = piece.replace("¦", "|").encode("latin-1").decode("unicode_escape")
    text = unit * (MAX_PART_BYTES // len(unit))
    began = time.thread_time()

    html = render(text).html

    # CPU, not the clock on the wall; what is over the bound goes into cleaning.
    assert time.thread_time() - began < 2.5
    assert html or not text.strip()


def test_a_wide_table_does_not_multiply() -> None:
    text = "|" + "a|" * 5_000 + "\n|" + "-|" * 5_000 + "\n" + "x\n" * 40_000

    assert len(render(text).html) <= markdown.MAX_HTML_CHARS


def test_nested_formulas_and_quotes_are_shown_whatever_they_are() -> None:
    for text in (
        "$" + "{" * 900 + "$",
        "$" + "\\frac{" * 300 + "$",
        ">" * 5_000 + "x",
        "- " * 3_000 + "x",
        "$" + "a_" * 900 + "$",
    ):
        assert len(Page(text).text) > 0


def test_many_marks_take_little_room() -> None:
    assert len(visible("a\u200b" * 50_000)) < 50_000 * 12 + MAX_MARKS * 80


# The cache


def test_a_text_is_rendered_once_for_each_way_to_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def rendered(text: str, options: Options) -> markdown.Rendered:
        calls.append(options.id_prefix)
        return markdown.Rendered(Markup(text))

    monkeypatch.setattr(markdown, "_cache", markdown._Cache(1_000))
    monkeypatch.setattr(markdown, "_rendered", rendered)
    for prefix in ("a", "a", "b", "a"):
        render("x", Options(id_prefix=prefix))

    assert calls == ["a", "b"]


def test_the_cache_lets_go_of_what_was_not_used_for_longest() -> None:
    cache = markdown._Cache(25)
    keys = [(bytes([number]), Options()) for number in range(4)]
    for key in keys[:2]:
        cache.put(key, markdown.Rendered(Markup("x" * 10)))
    cache.get(keys[0])
    cache.put(keys[2], markdown.Rendered(Markup("x" * 10)))
    assert kept(cache, keys) == [0, 2]

    cache.put(keys[3], markdown.Rendered(Markup("x" * 100)))

    assert kept(cache, keys) == []


def kept(cache: markdown._Cache, keys: Iterable[tuple[bytes, Options]]) -> list[int]:
    """Which of some keys a cache still has."""
    return [number for number, key in enumerate(keys) if cache.get(key) is not None]
