"""Arguments and results of the research operations (snake_case, as the note-discovery spec names them)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from notewell.domain.notes import MAX_BODY_BYTES
from notewell.domain.query import MAX_QUERY_CHARS
from notewell.domain.research import MAX_DESCRIPTION_CHARS, MAX_MODEL_CHARS, MAX_SLUG_CHARS, MAX_TITLE_CHARS
from notewell.surfaces.schemas import Arguments, Filters, Output

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


class ResearchOutput(Output):
    """The base of research results."""

    model_config = _SNAKE


class ListProblems(ResearchListing):
    """Arguments of ``list_problems``."""

    query: str | None = _field("Only problems whose title or slug holds every one of these words.", None, maxLength=200)
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


class SearchResearch(ResearchListing):
    """Arguments of ``search_notes``."""

    query: str | None = _field(
        'Words to find, in any language; all must hold for an exact match. Also "a phrase", prefix*, -without, OR,'
        " NEAR(a b, 10), title:word. Leave out to list notes, newest first.",
        None,
        maxLength=MAX_QUERY_CHARS,
    )
    mode: Literal["keyword", "semantic", "both"] = _field(
        "keyword: by words (default). semantic: by meaning. both: two separate lists.", "keyword"
    )
    match: Literal["best", "all"] = _field(
        "best: notes that hold only some words follow the exact ones, each with what is missing. all: exact ones only.",
        "best",
    )
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
    max_chars: int = _field("How many characters of the note in this reply.", 18_000, minimum=1, maximum=MAX_BODY_BYTES)
    working_attempt_id: str | None = _field(_WORKING, None)


class GetAttempt(ResearchArguments):
    """Arguments of the look at one attempt."""

    attempt_id: str = _field("Which attempt.")


class CreateCampaign(ResearchArguments):
    """Arguments of the making of a campaign."""

    slug: str = _field("Its name in addresses: a to z, digits, '-'.", maxLength=MAX_SLUG_CHARS)
    title: str = _field("What it is about.", maxLength=MAX_TITLE_CHARS)
    description: str = _field("More about it.", "", maxLength=MAX_DESCRIPTION_CHARS)
    publish: bool = _field("Publish it at once.", False)


class NameCampaign(ResearchArguments):
    """Arguments of what is done to one campaign."""

    campaign: str = _field("Its id or slug.", maxLength=MAX_SLUG_CHARS)


class PublishCampaign(NameCampaign):
    """Arguments of the publishing of a campaign."""

    published: bool = _field("False takes it and its problems out of the public record.", True)


class ListCampaigns(ResearchListing):
    """Arguments of the list of campaigns: none."""


class CreateProblem(ResearchArguments):
    """Arguments of the making of a problem."""

    slug: str = _field("Its name in addresses: a to z, digits, '-'.", maxLength=MAX_SLUG_CHARS)
    title: str = _field("What it is about.", maxLength=MAX_TITLE_CHARS)
    statement_md: str = _field("What is to be solved: Markdown, at most 1 MiB.")
    campaign: str | None = _field("The campaign it belongs to (id or slug).", None, maxLength=MAX_SLUG_CHARS)
    publish: bool = _field("Publish it at once.", False)
    validation_copy: bool = _field("An isolated copy for checking results: never in a public search.", False)


class PublishProblem(ResearchArguments):
    """Arguments of the publishing of a problem."""

    problem: str = _field("Its id or slug.", maxLength=MAX_SLUG_CHARS)
    published: bool = _field("False takes it out of the public record.", True)


class ReviseProblem(ResearchArguments):
    """Arguments of a new revision."""

    problem: str = _field("Its id or slug.", maxLength=MAX_SLUG_CHARS)
    statement_md: str = _field("The whole new statement.")
    title: str | None = _field("A new title.", None, maxLength=MAX_TITLE_CHARS)


class CampaignOut(ResearchOutput):
    """A campaign."""

    id: str
    slug: str
    title: str
    description: str
    published: bool
    created_at: str


class CampaignsOut(ResearchOutput):
    """The campaigns that one may see."""

    campaigns: list[CampaignOut]


class ProblemOut(ResearchOutput):
    """A problem without its statement."""

    id: str
    slug: str
    title: str
    campaign_slug: str | None = None
    owner_handle: str | None = None
    published: bool
    public: Annotated[bool, Field(description="Whether anybody may see it.")]
    validation_copy: bool
    revision: Annotated[int, Field(description="The current one.")]
    notes: int | None = None
    created_at: str


class ProblemsOut(ResearchOutput):
    """The result of ``list_problems``."""

    problems: list[ProblemOut]
    total: int
    cursor: str | None = None


class CampaignProblemsOut(CampaignOut):
    """A campaign with the problems that one may see."""

    problems: list[ProblemOut]


class RevisionOut(ResearchOutput):
    """One revision of a problem."""

    number: int
    created_at: str


class ResearchPartOut(ResearchOutput):
    """Which part of a text a reply holds, in characters."""

    from_: int = Field(alias="from")
    to: int
    of: int
    next: Annotated[int | None, Field(description="The from to read on with; absent at the end.")] = None


class ResearchCardOut(ResearchOutput):
    """What a search shows of a note."""

    id: str
    attempt_id: str
    problem_id: str
    problem_slug: str
    problem_title: str
    author_handle: str
    note_kind: Literal["note", "summary"]
    title: str
    kind: str | None = None
    tags: list[str]
    builds_on: list[str]
    model: str | None = None
    agent: str | None = None
    created_at: str
    updated_at: str
    attempt_outcome: OutcomeName | None = None
    attempt_ended_at: str | None = None
    snippet: str
    highlights: Annotated[list[list[int]], Field(description="Matches in the snippet: [start, end] in characters.")]
    score: Annotated[
        float | None, Field(description="BM25, higher is better, unbounded; compares only inside this reply.")
    ] = None
    missing: Annotated[
        list[str] | None, Field(description="Words of the query that the note lacks; absent for exact matches.")
    ] = None
    body_bytes: int
    version: int


class ResearchHelpOut(ResearchOutput):
    """What to try where nothing was found."""

    hint: str
    nearest_tags: list[str] | None = None
    in_public_work: Annotated[int | None, Field(description="Exact matches in all public work.")] = None


class ResearchListOut(ResearchOutput):
    """One list of cards, or why it is not there."""

    cards: list[ResearchCardOut] | None = None
    total: Annotated[int | None, Field(description="How many exact matches there are; absent if unknown.")] = None
    cursor: Annotated[str | None, Field(description="Send it for the next page; absent on the last one.")] = None
    cut: str | None = None
    help: ResearchHelpOut | None = None
    unavailable: Annotated[str | None, Field(description="Why this list could not be made.")] = None


class ResearchModeOut(ResearchOutput):
    """Which way a search went."""

    mode: Literal["keyword", "semantic", "both"]
    search_recorded: Annotated[
        bool | None, Field(description="Whether the search was recorded on working_attempt_id.")
    ] = None


class SearchResearchOut(ResearchListOut, ResearchModeOut):
    """The result of ``search_notes``: one list, or with mode both a list for each mode."""

    keyword: ResearchListOut | None = None
    semantic: ResearchListOut | None = None


class FullProblemOut(ProblemOut):
    """The result of ``get_problem``."""

    shown_revision: int
    statement_md: str
    part: Annotated[ResearchPartOut | None, Field(description="Present where the statement is cut.")] = None
    revisions: list[RevisionOut]
    attempts: int
    attempts_running: int
    digests: Annotated[list[ResearchCardOut], Field(description="Read these first: each pulls many notes together.")]
    recent: Annotated[list[ResearchCardOut], Field(description="The newest notes, digests left out.")]


class AttemptOut(ResearchOutput):
    """An attempt."""

    id: str
    problem_id: str
    problem_slug: str
    revision: int
    author_handle: str | None = None
    agent: str | None = None
    model: str | None = None
    started_at: str
    ended_at: str | None = None
    outcome: OutcomeName | None = None


class HeaderOut(ResearchOutput):
    """The parsed header of a note."""

    title: str | None = None
    kind: str | None = None
    tags: list[str]
    builds_on: list[str]
    model: str | None = None
    extra: Annotated[list[str], Field(description="What the header says besides, verbatim and in order.")]


class WrittenNoteOut(ResearchOutput):
    """A note that was written, without its body."""

    id: str
    attempt_id: str
    problem_id: str
    problem_slug: str
    author_handle: str
    note_kind: Literal["note", "summary"]
    title: Annotated[str, Field(description="The header's title, else what cards show instead.")]
    header: HeaderOut
    agent: str | None = None
    version: int
    body_bytes: int
    created_at: str
    updated_at: str


class CitationOut(ResearchOutput):
    """A note that builds on this one."""

    id: str
    title: str
    kind: str | None = None
    attempt_id: str
    problem_id: str
    problem_slug: str


class FullNoteOut(WrittenNoteOut):
    """The result of ``get_note``."""

    body_md: Annotated[str, Field(description="The note as it was written, with its header.")]
    body_md_without_header: str
    part: Annotated[ResearchPartOut | None, Field(description="Present where body_md is cut.")] = None
    attempt: AttemptOut
    built_on_by: list[CitationOut]
    read_recorded: Annotated[bool | None, Field(description="Whether the read was recorded on working_attempt_id.")] = (
        None
    )


class EndedOut(ResearchOutput):
    """The result of ``end_attempt``."""

    id: str
    problem_id: str
    problem_slug: str
    outcome: OutcomeName
    ended_at: str
    summary: WrittenNoteOut


class FullAttemptOut(AttemptOut):
    """An attempt with its notes."""

    notes: list[WrittenNoteOut]
    reads: list[str]


class DeletedResearchOut(ResearchOutput):
    """A research note that is gone."""

    id: str
    deleted: bool = True
