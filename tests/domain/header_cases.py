"""Header blocks of the kinds that broke other parsers, in our own words, each with what Notewell makes of it.

One row is one kind of difficulty met in public Markdown files. A row that expects no header expects the whole text as
body.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from notewell.domain.header import ParsedHeader

HEADER = ParsedHeader(None, None, (), (), None, (), True, "Body.\n")
"""What a header without any value reads as; rows replace what they differ in."""


@dataclass(frozen=True, slots=True)
class HeaderCase:
    name: str
    text: str
    expected: ParsedHeader | None
    """None where there is no header."""


def _block(lines: str) -> str:
    return f"---\n{lines}\n---\nBody.\n"


def _found(name: str, lines: str, expected: ParsedHeader) -> HeaderCase:
    return HeaderCase(name, _block(lines), expected)


def _body(name: str, lines: str) -> HeaderCase:
    return HeaderCase(name, _block(lines), None)


FENCES = (
    HeaderCase(
        "byte-order mark, CRLF and tabs",
        '\ufeff---\r\ntitle: "ratio: 3 # of 4"\r\ntags:\r\n\t- fan-out\r\n\t- retry\r\n---\r\n\r\nBody.\r\n',
        replace(HEADER, title="ratio: 3 # of 4", tags=("fan-out", "retry"), body="\r\nBody.\r\n"),
    ),
    HeaderCase(
        "blanks and tabs behind both fences",
        "---  \ntitle: Cold start\n---\t \nBody.\n",
        replace(HEADER, title="Cold start"),
    ),
    HeaderCase("closing fence at the end of the text", "---\nkind: plan\n---", replace(HEADER, kind="plan", body="")),
    HeaderCase(
        "a second block below the first is body",
        "---\nkind: plan\n---\n---\ntitle: Not this\n---\n",
        replace(HEADER, kind="plan", body="---\ntitle: Not this\n---\n"),
    ),
    HeaderCase("UTF-16 misread one byte a character", "ÿþ-\0-\0-\0\n\0t\0i\0t\0l\0e\0:\0 \0x\0\n\0-\0-\0-\0", None),
    HeaderCase("closed by dots", "---\ntitle: Ends in dots\n...\n\nBody.\n", None),
    HeaderCase("dots first, dashes later", "---\ntitle: Ends in dots\n...\nBody.\n\n---\n", None),
    HeaderCase("four dashes", "----\ntitle: Four\n----\nBody.\n", None),
    HeaderCase("plus signs (TOML)", '+++\ntitle = "Plus"\n+++\nBody.\n', None),
    HeaderCase("semicolons (JSON)", ';;;\n{"title": "Semicolons"}\n;;;\nBody.\n', None),
    HeaderCase("a language behind the fence", '---json\n{"title": "Named"}\n---\nBody.\n', None),
    HeaderCase("a language, and keys", "---yaml\ntitle: Named\n---\nBody.\n", None),
    HeaderCase("four dashes above, three below", "----\ntitle: Four\n---\nBody.\n", None),
    HeaderCase("an indented opening fence", " ---\ntitle: Indented\n---\nBody.\n", None),
    HeaderCase("an empty line before the opening fence", "\n---\ntitle: Late\n---\nBody.\n", None),
    HeaderCase("two byte-order marks", "\ufeff\ufeff---\ntitle: Twice\n---\nBody.\n", None),
    HeaderCase("nothing between the fences", "---\n---\nBody.\n", None),
    HeaderCase("never closed", "---\ntitle: Open\n\nBody.\n", None),
    HeaderCase("a horizontal rule, prose, another rule", "---\n\nWe tried: three times.\n\n---\n\nMore.\n", None),
    HeaderCase("the fence alone", "---", None),
    HeaderCase("an empty text", "", None),
)

LINES = (
    _body("JSON between the fences", '{\n  "title": "Braces",\n  "kind": "plan"\n}'),
    _body("JavaScript between the fences", "function title(x) {\n  return x;\n}"),
    _body("comments only", "# title: nothing is set here"),
    _body("keys of other products only", "name: pdf-forms\ndescription: Fills in forms."),
    _body("nested map", "title: Deploy\non:\n  schedule: weekly"),
    _body("list of maps", "title: Team\nauthors:\n  - name: Ana\n    mail: ana@example.org"),
    _body("list over several lines", "tags: [\n  sat,\n  cdcl\n]"),
    _body("dashes inside a block scalar", "title: Runbook\nsummary: |\n  first\n  ---\n  last"),
    _body("folded scalar", "model: opus-5\ndescription: >-\n  Use when the\n  queue stalls."),
    _body(
        "long value that goes on below", "title: Queues\nabout: Ask for help. Examples:\n\n<example>\nhi\n</example>"
    ),
    _body("merge key", "title: Base\n<<: *defaults"),
    _body("quoted key", '"title": Quoted'),
    _body("blank inside a key", "title: Trip\ncreation date: 2026-05-25"),
    _body("blank before the colon, as French prose has it", "title : Attention"),
    _body("no blank after the colon", "title: Links\nhttps://example.org/a"),
    _body("full-width colon", "title：降息"),
    _body("zero-width space in a key", "ti\u200btle: Hidden"),
    _body("item before any key", "- sat\ntags:\n- cdcl"),
    _body("dash without a blank", "tags:\n-sat"),
    _body("indented closing fence", "title: Open\n ---"),
    _found(
        "blank lines and a comment first",
        "# Settings of this note\n\n \t\ntitle: Quiet\n",
        replace(HEADER, title="Quiet", extra=("# Settings of this note",)),
    ),
    _found(
        "indented comments, a comment between items",
        "tags:\n  # the solvers\n  - sat\n#the rest\n  - cdcl",
        replace(HEADER, tags=("sat", "cdcl"), extra=("  # the solvers", "#the rest")),
    ),
    _found(
        "keys in other scripts",
        "title: 降息预期\n标签: 宏观\ngröße: 3\nключ: да",
        replace(HEADER, title="降息预期", extra=("标签: 宏观", "größe: 3", "ключ: да")),
    ),
    _found("ideographic space", "title:　降息　", replace(HEADER, title="降息")),
    _found("keys in capitals", "TITLE: Loud\nBuilds_On: []\nKIND: plan", replace(HEADER, title="Loud", kind="plan")),
    _found(
        "the Kelvin sign is no k",
        "title: Units\n\u212aind: plan",
        replace(HEADER, title="Units", extra=("\u212aind: plan",)),
    ),
    _found(
        "only LF and CRLF end a line", "title: a\u2028b\x85c\x0bd\re", replace(HEADER, title="a\u2028b\x85c\x0bd\re")
    ),
    _found(
        "unknown key with items, in place",
        "aliases:\n  - Old name\nkind: plan\npaths:\n- '**/docs/**' # globs\ntitle: Paths",
        replace(
            HEADER,
            title="Paths",
            kind="plan",
            extra=("aliases:", "  - Old name", "paths:", "- '**/docs/**' # globs"),
        ),
    ),
    _found(
        "duplicate keys",
        "title: First\nmodified: 2026-05-09\ntags: [sat]\ntitle: Second\nmodified: 2026-06-18\ntags: [cdcl, sat]",
        replace(
            HEADER,
            title="First",
            tags=("sat", "cdcl"),
            extra=("modified: 2026-05-09", "title: Second", "modified: 2026-06-18"),
        ),
    ),
    _found(
        "anchors and aliases are text",
        "a: &a [x, x, x]\nb: &b [*a, *a, *a]\ntags: [*b, *b]",
        replace(HEADER, tags=("b",), extra=("a: &a [x, x, x]", "b: &b [*a, *a, *a]", "*b")),
    ),
    _found(
        "type tags are text",
        "run: !!python/object/apply:os.system ['true']\nmodel: !custom opus",
        replace(HEADER, model="!custom opus", extra=("run: !!python/object/apply:os.system ['true']",)),
    ),
    _found(
        "an asterisk alone",
        "tools: *\nmodel: inherit",
        replace(HEADER, model="inherit", extra=("tools: *",)),
    ),
)

VALUES = (
    _found(
        "template in braces", 'title: {{ replace .Name "-" " " }}', replace(HEADER, title='{{ replace .Name "-" " " }}')
    ),
    _found(
        "unquoted colons",
        "title: Use when: the queue is full: x",
        replace(HEADER, title="Use when: the queue is full: x"),
    ),
    _found("placeholder in brackets", "title: [Name] - Manual", replace(HEADER, title="[Name] - Manual")),
    _found("a title all in brackets", "title: [draft, v2]", replace(HEADER, title="[draft, v2]")),
    _found(
        "two bracketed arguments",
        "argument-hint: [name] [--story]\ntags: [name] [--story]",
        replace(HEADER, tags=("name---story",), extra=("argument-hint: [name] [--story]", "[name] [--story]")),
    ),
    _found("smart quotes", "title: “Fast” isn’t", replace(HEADER, title="“Fast” isn’t")),
    _found(
        "hash in quotes", "title: 'PR #12: done' # merged", replace(HEADER, title="PR #12: done", extra=("# merged",))
    ),
    _found("hash without a blank", "title: C#8 notes", replace(HEADER, title="C#8 notes")),
    _found("value that is a comment", "title: #1 of many", replace(HEADER, extra=("#1 of many",))),
    _found(
        "comment behind an unknown key",
        "kind: plan\nexpires: 2027-01-16 # was 2025",
        replace(HEADER, kind="plan", extra=("expires: 2027-01-16 # was 2025",)),
    ),
    _found("tags with a hash", "tags: [#sat, #cdcl]", replace(HEADER, tags=("sat", "cdcl"), extra=("#sat", "#cdcl"))),
    _found("tags with a path", "tags:\n  - solver/sat", replace(HEADER, tags=("solversat",), extra=("solver/sat",))),
    _found(
        "one string of tags with commas", "tags: sat, cdcl", replace(HEADER, tags=("sat-cdcl",), extra=("sat, cdcl",))
    ),
    _found("one string of tags with blanks", "tags: a plain string", replace(HEADER, tags=("a-plain-string",))),
    _found("empty list, empty value", "tags: []\ntitle:\nbuilds_on: [ , ]\nmodel: ''", HEADER),
    _found(
        "wikilinks",
        'tags: [[Solvers]]\nlinks: "[[Solvers#SAT]]"',
        replace(HEADER, tags=("solvers",), extra=("[[Solvers]]", 'links: "[[Solvers#SAT]]"')),
    ),
    _found(
        "emoji", "title: 🔴 Critical\ntags: [🎉, go]", replace(HEADER, title="🔴 Critical", tags=("go",), extra=("🎉",))
    ),
    _found(
        "values that YAML would retype",
        "tags: [on, NO, 0700, 000001, 1.10, 2026-01-02, 1_000, null, 0x1F]\nmodel: yes\ntitle: 1e3\nkind: NO",
        replace(
            HEADER,
            title="1e3",
            kind="no",
            tags=("on", "no", "0700", "000001", "1.10", "2026-01-02", "1_000", "null", "0x1f"),
            model="yes",
        ),
    ),
    _found(
        "keys that YAML would retype",
        "on: push\nno: 1\nmodel: x",
        replace(HEADER, model="x", extra=("on: push", "no: 1")),
    ),
    _found(
        "commas in quotes", "tags: ['a, b', \"c, d\"]", replace(HEADER, tags=("a-b", "c-d"), extra=("'a, b'", '"c, d"'))
    ),
    _found("brackets in quotes", 'tags: ["[x]", y] # z', replace(HEADER, tags=("x", "y"), extra=('"[x]"', "# z"))),
    _found(
        "escapes",
        "title: 'it''s \\n'\nmodel: \"a \\\"b\\\" \\\\ C:\\x\"",
        replace(HEADER, title=r"it's \n", model=r'a "b" \ C:\x'),
    ),
    _found("quote never closed", 'title: "open # end', replace(HEADER, title='"open', extra=("# end",))),
    _found("hash right behind a quote", "title: 'a'# b", replace(HEADER, title="'a'# b")),
    _found("text behind a quote", "title: 'a' or 'b'", replace(HEADER, title="'a' or 'b'")),
    _found("apostrophes in a list", "tags: [don't, 'x]", replace(HEADER, tags=("dont", "x"), extra=("don't", "'x"))),
    _found(
        "bracket never closed",
        "tags: [sat, cdcl # two",
        replace(HEADER, tags=("sat-cdcl",), extra=("[sat, cdcl", "# two")),
    ),
    _found("list in a list", "tags: [a, [b]]", replace(HEADER, tags=("a-b",), extra=("[a, [b]]",))),
    _found(
        "control characters", "title: a\0b\ntags: [x\0y]", replace(HEADER, title="a\0b", tags=("xy",), extra=("x\0y",))
    ),
    _found("lone surrogate", "title: \ud800\ntags: [\udfff]", replace(HEADER, title="\ud800", extra=("\udfff",))),
)

CASES = FENCES + LINES + VALUES
