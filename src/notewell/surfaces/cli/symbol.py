"""``notewell symbol``: the one spelling of a market symbol."""

from __future__ import annotations

import click

from notewell.surfaces.cli.session import call
from notewell.surfaces.cli.streams import as_account, show, with_json


@click.command()
@click.argument("symbol")
@as_account
@with_json
def symbol(symbol: str) -> None:
    """Print how Notewell spells a market symbol: '$brk.b' is BRK-B, '700.HK' is 0700.HK."""
    show(call("symbolSpell", {"symbol": symbol}), lambda found: [found["symbol"]])
