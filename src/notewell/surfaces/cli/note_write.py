"""``notewell note``: the commands that change something, and a note's history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from notewell.surfaces.cli import text
from notewell.surfaces.cli.session import call, call_in, open_memory
from notewell.surfaces.cli.streams import as_account, confirm, read_text, show, with_json

Command = TypeVar("Command", bound=Callable[..., Any])


def _options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


_filing = _options(
    click.option("--collection", metavar="NAME", help="File it in this collection."),
    click.option(
        "--create-collection", "createCollection", is_flag=True, help="Make the collection if it is not there."
    ),
)


@click.command()
@click.argument("title")
@click.option("--body", metavar="TEXT", help="The text of the note; '-' reads it from standard input, byte for byte.")
@click.option("--body-file", metavar="FILE", help="Read the text from a file, byte for byte.")
@click.option("--summary", metavar="TEXT", help="One or two sentences that searches show instead of the text.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A short label; repeat it for several.")
@click.option("--symbol", "symbols", multiple=True, metavar="SYMBOL", help="A market symbol: NVDA, 0700.HK, 000834.")
@_filing
@click.option("--source", metavar="TEXT", help="Which conversation or document it comes from.")
@click.option(
    "--idempotency-key", "idempotencyKey", metavar="KEY", help="Called twice with one key, it makes one note."
)
@as_account
@with_json
def add(title: str, body: str | None, body_file: str | None, **options: Any) -> None:
    """Save a new note.

    \b
    Examples:
      notewell note add "Fed outlook" --body "Cuts are priced in." --summary "What the market expects." --tag macro
      notewell note add "Meeting" --body-file notes.md --collection Work --create-collection
      pbpaste | notewell note add "From the clipboard" --body -
    """
    content = read_text(body, body_file, "--body")
    if content is None:
        raise click.UsageError("Give the text of the note: --body TEXT, --body - (standard input) or --body-file FILE.")
    made = call("noteCreate", {"title": title, "body": content, **_given(options)})
    show(made, lambda note: text.saved_lines("Already there:" if note["repeated"] else "Saved", note))


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given: lists as lists, flags only where set."""
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
    return {name: value for name, value in values.items() if value is not None and value is not False and value != []}


@click.command()
@click.argument("note_id", metavar="ID")
@click.option("--title", metavar="TEXT", help="A new title.")
@click.option("--summary", metavar="TEXT", help="A new summary.")
@click.option("--body", metavar="TEXT", help="A whole new text ('-': standard input); needs --if-version.")
@click.option("--body-file", metavar="FILE", help="The whole new text from a file; needs --if-version.")
@click.option("--append", metavar="TEXT", help="Add this at the end, on a line of its own ('-': standard input).")
@click.option("--append-file", metavar="FILE", help="Add what a file holds at the end.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="All its tags, in place of the present ones.")
@click.option("--no-tags", is_flag=True, help="Take all tags off.")
@click.option("--add-tag", "addTags", multiple=True, metavar="TAG", help="Add a tag.")
@click.option("--remove-tag", "removeTags", multiple=True, metavar="TAG", help="Take a tag off.")
@click.option(
    "--symbol", "symbols", multiple=True, metavar="SYMBOL", help="All its symbols, in place of the present ones."
)
@click.option("--no-symbols", is_flag=True, help="Take all symbols off.")
@click.option("--add-symbol", "addSymbols", multiple=True, metavar="SYMBOL", help="Add a symbol.")
@click.option("--remove-symbol", "removeSymbols", multiple=True, metavar="SYMBOL", help="Take a symbol off.")
@_filing
@click.option("--unfile", is_flag=True, help="Take it out of its collection.")
@click.option("--status", metavar="active|archived", help="Put it away, or bring it back.")
@click.option(
    "--if-version", "ifVersion", type=int, metavar="N", help="Only if this is still its version ('note show')."
)
@as_account
@with_json
def edit(note_id: str, **options: Any) -> None:
    """Change a note; what you leave out stays as it is.

    Earlier states are kept ('notewell note history').

    \b
    Examples:
      notewell note edit nte_… --append "Update: the cut came in March."
      notewell note edit nte_… --add-tag done --collection Archive
      notewell note edit nte_… --body-file new.md --if-version 3
    """
    values: dict[str, Any] = {"id": note_id}
    for name in ("body", "append"):
        content = read_text(options.pop(name), options.pop(f"{name}_file"), f"--{name}")
        if content is not None:
            values[name] = content
    for name in ("tags", "symbols"):
        if options.pop(f"no_{name}"):
            if options[name]:
                raise click.UsageError(f"--no-{name} and --{name.removesuffix('s')} exclude each other.")
            values[name] = []
    show(call("noteUpdate", {**_given(options), **values}), lambda note: text.saved_lines("Changed", note))


@click.command()
@click.argument("note_id", metavar="ID")
@as_account
@with_json
def archive(note_id: str) -> None:
    """Put a note away: it leaves the list and stays searchable.

    Bring it back with: notewell note edit ID --status active
    """
    done = call("noteUpdate", {"id": note_id, "status": "archived"})
    show(done, lambda note: text.saved_lines("Archived", note))


@click.command()
@click.argument("note_id", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_account
@with_json
def rm(note_id: str, *, yes: bool) -> None:
    """Delete a note and its history for good.

    Archiving is nearly always what is meant: notewell note archive ID
    """
    with open_memory() as (app, actor):
        if not yes:
            found = call_in(app, actor, "noteRead", {"ids": [note_id], "maxChars": 1})
            for each in found["notes"]:
                confirm(f"Delete {text.line(each['title'])!r} and its history for good?", is_sure=False)
        gone = call_in(app, actor, "noteDelete", {"id": note_id})
    show(gone, lambda note: [f"Deleted {note['id']} {text.line(note['title'])}"])


@click.command()
@click.argument("note_id", metavar="ID")
@click.option("--version", type=int, metavar="N", help="Show the text of one earlier state.")
@as_account
@with_json
def history(note_id: str, version: int | None) -> None:
    """Show the earlier states of a note, newest first."""
    from notewell.domain.transfer import state_fields  # noqa: PLC0415 - a help text needs no store
    from notewell.errors import NotFound  # noqa: PLC0415
    from notewell.services import memory  # noqa: PLC0415

    with open_memory() as (app, actor):
        current, earlier = memory.history(app.store, actor, note_id)
    states = [state_fields(view.note, view.collection) for view in (current, *earlier)]
    if version is not None:
        states = [state for state in states if state["version"] == version]
        if not states:
            raise NotFound(f"{note_id} has no version {version}. 'notewell note history {note_id}' lists them.")
    show({"id": note_id, "versions": states}, _history_lines if version is None else _state_lines)


def _history_lines(found: dict[str, Any]) -> Iterator[str]:
    states = found["versions"]
    rows = [
        [str(each["version"]), text.day(each["updatedAt"]), text.line(each["agent"]) or "-", text.line(each["title"])]
        for each in states
    ]
    yield from text.table(["VERSION", "CHANGED", "BY AGENT", "TITLE"], rows)
    if len(states) > 1:
        yield f"\nRead one:  notewell note history {found['id']} --version {states[1]['version']}"
        yield f"Restore:   notewell note restore {found['id']} {states[1]['version']}"


def _state_lines(found: dict[str, Any]) -> Iterator[str]:
    state = found["versions"][0]
    yield click.style(text.line(state["title"]), bold=True)
    yield text.labels(state)
    if state["summary"]:
        yield f"\n{text.line(state['summary'])}"
    yield f"\n{text.clean(state['body'])}"


@click.command()
@click.argument("note_id", metavar="ID")
@click.argument("version", type=int)
@as_account
@with_json
def restore(note_id: str, version: int) -> None:
    """Bring back an earlier state, as a new version.

    Its title, summary, text, tags and symbols; where it is filed and whether it is archived stay as they are.
    """
    from notewell.services import memory  # noqa: PLC0415 - a help text needs no store

    with open_memory() as (app, actor):
        done = memory.restore(app.store, actor, note_id, version)
    note = done.view.note
    result = {
        "id": note.id,
        "title": note.title,
        "version": note.version,
        "restored": version,
        "changed": list(done.changed),
    }
    show(result, lambda found: text.saved_lines("Restored", found))


COMMANDS: tuple[click.Command, ...] = (add, edit, archive, rm, history, restore)
