"""``notewell note``: finding and reading; ``note_write.py`` adds the commands that change something."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from notewell.surfaces.cli import note_write, text
from notewell.surfaces.cli.session import call, call_in, open_memory
from notewell.surfaces.cli.streams import as_account, show, with_json

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group()
def note() -> None:
    """Add, find, read, edit, archive and delete notes.

    Every note has an id (nte_…), which search and list show and the other commands take.
    """


def _filters(command: Command) -> Command:
    """The options that search and list share."""
    options = (
        click.option(
            "--tag", "tags", multiple=True, help="Only notes with this tag; repeat it to ask for several at once."
        ),
        click.option(
            "--symbol", "symbols", multiple=True, help="Only notes with this market symbol, or any of several."
        ),
        click.option("--collection", metavar="NAME", help="Only notes in this collection."),
        click.option("--unfiled", is_flag=True, help="Only notes in no collection."),
        click.option("--status", metavar="active|archived|any", help="Default: any in search, active in list."),
        click.option(
            "--created-from", metavar="DATE", help="Made on this day (2026-12-01) or later; a time works too."
        ),
        click.option("--created-to", metavar="DATE", help="Made on this day or earlier."),
        click.option("--updated-from", metavar="DATE", help="Changed on this day or later."),
        click.option("--updated-to", metavar="DATE", help="Changed on this day or earlier."),
        click.option("--limit", type=int, help="How many notes on a page, 1 to 50 (default 10)."),
        click.option("--cursor", metavar="TEXT", help="The next page: what 'More:' said under the last one."),
    )
    for option in reversed(options):
        command = option(command)
    return command


_ARGUMENTS = {
    "created_from": "createdFrom",
    "created_to": "createdTo",
    "updated_from": "updatedFrom",
    "updated_to": "updatedTo",
}


def _search(options: dict[str, Any]) -> None:
    values = {_ARGUMENTS.get(name, name): value for name, value in options.items()}
    values["tags"] = list(options["tags"]) or None
    values["symbols"] = list(options["symbols"]) or None
    show(call("notesSearch", values), text.search_lines)


@note.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--match", metavar="best|all", help="all leaves out notes that hold only some of the words.")
@click.option("--mode", metavar="keyword|semantic|both", help="By words (default), by meaning, or both lists.")
@click.option("--sort", metavar="relevance|updated|created|title", help="Default: relevance.")
@_filters
@as_account
@with_json
def search(query: tuple[str, ...], **options: Any) -> None:
    """Find notes by words, in any language.

    Notes that hold every word come first; the others say which words they lack. Also: '"a phrase"', 'retr*' for a
    beginning, title:word, OR, and -word for notes without a word. Put -- before a query that begins with a hyphen.

    \b
    Examples:
      notewell note search rate cuts
      notewell note search '"soft landing" -recession' --tag macro
      notewell note search 降息 --symbol NVDA
      notewell note search -- -draft
    """
    _search({"query": " ".join(query), **options})


@note.command("list")
@click.option("--sort", metavar="updated|created|title", help="Default: updated, the newest change first.")
@_filters
@as_account
@with_json
def list_notes(**options: Any) -> None:
    """List notes, newest change first; archived ones only if asked for."""
    _search(options)


@note.command("show")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--from", "from_", type=int, metavar="N", help="Read on in one long note at this character.")
@click.option("--max-chars", type=int, metavar="N", help="How much text in all (default 40,000 characters).")
@click.option("--raw", is_flag=True, help="Print only the text of one note, byte for byte, for pipes and files.")
@as_account
@with_json
def show_notes(ids: tuple[str, ...], from_: int | None, max_chars: int | None, *, raw: bool) -> None:
    """Read up to five notes in full."""
    if raw:
        _print_raw(ids)
        return
    found = call("noteRead", {"ids": list(ids), "from": from_, "maxChars": max_chars})
    show(found, _read_lines)
    if found["notFound"]:
        click.get_current_context().exit(1)


def _read_lines(found: dict[str, Any]) -> Iterator[str]:
    for number, each in enumerate(found["notes"]):
        if number:
            yield "\n" + "─" * 40 + "\n"
        yield from text.note_lines(each)
    for missing in found["notFound"]:
        yield f"There is no note {missing}. Search for it by words; it may have been deleted."


def _print_raw(ids: tuple[str, ...]) -> None:
    if len(ids) != 1:
        raise click.UsageError("--raw prints one note; name one id.")
    with open_memory() as (app, actor):
        found = call_in(app, actor, "noteRead", {"ids": list(ids), "maxChars": 2**31 - 1})
    if found["notFound"]:
        click.echo(f"error: There is no note {ids[0]}.", err=True)
        click.get_current_context().exit(1)
    sys.stdout.buffer.write(found["notes"][0]["body"].encode())
    sys.stdout.buffer.flush()


for command in note_write.COMMANDS:
    note.add_command(command)
