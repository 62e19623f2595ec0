"""The failover drill: writers write while the primary is killed and its standby takes over; was every promise kept?

The server's machine is what dies here; ``drills.py`` kills the product's own processes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.common.postgres import (
    HOST,
    ROLE,
    STANDBY_NAME,
    Server,
    make_standby,
    promote,
    start_server,
    wait_streaming,
)
from benchmarks.drills.failover_checks import Found, found_in
from benchmarks.drills.failover_processes import Said, writing
from notewell.app import App
from notewell.config import Config

DATABASE = "notewell"
DOWN_SECONDS = 1.0
"""How long nobody notices that the primary is gone."""
CUT_SECONDS = 2.0
"""How long the standby has received nothing when the primary dies, where the scenario has that."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """How the standby follows."""

    name: str
    is_synchronous: bool
    """Whether a commit waits until the standby shows it (``remote_apply``)."""
    is_cut_off: bool = False
    """Whether the standby loses the primary some time before it takes over."""
    are_waits_broken: bool = False
    """Whether the connections whose commits wait for the lost standby are broken, so that their calls are repeated."""


SCENARIOS = {
    "sync": Scenario("synchronous", True),
    "sync-cut": Scenario("synchronous, cut off", True, True),
    "sync-broken": Scenario("synchronous, cut off, waits broken", True, True, True),
    "async": Scenario("asynchronous", False),
    "async-cut": Scenario("asynchronous, cut off", False, True),
}


@dataclass(frozen=True, slots=True)
class Load:
    """Who writes, and for how long before the primary dies and after the standby has taken over."""

    writers: int = 4
    before_seconds: float = 4.0
    after_seconds: float = 4.0


@dataclass(slots=True)
class FailoverOutcome:
    """What the writers were told, and what the new primary holds of it."""

    said: Said = field(default_factory=Said)
    found: Found = field(default_factory=Found)
    promoted_seconds: float = 0.0
    """From the kill until the standby took writes."""


def failover(home: Path, scenario: Scenario, load: Load) -> FailoverOutcome:
    """Runs a scenario once, on servers of its own; ``home`` is an empty data folder for the writers."""
    outcome = FailoverOutcome()
    with _pair(home, scenario) as (primary, standby):
        with writing(url_of(primary, standby), home, load.writers) as outcome.said:
            time.sleep(load.before_seconds)
            if scenario.is_cut_off:
                _cut_off(primary, standby, scenario)
            killed = time.monotonic()
            primary.kill()
            time.sleep(DOWN_SECONDS)
            promote(standby)
            outcome.promoted_seconds = time.monotonic() - killed
            time.sleep(load.after_seconds)
        last = max((each.seconds for each in outcome.said.acknowledged), default=0.0)
        if last < killed + outcome.promoted_seconds:
            outcome.said.problems.append("nothing was acknowledged after the standby had taken over")
        outcome.found = found_in(home, standby.url(DATABASE), outcome.said.acknowledged)
    return outcome


def _cut_off(primary: Server, standby: Server, scenario: Scenario) -> None:
    standby.configure("primary_conninfo", "")
    time.sleep(CUT_SECONDS / 2)
    if scenario.are_waits_broken:
        # Each of these commits is on the primary alone and can be seen from now on; a repeated call meets its note.
        primary.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    time.sleep(CUT_SECONDS / 2)


def url_of(*servers: Server) -> str:
    """The address that leads to whichever of the servers takes writes."""
    hosts = ",".join(f"{HOST}:{server.port}" for server in servers)
    return f"postgresql://{ROLE}@{hosts}/{DATABASE}?target_session_attrs=read-write&connect_timeout=2"


@contextmanager
def _pair(home: Path, scenario: Scenario) -> Iterator[tuple[Server, Server]]:
    """A primary with a store, and its standby."""
    commit = "remote_apply" if scenario.is_synchronous else "local"
    with start_server({"synchronous_commit": commit}) as primary:
        primary.execute(f"CREATE DATABASE {DATABASE}")
        App(Config(home, database_url=primary.url(DATABASE))).close()
        with make_standby(primary) as standby:
            if scenario.is_synchronous:
                primary.configure("synchronous_standby_names", STANDBY_NAME)
                wait_streaming(primary, "sync")
            yield primary, standby
