"""The research operations: how their arguments become calls of the services, and what those return becomes results."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from notewell.app import App
from notewell.domain.access import Actor
from notewell.domain.cursor import Cursor, decode, request_hash
from notewell.domain.filters import ResearchFilters
from notewell.domain.header import ParsedHeader
from notewell.domain.research import Attempt, Campaign, Problem
from notewell.domain.times import format_time
from notewell.errors import InvalidArgument
from notewell.services import research, research_notes, research_search
from notewell.services.research import CampaignDraft, ProblemDraft
from notewell.services.research_notes import NoteInContext, Reading
from notewell.services.research_search import ListedProblem, ResearchCard, ResearchCards, ResearchSearch
from notewell.services.search import Finder, check_limit
from notewell.surfaces import research_arguments as arguments
from notewell.surfaces import research_results as results
from notewell.surfaces.list_models import found_values, list_values
from notewell.surfaces.modes import Asked, answer

MAX_STATEMENT_CHARS = 16_000
MAX_EXTRA_CHARS = 3_000
DIGESTS_SHOWN = 5
RECENT_SHOWN = 10


def list_problems(app: App, actor: Actor, given: arguments.ListProblems) -> results.ProblemsOut:
    """``problem.list``"""
    found = research_search.list_problems(app.store, actor, given.query, given.campaign)
    request = request_hash(given.query, given.campaign, actor.account_id)
    start = 0
    if given.cursor is not None:
        last = decode(given.cursor, request)
        # Counted, not looked up: the last one shown may have been hidden meanwhile.
        start = sum((each.problem.created_at, each.problem.id) >= (last.row_no, last.key) for each in found)
    shown = found[start : start + check_limit(given.limit)]
    cursor = None
    if start + len(shown) < len(found):
        ended = shown[-1].problem
        cursor = Cursor(request, "problems", ended.id, ended.created_at, 0, False).encode()
    return results.ProblemsOut(problems=[_listed(each) for each in shown], total=len(found), cursor=cursor)


def _listed(each: ListedProblem) -> results.ProblemOut:
    return results.ProblemOut(
        **_problem_fields(each.problem),
        campaign_slug=each.campaign_slug,
        owner_handle=each.owner_handle or None,
        notes=each.notes,
    )


def _problem_fields(problem: Problem) -> dict[str, Any]:
    return {
        "id": problem.id,
        "slug": problem.slug,
        "title": problem.title,
        "published": problem.is_published,
        "public": problem.is_public,
        "validation_copy": problem.is_validation_copy,
        "revision": problem.revision,
        "created_at": format_time(problem.created_at),
    }


def get_problem(app: App, actor: Actor, given: arguments.GetProblem) -> results.FullProblemOut:
    """``problem.get``"""
    if given.from_ < 0:
        raise InvalidArgument(f"from: {given.from_} is less than 0.", argument="from")
    view = research.problem(app.store, actor, given.problem, given.revision)
    digests = research_search.digests(app.store, actor, view.problem, DIGESTS_SHOWN)
    shown = ResearchFilters(revision=view.shown.number)
    recent, _ = research_search.newest(app.store, actor, view.problem, RECENT_SHOWN + DIGESTS_SHOWN, shown)
    _, total = research_search.newest(app.store, actor, view.problem, 1, ResearchFilters())
    known = {card.row.note.id for card in digests}
    text = view.shown.statement_md
    part = text[given.from_ : given.from_ + MAX_STATEMENT_CHARS]
    return results.FullProblemOut(
        **_problem_fields(view.problem),
        campaign_slug=view.campaign.slug if view.campaign else None,
        owner_handle=view.owner_handle or None,
        notes=total,
        shown_revision=view.shown.number,
        statement_md=part,
        part=_part(given.from_, len(part), len(text)),
        revisions=[
            results.RevisionOut(number=each.number, created_at=format_time(each.created_at)) for each in view.revisions
        ],
        attempts=view.attempts,
        attempts_running=view.running,
        digests=[_card(card) for card in digests],
        recent=[_card(card) for card in recent if card.row.note.id not in known][:RECENT_SHOWN],
    )


def _part(start: int, shown: int, length: int) -> results.ResearchPartOut | None:
    begin = min(start, length)
    end = begin + shown
    if begin == 0 and end == length:
        return None
    values = {"from": begin, "to": end, "of": length, "next": end if end < length else None}
    return results.ResearchPartOut.model_validate(values)


def start_attempt(app: App, actor: Actor, given: arguments.StartAttempt) -> results.AttemptOut:
    """``attempt.start``"""
    attempt, problem = research.start_attempt(app.store, actor, given.problem, given.model)
    return results.AttemptOut(**_attempt_fields(attempt, problem), author_handle=actor.handle)


def _attempt_fields(attempt: Attempt, problem: Problem) -> dict[str, Any]:
    return {
        "id": attempt.id,
        "problem_id": problem.id,
        "problem_slug": problem.slug,
        "revision": attempt.revision,
        "agent": attempt.agent or None,
        "model": attempt.model or None,
        "started_at": format_time(attempt.started_at),
        "ended_at": None if attempt.ended_at is None else format_time(attempt.ended_at),
        "outcome": attempt.outcome,
    }


def end_attempt(app: App, actor: Actor, given: arguments.EndAttempt) -> results.EndedOut:
    """``attempt.end``"""
    view = research_notes.end_attempt(app.store, actor, given.attempt_id, given.outcome, given.summary_md)
    return results.EndedOut(
        id=view.attempt.id,
        problem_id=view.problem.id,
        problem_slug=view.problem.slug,
        outcome=given.outcome,
        ended_at=format_time(view.attempt.ended_at or 0),
        summary=results.WrittenNoteOut(**_note_fields(view)),
    )


def get_attempt(app: App, actor: Actor, given: arguments.GetAttempt) -> results.FullAttemptOut:
    """``attempt.get``"""
    view = research_notes.get_attempt(app.store, actor, given.attempt_id)
    return results.FullAttemptOut(
        **_attempt_fields(view.attempt, view.problem),
        author_handle=view.author_handle or None,
        notes=[results.WrittenNoteOut(**_note_fields(each)) for each in view.notes],
        reads=list(view.reads),
    )


def add_note(app: App, actor: Actor, given: arguments.AddNote) -> results.WrittenNoteOut:
    """``research.add``"""
    view = research_notes.add_note(app.store, actor, given.attempt_id, given.body_md)
    return results.WrittenNoteOut(**_note_fields(view))


def edit_note(app: App, actor: Actor, given: arguments.EditNote) -> results.WrittenNoteOut:
    """``research.edit``"""
    view = research_notes.edit_note(app.store, actor, given.id, given.body_md, given.if_version)
    return results.WrittenNoteOut(**_note_fields(view))


def delete_note(app: App, actor: Actor, given: arguments.DeleteResearchNote) -> results.DeletedResearchOut:
    """``research.delete``"""
    return results.DeletedResearchOut(id=research_notes.delete_note(app.store, actor, given.id).id)


def _note_fields(view: NoteInContext) -> dict[str, Any]:
    note = view.note
    return {
        "id": note.id,
        "attempt_id": note.attempt_id,
        "problem_id": view.problem.id,
        "problem_slug": view.problem.slug,
        "author_handle": view.author_handle,
        "note_kind": note.note_kind,
        "title": view.title,
        "header": _header(view.header),
        "agent": note.agent or None,
        "version": note.version,
        "body_bytes": len(note.body_md.encode()),
        "created_at": format_time(note.created_at),
        "updated_at": format_time(note.updated_at),
    }


def _header(header: ParsedHeader) -> results.HeaderOut:
    """A header whose ``extra`` ends where a reply would grow too long: a header may have a mebibyte of comments."""
    left = MAX_EXTRA_CHARS
    shown: list[str] = []
    for each in header.extra:
        left -= len(each)
        if left < 0:
            break
        shown.append(each)
    cut = None
    if len(shown) < len(header.extra):
        cut = f"{len(shown):,} of {len(header.extra):,} entries of extra fit here; body_md opens with the whole header."
    return results.HeaderOut(
        title=header.title,
        kind=header.kind,
        tags=list(header.tags),
        builds_on=list(header.builds_on),
        model=header.model,
        extra=shown,
        cut=cut,
    )


def get_note(app: App, actor: Actor, given: arguments.GetNote) -> results.FullNoteOut:
    """``research.get``"""
    reading = Reading(given.from_, given.max_chars, given.working_attempt_id)
    full = research_notes.get_note(app.store, actor, given.id, reading)
    view = full.view
    # What is cut from body_md is cut from the text without the header, too: both end at the same character.
    below = max(full.start, full.length - len(view.header.body))
    return results.FullNoteOut(
        **_note_fields(view),
        body_md=full.body_md,
        body_md_without_header=view.note.body_md[below : full.end],
        part=_part(full.start, full.end - full.start, full.length),
        attempt=results.AttemptOut(**_attempt_fields(view.attempt, view.problem), author_handle=view.author_handle),
        built_on_by=[
            results.CitationOut(
                id=each.note_id,
                title=each.title,
                kind=each.kind,
                attempt_id=each.attempt_id,
                problem_id=each.problem_id,
                problem_slug=each.problem_slug,
            )
            for each in full.built_on_by
        ],
        built_on_by_cut=full.citations_cut,
        read_recorded=None if given.working_attempt_id is None else full.is_read_recorded,
    )


def search_notes(app: App, actor: Actor, given: arguments.SearchResearch) -> results.SearchResearchOut:
    """``research.search``"""
    wanted = ResearchSearch(**given.model_dump(exclude={"tags"}), tags=tuple(given.tags or ()))

    def find(finder: Finder, reply_chars: int) -> results.ResearchListOut:
        narrowed = replace(wanted, reply_chars=reply_chars, working_attempt_id=None)
        return _card_list(research_search.find(app.store, actor, narrowed, finder))

    lists = answer(app, Asked(given.mode, given.query, given.cursor), find)
    first = lists.keyword or lists.semantic or results.ResearchListOut()
    # After all lists, so that what is refused leaves no trace.
    recorded = research_search.record(app.store, actor, wanted, len(first.cards or ()))
    if given.mode == "both":
        semantic = lists.semantic or results.ResearchListOut(unavailable=lists.unavailable)
        return results.SearchResearchOut(
            mode="both", search_recorded=recorded, keyword=lists.keyword, semantic=semantic
        )
    return results.SearchResearchOut(mode=given.mode, search_recorded=recorded, **dict(first))


def _card_list(found: ResearchCards) -> results.ResearchListOut:
    helped = None
    if found.help is not None:
        helped = results.ResearchHelpOut(
            hint=found.help.hint,
            nearest_tags=list(found.help.nearest_tags) or None,
            in_public_work=found.help.in_public_work,
        )
    return results.ResearchListOut(
        cards=[_card(card) for card in found.cards],
        help=helped,
        **list_values(found),
    )


def _card(card: ResearchCard) -> results.ResearchCardOut:
    row, note = card.row, card.row.note
    return results.ResearchCardOut(
        id=note.id,
        attempt_id=note.attempt_id,
        problem_id=card.problem.id,
        problem_slug=card.problem.slug,
        problem_title=card.problem.title,
        author_handle=row.author_handle,
        note_kind=note.note_kind,
        title=row.title,
        kind=row.kind,
        tags=list(row.tags),
        builds_on=list(row.builds_on),
        model=row.model,
        agent=note.agent or None,
        created_at=format_time(note.created_at),
        updated_at=format_time(note.updated_at),
        attempt_outcome=row.outcome,
        attempt_ended_at=None if row.ended_at is None else format_time(row.ended_at),
        **found_values(card.found, card.snippet),
        body_bytes=row.body_bytes,
        version=note.version,
    )


def _campaign_fields(campaign: Campaign) -> dict[str, Any]:
    return {
        "id": campaign.id,
        "slug": campaign.slug,
        "title": campaign.title,
        "description": campaign.description,
        "published": campaign.is_published,
        "created_at": format_time(campaign.created_at),
    }


def list_campaigns(app: App, actor: Actor, _given: arguments.ListCampaigns) -> results.CampaignsOut:
    """``campaign.list``"""
    found = research.campaigns(app.store, actor)
    return results.CampaignsOut(campaigns=[results.CampaignOut(**_campaign_fields(each)) for each in found])


def get_campaign(app: App, actor: Actor, given: arguments.NameCampaign) -> results.CampaignProblemsOut:
    """``campaign.get``"""
    campaign, problems = research.campaign(app.store, actor, given.campaign)
    return results.CampaignProblemsOut(
        **_campaign_fields(campaign), problems=[results.ProblemOut(**_problem_fields(each)) for each in problems]
    )


def create_campaign(app: App, actor: Actor, given: arguments.CreateCampaign) -> results.CampaignOut:
    """``campaign.create``"""
    draft = CampaignDraft(given.slug, given.title, given.description, given.publish)
    return results.CampaignOut(**_campaign_fields(research.create_campaign(app.store, actor, draft)))


def publish_campaign(app: App, actor: Actor, given: arguments.PublishCampaign) -> results.CampaignOut:
    """``campaign.publish``"""
    changed = research.publish_campaign(app.store, actor, given.campaign, is_published=given.published)
    return results.CampaignOut(**_campaign_fields(changed))


def create_problem(app: App, actor: Actor, given: arguments.CreateProblem) -> results.ProblemOut:
    """``problem.create``"""
    draft = ProblemDraft(
        given.slug, given.title, given.statement_md, given.campaign, given.publish, given.validation_copy
    )
    return results.ProblemOut(**_problem_fields(research.create_problem(app.store, actor, draft)))


def publish_problem(app: App, actor: Actor, given: arguments.PublishProblem) -> results.ProblemOut:
    """``problem.publish``"""
    changed = research.publish_problem(app.store, actor, given.problem, is_published=given.published)
    return results.ProblemOut(**_problem_fields(changed))


def revise_problem(app: App, actor: Actor, given: arguments.ReviseProblem) -> results.ProblemOut:
    """``problem.revise``"""
    changed = research.revise_problem(app.store, actor, given.problem, given.statement_md, given.title)
    return results.ProblemOut(**_problem_fields(changed))
