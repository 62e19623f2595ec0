"""The repair pass that runs every hour: what was left undone is done, what is stale is made again.

Each step is a transaction of its own, so a stop in between loses nothing; running it twice does no harm.
Rules: DESIGN 8.
"""

from __future__ import annotations

from dataclasses import dataclass

from notewell.domain.header import HEADER_VERSION
from notewell.domain.terms import ANALYZER_VERSION
from notewell.services.research import sync_problem
from notewell.store import fts5, index
from notewell.store.database import Database


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep did."""

    spaces_reindexed: int
    notes_reindexed: int
    problems_put_in_step: int
    homes_cleaned: int
    """Full-text tables from which the bytes of deleted text were removed."""


def sweep(store: Database) -> SweepReport:
    """Indexes what predates the index or is stale, puts public flags in step, removes deleted text from the file."""
    with store.read() as reader:
        versions = {"analyzer_version": ANALYZER_VERSION, "header_version": HEADER_VERSION}
        stale = [row["space_id"] for row in reader.rows("stale_spaces", **versions)]
        out_of_step = reader.rows("problems_out_of_step")
    notes = 0
    for space_id in stale:
        with store.write() as tx:
            notes += index.rebuild(tx, space_id)
    for row in out_of_step:
        with store.write() as tx:
            sync_problem(tx, row["id"], campaign_is_published=bool(row["campaign_is_published"]))
    return SweepReport(len(stale), notes, len(out_of_step), _clean(store))


def _clean(store: Database) -> int:
    """Rewrites the full-text tables that something was taken out of, and empties the log of the file."""
    with store.read() as reader:
        homes = [row["home"] for row in reader.rows("homes_with_erased")]
    for home in homes:
        with store.write() as tx:
            fts5.optimize(tx, home)
            tx.run("forget_erased", home=home)
    store.empty_log()
    return len(homes)
