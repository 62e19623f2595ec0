"""Campaigns, problems with their revisions, and attempts as rows."""

from __future__ import annotations

from collections.abc import Sequence

from notewell.domain.research import Attempt, Campaign, Outcome, Problem, Revision
from notewell.store import index
from notewell.store.database import Reader, Row, Tx
from notewell.store.homes import PUBLIC_HOME, SHARED_HOME


def _campaign(row: Row) -> Campaign:
    return Campaign(
        row["id"],
        row["slug"],
        row["title"],
        row["description"],
        row["owner_id"],
        bool(row["is_published"]),
        row["created_at"],
    )


def problem_of(row: Row) -> Problem:
    """The problem of a row."""
    return Problem(
        row["id"],
        row["slug"],
        row["title"],
        row["owner_id"],
        row["campaign_id"],
        bool(row["is_published"]),
        bool(row["is_validation_copy"]),
        bool(row["is_public"]),
        row["revision"],
        row["created_at"],
    )


def attempt_of(row: Row) -> Attempt:
    """The attempt of a row."""
    return Attempt(
        row["id"],
        row["space_id"],
        row["revision"],
        row["account_id"],
        row["agent"],
        row["model"],
        row["started_at"],
        row["ended_at"],
        row["outcome"],
    )


def insert_campaign(tx: Tx, campaign: Campaign) -> bool:
    """Adds a campaign; False where its slug is taken."""
    return bool(
        tx.run(
            "insert_campaign",
            id=campaign.id,
            slug=campaign.slug,
            title=campaign.title,
            description=campaign.description,
            owner_id=campaign.owner_id,
            is_published=int(campaign.is_published),
            now=campaign.created_at,
        )
    )


def campaign(reader: Reader, reference: str) -> Campaign | None:
    """A campaign by its id or slug."""
    rows = reader.rows("campaign", reference=reference)
    return _campaign(rows[0]) if rows else None


def campaigns(reader: Reader) -> list[Campaign]:
    """All campaigns, newest first."""
    return [_campaign(row) for row in reader.rows("campaigns")]


def insert_problem(tx: Tx, problem: Problem, statement_md: str) -> bool:
    """Adds a problem with its first revision; False where its slug is taken."""
    is_new = tx.run(
        "insert_problem",
        id=problem.id,
        slug=problem.slug,
        title=problem.title,
        owner_id=problem.owner_id,
        campaign_id=problem.campaign_id,
        is_published=int(problem.is_published),
        is_validation_copy=int(problem.is_validation_copy),
        is_public=int(problem.is_public),
        now=problem.created_at,
    )
    if not is_new:
        return False
    tx.run("insert_revision", problem_id=problem.id, number=1, statement_md=statement_md, now=tx.now)
    tx.run("set_space_home", space_id=problem.id, home=_home(is_public=problem.is_public))
    return True


def _home(*, is_public: bool) -> int:
    return PUBLIC_HOME if is_public else SHARED_HOME


def problem(reader: Reader, reference: str) -> Problem | None:
    """A problem by its id or slug."""
    rows = reader.rows("problem", reference=reference)
    return problem_of(rows[0]) if rows else None


def problems_by_id(reader: Reader, problem_ids: Sequence[str]) -> dict[str, Problem]:
    """The problems with these ids."""
    return {row["id"]: problem_of(row) for row in reader.rows("problems_by_id", ids=list(problem_ids))}


def problems_of_campaign(reader: Reader, campaign_id: str) -> list[Problem]:
    """The problems of a campaign, oldest first."""
    return [problem_of(row) for row in reader.rows("problems_of_campaign", campaign_id=campaign_id)]


def publish_problem(tx: Tx, changed: Problem) -> None:
    """Writes a problem's flags; its notes move between the public index and its own where that follows."""
    tx.run(
        "publish_problem",
        id=changed.id,
        is_published=int(changed.is_published),
        is_public=int(changed.is_public),
    )
    index.move(tx, changed.id, _home(is_public=changed.is_public))


def publish_campaign(tx: Tx, campaign_id: str, *, is_published: bool) -> None:
    """Writes a campaign's flag; what follows for its problems is ``publish_problem``."""
    tx.run("publish_campaign", id=campaign_id, is_published=int(is_published))


def hold_campaign(tx: Tx, campaign_id: str) -> None:
    """Lets nobody else change a campaign's flag until the transaction ends."""
    tx.run("hold_campaign", id=campaign_id)


def revise(tx: Tx, problem_: Problem, title: str, statement_md: str) -> int | None:
    """Adds the next revision; its number, or None where somebody else's came first."""
    number = problem_.revision + 1
    if not tx.run("advance_revision", id=problem_.id, number=number, title=title):
        return None
    tx.run("insert_revision", problem_id=problem_.id, number=number, statement_md=statement_md, now=tx.now)
    return number


def revision(reader: Reader, problem_id: str, number: int) -> Revision | None:
    """One revision of a problem with its statement."""
    rows = reader.rows("revision", problem_id=problem_id, number=number)
    return _revision(rows[0]) if rows else None


def revisions(reader: Reader, problem_id: str) -> list[Revision]:
    """All revisions of a problem, newest first, without their statements."""
    return [_revision(row) for row in reader.rows("revisions", problem_id=problem_id)]


def _revision(row: Row) -> Revision:
    return Revision(row["problem_id"], row["number"], row["statement_md"], row["created_at"])


def insert_attempt(tx: Tx, attempt_: Attempt) -> None:
    """Adds a running attempt."""
    tx.run(
        "insert_attempt",
        space_id=attempt_.problem_id,
        id=attempt_.id,
        revision=attempt_.revision,
        account_id=attempt_.account_id,
        agent=attempt_.agent,
        model=attempt_.model,
        now=attempt_.started_at,
    )


def attempt(reader: Reader, attempt_id: str) -> Attempt | None:
    """An attempt by its id."""
    rows = reader.rows("attempt", id=attempt_id)
    return attempt_of(rows[0]) if rows else None


def attempts(reader: Reader, problem_id: str) -> list[Attempt]:
    """The attempts at a problem, newest first."""
    return [attempt_of(row) for row in reader.rows("attempts_of_space", space_id=problem_id)]


def end_attempt(tx: Tx, attempt_: Attempt, outcome: Outcome) -> bool:
    """Ends a running attempt of its author; False where it does not run any more."""
    return bool(
        tx.run(
            "end_attempt",
            space_id=attempt_.problem_id,
            id=attempt_.id,
            account_id=attempt_.account_id,
            outcome=outcome,
            now=tx.now,
        )
    )
