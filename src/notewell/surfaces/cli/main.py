"""The command line: what ``notewell`` is called with, and how an error reaches the person or program that called it.

Exit codes: 0 done; 1 the request cannot be done (its error on standard error as ``error: …``, or, with ``--json``, the
error object of every surface on standard output); 2 the command line itself is wrong (told in the same two ways).
Nothing heavy is imported here: ``notewell --version`` needs click and this file.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from notewell import __version__
from notewell.errors import Internal, InvalidArgument, NotewellError, Unavailable
from notewell.surfaces.cli.lazy import LazyCommand, LazyGroup, Section
from notewell.surfaces.cli.streams import is_json, print_json, speak_utf8

SECTIONS = (
    Section(
        "Notes",
        (
            LazyCommand("note", "note:note", "Add, find, read, edit, archive and delete notes."),
            LazyCommand("collection", "collection:collection", "The named folders that notes are filed in."),
            LazyCommand("symbol", "symbol:symbol", "How Notewell spells a market symbol."),
        ),
    ),
    Section(
        "Public work",
        (LazyCommand("research", "research:research", "Problems, attempts, and the notes that agents write on them."),),
    ),
    Section(
        "For assistants and browsers",
        (
            LazyCommand("mcp", "serve:mcp", "Serve one assistant over standard input and output."),
            LazyCommand("serve", "serve:serve", "Serve MCP, REST and web pages over HTTP."),
            LazyCommand("worker", "serve:worker", "Embed what waits for search by meaning."),
        ),
    ),
    Section(
        "Your data",
        (
            LazyCommand("import", "transfer:import_command", "Bring notes in from a file, one JSON object a line."),
            LazyCommand("export", "transfer:export_command", "Write all notes to a file that import reads."),
            LazyCommand("backup", "backup:backup", "Write the whole store to one file, while servers run."),
            LazyCommand("restore", "backup:restore", "Put such a file in the place of the store."),
            LazyCommand("copy", "copy:copy", "Copy a whole store to another place, or another engine."),
            LazyCommand("doctor", "health:doctor", "Check the store and its search index; changes nothing."),
            LazyCommand("reindex", "health:reindex", "Make the search index again from the notes."),
            LazyCommand("demo", "demo:demo", "Fill the store with believable notes, to look around in."),
            LazyCommand("sweep", "sweep:sweep", "Do what was left undone; deleted text leaves the file."),
        ),
    ),
    Section(
        "Who may use it",
        (
            LazyCommand("account", "access:account", "The people whose notes this store holds."),
            LazyCommand("token", "access:token", "Keys that programs sign in with."),
        ),
    ),
)

INTRODUCTION = """\
Notewell keeps long-term notes for you and for the AI agents that work with you. Everything lies in one folder on this
machine, and nothing needs to be set up first.

\b
Try it:
  notewell note add "Fed outlook" --body "Cuts are priced in for March." --summary "Fed: what is expected"
  notewell note search fed cuts
  notewell note list

To give an assistant this memory, let its MCP settings run "notewell mcp"; or start "notewell serve" and connect it to
http://127.0.0.1:8765/mcp.
"""

EPILOGUE = """\
"notewell COMMAND --help" explains a command. With --json every command prints one JSON object for programs.

\b
NOTEWELL_HOME   the folder that holds the notes (default: ~/.local/share/notewell)
NOTEWELL_TOKEN  act as the account of this token
NOTEWELL_AGENT  the name of the agent that writes; leave it out for a person
"""


class RootGroup(LazyGroup):
    """The ``notewell`` command: speaks UTF-8 everywhere and tells errors."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Runs one command line."""
        speak_utf8()
        if not args and extra.get("args") is None:
            # The arguments as UTF-8, whatever the locale says that they are.
            extra["args"] = [os.fsencode(word).decode("utf-8", "surrogateescape") for word in sys.argv[1:]]
        words = args[0] if args else extra.get("args")
        if words is None or "--json" not in words or not extra.pop("standalone_mode", True):
            return super().main(*args, **extra)
        try:
            return sys.exit(super().main(*args, **{**extra, "standalone_mode": False}) or 0)
        except click.UsageError as error:
            # A program that asked for JSON gets the error object here, too.
            print_json({"error": InvalidArgument(error.format_message()).as_dict()})
            return sys.exit(error.exit_code)
        except click.ClickException as error:
            error.show()
            return sys.exit(error.exit_code)
        except click.Abort:
            click.echo("Aborted!", err=True)
            return sys.exit(1)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command that was asked for, and turns its error into words and an exit code."""
        try:
            return super().invoke(ctx)
        except NotewellError as error:
            _tell(error)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except OSError as error:
            _tell(Unavailable(f"The output could not be written ({error.strerror})."))
        except Exception:  # noqa: BLE001 - the outermost handler: the person sees what to report
            sys.excepthook(*sys.exc_info())
            _tell(Internal("Notewell met a defect in itself. Please report it, with the lines above."))
        return ctx.exit(1)


def _tell(error: NotewellError) -> None:
    if is_json():
        print_json({"error": error.as_dict()})
    else:
        click.echo(f"{click.style('error:', fg='red', bold=True)} {error.message}", err=True)


@click.group(
    "notewell",
    cls=RootGroup,
    sections=SECTIONS,
    invoke_without_command=True,
    help=INTRODUCTION,
    epilog=EPILOGUE,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="notewell %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """The whole command line; without a command it says what there is."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
