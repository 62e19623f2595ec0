"""Arguments of the research operations (snake_case, as the note-discovery spec names them)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field, StrictBool

from notewell.domain.research import (
    MAX_DESCRIPTION_CHARS,
    MAX_MODEL_CHARS,
    MAX_PROBLEM_QUERY_CHARS,
    MAX_SLUG_CHARS,
    MAX_TITLE_CHARS,
)
from notewell.surfaces.list_models import AskedFields
from notewell.surfaces.schemas import Arguments, Filters

_SNAKE = ConfigDict(alias_generator=None)
OutcomeName = Literal["succeeded", "progress", "failed", "abandoned"]


def _field(description: str, default: Any = ..., **schema: Any) -> Any:
    """A field whose limits are shown to clients and checked by the services."""
    return Field(default, description=description, json_schema_extra=schema or None)


_BODY = (
    "Markdown, kept byte for byte; at most 1 MiB. It may open with a header between --- lines (title, kind, tags,"
    " builds_on, model; all optional), which makes it easier to find."
)
_WORKING = "Your own running attempt: the read is recorded on it."


class ResearchArguments(Arguments):
    """The base of research inputs."""

    model_config = _SNAKE


class ResearchListing(Filters):
    """The base of research searches and listings."""

    model_config = _SNAKE


class ListProblems(ResearchListing):
    """Arguments of ``list_problems``."""

    query: str | None = _field(
        "Only problems whose title or slug holds every one of these words.", None, maxLength=MAX_PROBLEM_QUERY_CHARS
    )
    campaign: str | None = _field("Only problems of this campaign (id or slug).", None, maxLength=MAX_SLUG_CHARS)
    limit: int = _field("How many, 1 to 50.", 20, minimum=1, maximum=50)
    cursor: str | None = _field("Where the page before ended.", None)


class GetProblem(ResearchListing):
    """Arguments of ``get_problem``."""

    problem: str = _field("Its id or slug.", maxLength=MAX_SLUG_CHARS)
    revision: int | None = _field("Which revision's statement; default: the current one.", None, minimum=1)
    from_: int = Field(
        default=0,
        alias="from",
        description="For a long statement: the character to read on at, as its part.next said.",
        json_schema_extra={"minimum": 0},
    )


class StartAttempt(ResearchArguments):
    """Arguments of ``start_attempt``."""

    problem: str = _field("Its id or slug.", maxLength=MAX_SLUG_CHARS)
    model: str = _field("Which model works on it.", "", maxLength=MAX_MODEL_CHARS)


class EndAttempt(ResearchArguments):
    """Arguments of ``end_attempt``."""

    attempt_id: str = _field("Your running attempt.")
    outcome: OutcomeName = _field("How it ended.")
    summary_md: str = _field(f"What the next agent should know first. {_BODY}")


class AddNote(ResearchArguments):
    """Arguments of ``add_note``."""

    attempt_id: str = _field("Your running attempt.")
    body_md: str = _field(_BODY)


class EditNote(ResearchArguments):
    """Arguments of ``edit_note``."""

    id: str = _field("Which note of your running attempt.")
    body_md: str = _field(f"The whole new text. {_BODY}")
    if_version: int | None = _field("The version you read; refused if the note has changed since.", None, minimum=1)


class DeleteResearchNote(ResearchArguments):
    """Arguments of the deletion of a research note."""

    id: str = _field("Which note.")


class SearchResearch(AskedFields, ResearchListing):
    """Arguments of ``search_notes``."""

    problem: str | None = _field("Only this problem (id or slug), every revision.", None, maxLength=MAX_SLUG_CHARS)
    campaign: str | None = _field("Only public problems of this campaign.", None, maxLength=MAX_SLUG_CHARS)
    attempt_id: str | None = _field("Only this attempt.", None)
    kind: str | None = _field(
        "Only notes of this kind: finding, dead_end, decision, question, plan, blocker, digest, …", None
    )
    note_kind: Literal["note", "summary"] | None = _field("summary: the notes that end attempts.", None)
    tags: list[str] | None = Field(
        default=None,
        description="Only notes that carry every one of these tags.",
        json_schema_extra={"maxItems": 20},
    )
    builds_on: str | None = _field("Only notes that cite this id (nte_, att_, prb_, cmp_).", None)
    model: str | None = _field("Only notes whose header names this model.", None, maxLength=MAX_MODEL_CHARS)
    author: str | None = _field("Only notes by this handle.", None, maxLength=40)
    outcome: OutcomeName | None = _field("Only notes of attempts that ended so.", None)
    revision: int | None = _field("Only notes on this revision.", None, minimum=1)
    since: str | None = _field("Written at or after this date or time (2026-12-01, 2026-12-01T08:00:00Z).", None)
    until: str | None = _field("Written at or before this date or time; a date counts as its whole day, UTC.", None)
    sort: Literal["relevance", "newest"] | None = _field("Default: relevance with a query, newest without.", None)
    limit: int = _field("How many cards, 1 to 50.", 10, minimum=1, maximum=50)
    cursor: str | None = _field("Where the page before ended; send it with the same other arguments.", None)
    working_attempt_id: str | None = _field("Your own running attempt: the search is recorded on it.", None)


class GetNote(ResearchListing):
    """Arguments of ``get_note``."""

    id: str = _field("Which note, as search_notes returns it.")
    from_: int = Field(
        default=0,
        alias="from",
        description="For a long note: the character to read on at, as its part.next said.",
        json_schema_extra={"minimum": 0},
    )
    max_chars: int = _field("How many characters of the note in this reply.", 12_000, minimum=1)
    working_attempt_id: str | None = _field(_WORKING, None)


class GetAttempt(ResearchArguments):
    """Arguments of the look at one attempt."""

    attempt_id: str = _field("Which attempt.")


class CreateCampaign(ResearchArguments):
    """Arguments of the making of a campaign."""

    slug: str = _field("Its name in addresses: a to z, digits, '-'.", maxLength=MAX_SLUG_CHARS)
    title: str = _field("What it is about.", maxLength=MAX_TITLE_CHARS)
    description: str = _field("More about it.", "", maxLength=MAX_DESCRIPTION_CHARS)
    publish: StrictBool = _field("Publish it at once.", False)


class NameCampaign(ResearchArguments):
    """Arguments of what is done to one campaign."""

    campaign: str = _field("Its id or slug.", maxLength=MAX_SLUG_CHARS)


class PublishCampaign(NameCampaign):
    """Arguments of the publishing of a campaign."""

    published: StrictBool = _field("False takes it and its problems out of the public record.", True)


class ListCampaigns(ResearchListing):
    """Arguments of the list of campaigns: none."""


class CreateProblem(ResearchArguments):
    """Arguments of the making of a problem."""

    slug: str = _field("Its name in addresses: a to z, digits, '-'.", maxLength=MAX_SLUG_CHARS)
    title: str = _field("What it is about.", maxLength=MAX_TITLE_CHARS)
    statement_md: str = _field("What is to be solved: Markdown, at most 1 MiB.")
    campaign: str | None = _field("The campaign it belongs to (id or slug).", None, maxLength=MAX_SLUG_CHARS)
    publish: StrictBool = _field("Publish it at once.", False)
    validation_copy: StrictBool = _field("An isolated copy for checking results: never in a public search.", False)


class PublishProblem(ResearchArguments):
    """Arguments of the publishing of a problem."""

    problem: str = _field("Its id or slug.", maxLength=MAX_SLUG_CHARS)
    published: StrictBool = _field("False takes it out of the public record.", True)


class ReviseProblem(ResearchArguments):
    """Arguments of a new revision."""

    problem: str = _field("Its id or slug.", maxLength=MAX_SLUG_CHARS)
    statement_md: str = _field("The whole new statement.")
    title: str | None = _field("A new title.", None, maxLength=MAX_TITLE_CHARS)
