"""Every page there is to look at: its address, and a store that fills it.

An address has the names of what the store holds in braces; see ``Shown.path``.
"""

from __future__ import annotations

from dataclasses import dataclass

from browsing import Site
from filling import fill
from hostile import fill_hostile

from notewell.domain.access import Actor
from notewell.services import accounts, demo, memory_search, research_search

NOTES = (
    *("/notes", "/notes?q=rates&mode=both", "/notes?q=nothingofthekind&tag=macr", "/notes?status=any&sort=title"),
    *("/notes/new", "/notes/labels?kind=tags", "/notes/labels?kind=symbols", "/notes/collections"),
    *("/notes/collections/rename?name=Macro", "/notes/collections/delete?name=Macro"),
    *("/notes/{long}", "/notes/{wide}", "/notes/{hostile}", "/notes/{long}/edit", "/notes/{long}/raw"),
    *("/notes/{long}/history", "/notes/{long}/history/1", "/notes/{long}/history/1/restore", "/notes/{long}/delete"),
)
RECORD = (
    *(
        "/research",
        "/research/new/campaign",
        "/research/new/problem",
        "/campaigns/search-and-solve",
        "/campaigns/hostile",
    ),
    *("/problems/sat-40k", "/problems/hostile", "/problems/sat-40k/attempts", "/problems/sat-40k/revise"),
    *("/problems/sat-40k/publish", "/problems/sat-40k/revisions/1/raw", "/campaigns/search-and-solve/publish"),
    *("/problems/sat-40k/notes", "/problems/sat-40k/notes?query=LBD&mode=both&kind=finding"),
    *("/problems/hostile/notes", "/problems/sat-40k/notes?query=nothingofthekind", "/problems/sat-40k/notes?scope=all"),
    *("/attempts/{ended}", "/attempts/{running}", "/attempts/{running}/end", "/research/notes/{research}"),
    *("/research/notes/{research}/raw", "/research/notes/{research}/lineage", "/research/notes/{own}/edit"),
    *("/research/notes/{own}/delete", "/research/notes/{hostile_research}"),
)
OTHERS = ("/", "/settings", "/tokens", "/overview", "/admin", "/nope")


@dataclass(frozen=True)
class Shown:
    """A server whose store has everything."""

    site: Site
    named: dict[str, str]

    def path(self, address: str) -> str:
        """The address with ids in place of names."""
        return address.format(**self.named)


def show(site: Site) -> Shown:
    """Fills the store of a server: the demonstration, what is long and wide, and what is hostile."""
    named = demonstrated(site).named
    filled, hostile = fill(site.app), fill_hostile(site.app)
    named |= {"long": filled.note_ids[0], "wide": filled.note_ids[2], "hostile": hostile.note_ids[0]}
    named |= {"ended": filled.attempt_ids[0], "running": filled.attempt_ids[1]}
    named |= {"research": filled.research_note_ids[3], "own": filled.research_note_ids[-1]}
    named |= {"hostile_research": hostile.research_note_ids[1]}
    return Shown(site, named)


def demonstrated(site: Site) -> Shown:
    """Fills the store of a server with the demonstration alone."""
    owner = accounts.local_actor(site.app.store)
    demo.fill(site.app.store, owner)
    return Shown(site, {"note": _note(site, owner), "digest": _digest(site, owner)})


def _note(site: Site, owner: Actor) -> str:
    """A note of the demonstration that looks well."""
    search = memory_search.NoteSearch('"Rate path"')
    return memory_search.find(site.app.store, owner, search).cards[0].note.id


def _digest(site: Site, owner: Actor) -> str:
    search = research_search.ResearchSearch(kind="digest")
    return research_search.find(site.app.store, owner, search).cards[0].row.note.id
