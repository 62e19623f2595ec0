"""``notewell collection``: the folders of a memory. Agents may file notes there; only people rename and delete one."""

from __future__ import annotations

import click

from notewell.surfaces.cli import text
from notewell.surfaces.cli.session import call, call_in, open_memory
from notewell.surfaces.cli.streams import as_account, confirm, show, with_json


@click.group()
def collection() -> None:
    """The named folders that notes are filed in.

    A name is found however its capitals, spaces, hyphens and underscores are written.
    """


@collection.command("list")
@click.option("--starts-with", metavar="TEXT", help="Only names, tags and symbols that start so.")
@click.option("--limit", type=int, help="How many of each list, 1 to 1,000 (default 200).")
@as_account
@with_json
def list_collections(starts_with: str | None, limit: int | None) -> None:
    """List collections with their counts, and the tags and symbols in use."""
    show(call("noteCollections", {"startsWith": starts_with, "limit": limit}), text.overview_lines)


@collection.command()
@click.argument("name")
@as_account
@with_json
def create(name: str) -> None:
    """Make an empty collection."""
    from notewell.services import collections  # noqa: PLC0415 - a help text needs no store

    with open_memory() as (app, actor):
        made = collections.create(app.store, actor, name)
    show({"name": made}, lambda found: [f"Made the collection {text.line(found['name'])}."])


@collection.command()
@click.argument("name")
@click.argument("new_name")
@as_account
@with_json
def rename(name: str, new_name: str) -> None:
    """Give a collection another name; its notes stay in it."""
    from notewell.services import collections  # noqa: PLC0415 - a help text needs no store

    with open_memory() as (app, actor):
        renamed = collections.rename(app.store, actor, name, new_name)
    show({"name": renamed}, lambda found: [f"It is called {text.line(found['name'])} now."])


@collection.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_account
@with_json
def rm(name: str, *, yes: bool) -> None:
    """Delete a collection; its notes stay and are in no collection then."""
    from notewell.domain.collections import collection_key  # noqa: PLC0415 - a help text needs no store
    from notewell.services import collections  # noqa: PLC0415

    with open_memory() as (app, actor):
        if not yes:
            found = call_in(app, actor, "noteCollections", {"limit": 1000})
            for each in found["collections"]:
                if collection_key(each["name"]) == collection_key(name):
                    count = each["active"] + each["archived"]
                    confirm(f"Delete the collection {text.line(each['name'])!r} ({count} notes stay)?", is_sure=False)
        unfiled = collections.delete(app.store, actor, name, name)
    show(
        {"name": name, "unfiled": unfiled}, lambda gone: [f"Deleted; {gone['unfiled']} notes are in no collection now."]
    )
