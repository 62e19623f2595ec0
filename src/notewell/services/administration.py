"""What an administrator sees of a store at a glance: whether all is well, what waits, who has how much.

Counts and reasons, never a text. ``maintenance.doctor`` is the thorough check; this reads no note.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from notewell.domain.access import Actor
from notewell.errors import Forbidden
from notewell.store import health
from notewell.store.database import Database, Reader
from notewell.store.health import StoreFile
from notewell.store.migrate import migrations
from notewell.store.vectors import QueueState, queue_state


@dataclass(frozen=True, slots=True)
class AccountCounts:
    """An account and how many notes it has; never what they say."""

    handle: str
    is_admin: bool
    created_at: int
    active: int
    archived: int
    research: int


@dataclass(frozen=True, slots=True)
class StoreState:
    """How a store stands."""

    engine: str
    schema: int
    newest_schema: int
    """What this process knows."""
    files: tuple[StoreFile, ...]
    """Empty where a server keeps the store."""
    facts: tuple[tuple[str, str], ...]
    """What the engine tells of itself, by name."""
    accounts: tuple[AccountCounts, ...]
    """By handle."""
    campaigns: int
    problems: int
    queue: QueueState
    last_sweep_at: int | None
    """None where there was none yet."""

    @property
    def memory_notes(self) -> int:
        """Of all accounts."""
        return sum(each.active + each.archived for each in self.accounts)

    @property
    def research_notes(self) -> int:
        """Of all accounts."""
        return sum(each.research for each in self.accounts)


def require_admin(actor: Actor) -> None:
    """Raises ``forbidden`` for everybody but administrators."""
    actor.require("admin")
    if not actor.is_admin:
        raise Forbidden(f"The account {actor.handle} is no administrator. Ask one of this server to look.")


def state(store: Database, actor: Actor, path: Path | None) -> StoreState:
    """How the store stands; ``path`` is its file, None where a server has it. Raises ``forbidden``."""
    require_admin(actor)
    with store.read() as reader:
        size = reader.rows("record_size")[0]
        last_at = reader.rows("last_sweep")[0]["last_at"]
        return StoreState(
            engine=health.engine_of(path),
            schema=reader.rows("last_migration")[0]["number"],
            newest_schema=migrations()[-1].number,
            files=health.store_files(path),
            facts=tuple(health.of(reader).facts(reader)),
            accounts=_accounts(reader),
            campaigns=size["campaigns"],
            problems=size["problems"],
            queue=queue_state(reader),
            last_sweep_at=last_at or None,
        )


def begin_sweep(store: Database, actor: Actor) -> None:
    """Notes down that a sweep begins now, so that the hourly one waits for its hour. Raises ``forbidden``."""
    require_admin(actor)
    with store.write() as tx:
        tx.run("begin_sweep", now=tx.now, before=tx.now)


def _accounts(reader: Reader) -> tuple[AccountCounts, ...]:
    memory: dict[str, dict[str, int]] = {}
    for row in reader.rows("notes_per_account"):
        if row["handle"] and row["status"]:
            memory.setdefault(row["handle"], {})[row["status"]] = row["notes"]
    research = {row["account_id"]: row["notes"] for row in reader.rows("research_per_account")}
    return tuple(
        AccountCounts(
            row["handle"],
            bool(row["is_admin"]),
            row["created_at"],
            memory.get(row["handle"], {}).get("active", 0),
            memory.get(row["handle"], {}).get("archived", 0),
            research.get(row["id"], 0),
        )
        for row in reader.rows("all_accounts")
    )
