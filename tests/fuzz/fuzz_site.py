"""A server whose store holds what two accounts wrote: one is fuzzed with its token, the other one's text is marked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from clients import open_app, with_settings
from research_record import attempt_at_all, campaign, person, write
from serving import serving

from notewell.app import App
from notewell.domain.access import Actor
from notewell.domain.notes import Draft
from notewell.services import accounts, memory, research, research_notes, transfer
from notewell.services.memory import Filing
from notewell.services.research import ProblemDraft
from notewell.surfaces.server import make_asgi

MARK = "vexilloid9"
"""In every private text of the other account, and in nothing that is sent: no answer may hold it."""
WORD = "quagga"
"""In what both accounts wrote, so that a search for it has to tell them apart."""
NOTES = 12


@dataclass(frozen=True)
class FuzzSite:
    """A running server and what may be asked of it."""

    url: str
    token: str
    own_ids: tuple[str, ...]
    """Notes, attempts, problems and names that the token's account may see."""
    other_ids: tuple[str, ...]
    """The other account's, which it may not."""
    other_texts: Callable[[], str]
    """All that the other account wrote, as it is in the store now."""


def _remember(app: App, actor: Actor, number: int, mark: str) -> str:
    """The id of a new memory note with a mark in every field that takes one."""
    draft = Draft(
        f"{WORD} {number} {mark}",
        f"降息预期 {WORD} {mark}\n\n- {mark} number {number}",
        summary=f"{mark} on {WORD}",
        tags=(f"tag-{number % 3}", mark),
        symbols=("NVDA", mark.upper()),
        source=mark,
    )
    return memory.create(app.store, actor, draft, Filing(f"Folder {mark}", creates=True)).view.note.id


def _record(app: App, actor: Actor, name: str, mark: str, *, publishes: bool) -> tuple[str, ...]:
    """The names and ids of a problem with an attempt and a note on it."""
    slugs = (f"group-{name}", f"slug-{name}")
    group = campaign(app.store, actor, slugs[0], publishes=publishes)
    draft = ProblemDraft(slugs[1], f"{WORD} {mark}", f"Prove {mark}.", group.id, publishes=publishes)
    made = research.create_problem(app.store, actor, draft)
    on = attempt_at_all(app.store, actor, made)
    header = f"---\ntitle: {WORD} {mark}\ntags: [{mark}]\nkind: finding\n---\n"
    return (*slugs, made.id, on.id, write(app.store, actor, on, f"{header}{WORD} {mark}\n"))


def _all_of(app: App, actor: Actor, ids: Sequence[str]) -> str:
    """Everything of an account as text."""
    exported = BytesIO()
    transfer.export_notes(app.store, actor, exported)
    record = research_notes.get_note(app.store, actor, ids[-1])
    return f"{exported.getvalue().decode()}\n{record}"


@contextmanager
def fuzz_site(home: Path) -> Iterator[FuzzSite]:
    """A server that asks for tokens, filled by two accounts."""
    settings = with_settings(host="0.0.0.0")
    with open_app(home) as app:
        own, other = (person(app.store, handle) for handle in ("ana", "bo"))
        own_ids = [_remember(app, own, number, "own") for number in range(NOTES)]
        other_ids = [_remember(app, other, number, MARK) for number in range(NOTES)]
        own_ids += _record(app, own, "own", "own", publishes=True)
        other_ids += _record(app, other, "other", MARK, publishes=False)
        _, secret = accounts.create_token(app.store, "ana", "fuzz")
        with serving(make_asgi(app, settings)) as url:
            yield FuzzSite(url, secret, tuple(own_ids), tuple(other_ids), lambda: _all_of(app, other, other_ids))


def aims_at(site: FuzzSite) -> dict[str, list[Any]]:
    """Ids of both accounts, and words that are in the notes of both, by the names of parameters."""
    ids = [*site.own_ids, *site.other_ids]
    named = dict.fromkeys(("id", "attempt_id", "problem", "campaign", "builds_on", "working_attempt_id"), ids)
    words = [WORD, f'"{WORD} 1"', f"{WORD[:4]}*", f"title:{WORD}", "降息预期", f"{WORD} OR number", ""]
    return {**named, "ids": [ids[:5], ids[-5:]], "query": words, "tags": [["tag-1"]], "symbols": [["NVDA"]]}
