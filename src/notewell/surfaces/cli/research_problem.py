"""``notewell research problem``: what is to be solved, in numbered revisions."""

from __future__ import annotations

from typing import Any

import click

from notewell.surfaces.cli import research_text
from notewell.surfaces.cli.session import call
from notewell.surfaces.cli.streams import as_account, read_text, show, with_json


@click.group()
def problem() -> None:
    """What is to be solved: a statement in numbered revisions, public once it is published."""


@problem.command()
@click.option("--slug", required=True, metavar="NAME", help="Its name in addresses: a to z, digits, '-'.")
@click.option("--title", required=True, metavar="TEXT", help="What it is about.")
@click.option("--statement", "statement_md", metavar="TEXT", help="Markdown; '-' reads it from standard input.")
@click.option("--statement-file", metavar="FILE", help="Read the statement from a file, byte for byte.")
@click.option("--campaign", metavar="ID|SLUG", help="The campaign it belongs to.")
@click.option("--publish", is_flag=True, help="Publish it at once.")
@click.option("--validation-copy", is_flag=True, help="An isolated copy for checking results: never public.")
@as_account
@with_json
def create(statement_md: str | None, statement_file: str | None, **options: Any) -> None:
    """Make a problem.

    \b
    Examples:
      notewell research problem create --slug sat --title SAT --statement 'Solve it faster.' --publish
      notewell research problem create --slug sat --title SAT --statement-file sat.md --campaign solvers
    """
    values = {**options, "statement_md": _statement(statement_md, statement_file)}
    show(call("createProblem", values), lambda made: research_text.made_lines("problem", made))


def _statement(given: str | None, file: str | None) -> str:
    text = read_text(given, file, "--statement")
    if text is None:
        raise click.UsageError(
            "Say what is to be solved: --statement TEXT, --statement - (standard input) or --statement-file FILE."
        )
    return text


@problem.command("list")
@click.argument("query", nargs=-1)
@click.option("--campaign", metavar="ID|SLUG", help="Only problems of this campaign.")
@click.option("--limit", type=int, metavar="N", help="How many on a page, 1 to 50 (default 20).")
@click.option("--cursor", metavar="TEXT", help="The next page: what 'More:' said under the last one.")
@as_account
@with_json
def list_problems(query: tuple[str, ...], **options: Any) -> None:
    """List the published problems and your own, newest first; with words, those whose title or slug holds them."""
    show(call("list_problems", {**options, "query": " ".join(query) or None}), research_text.problems_lines)


@problem.command("show")
@click.argument("problem", metavar="ID|SLUG")
@click.option("--revision", type=int, metavar="N", help="Which revision's statement (default: the current one).")
@click.option("--from", "from_", type=int, metavar="N", help="Read on in a long statement at this character.")
@as_account
@with_json
def show_problem(problem: str, revision: int | None, from_: int | None) -> None:
    """Show a problem: its statement, then its digests and its newest notes."""
    values = {"problem": problem, "revision": revision, "from": from_}
    show(call("get_problem", values), research_text.problem_lines)


@problem.command()
@click.argument("problem", metavar="ID|SLUG")
@click.option("--published/--unpublished", default=True, help="--unpublished: as the command unpublish.")
@as_account
@with_json
def publish(problem: str, *, published: bool) -> None:
    """Publish a problem with its notes."""
    _publish(problem, is_published=published)


@problem.command()
@click.argument("problem", metavar="ID|SLUG")
@as_account
@with_json
def unpublish(problem: str) -> None:
    """Take a problem and its notes out of the public record."""
    _publish(problem, is_published=False)


def _publish(problem: str, *, is_published: bool) -> None:
    changed = call("publishProblem", {"problem": problem, "published": is_published})
    show(changed, lambda found: research_text.published_lines("problem", found))


@problem.command()
@click.argument("problem", metavar="ID|SLUG")
@click.option("--statement", "statement_md", metavar="TEXT", help="The whole new statement; '-': standard input.")
@click.option("--statement-file", metavar="FILE", help="The whole new statement from a file, byte for byte.")
@click.option("--title", metavar="TEXT", help="A new title.")
@as_account
@with_json
def revise(problem: str, statement_md: str | None, statement_file: str | None, title: str | None) -> None:
    """Add a revision with a new statement; running attempts keep the revision they started on."""
    values = {"problem": problem, "statement_md": _statement(statement_md, statement_file), "title": title}
    show(call("reviseProblem", values), research_text.revised_lines)
