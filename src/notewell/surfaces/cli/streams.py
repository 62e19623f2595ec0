"""What goes in and out of a command: UTF-8 whatever the locale, texts byte for byte, JSON for programs.

It must stay light: the path of ``notewell --version`` imports it.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from notewell.errors import InvalidArgument

Command = TypeVar("Command", bound=Callable[..., Any])

_JSON = "wants_json"
_HANDLE = "acting_handle"


def speak_utf8() -> None:
    """Makes the standard streams UTF-8, and text that cannot be encoded visible instead of an error."""
    for stream in (sys.stdout, sys.stderr, sys.stdin):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace" if stream is not sys.stdin else "strict")


def _remember(name: str) -> Callable[[click.Context, click.Parameter, object], None]:
    def keep(ctx: click.Context, _option: click.Parameter, value: object) -> None:
        ctx.meta[name] = value

    return keep


def camel(report: dict[str, Any]) -> dict[str, Any]:
    """A report with its names as JSON has them: ``notes_made`` is ``notesMade``."""

    def name(snake: str) -> str:
        first, *rest = snake.split("_")
        return first + "".join(part.capitalize() for part in rest)

    return {name(key): value for key, value in report.items()}


def with_json(command: Command) -> Command:
    """Gives a command ``--json``, which ``is_json`` tells."""
    return click.option(
        "--json",
        _JSON,
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_remember(_JSON),
        help="Print one JSON object, for programs.",
    )(command)


def as_account(command: Command) -> Command:
    """Gives a command ``--as``, which ``handle`` tells."""
    return click.option(
        "--as",
        _HANDLE,
        metavar="HANDLE",
        expose_value=False,
        callback=_remember(_HANDLE),
        help="Act as another account of this machine.",
    )(command)


def is_json() -> bool:
    """Whether the command that runs was called with ``--json``."""
    ctx = click.get_current_context(silent=True)
    return bool(ctx and ctx.meta.get(_JSON))


def handle() -> str | None:
    """The account that the command that runs is to act as; None for the usual one."""
    ctx = click.get_current_context(silent=True)
    return ctx.meta.get(_HANDLE) if ctx else None


def print_json(value: object, *, err: bool = False) -> None:
    """Prints one line of JSON, every script as it is."""
    import json  # noqa: PLC0415 - not on the path of --version

    click.echo(json.dumps(value, ensure_ascii=False, separators=(",", ":")), err=err)


def show(value: dict[str, Any], lines: Callable[[dict[str, Any]], Iterable[str]]) -> None:
    """Prints a result: as JSON where that is asked for, else as lines for people."""
    if is_json():
        print_json(value)
    else:
        for line in lines(value):
            click.echo(line)


def read_text(given: str | None, file: str | None, option: str) -> str | None:
    """The text of ``--body TEXT``, ``--body -`` (standard input) or ``--body-file FILE``, byte for byte."""
    if given is not None and file is not None:
        raise click.UsageError(f"{option} and {option}-file exclude each other.")
    if file is not None:
        return _decoded(_file_bytes(file), file)
    if given == "-":
        return _decoded(sys.stdin.buffer.read(), "standard input")
    return given


def _file_bytes(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        raise unreadable(name, error) from None


def unreadable(name: str, error: OSError) -> InvalidArgument:
    """The error for a file that cannot be read."""
    return InvalidArgument(f"{name} cannot be read ({error.strerror}). Name a file that is there.", argument="file")


def _decoded(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidArgument(
            f"{name} is no UTF-8 text (byte {error.start + 1}). Convert it first: iconv -t UTF-8.", argument="body"
        ) from None


def confirm(question: str, *, is_sure: bool) -> None:
    """Asks before something that cannot be undone; raises ``invalid_argument`` where nobody says yes."""
    if is_sure:
        return
    try:
        is_sure = click.confirm(question, err=True)
    except click.Abort:
        click.echo(err=True)
    if not is_sure:
        raise InvalidArgument("Nothing was deleted: it was not confirmed. Answer y, or pass --yes.", argument="yes")
