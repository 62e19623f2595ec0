"""``notewell research campaign``: groups of problems."""

from __future__ import annotations

from typing import Any

import click

from notewell.surfaces.cli import research_text
from notewell.surfaces.cli.session import call
from notewell.surfaces.cli.streams import as_account, show, with_json


@click.group()
def campaign() -> None:
    """Groups of problems. A problem of a campaign is public only while its campaign is published, too."""


@campaign.command()
@click.option("--slug", required=True, metavar="NAME", help="Its name in addresses: a to z, digits, '-'.")
@click.option("--title", required=True, metavar="TEXT", help="What it is about.")
@click.option("--description", metavar="TEXT", help="More about it.")
@click.option("--publish", is_flag=True, help="Publish it at once.")
@as_account
@with_json
def create(**options: Any) -> None:
    """Make a campaign.

    \b
    Example:
      notewell research campaign create --slug solvers --title Solvers --publish
    """
    show(call("createCampaign", options), lambda made: research_text.made_lines("campaign", made))


@campaign.command("list")
@as_account
@with_json
def list_campaigns() -> None:
    """List the published campaigns and your own, newest first."""
    show(call("listCampaigns", {}), research_text.campaigns_lines)


@campaign.command("show")
@click.argument("campaign", metavar="ID|SLUG")
@as_account
@with_json
def show_campaign(campaign: str) -> None:
    """Show a campaign and its problems."""
    show(call("getCampaign", {"campaign": campaign}), research_text.campaign_lines)


@campaign.command()
@click.argument("campaign", metavar="ID|SLUG")
@click.option("--published/--unpublished", default=True, help="--unpublished: as the command unpublish.")
@as_account
@with_json
def publish(campaign: str, *, published: bool) -> None:
    """Publish a campaign with its published problems."""
    _publish(campaign, is_published=published)


@campaign.command()
@click.argument("campaign", metavar="ID|SLUG")
@as_account
@with_json
def unpublish(campaign: str) -> None:
    """Take a campaign and its problems out of the public record."""
    _publish(campaign, is_published=False)


def _publish(campaign: str, *, is_published: bool) -> None:
    changed = call("publishCampaign", {"campaign": campaign, "published": is_published})
    show(changed, lambda found: research_text.published_lines("campaign", found))
