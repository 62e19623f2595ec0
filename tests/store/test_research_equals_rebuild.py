"""Never stale, never in the wrong place: after any changes to the record the derived rows are those of a rebuild.

A state machine writes, edits, deletes, ends, publishes and unpublishes problems and campaigns. After every step the
derived rows equal a rebuild, and a search in each scope finds exactly what a list in this file says.
"""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from budget import examples
from conftest import SLOW_POSTGRES, SettableClock, open_store
from derived_rows import DerivedRows, derived_rows, spaces
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from research_record import attempt_at_all, campaign, found, ids, people, problem, write

from notewell.domain.research import OUTCOMES, Attempt
from notewell.errors import Frozen
from notewell.services import research, research_notes
from notewell.services.sweep import sweep
from notewell.store import index
from notewell.store.database import Database

WORDS = ("zebra", "okapi", "降息", "c++")
TEXTS = st.lists(st.sampled_from([*WORDS, "filler", "\n", "---", "| |"]), max_size=5).map(" ".join)
HEADERS = st.sampled_from(
    [
        "",
        "---\ntitle: zebra\nkind: digest\n---\n",
        "---\r\ntags: [sat, 降息, über]\r\nmodel: okapi\r\n---\r\n",
        "---\nbuilds_on: [nte_0h3k9x2c7m, att_1q8w4e6r9t, nte_0h3k9x2c7m]\n---\n",
        "---\ncolour: okapi\n---\n",
        "---\ntitle: okapi\nno header line\n",
    ]
)
BODIES = st.tuples(HEADERS, TEXTS).map("".join)
KINDS: dict[str, dict[str, object]] = {
    "open": {},
    "draft": {"publishes": False},
    "grouped": {"campaign": "group"},
    "hidden": {"campaign": "closed"},
    "copy": {"is_validation_copy": True, "campaign": "group"},
}
"""The problems of the machine, and how each begins."""


@dataclass
class Written:
    """A note as the list has it."""

    slug: str
    attempt_id: str
    body: str

    def holds(self, word: str) -> bool:
        """Whether its title or its body without the header has a word: the headers above say which hide one."""
        header = next((each for each in HEADS if self.body.startswith(each)), "")
        return word in HEADS.get(header, "") or word in self.body[len(header) :]


HEADS = {
    "---\ntitle: zebra\nkind: digest\n---\n": "zebra",
    "---\r\ntags: [sat, 降息, über]\r\nmodel: okapi\r\n---\r\n": "",
    "---\nbuilds_on: [nte_0h3k9x2c7m, att_1q8w4e6r9t, nte_0h3k9x2c7m]\n---\n": "",
}
"""The headers above that are headers, and the words of their titles; the others are body."""


@dataclass
class Flags:
    """What is published."""

    problems: dict[str, bool] = field(default_factory=lambda: {slug: slug != "draft" for slug in KINDS})
    campaigns: dict[str, bool] = field(default_factory=lambda: {"group": True, "closed": False})

    def is_public(self, slug: str) -> bool:
        """Whether anybody may see a problem."""
        group = KINDS[slug].get("campaign")
        return self.problems[slug] and slug != "copy" and (group is None or self.campaigns[str(group)])


class Undo(Exception):
    """Ends a transaction without a trace."""


def rows_of(store: Database) -> DerivedRows:
    """The derived rows as they stand."""
    with store.write() as tx:
        return derived_rows(tx)


def rows_after_rebuild(store: Database) -> DerivedRows:
    """The derived rows as a rebuild makes them; the store stays as it was."""
    made: list[DerivedRows] = []
    with contextlib.suppress(Undo), store.write() as tx:
        for space in spaces(tx):
            index.rebuild(tx, space)
        made.append(derived_rows(tx))
        raise Undo
    return made[0]


class Changes(RuleBasedStateMachine):
    """An owner, an author and their record."""

    engine: str
    folder: Path
    attempts: Bundle[Attempt] = Bundle("attempts")
    notes: Bundle[str] = Bundle("notes")

    @initialize()
    def open(self) -> None:
        """A record of one problem of each kind, each with a note."""
        self.folder.mkdir(parents=True)
        self.clock = SettableClock()
        self.store = open_store(self.engine, self.folder, self.clock)
        self.who = people(self.store)
        campaign(self.store, self.who.owner, "group")
        campaign(self.store, self.who.owner, "closed", publishes=False)
        self.problems = {slug: problem(self.store, self.who.owner, slug, **options) for slug, options in KINDS.items()}
        self.flags = Flags()
        self.written: dict[str, Written] = {}
        self.ended: set[str] = set()
        for slug, made in self.problems.items():
            self.create(attempt_at_all(self.store, self.who.author, made), f"zebra {slug}", later=True)

    @rule(target=attempts, slug=st.sampled_from(sorted(KINDS)), revises=st.booleans())
    def start(self, slug: str, *, revises: bool) -> Attempt:
        """An attempt, sometimes on a new revision."""
        if revises:
            research.revise_problem(self.store, self.who.owner, slug, "Again.")
        return attempt_at_all(self.store, self.who.author, self.problems[slug])

    def slug_of(self, on: Attempt) -> str:
        """The problem of an attempt."""
        return next(slug for slug, each in self.problems.items() if each.id == on.problem_id)

    @rule(target=notes, on=attempts, body=BODIES, later=st.booleans())
    def add(self, on: Attempt, body: str, *, later: bool) -> str:
        """A note, sometimes in the same millisecond as the one before; none where the attempt has ended."""
        return self.create(on, body, later=later)

    def create(self, on: Attempt, body: str, *, later: bool) -> str:
        """The note's id, or that of none."""
        self.clock.advance(int(later))
        if on.id in self.ended:
            with pytest.raises(Frozen):
                write(self.store, self.who.author, on, body)
            return "nte_0000000000"
        note_id = write(self.store, self.who.author, on, body)
        self.written[note_id] = Written(self.slug_of(on), on.id, body)
        return note_id

    @rule(note_id=notes, body=BODIES)
    def edit(self, note_id: str, body: str) -> None:
        """Another text, unless the attempt has ended."""
        note = self.written.get(note_id)
        if note is None:
            return
        if note.attempt_id in self.ended:
            with pytest.raises(Frozen):
                research_notes.edit_note(self.store, self.who.author, note_id, body)
            return
        research_notes.edit_note(self.store, self.who.author, note_id, body)
        note.body = body

    @rule(note_id=notes)
    def delete(self, note_id: str) -> None:
        """One note less, whether its attempt has ended or not."""
        if note_id in self.written:
            research_notes.delete_note(self.store, self.who.admin, note_id)
            del self.written[note_id]

    @rule(target=notes, on=attempts, outcome=st.sampled_from(OUTCOMES), body=BODIES)
    def end(self, on: Attempt, outcome: str, body: str) -> str:
        """The summary note, and the end."""
        if on.id in self.ended or not body.strip():
            return "nte_0000000000"
        note_id = research_notes.end_attempt(self.store, self.who.author, on.id, outcome, body).note.id
        self.written[note_id] = Written(self.slug_of(on), on.id, body)
        self.ended.add(on.id)
        return note_id

    @rule(slug=st.sampled_from(sorted(KINDS)), is_published=st.booleans())
    def publish_problem(self, slug: str, *, is_published: bool) -> None:
        """A problem shown or hidden, with its notes."""
        research.publish_problem(self.store, self.who.owner, slug, is_published=is_published)
        self.flags.problems[slug] = is_published

    @rule(slug=st.sampled_from(["group", "closed"]), is_published=st.booleans())
    def publish_campaign(self, slug: str, *, is_published: bool) -> None:
        """A campaign shown or hidden, with its problems."""
        research.publish_campaign(self.store, self.who.owner, slug, is_published=is_published)
        self.flags.campaigns[slug] = is_published

    @rule()
    def sweep(self) -> None:
        """The hourly pass has nothing to mend."""
        report = sweep(self.store)
        assert (report.spaces_reindexed, report.problems_put_in_step) == (0, 0)

    @invariant()
    def rebuilding_changes_nothing(self) -> None:
        """What was kept up to date equals what is made again in place."""
        assert rows_of(self.store) == rows_after_rebuild(self.store)

    @invariant()
    def every_scope_finds_exactly_what_the_list_says(self) -> None:
        """By each word and by none, in all public work, in each problem, campaign and attempt."""
        public = {note_id for note_id, note in self.written.items() if self.flags.is_public(note.slug)}
        for word in (None, *WORDS):
            held = {note_id for note_id, note in self.written.items() if word is None or note.holds(word)}
            assert self.finds(word) == held & public
            for slug in KINDS:
                inside = {note_id for note_id in held if self.written[note_id].slug == slug}
                assert self.finds(word, problem=slug) == inside
            for group in self.flags.campaigns:
                inside = {each for each in held & public if KINDS[self.written[each].slug].get("campaign") == group}
                assert self.finds(word, campaign=group) == inside

    def finds(self, word: str | None, **scope: str) -> set[str]:
        """What the owner finds, who may see every problem; the total says the same."""
        cards = found(self.store, self.who.owner, word, match="all", **scope)
        assert cards.total == len(cards.cards)
        return set(ids(cards))

    def teardown(self) -> None:
        """Each attempt's notes are found by its author; nothing of the folder stays."""
        for attempt_id in {note.attempt_id for note in self.written.values()}:
            cards = found(self.store, self.who.author, attempt_id=attempt_id)
            expected = {note_id for note_id, note in self.written.items() if note.attempt_id == attempt_id}
            assert set(ids(cards)) == expected
        self.store.close()
        shutil.rmtree(self.folder)


def run_machine(engine: str, folder: Path, monkeypatch: pytest.MonkeyPatch, usual: int, steps: int) -> None:
    """Runs the machine so many times, so many steps each."""
    monkeypatch.setattr(Changes, "engine", engine, raising=False)
    monkeypatch.setattr(Changes, "folder", folder / "changes", raising=False)
    run_state_machine_as_test(
        Changes,
        settings=settings(
            max_examples=examples(usual),
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )


@pytest.mark.hypothesis
@pytest.mark.parametrize("engine", SLOW_POSTGRES)
def test_the_record_equals_a_rebuild_and_a_list_after_any_changes(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_machine(engine, tmp_path, monkeypatch, usual=8, steps=15)


@pytest.mark.slow
@pytest.mark.parametrize("engine", SLOW_POSTGRES)
def test_the_record_equals_a_rebuild_and_a_list_after_many_more_changes(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A rebuild asks a server some hundred times for each step.
    run_machine(engine, tmp_path, monkeypatch, usual=8 if engine == "sqlite" else 3, steps=40)
