"""What the tests of copies share: a store with a row of every kind, all that a store holds, and what it answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conftest import SettableClock, open_store
from meaning import DIMENSION
from research_record import attempt, campaign, found, person, problem, write

from notewell.domain.access import Actor
from notewell.domain.notes import MAX_BODY_BYTES, Draft, Edit
from notewell.embedders.fake import FakeEmbedder
from notewell.services import (
    accounts,
    collections,
    maintenance,
    memory,
    memory_search,
    research,
    research_notes,
    research_search,
    sessions,
)
from notewell.services.embedding import step
from notewell.services.memory import Filing
from notewell.services.memory_search import NoteSearch
from notewell.services.research_search import ResearchSearch
from notewell.services.semantic import SemanticSearch
from notewell.services.sweep import sweep, sweep_is_due
from notewell.store.copied_tables import BY_NAME
from notewell.store.database import Database

BODIES = (
    "",
    "ends\n",
    "\r\nwindows\r\n",
    "  \n\ttabs\n\n",
    "降息预期 🏦",
    "\ufeffbom",
    "a\u2028b",
    "it's \\ 'quoted' %s :x",
)
QUERIES = (None, "rates", "rate*", "降息", "rates cuts", "note OR windows", '"rates cuts"', "etry", "absent")
HEADER = (
    "---\ntitle: Restarts help\nkind: finding\ntags: [sat, 降息]\nmodel: Okapi\nmood: fine\nbuilds_on: [{on}]\n---\n"
)


@contextmanager
def opened(engine: str, folder: Path, clock: SettableClock) -> Iterator[Database]:
    """An empty store in a folder of its own."""
    folder.mkdir()
    store = open_store(engine, folder, clock)
    try:
        yield store
    finally:
        store.close()


def fill(store: Database, clock: SettableClock, *, is_large: bool = False) -> None:
    """Writes at least one row of each table that is copied; with a body of the largest size where that is asked for."""
    local, ana = accounts.local_actor(store), person(store, "ana")
    _fill_memory(store, local, clock)
    _fill_memory(store, ana, clock)
    if is_large:
        text = "Rates, cuts and 降息 in a very long note. "
        memory.create(store, ana, Draft("Large", (text * 30_000).encode()[:MAX_BODY_BYTES].decode(errors="ignore")))
    _fill_record(store, ana, clock)
    _use_tokens(store, clock)
    _embed(store)
    embedded = memory.create(store, local, Draft("Embedded and gone", "rates"))
    while not step(store, FakeEmbedder(DIMENSION)).is_idle:
        pass
    memory.delete(store, local, embedded.view.note.id)
    memory.create(store, local, Draft("Waits to be embedded", "rates"))
    assert sweep_is_due(store)


def _fill_memory(store: Database, actor: Actor, clock: SettableClock) -> None:
    for number, body in enumerate(BODIES):
        draft = Draft(
            f"Note {number}", body, "Rates, cuts, retrying.", ("Macro", "利率 Ä"), ("NVDA", "700.HK"), "chat 7"
        )
        filing = Filing("Rates", creates=True) if number % 2 else Filing()
        made = memory.create(store, actor, draft, filing, f"key {number}" if number % 3 else None).view.note
        clock.advance(1_234)
        if number % 3 == 0:
            memory.update(store, actor, made.id, Edit(append="more rates", status="archived"))
            whole = Edit(body="\r\ncuts", tags=(), if_version=2)
            memory.update(store, actor, made.id, whole, Filing("Old", creates=True))
    collections.create(store, actor, "Empty")


def _fill_record(store: Database, ana: Actor, clock: SettableClock) -> None:
    olga = person(store, "olga", is_admin=True)
    campaign(store, olga, "spring")
    hidden = campaign(store, olga, "hidden", publishes=False)
    public = problem(store, olga, "sat", campaign="spring")
    problem(store, olga, "nothing-yet")
    private = problem(store, olga, "draft", publishes=False, campaign=hidden.slug)
    research.revise_problem(store, olga, "sat", "Solve it again.\r\n", "Sat, again")
    first = attempt(store, olga, private, "model-1")
    cited = write(store, olga, first, "A private finding on rates cuts.")
    clock.advance(5)
    for author in (ana, olga):
        on = attempt(store, author, public)
        note_id = write(store, author, on, HEADER.format(on=cited) + "Luby restarts, 降息, rates.\r\n")
        research_notes.edit_note(store, author, note_id, HEADER.format(on=cited) + "Luby restarts, rates cuts.")
        research_notes.record_read(store, author, on.id, note_id)
        research_search.find(store, author, ResearchSearch("restarts", working_attempt_id=on.id))
        if author == ana:
            research_notes.end_attempt(store, author, on.id, "progress", "Restarts help rates.")
        clock.advance(77)


def _use_tokens(store: Database, clock: SettableClock) -> None:
    made, _ = accounts.create_token(store, "ana", "codex", ("memory:read", "admin"), days=3)
    _, secret = accounts.create_token(store, "olga", "claude")
    clock.advance(100_000)
    accounts.token_actor(store, secret)
    accounts.revoke_token(store, "ana", made.id)
    sessions.set_password(store, "ana", "correct horse battery")
    sessions.sign_in(store, "ana", "correct horse battery", "a browser")


def _embed(store: Database) -> None:
    """Embeds a part, lets the rest fail once."""
    embedder = FakeEmbedder(DIMENSION)
    step(store, embedder, 4)
    step(store, embedder, 4)


def everything(store: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table that is copied, in the order of keys."""
    with store.read() as reader:
        found = {}
        for table in BY_NAME.values():
            order = ", ".join((*(["space_id"] if table.has_spaces else []), *table.key))
            rows = reader.rows_of(f"SELECT {', '.join(table.columns)} FROM {table.name} ORDER BY {order}", {})
            found[table.name] = [tuple(row.values()) for row in rows]
        return found


def answers(store: Database) -> dict[str, object]:
    """What a store answers to searches: ids, scores and snippets, in order, by who asks for what."""
    given: dict[str, object] = {}
    people = [accounts.account_actor(store, account.handle) for account in accounts.accounts(store)]
    for actor in people:
        given[f"{actor.handle} overview"] = repr(memory_search.overview(store, actor))
        by_meaning = SemanticSearch(store, FakeEmbedder(DIMENSION)).question("rates cuts")
        for name, page in (
            ("memory", memory_search.find(store, actor, NoteSearch("rates cuts", limit=50), by_meaning)),
            ("public", research_search.find(store, actor, ResearchSearch("rates cuts", limit=50), by_meaning)),
        ):
            given[f"{actor.handle} {name} by meaning"] = page.coverage, {card.found.row_no for card in page.cards}
        for query in QUERIES:
            cards = memory_search.find(store, actor, NoteSearch(query, limit=50))
            given[f"{actor.handle} {query}"] = cards.total, [(card.found, card.snippet) for card in cards.cards]
            public = found(store, actor, query)
            given[f"{actor.handle} {query} public"] = public.total, [(c.found, c.snippet) for c in public.cards]
            for slug in ("sat", "draft") if actor.is_admin else ("sat",):
                inside = found(store, actor, query, problem=slug)
                given[f"{actor.handle} {query} {slug}"] = [(card.found, card.row) for card in inside.cards]
    return given


def errors_of(store: Database) -> list[str]:
    """What the doctor finds wrong."""
    return [each.message for each in maintenance.doctor(store, None).findings if each.severity == "error"]


def homes(store: Database) -> dict[str, bool]:
    """Which of the spaces that have statistics are public."""
    with store.read() as reader:
        return {row["space_id"]: row["home"] == 1 for row in reader.rows("space_homes") if row["home"] == 1}


def swept(store: Database) -> None:
    """Sweeps with the model of the vectors; nothing may be left to do but what waited before."""
    report = sweep(store)
    assert (report.spaces_reindexed, report.problems_put_in_step, report.vectors_drifted) == (0, 0, 0)
