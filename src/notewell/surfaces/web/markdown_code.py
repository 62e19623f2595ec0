"""Code with colours, and formulas as MathML.

Both come from libraries that were not made for texts of strangers, so what they get is bounded, and what they cannot
take, or would draw as nothing, stands there as it was written.
"""

from __future__ import annotations

import time
from functools import lru_cache

import regex
from latex2mathml.converter import convert
from markupsafe import escape
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, _TokenType, is_token_subtype
from pygments.util import ClassNotFound

from notewell.surfaces.web.visible import has_hidden, visible_html

_COMMON_LANGUAGES = (
    "bash c c++ cpp cs csharp css diff go html java javascript js json jsx kotlin php py pycon python python3"
    " rb ruby rs rust sh shell sql swift toml ts typescript xml yaml yml zsh"
)
_OTHER_LANGUAGES = (
    "clojure docker dockerfile elixir erlang fsharp graphql haskell hs julia latex lean4 lua matlab nginx nix ocaml"
    " postgresql python3 scala scss tex vim zig"
)
MAX_CODE_CHARS = 8_000
"""Of one block that gets colours."""
MAX_COLOUR_SECONDS = 0.3
"""Of CPU, for one block."""
MAX_FORMULA_CHARS = 2_000
MAX_FORMULAS = 500
"""In one text."""
LANGUAGES = frozenset(f"{_COMMON_LANGUAGES} {_OTHER_LANGUAGES}".split())
"""Those with colours: a lexer is a heap of regular expressions, and not each of the five hundred is a good one."""
_KINDS: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "comment"),
    (String, "string"),
    (Number, "number"),
    (Keyword, "keyword"),
    (Operator.Word, "keyword"),
    (Name.Function, "name"),
    (Name.Class, "name"),
    (Name.Tag, "name"),
    (Name.Builtin, "name"),
    (Name.Decorator, "name"),
    (Generic.Inserted, "inserted"),
    (Generic.Deleted, "deleted"),
    (Generic.Heading, "keyword"),
    (Generic.Subheading, "keyword"),
)
# Commands that draw nothing, or something that hides what stands beside it.
_NOT_DRAWN = regex.compile(
    r"(?<!\\)%|\\(?:[hv]?phantom|(?:text|page|define|f|colour|color)*colou?r(?:box)?|style|class|cssId|href|url|[hm]?skip"
    r"|[hv]space|m?kern|[rlc]lap|math[rlc]lap|smash|label|tag|ref|operatorname|require|def|newcommand|tiny|scriptsize)(?![a-zA-Z])"
)


def code_html(code: str, info: str) -> str:
    """A block of code; ``info`` is what stands after its fence: the language, and whatever else."""
    language, _, rest = info.strip().partition(" ")
    lexer = _lexer(language.lower()) if len(code) <= MAX_CODE_CHARS else None
    inner = visible_html(code) if lexer is None else _coloured(lexer, code)
    # A known language shows by its colours; all else that stands there is read by an agent, too.
    shown = rest.strip() if lexer is not None else info.strip()
    head = f'<p class="code-info">{visible_html(shown)}</p>' if shown else ""
    return f'{head}<pre tabindex="0"><code>{inner}</code></pre>\n'


@lru_cache(maxsize=len(LANGUAGES))
def _known_lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _lexer(language: str) -> Lexer | None:
    return _known_lexer(language) if language in LANGUAGES else None


def _coloured(lexer: Lexer, code: str) -> str:
    end_seconds = time.thread_time() + MAX_COLOUR_SECONDS
    pieces = []
    for kind, value in lexer.get_tokens(code):
        if time.thread_time() > end_seconds:
            return visible_html(code)
        name = next((name for known, name in _KINDS if is_token_subtype(kind, known)), None)
        shown = visible_html(value)
        pieces.append(f'<span class="code-{name}">{shown}</span>' if name else shown)
    return "".join(pieces)


MATH = {
    "math_inline": ("span", "math", "$"),
    "math_inline_double": ("span", "math math-display", "$$"),
    "math_block": ("div", "math-block", "$$"),
}
"""By kind of formula: the element and the class that it is drawn in, and the signs around it."""


def math_html(source: str, kind: str, count: int) -> str:
    """A formula, the ``count``-th of its text; as it was written where it cannot be drawn whole."""
    text = source.strip()
    tag, name, mark = MATH[kind]
    is_inline = mark == "$"
    drawn = None
    if (
        len(text) <= MAX_FORMULA_CHARS
        and count <= MAX_FORMULAS
        and not _NOT_DRAWN.search(text)
        and not has_hidden(text)
    ):
        drawn = _mathml(text, "inline" if is_inline else "block")
    if drawn is None:
        return f'<{tag} class="{name}"><code>{visible_html(mark + text + mark)}</code></{tag}>'
    focus = "" if is_inline else ' tabindex="0"'
    return f'<{tag} class="{name}" title="{escape(text)}"{focus}>{drawn}</{tag}>'


def _mathml(text: str, display: str) -> str | None:
    try:
        return str(convert(text, display=display))
    except Exception:  # noqa: BLE001 - it fails in many ways on what is no formula; the formula is then shown as written
        return None
