"""Copies of whole stores: nothing is lost, a stop anywhere does no harm, and nothing that is there is overwritten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import SettableClock, is_postgres, table_names
from research_record import StoppingStore
from whole_store import answers, errors_of, everything, fill, homes, opened, swept

from notewell.domain.notes import Draft, Edit
from notewell.errors import InvalidArgument, Unavailable
from notewell.services import accounts, copy_steps, copying, memory, research
from notewell.store import copied_tables, copies, fts5
from notewell.store.copied_tables import BY_NAME, DERIVED, EVERYWHERE, OF_SPACES, OWN
from notewell.store.database import Database
from notewell.store.homes import SHARED_HOME, home_of_space

BOTH_WAYS = [
    pytest.param(("sqlite", "sqlite"), id="sqlite-to-sqlite"),
    pytest.param(("sqlite", "postgres"), marks=pytest.mark.postgres, id="sqlite-to-postgres"),
    pytest.param(("postgres", "sqlite"), marks=pytest.mark.postgres, id="postgres-to-sqlite"),
]
"""The engines of source and target."""
ON_ONE_SERVER = pytest.param(("postgres", "postgres"), marks=pytest.mark.postgres, id="postgres-to-postgres")

pytestmark = pytest.mark.slow


class Stopped(Exception):
    """Ends a copy as a kill would: no handler of the product knows it."""


class StopAt:
    """A progress that ends the work at its n-th message."""

    def __init__(self, message: int, stage: str = "copy") -> None:
        self._left = message
        self._stage = stage

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Counts a message."""
        assert 0 <= done <= total
        self._left -= stage == self._stage
        if self._left < 0:
            raise Stopped


@pytest.fixture(params=[*BOTH_WAYS, ON_ONE_SERVER])
def engines(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The engines of source and target."""
    chosen: tuple[str, str] = request.param
    return chosen


@pytest.fixture
def source(engines: tuple[str, str], tmp_path: Path, clock: SettableClock) -> Iterator[Database]:
    """A store with everything in it but very large notes."""
    with opened(engines[0], tmp_path / "source", clock) as store:
        fill(store, clock)
        yield store


@pytest.fixture
def target(engines: tuple[str, str], tmp_path: Path, clock: SettableClock) -> Iterator[Database]:
    """An empty store."""
    with opened(engines[1], tmp_path / "target", clock) as store:
        yield store


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows at a time, and a transaction for each four rows."""
    for name in ("EVERYWHERE", "OF_SPACES"):
        tables = getattr(copied_tables, name)
        monkeypatch.setattr(copied_tables, name, tuple(replace(table, stretch_rows=2) for table in tables))
    monkeypatch.setattr(copy_steps, "BATCH_ROWS", 4)


sqlite_only = pytest.mark.parametrize("engines", BOTH_WAYS[:1], indirect=True)
both_ways = pytest.mark.parametrize("engines", BOTH_WAYS, indirect=True)


def assert_same(source: Database, target: Database) -> None:
    """Both hold and answer the same, and the copy is sound."""
    assert everything(target) == everything(source)
    assert homes(target) == homes(source)
    assert errors_of(target) == []
    assert answers(target) == answers(source)


# Nothing is lost


def test_a_copy_holds_and_answers_the_same(
    engines: tuple[str, str], tmp_path: Path, clock: SettableClock, target: Database
) -> None:
    with opened(engines[0], tmp_path / "large", clock) as source:
        fill(source, clock, is_large=True)
        before = everything(source)
        empty = {name for name, rows in before.items() if not rows}
        assert empty <= ({"vector_tombstones"} if is_postgres(source) else set())

        report = copying.copy(source, target)

        assert report.is_new
        assert not report.went_on
        assert report.rows == {name: len(rows) for name, rows in before.items() if name in report.rows}
        assert everything(source) == before
        assert_same(source, target)
        swept(target)


def test_a_copy_goes_on_living_as_its_source_would(source: Database, target: Database, clock: SettableClock) -> None:
    copying.copy(source, target)
    clock.advance(10)
    actor = accounts.local_actor(target)
    notes = [row for row in everything(target)["notes"] if row[0] == actor.account_id]

    made = memory.create(target, actor, Draft("Another", "rates"), idempotency_key="new").view.note
    memory.update(target, actor, notes[0][2], Edit(append="yen", status="active"))
    memory.delete(target, actor, notes[1][2])
    research.publish_problem(target, accounts.account_actor(target, "olga"), "sat", is_published=False)

    assert made.row_no > max(row[1] for row in notes)
    assert errors_of(target) == []


@sqlite_only
def test_a_large_memory_gets_tables_of_its_own(
    source: Database, target: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fts5, "LARGE_MEMORY_NOTES", 5)

    copying.copy(source, target)

    with target.read() as reader:
        owners = [row["id"] for row in reader.rows("all_accounts") if row["handle"] in ("local", "ana")]
        assert len({home_of_space(reader, each).number for each in owners} - {SHARED_HOME}) == 2
    assert_same(source, target)


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_every_table_and_column_is_copied_or_said_to_be_made_again(
    engine: str, tmp_path: Path, clock: SettableClock
) -> None:
    columns_of = {
        "sqlite": "SELECT name FROM pragma_table_info(:name)",
        "postgres": "SELECT column_name AS name FROM information_schema.columns WHERE table_name = :name",
    }[engine]
    with opened(engine, tmp_path / "schema", clock) as store, store.read() as reader:
        names = {name for name in table_names(reader) if not name.startswith(("fts_", "words_", "word_pieces"))}
        columns = {name: {row["name"] for row in reader.rows_of(columns_of, {"name": name})} for name in BY_NAME}

    assert names - {*BY_NAME, *DERIVED, *OWN} == set(), "store/copied_tables.py does not say what becomes of these"
    assert columns == {name: set(table.columns) for name, table in BY_NAME.items()}


# Stops


@both_ways
@pytest.mark.usefixtures("small_steps")
def test_a_copy_that_stops_after_every_step_comes_to_its_end(source: Database, target: Database) -> None:
    stops = 0
    while True:
        try:
            report = copying.copy(source, target, StopAt(1))
            break
        except Stopped:
            stops += 1

    assert stops > 30
    assert report.went_on
    assert_same(source, target)


@both_ways
@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("number", [1, 2, 9, 23])
def test_a_step_that_was_not_committed_is_done_again(source: Database, target: Database, number: int) -> None:
    left = number

    def kill() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise Stopped

    with pytest.raises(Stopped):
        copying.copy(source, StoppingStore(target, kill))
    copying.copy(source, target)

    assert_same(source, target)


@pytest.mark.parametrize("stage", ["compare", "copy"])
def test_a_copy_that_stops_at_its_end_is_no_copy_yet(source: Database, target: Database, stage: str) -> None:
    last = {"compare": 3, "copy": 1}[stage]
    with pytest.raises(Stopped):
        copying.copy(source, target, StopAt(last, stage))

    with target.read() as reader, pytest.raises(Unavailable, match="not finished"):
        copies.require_finished(reader)
    copying.copy(source, target)
    with target.read() as reader:
        copies.require_finished(reader)


def test_a_second_call_says_that_the_copy_is_complete_and_changes_nothing(
    source: Database, target: Database, clock: SettableClock
) -> None:
    first = copying.copy(source, target)
    clock.advance(1_000)
    memory.create(target, accounts.local_actor(target), Draft("In use", "already"))
    before = everything(target)

    second = copying.copy(source, target)

    assert second == replace(first, is_new=False)
    assert everything(target) == before


def test_a_complete_copy_is_not_brought_up_to_date(source: Database, target: Database, clock: SettableClock) -> None:
    copying.copy(source, target)
    before = everything(target)
    memory.create(source, accounts.local_actor(source), Draft("Later", "rates"))

    with pytest.raises(Unavailable, match=r"complete at 2026-\S+ and stays as it is, but the source has changed"):
        copying.copy(source, target)

    assert everything(target) == before


# Writers


def change(store: Database, clock: SettableClock) -> None:
    """Changes a note, files one elsewhere, renames, deletes, and makes an account with a note."""
    clock.advance(1_000)
    actor = accounts.local_actor(store)
    notes = [row[2] for row in everything(store)["notes"] if row[0] == actor.account_id]
    memory.update(store, actor, notes[0], Edit(append="later"))
    memory.delete(store, actor, notes[1])
    accounts.create_account(store, "late")
    memory.create(store, accounts.account_actor(store, "late"), Draft("Late", "rates"))
    with store.write() as tx:
        tx.run_sql("UPDATE collections SET name = 'Renamed' WHERE name = 'Rates'", {})


@both_ways
@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("steps", [1, 8, 20])
def test_what_changed_in_the_source_before_a_copy_goes_on_is_copied_again(
    source: Database, target: Database, clock: SettableClock, steps: int
) -> None:
    with pytest.raises(Stopped):
        copying.copy(source, target, StopAt(steps))
    change(source, clock)

    copying.copy(source, target)

    assert_same(source, target)


@both_ways
def test_what_is_written_during_a_copy_is_told_and_copied_by_the_next_call(
    source: Database, target: Database, clock: SettableClock
) -> None:
    was_changed = False

    def write(stage: str, _done: int, _total: int) -> None:
        nonlocal was_changed
        if stage == "copy" and not was_changed:
            was_changed = True
            change(source, clock)

    with pytest.raises(Unavailable, match="run the same command again") as caught:
        copying.copy(source, target, write)
    assert caught.value.details == {"store": "source"}

    copying.copy(source, target)

    assert_same(source, target)


def write_into(target: Database) -> None:
    """A note that somebody writes into an unfinished copy."""
    with target.write() as tx:
        tx.run_sql("UPDATE notes SET agent = 'somebody' WHERE title = 'Note 1'", {})


@both_ways
def test_what_somebody_wrote_into_the_target_is_never_overwritten(
    source: Database, target: Database, clock: SettableClock
) -> None:
    with pytest.raises(Stopped):
        copying.copy(source, target, StopAt(3, "compare"))
    write_into(target)

    with pytest.raises(Unavailable, match="wrote into the target"):
        copying.copy(source, target)
    change(source, clock)  # so that the next call would take the space out
    with pytest.raises(Unavailable, match="wrote into the target"):
        copying.copy(source, target)

    assert [row for row in everything(target)["notes"] if "somebody" in row]


@both_ways
@pytest.mark.usefixtures("small_steps")
def test_of_two_calls_at_once_the_later_one_goes_on(source: Database, target: Database) -> None:
    inner: list[copying.CopyReport] = []

    def start_another(stage: str, done: int, _total: int) -> None:
        if stage == "copy" and done > 20 and not inner:
            inner.append(copying.copy(source, target))

    with pytest.raises(InvalidArgument, match="taken over"):
        copying.copy(source, target, start_another)

    assert inner[0].went_on
    assert_same(source, target)


# Refusals


def with_note(store: Database, _other: Database) -> None:
    memory.create(store, accounts.local_actor(store), Draft("Here", "already"))


def with_accounts(store: Database, _other: Database) -> None:
    accounts.create_account(store, "ana")


def with_copy_of_another(store: Database, other: Database) -> None:
    copying.copy(other, store)


def with_unfinished_copy_of_another(store: Database, other: Database) -> None:
    with pytest.raises(Stopped):
        copying.copy(other, store, StopAt(0))


REFUSED: dict[str, tuple[Callable[[Database, Database], None], str]] = {
    "a note": (with_note, "it holds 1 accounts, 1 notes, 1 jobs"),
    "an account": (with_accounts, "it holds 1 accounts"),
    "a copy": (with_copy_of_another, "it holds a copy of another store, begun at 2026"),
    "an unfinished copy": (with_unfinished_copy_of_another, "it holds an unfinished copy of another store"),
}


@both_ways
@pytest.mark.parametrize("kind", REFUSED)
def test_a_target_that_holds_anything_is_refused(
    source: Database, target: Database, tmp_path: Path, clock: SettableClock, kind: str
) -> None:
    prepare, message = REFUSED[kind]
    with opened("sqlite", tmp_path / "other", clock) as other:
        accounts.create_account(other, "somebody")
        prepare(target, other)
    before = everything(target)

    with pytest.raises(InvalidArgument, match=message):
        copying.copy(source, target)

    assert everything(target) == before


@both_ways
def test_a_store_that_was_only_looked_at_counts_as_empty(source: Database, target: Database) -> None:
    accounts.local_actor(target)

    copying.copy(source, target)

    assert everything(target) == everything(source)


@both_ways
def test_a_store_is_not_copied_onto_itself(source: Database) -> None:
    with pytest.raises(InvalidArgument, match="source itself"):
        copying.copy(source, source)


@both_ways
def test_an_empty_store_has_an_empty_copy(engines: tuple[str, str], tmp_path: Path, clock: SettableClock) -> None:
    with opened(engines[0], tmp_path / "a", clock) as source, opened(engines[1], tmp_path / "b", clock) as target:
        assert set(copying.copy(source, target).rows.values()) == {0}
        assert not copying.copy(source, target).is_new


def test_the_order_of_tables_has_each_row_find_those_that_it_names() -> None:
    names = [table.name for table in (*EVERYWHERE, *OF_SPACES)]

    assert names.index("accounts") < names.index("tokens")
    assert names.index("attempts") < names.index("notes")
