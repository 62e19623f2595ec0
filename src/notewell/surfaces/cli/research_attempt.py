"""``notewell research attempt``: one go at a problem, from its start to its outcome."""

from __future__ import annotations

import click

from notewell.surfaces.cli import research_text
from notewell.surfaces.cli.session import call
from notewell.surfaces.cli.streams import as_account, read_text, show, with_json


@click.group()
def attempt() -> None:
    """One go at a problem. Notes are written while it runs, and frozen when it ends."""


@attempt.command()
@click.argument("problem", metavar="ID|SLUG")
@click.option("--model", metavar="NAME", help="Which model works on it.")
@as_account
@with_json
def start(problem: str, model: str | None) -> None:
    """Start your attempt on the current revision of a problem."""
    show(call("start_attempt", {"problem": problem, "model": model}), research_text.started_lines)


@attempt.command()
@click.argument("attempt_id", metavar="ID")
@click.option("--outcome", required=True, metavar="succeeded|progress|failed|abandoned", help="How it ended.")
@click.option("--summary", "summary_md", metavar="TEXT", help="What the next one should know; '-': standard input.")
@click.option("--summary-file", metavar="FILE", help="Read the summary from a file, byte for byte.")
@as_account
@with_json
def end(attempt_id: str, outcome: str, summary_md: str | None, summary_file: str | None) -> None:
    """End your attempt with an outcome and a summary note; its notes are frozen from then on.

    \b
    Example:
      notewell research attempt end att_… --outcome failed --summary 'Clause learning stalls above 40k variables.'
    """
    text = read_text(summary_md, summary_file, "--summary")
    if text is None:
        raise click.UsageError(
            "Say what was found: --summary TEXT, --summary - (standard input) or --summary-file FILE."
        )
    values = {"attempt_id": attempt_id, "outcome": outcome, "summary_md": text}
    show(call("end_attempt", values), research_text.ended_lines)


@attempt.command("show")
@click.argument("attempt_id", metavar="ID")
@as_account
@with_json
def show_attempt(attempt_id: str) -> None:
    """Show an attempt and the notes written on it."""
    show(call("getAttempt", {"attempt_id": attempt_id}), research_text.attempt_lines)
