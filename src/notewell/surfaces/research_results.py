"""Results of the research operations (snake_case, as the note-discovery spec names them)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from notewell.surfaces.list_models import FoundFields, ListFields
from notewell.surfaces.research_arguments import OutcomeName
from notewell.surfaces.schemas import Output


class ResearchOutput(Output):
    """The base of research results."""

    model_config = ConfigDict(alias_generator=None)


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


class _CardHead(ResearchOutput):
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


class ResearchCardOut(FoundFields, _CardHead):
    """What a search shows of a note."""

    body_bytes: int
    version: int


class ResearchHelpOut(ResearchOutput):
    """What to try where nothing was found."""

    hint: str
    nearest_tags: list[str] | None = None
    in_public_work: Annotated[int | None, Field(description="Exact matches in all public work.")] = None


class _Cards(ResearchOutput):
    cards: list[ResearchCardOut] | None = None


class ResearchListOut(ListFields, _Cards):
    """One list of cards, or why it is not there."""

    help: ResearchHelpOut | None = None


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
    cut: Annotated[str | None, Field(description="Present where extra was too long for this reply.")] = None


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
    built_on_by_cut: Annotated[
        str | None, Field(description="Present where more notes build on this one than are named.")
    ] = None
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
