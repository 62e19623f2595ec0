"""The pages of settings and of errors; what to do about an error, which the code cannot say, stands here."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
from reference_markup import page, rate, table

from notewell import config, errors
from notewell.domain.access import TOKEN_SCOPES
from notewell.domain.notes import MAX_BODY_BYTES
from notewell.surfaces.cli.main import cli
from notewell.surfaces.guard import MAX_REQUEST_BYTES
from notewell.surfaces.problems import STATUSES

ADVICE = {
    "invalid_argument": "Change the argument that `argument` names as the message says, and send it again.",
    "invalid_query": "Name a word with a letter or a digit, or leave the query out to list notes.",
    "invalid_symbol": "Write the symbol as the message shows; put anything that is no symbol into tags.",
    "unknown_collection": "Use one of `collections`, nearest first, or ask for a new one with `createCollection`.",
    "not_found": "Search by words; the id is wrong, the thing was deleted, or it may not be seen.",
    "forbidden": "Use a token with the scope in `scope`, or reach the server by a name that it knows.",
    "unauthenticated": "Send `Authorization: Bearer` with a live token; `notewell token create` makes one.",
    "version_conflict": "Read again, redo the change on what it says now, and send `currentVersion`.",
    "frozen": "Start a new attempt, and cite the earlier notes in `builds_on`.",
    "too_large": "Shorten what you send to the limit in the message, or split it.",
    "rate_limited": "Wait `retryAfterSeconds`, then go on more slowly.",
    "semantic_unavailable": "Search by words, with mode `keyword`; the message says what is missing.",
    "unavailable": "Nothing was changed: wait a little and send it again. If it stays, run `notewell doctor`.",
    "internal": "Nothing was changed. Report it with what the log of the server says.",
}
"""What somebody who meets an error does next."""


# Settings


def settings_page() -> str:
    """The environment variables, the options of the servers, and the limits."""
    lines = [
        "# Settings",
        "",
        "Notewell has no settings file. Every process reads these environment variables when it starts.",
        "",
        *table(["variable", "meaning"], [[f"`{name}`", text] for name, text in _variables()]),
        "",
        "The data folder holds one file, `notewell.db` (with `-wal` and `-shm` beside it while it is open), and the",
        "socket and lock of the embedder process while one runs.",
    ]
    for name in ("mcp", "serve", "worker"):
        lines += ["", f"## notewell {name}", "", *_options(name)]
    lines += [
        "",
        "## Limits",
        "",
        *table(["limit", "value"], _limit_rows()),
        "",
        "Those of a note's fields stand with the arguments in [tools.md](tools.md).",
    ]
    return page(lines)


def _variables() -> list[tuple[str, str]]:
    """The variables as the docstring of ``config`` explains them."""
    lines = (config.__doc__ or "").splitlines()
    found: list[tuple[str, str]] = []
    for line in lines:
        if match := re.fullmatch(r"(NOTEWELL_\w+)\s+(.*)", line):
            found.append((match[1], match[2].replace("``", "`")))
        elif found and line.startswith(" "):
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
    return found


def _options(name: str) -> Iterator[str]:
    command = cli.get_command(click.Context(cli), name)
    rows = [
        [f"`{' '.join(each.opts)}`", _option_type(each), _option_default(each), each.help or ""]
        for each in (command.params if command else ())
        if isinstance(each, click.Option)
    ]
    yield from table(["option", "value", "default", "meaning"], rows) if rows else ["No options."]


def _option_type(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return " · ".join(f"`{each}`" for each in option.type.choices)
    if isinstance(option.type, click.IntRange):
        return f"{option.type.min} to {option.type.max}"
    return option.metavar or "text"


def _option_default(option: click.Option) -> str:
    return f"`{option.default}`" if isinstance(option.default, str | int) and not option.is_flag else ""


def _limit_rows() -> list[list[str]]:
    return [
        ["a note's body", f"{MAX_BODY_BYTES:,} bytes of UTF-8"],
        ["a request", f"{MAX_REQUEST_BYTES:,} bytes"],
        ["requests of a token, or of an address without one", rate()],
        ["scopes of a token", ", ".join(f"`{scope}`" for scope in TOKEN_SCOPES)],
    ]


# Errors


def errors_page() -> str:
    """Every error code: its meaning, its HTTP status, what to do."""
    lines = [
        "# Errors",
        "",
        'An error is the same object on every surface, `{"error": {"code", "message", …}}`: as the text of a tool\'s',
        "result with `isError`, inside `application/problem+json` over HTTP, and on standard output with `--json`. The",
        "code is stable; the message says what was wrong, with the value, and what to do next.",
        "",
        *table(["code", "HTTP", "meaning", "what to do"], _error_rows()),
        "",
        "`version_conflict` is 412 where `If-Match` named the version. Codes whose request may be sent again as it is:",
        "`rate_limited` and `unavailable`, after a wait.",
    ]
    return page(lines)


def _error_rows() -> Iterator[list[str]]:
    meanings = {each.code: each.__doc__ or "" for each in _error_classes(errors.NotewellError) if "code" in vars(each)}
    for code, status in STATUSES.items():
        first = " ".join(meanings[code].split()).partition(". ")[0].rstrip(".").replace("``", "`") + "."
        yield [f"`{code}`", str(status), _readable(first), ADVICE[code]]


def _readable(docstring: str) -> str:
    """A docstring with ``details["x"]`` as the member that callers see."""
    return re.sub(r'`details\["(\w+)"\]`', r"`\1`", docstring).replace("`details` holds", "it comes with")


def _error_classes(root: type[errors.NotewellError]) -> Iterator[type[errors.NotewellError]]:
    for each in root.__subclasses__():
        if each.__module__ == errors.__name__:
            yield each
            yield from _error_classes(each)
