"""The drills themselves: each runs once and returns what went wrong, which must be nothing."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.common.progress import progressing
from benchmarks.common.stores import config_of
from benchmarks.drills.checks import differences_from_rebuild, lost, note_count
from benchmarks.drills.processes import Kept, Writer, run_together
from notewell.app import App
from notewell.config import Config
from notewell.domain.notes import Draft
from notewell.services import accounts, memory

MAX_KILL_SECONDS = 0.4
FILE_LIMIT = 2_000_000


@dataclass(slots=True)
class Outcome:
    """What a drill did, and every promise that it saw broken."""

    writes: int = 0
    """Acknowledged writes."""
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)


def many_processes(home: Path, processes: int, writes: int) -> Outcome:
    """Processes that write to one file at full speed: nothing lost, no lock error, index equal to a rebuild."""
    App(config_of(home)).close()
    begun = time.monotonic()
    told = run_together(Writer(home, _name(number), "--count", str(writes)) for number in range(processes))
    seconds = time.monotonic() - begun
    kept = [each for one in told for each in one.kept]
    problems = [failure for one in told for failure in one.failures]
    if len(kept) != processes * writes:
        problems.append(f"{len(kept)} of {processes * writes} writes were acknowledged")
    made = len({each.note_id for each in kept})
    if note_count(home) != made:
        problems.append(f"{made} notes were acknowledged, {note_count(home)} are there")
    problems += [*lost(home, kept), *differences_from_rebuild(home)]
    return Outcome(len(kept), seconds, problems)


def parallel_appends(home: Path, processes: int, appends: int) -> Outcome:
    """Appends to one note from threads of several processes at once: each of them is there."""
    app = App(config_of(home))
    note_id = memory.create(app.store, app.default_actor(), Draft("Log", "start\n")).view.note.id
    app.close()
    options = ("--append", note_id, "--count", str(appends), "--threads", str(appends))
    begun = time.monotonic()
    told = run_together(Writer(home, _name(number), *options) for number in range(processes))
    seconds = time.monotonic() - begun
    kept = [each for one in told for each in one.kept]
    problems = [failure for one in told for failure in one.failures]
    if len(kept) != processes * appends:
        problems.append(f"{len(kept)} of {processes * appends} appends were acknowledged")
    return Outcome(len(kept), seconds, [*problems, *lost(home, kept), *differences_from_rebuild(home)])


def kills(home: Path, count: int, seed: int = 5, filled: int = 0) -> Outcome:
    """A writer killed in the middle of its writes, again and again on one store.

    ``filled`` notes are there at the start: just below 2,000 the move into tables of one's own is among what is killed.
    """
    chance = random.Random(seed)
    outcome = Outcome()
    there: list[Kept] = []
    if filled:
        there = run_together([Writer(home, "filler", "--count", str(filled + filled // 2))])[0].kept
    kept = list(there)
    begun = time.monotonic()
    for number in progressing(range(count), "killing"):
        writer = Writer(home, _name(number))
        writer.wait_ready()
        writer.go()
        if number % 2:  # else the start itself may be what is killed
            writer.wait_first()
        time.sleep(chance.uniform(0, MAX_KILL_SECONDS))
        writer.kill()
        told = writer.told()
        kept += told.kept
        outcome.problems += told.failures
        outcome.problems += lost(home, told.kept)
    outcome.seconds = time.monotonic() - begun
    outcome.writes = len(kept) - len(there)
    outcome.problems += [*lost(home, kept), *differences_from_rebuild(home)]
    return outcome


def first_starts(folder: Path, count: int) -> Outcome:
    """Two processes that start on an empty folder at the same moment: one schema, one account, both notes."""
    outcome = Outcome()
    begun = time.monotonic()
    for number in progressing(range(count), "racing first starts"):
        home = folder / f"race-{number}"
        told = run_together([Writer(home, "ana", "--count", "1"), Writer(home, "ben", "--count", "1")])
        kept = [each for one in told for each in one.kept]
        outcome.writes += len(kept)
        outcome.problems += [failure for one in told for failure in one.failures]
        outcome.problems += [] if len(kept) == 2 else [f"race {number}: {len(kept)} of 2 writes were acknowledged"]
        outcome.problems += lost(home, kept)
        app = App(Config(home))
        there = [account.handle for account in accounts.accounts(app.store)]
        app.close()
        outcome.problems += [] if there == [accounts.LOCAL_HANDLE] else [f"race {number}: accounts {there}"]
    outcome.seconds = time.monotonic() - begun
    return outcome


def full_disk(home: Path) -> Outcome:
    """A writer whose files may not grow any more: a clear error, and all that was acknowledged is there."""
    App(config_of(home)).close()
    begun = time.monotonic()
    told = run_together([Writer(home, "full", "--file-limit", str(FILE_LIMIT))])[0]
    problems = [] if told.kept else ["nothing was written before the disk was full"]
    if [failure.split()[0] for failure in told.failures] != ["unavailable"]:
        problems.append(f"the full disk was told as {told.failures}")
    after = run_together([Writer(home, "after", "--count", "3")])[0]
    problems += after.failures
    kept = [*told.kept, *after.kept]
    seconds = time.monotonic() - begun
    return Outcome(len(kept), seconds, [*problems, *lost(home, kept), *differences_from_rebuild(home)])


def _name(number: int) -> str:
    """A writer's name in letters, so that its words stay one word."""
    return "w" + "".join(chr(ord("a") + int(digit)) for digit in str(number))
