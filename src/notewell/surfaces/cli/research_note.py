"""``notewell research note``: notes on attempts."""

from __future__ import annotations

import sys

import click

from notewell.surfaces.cli import research_text, text
from notewell.surfaces.cli.session import call, call_in, open_memory
from notewell.surfaces.cli.streams import as_account, confirm, read_text, show, with_json

_WHOLE = 2**31 - 1
"""More characters than a note has."""


@click.group()
def note() -> None:
    """Notes on attempts: added and edited while the attempt runs, frozen when it ends."""


def _body(given: str | None, file: str | None) -> str:
    content = read_text(given, file, "--body")
    if content is None:
        raise click.UsageError("Give the text of the note: --body TEXT, --body - (standard input) or --body-file FILE.")
    return content


@note.command()
@click.argument("attempt_id", metavar="ATTEMPT_ID")
@click.option("--body", "body_md", metavar="TEXT", help="The text of the note; '-' reads it from standard input.")
@click.option("--body-file", metavar="FILE", help="Read the text from a file, byte for byte.")
@as_account
@with_json
def add(attempt_id: str, body_md: str | None, body_file: str | None) -> None:
    """Write a note on your running attempt; one finding a note.

    It may open with a header between --- lines (title, kind, tags, builds_on, model), which makes it easier to find.

    \b
    Examples:
      notewell research note add att_… --body 'Clause learning stalls above 40k variables.'
      notewell research note add att_… --body-file finding.md
    """
    made = call("add_note", {"attempt_id": attempt_id, "body_md": _body(body_md, body_file)})
    show(made, lambda found: research_text.written_lines("Saved", found))


@note.command()
@click.argument("note_id", metavar="ID")
@click.option("--body", "body_md", metavar="TEXT", help="The whole new text; '-' reads it from standard input.")
@click.option("--body-file", metavar="FILE", help="The whole new text from a file, byte for byte.")
@click.option("--if-version", type=int, metavar="N", help="Only if this is still its version ('research note show').")
@as_account
@with_json
def edit(note_id: str, body_md: str | None, body_file: str | None, if_version: int | None) -> None:
    """Replace the text of a note on your running attempt; the earlier text is kept."""
    values = {"id": note_id, "body_md": _body(body_md, body_file), "if_version": if_version}
    show(call("edit_note", values), lambda found: research_text.written_lines("Changed", found))


@note.command("show")
@click.argument("note_id", metavar="ID")
@click.option("--from", "from_", type=int, metavar="N", help="Read on in a long note at this character.")
@click.option("--max-chars", type=int, metavar="N", help="How much of its text (default 12,000 characters).")
@click.option("--working-attempt-id", metavar="ID", help="Your own running attempt: the read is recorded on it.")
@click.option("--raw", is_flag=True, help="Print only its text, byte for byte, for pipes and files.")
@as_account
@with_json
def show_note(
    note_id: str, from_: int | None, max_chars: int | None, working_attempt_id: str | None, *, raw: bool
) -> None:
    """Read a note in full: its header, its text, the attempt it belongs to, and the notes that build on it."""
    values = {"id": note_id, "from": from_, "max_chars": max_chars, "working_attempt_id": working_attempt_id}
    if not raw:
        show(call("get_note", values), research_text.note_lines)
        return
    found = call("get_note", {**values, "max_chars": _WHOLE if max_chars is None else max_chars})
    sys.stdout.buffer.write(found["body_md"].encode())
    sys.stdout.buffer.flush()


@note.command()
@click.argument("note_id", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_account
@with_json
def rm(note_id: str, *, yes: bool) -> None:
    """Delete a note and its history for good: its author while the attempt runs, an administrator at any time."""
    with open_memory() as (app, actor):
        if not yes:
            found = call_in(app, actor, "get_note", {"id": note_id, "max_chars": 1})
            confirm(f"Delete {text.line(found['title'])!r} and its history for good?", is_sure=False)
        gone = call_in(app, actor, "deleteResearchNote", {"id": note_id})
    show(gone, lambda each: [f"Deleted {each['id']}."])
