"""The research record: what people and agents do with campaigns, problems and attempts.

Each function is one request: it checks the actor, opens one transaction, and returns what it found or changed. What an
actor may not see is ``not_found``. Notes on attempts are in ``research_notes``. Rules: DESIGN 7.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from notewell.domain.access import Actor
from notewell.domain.notes import check_text
from notewell.domain.research import (
    MAX_DESCRIPTION_CHARS,
    MAX_MODEL_CHARS,
    Attempt,
    Campaign,
    Problem,
    Revision,
    can_see_attempt,
    can_see_problem,
    check_markdown,
    check_revision,
    check_slug,
    check_title,
)
from notewell.errors import Forbidden, InvalidArgument, NotFound, VersionConflict
from notewell.store import research
from notewell.store.database import Database, Reader, Tx


@dataclass(frozen=True, slots=True)
class CampaignDraft:
    """A campaign that somebody wants made."""

    slug: str
    title: str
    description: str = ""
    publishes: bool = False


@dataclass(frozen=True, slots=True)
class ProblemDraft:
    """A problem that somebody wants made."""

    slug: str
    title: str
    statement_md: str
    campaign: str | None = None
    """Its id or slug."""
    publishes: bool = False
    is_validation_copy: bool = False


def create_campaign(store: Database, actor: Actor, draft: CampaignDraft) -> Campaign:
    """Makes a campaign of the actor's. Raises ``invalid_argument`` where the slug is taken."""
    actor.require("research:write")
    title = check_title(draft.title)
    slug = check_slug(draft.slug)
    description = check_text(draft.description, "description", MAX_DESCRIPTION_CHARS)
    with store.write() as tx:
        made = Campaign(tx.new_id("cmp"), slug, title, description, actor.account_id, draft.publishes, tx.now)
        if not research.insert_campaign(tx, made):
            raise _taken(slug, "campaign")
    return made


def _taken(slug: str, thing: str) -> InvalidArgument:
    return InvalidArgument(f"slug: there is a {thing} {slug!r} already. Choose another slug.", argument="slug")


def campaigns(store: Database, actor: Actor) -> list[Campaign]:
    """The campaigns that the actor may see, newest first: published ones and their own."""
    actor.require("research:read")
    with store.read() as reader:
        return [each for each in research.campaigns(reader) if _may_see_campaign(each, actor)]


def _may_see_campaign(campaign: Campaign, actor: Actor) -> bool:
    is_owner = bool(actor.account_id) and campaign.owner_id == actor.account_id
    return campaign.is_published or actor.is_admin or is_owner


def campaign(store: Database, actor: Actor, reference: str) -> tuple[Campaign, list[Problem]]:
    """A campaign by id or slug, and those of its problems that the actor may see. Raises ``not_found``."""
    actor.require("research:read")
    with store.read() as reader:
        found = seen_campaign(reader, actor, reference)
        return found, [each for each in research.problems_of_campaign(reader, found.id) if _sees(each, actor)]


def seen_campaign(reader: Reader, actor: Actor, reference: str) -> Campaign:
    """A campaign that the actor may see. Raises ``not_found``."""
    found = research.campaign(reader, reference)
    if found is None or not _may_see_campaign(found, actor):
        raise NotFound(f"There is no campaign {reference[:60]!r}, or you may not see it.", argument="campaign")
    return found


def _sees(problem: Problem, actor: Actor) -> bool:
    return can_see_problem(problem, actor.account_id, is_admin=actor.is_admin)


def seen_problem(reader: Reader, actor: Actor, reference: str) -> Problem:
    """A problem, by id or slug, that the actor may see. Raises ``not_found``."""
    found = research.problem(reader, reference)
    if found is None or not _sees(found, actor):
        raise NotFound(
            f"There is no problem {reference[:60]!r}, or you may not see it. list_problems shows those that you may.",
            argument="problem",
        )
    return found


def seen_attempt(reader: Reader, actor: Actor, attempt_id: str) -> tuple[Attempt, Problem]:
    """An attempt that the actor may see, and its problem. Raises ``not_found``."""
    found = research.attempt(reader, attempt_id)
    problem = research.problem(reader, found.problem_id) if found else None
    is_seen = (
        found is not None
        and problem is not None
        and can_see_attempt(problem, found, actor.account_id, is_admin=actor.is_admin)
    )
    if found is None or problem is None or not is_seen:
        raise NotFound(f"There is no attempt {attempt_id[:60]!r}, or you may not see it.", argument="attempt_id")
    return found, problem


def _own_problem(reader: Reader, actor: Actor, reference: str) -> Problem:
    """A problem that the actor may change. Raises ``not_found`` or ``forbidden``."""
    found = seen_problem(reader, actor, reference)
    if found.owner_id != actor.account_id and not actor.is_admin:
        raise Forbidden(f"Only the owner of {found.slug} and administrators may change it.")
    return found


def _held_problem(tx: Tx, actor: Actor, reference: str) -> Problem:
    """A problem that the actor may change and nobody else changes until the transaction ends; so is its campaign."""
    found = _own_problem(tx, actor, reference)
    if found.campaign_id is not None:
        research.hold_campaign(tx, found.campaign_id)
    tx.lock(found.id)
    return _own_problem(tx, actor, found.id)


def _is_public(problem: Problem, campaign_is_published: bool) -> bool:
    return problem.is_published and campaign_is_published and not problem.is_validation_copy


def _campaign_is_published(reader: Reader, problem: Problem) -> bool:
    if problem.campaign_id is None:
        return True
    found = research.campaign(reader, problem.campaign_id)
    return found is not None and found.is_published


def publish_campaign(store: Database, actor: Actor, reference: str, *, is_published: bool) -> Campaign:
    """Publishes or unpublishes a campaign; its problems' notes move, each problem in a transaction of its own.

    Unpublishing hides the problems first and the campaign last, publishing shows them after it, so that a stop half-way
    never shows too much; the same call again does the rest. Raises ``not_found`` or ``forbidden``.
    """
    actor.require("research:write")
    with store.write() as tx:
        found = seen_campaign(tx, actor, reference)
        if found.owner_id != actor.account_id and not actor.is_admin:
            raise Forbidden(f"Only the owner of the campaign {found.slug} and administrators may publish it.")
        if is_published:
            research.publish_campaign(tx, found.id, is_published=True)
        problems = research.problems_of_campaign(tx, found.id)
    for problem in problems:
        with store.write() as tx:
            sync_problem(tx, problem.id, campaign_is_published=is_published)
    if not is_published:
        with store.write() as tx:
            research.hold_campaign(tx, found.id)
            # What was made in between must not stay public.
            for problem in research.problems_of_campaign(tx, found.id):
                sync_problem(tx, problem.id, campaign_is_published=False)
            research.publish_campaign(tx, found.id, is_published=False)
    return replace(found, is_published=is_published)


def sync_problem(tx: Tx, problem_id: str, *, campaign_is_published: bool) -> Problem | None:
    """Brings a problem's public flag and the place of its notes into step; None where it is gone.

    A campaign that was unpublished meanwhile keeps its problems hidden, whatever the caller knew of it.
    """
    problem = research.problem(tx, problem_id)
    if problem is None:
        return None
    if problem.campaign_id is not None:
        research.hold_campaign(tx, problem.campaign_id)
    tx.lock(problem_id)
    problem = research.problem(tx, problem_id) or problem
    is_shown = campaign_is_published and _campaign_is_published(tx, problem)
    changed = replace(problem, is_public=_is_public(problem, is_shown))
    if changed != problem:
        research.publish_problem(tx, changed)
    return changed


def create_problem(store: Database, actor: Actor, draft: ProblemDraft) -> Problem:
    """Makes a problem of the actor's with its first revision. Raises ``invalid_argument``, ``not_found``."""
    actor.require("research:write")
    slug, title = check_slug(draft.slug), check_title(draft.title)
    statement = check_markdown(draft.statement_md, "statement_md")
    with store.write() as tx:
        group = seen_campaign(tx, actor, draft.campaign) if draft.campaign else None
        if group is not None:  # so that it is not hidden while the problem is made
            research.hold_campaign(tx, group.id)
            group = seen_campaign(tx, actor, group.id)
        if group is not None and group.owner_id != actor.account_id and not actor.is_admin:
            raise Forbidden(f"Only the owner of the campaign {group.slug} and administrators may add problems to it.")
        made = Problem(
            id=tx.new_id("prb"),
            slug=slug,
            title=title,
            owner_id=actor.account_id,
            campaign_id=group.id if group else None,
            is_published=draft.publishes,
            is_validation_copy=draft.is_validation_copy,
            is_public=False,
            revision=1,
            created_at=tx.now,
        )
        made = replace(made, is_public=_is_public(made, group is None or group.is_published))
        if not research.insert_problem(tx, made, statement):
            raise _taken(slug, "problem")
    return made


def publish_problem(store: Database, actor: Actor, reference: str, *, is_published: bool) -> Problem:
    """Publishes or unpublishes a problem; its notes move into or out of the public record in the same transaction."""
    actor.require("research:write")
    with store.write() as tx:
        found = _held_problem(tx, actor, reference)
        changed = replace(found, is_published=is_published)
        changed = replace(changed, is_public=_is_public(changed, _campaign_is_published(tx, changed)))
        research.publish_problem(tx, changed)
    return changed


def revise_problem(
    store: Database, actor: Actor, reference: str, statement_md: str, title: str | None = None
) -> Problem:
    """Adds a revision with a new statement; attempts keep the revision that they were started on."""
    actor.require("research:write")
    statement = check_markdown(statement_md, "statement_md")
    with store.write() as tx:
        found = _held_problem(tx, actor, reference)
        shown = found.title if title is None else check_title(title)
        number = research.revise(tx, found, shown, statement)
        if number is None:
            raise VersionConflict("The problem was revised at the same time. Look at it and try again.")
    return replace(found, title=shown, revision=number)


@dataclass(frozen=True, slots=True)
class ProblemView:
    """A problem with the statement of one revision."""

    problem: Problem
    campaign: Campaign | None
    """None where there is none, or the viewer may not see it."""
    owner_handle: str
    shown: Revision
    revisions: tuple[Revision, ...]
    attempts: int
    running: int


def problem(store: Database, actor: Actor, reference: str, revision: int | None = None) -> ProblemView:
    """A problem by id or slug with the statement of a revision, the current one unless named. Raises ``not_found``."""
    actor.require("research:read")
    check_revision(revision)
    with store.read() as reader:
        found = seen_problem(reader, actor, reference)
        shown = research.revision(reader, found.id, found.revision if revision is None else revision)
        if shown is None:
            raise NotFound(f"revision: {found.slug} has revisions 1 to {found.revision}.", argument="revision")
        group = research.campaign(reader, found.campaign_id) if found.campaign_id else None
        counts = reader.rows("attempt_counts", space_id=found.id)[0]
        owner = reader.rows("account_by_id", id=found.owner_id)
        return ProblemView(
            found,
            group if group and _may_see_campaign(group, actor) else None,
            owner[0]["handle"] if owner else "",
            shown,
            tuple(research.revisions(reader, found.id)),
            counts["attempts"],
            counts["running"],
        )


def start_attempt(store: Database, actor: Actor, reference: str, model: str = "") -> tuple[Attempt, Problem]:
    """Starts an attempt of the actor's on the current revision of a problem that they may see."""
    actor.require("research:write")
    checked = check_text(" ".join(model.split()), "model", MAX_MODEL_CHARS)
    with store.write() as tx:
        found = seen_problem(tx, actor, reference)
        made = Attempt(
            tx.new_id("att"), found.id, found.revision, actor.account_id, actor.agent, checked, tx.now, None, None
        )
        research.insert_attempt(tx, made)
    return made, found


def attempts(store: Database, actor: Actor, reference: str) -> list[Attempt]:
    """The attempts at a problem that the actor may see, newest first. Raises ``not_found``."""
    actor.require("research:read")
    with store.read() as reader:
        return research.attempts(reader, seen_problem(reader, actor, reference).id)
