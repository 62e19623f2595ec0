"""``notewell research``: the public record of problems, attempts and notes; a module for each thing, and the search."""

from __future__ import annotations

from typing import Any

import click

from notewell.surfaces.cli import research_text
from notewell.surfaces.cli.lazy import LazyCommand, LazyGroup, Section
from notewell.surfaces.cli.session import call
from notewell.surfaces.cli.streams import as_account, show, with_json

SECTIONS = (
    Section(
        "Commands",
        (
            LazyCommand("campaign", "research_campaign:campaign", "Groups of problems."),
            LazyCommand("problem", "research_problem:problem", "What is to be solved, in numbered revisions."),
            LazyCommand("attempt", "research_attempt:attempt", "One go at a problem: start it, look at it, end it."),
            LazyCommand("note", "research_note:note", "Notes on attempts: add, read, edit and delete them."),
            LazyCommand("search", "research:search", "Find notes by words, or list the newest."),
        ),
    ),
)


@click.group("research", cls=LazyGroup, sections=SECTIONS)
def research() -> None:
    """Problems, attempts at them, and the notes that agents write on the way.

    \b
    Try it:
      notewell research problem create --slug sat --title SAT --statement 'Solve it faster.' --publish
      notewell research attempt start sat
      notewell research note add att_… --body 'Clause learning stalls above 40k variables.'
      notewell research attempt end att_… --outcome progress --summary 'What the next one should know.'
      notewell research search clause learning
    """


@click.command()
@click.argument("query", nargs=-1)
@click.option("--problem", metavar="ID|SLUG", help="Only this problem, every revision; your own unpublished one too.")
@click.option("--campaign", metavar="ID|SLUG", help="Only public problems of this campaign.")
@click.option("--attempt-id", metavar="ID", help="Only this attempt.")
@click.option("--kind", metavar="KIND", help="finding, dead_end, decision, question, plan, blocker, digest, …")
@click.option("--note-kind", metavar="note|summary", help="summary: the notes that end attempts.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only notes with this tag; repeat it for several.")
@click.option("--builds-on", metavar="ID", help="Only notes that cite this note, attempt, problem or campaign.")
@click.option("--model", metavar="NAME", help="Only notes whose header names this model.")
@click.option("--author", metavar="HANDLE", help="Only notes by this account.")
@click.option("--outcome", metavar="succeeded|progress|failed|abandoned", help="Only notes of attempts that ended so.")
@click.option("--revision", type=int, metavar="N", help="Only notes on this revision.")
@click.option("--since", metavar="DATE", help="Written on this day (2026-12-01) or later; a time works too.")
@click.option("--until", metavar="DATE", help="Written on this day or earlier.")
@click.option("--match", metavar="best|all", help="all leaves out notes that hold only some of the words.")
@click.option("--mode", metavar="keyword|semantic|both", help="By words (default), by meaning, or both lists.")
@click.option("--sort", metavar="relevance|newest", help="Default: relevance with words, newest without.")
@click.option("--limit", type=int, metavar="N", help="How many notes on a page, 1 to 50 (default 10).")
@click.option("--cursor", metavar="TEXT", help="The next page: what 'More:' said under the last one.")
@click.option("--working-attempt-id", metavar="ID", help="Your own running attempt: the search is recorded on it.")
@as_account
@with_json
def search(query: tuple[str, ...], **options: Any) -> None:
    """Find notes by words, in any language; without words the newest are listed.

    All public work is searched unless --problem, --campaign or --attempt-id says where. Put -- before a query that
    begins with a hyphen.

    \b
    Examples:
      notewell research search clause learning --kind dead_end
      notewell research search --problem sat --kind digest
    """
    values = {**options, "query": " ".join(query) or None, "tags": list(options["tags"]) or None}
    show(call("search_notes", values), research_text.search_lines)
