"""What arguments and results of both kinds of searches share; the model that takes them says how names are spelled."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from notewell.domain.query import MAX_QUERY_CHARS
from notewell.domain.snippet import Snippet
from notewell.services.memory_search import Cards
from notewell.services.research_search import ResearchCards
from notewell.services.search import Found
from notewell.surfaces.modes import WEAK
from notewell.surfaces.schemas import Output


class AskedFields(BaseModel):
    """What is looked for, and how."""

    query: str | None = Field(
        None,
        description='Words to find, in any language; all must hold for an exact match. Also "a phrase", prefix*,'
        " -without, OR, NEAR(a b, 10), title:word. Leave out to list notes, newest first.",
        json_schema_extra={"maxLength": MAX_QUERY_CHARS},
    )
    mode: Literal["keyword", "semantic", "both"] = Field(
        "keyword", description="keyword: by words (default). semantic: by meaning. both: two separate lists."
    )
    match: Literal["best", "all"] = Field(
        "best",
        description="best: notes that hold only some words follow the exact ones, each with what is missing. all: exact"
        " ones only.",
    )


class FoundFields(BaseModel):
    """Why a note was found, and the place in it."""

    snippet: str
    highlights: Annotated[list[list[int]], Field(description="Matches in the snippet: [start, end] in characters.")]
    score: Annotated[
        float | None,
        Field(
            description="By words BM25 (unbounded, compares only inside this reply); by meaning the cosine, -1 to 1."
        ),
    ] = None
    z_score: Annotated[
        float | None,
        Field(
            description="By meaning: by how many standard deviations the note stands out from all that was searched."
        ),
    ] = None
    missing: Annotated[
        list[str] | None, Field(description="Words of the query that the note lacks; absent for exact matches.")
    ] = None


class CoverageOut(Output):
    """How much of the notes a search by meaning could look at."""

    embedded: int
    notes: int


def found_values(found: Found, snippet: Snippet) -> dict[str, Any]:
    """The values of ``FoundFields``."""
    return {
        "snippet": snippet.text,
        "highlights": [list(span) for span in snippet.highlights],
        "score": found.score,
        "z_score": found.z_score,
        "missing": list(found.missing) or None,
    }


class ListFields(BaseModel):
    """What is said of a list of cards, or why it is not there."""

    total: Annotated[int | None, Field(description="How many exact matches there are; absent if unknown.")] = None
    cursor: Annotated[str | None, Field(description="Send it for the next page; absent on the last one.")] = None
    cut: str | None = None
    coverage: Annotated[
        CoverageOut | None, Field(description="By meaning: how many of the notes could be searched so far.")
    ] = None
    weak: Annotated[str | None, Field(description="Present where nothing stands out.")] = None
    unavailable: Annotated[str | None, Field(description="Why this list could not be made.")] = None


def list_values(found: Cards | ResearchCards) -> dict[str, Any]:
    """The values of ``ListFields`` for a list that could be made."""
    coverage = found.coverage
    return {
        "total": found.total,
        "cursor": found.cursor,
        "cut": found.cut,
        "coverage": None if coverage is None else CoverageOut(embedded=coverage.embedded, notes=coverage.notes),
        "weak": WEAK if found.is_weak else None,
    }
