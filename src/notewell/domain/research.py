"""The research record: campaigns, problems with revisions, attempts, and the notes that agents write on them.

Pure: what the things are, their limits, and who may see them. Rules: DESIGN 7 and the note-discovery spec.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from notewell.domain.notes import check_body, check_text
from notewell.errors import InvalidArgument

MAX_SLUG_CHARS = 60
MAX_PROBLEM_QUERY_CHARS = 200
MAX_TITLE_CHARS = 200
MAX_DESCRIPTION_CHARS = 2_000
MAX_MODEL_CHARS = 100
MAX_REVISIONS = 1_000_000

Outcome = Literal["succeeded", "progress", "failed", "abandoned"]
OUTCOMES: tuple[Outcome, ...] = ("succeeded", "progress", "failed", "abandoned")
NoteKind = Literal["note", "summary"]
NOTE_KINDS: tuple[NoteKind, ...] = ("note", "summary")
DIGEST = "digest"
"""The kind of a note that pulls many notes together."""

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Campaign:
    """A group of problems. Times are milliseconds since 1970, UTC."""

    id: str
    slug: str
    title: str
    description: str
    owner_id: str
    is_published: bool
    created_at: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to be solved; its statement lies in numbered revisions."""

    id: str
    slug: str
    title: str
    owner_id: str
    campaign_id: str | None
    is_published: bool
    is_validation_copy: bool
    """Kept apart so that somebody can check a result without seeing earlier work; never part of a public search."""
    is_public: bool
    """Published, in no campaign or a published one, and no validation copy: kept in step by every change of those."""
    revision: int
    """The current one, counted from 1."""
    created_at: int


@dataclass(frozen=True, slots=True)
class Revision:
    """One state of a problem's statement."""

    problem_id: str
    number: int
    statement_md: str
    created_at: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """One go at one revision of a problem; it runs until it has an outcome."""

    id: str
    problem_id: str
    revision: int
    account_id: str
    agent: str
    model: str
    started_at: int
    ended_at: int | None
    outcome: Outcome | None

    @property
    def is_running(self) -> bool:
        """Whether its notes may still change."""
        return self.ended_at is None


@dataclass(frozen=True, slots=True)
class ResearchNote:
    """A note on an attempt: Markdown, kept byte for byte."""

    id: str
    problem_id: str
    attempt_id: str
    row_no: int
    version: int
    note_kind: NoteKind
    """``summary`` for the one that ending the attempt writes."""
    body_md: str
    account_id: str
    agent: str
    created_at: int
    updated_at: int


def can_see_problem(problem: Problem, account_id: str, *, is_admin: bool) -> bool:
    """Whether an account (empty: nobody signed in) may see a problem: anybody a public one, else owner and admins."""
    return problem.is_public or is_admin or (bool(account_id) and account_id == problem.owner_id)


def can_see_attempt(problem: Problem, attempt: Attempt, account_id: str, *, is_admin: bool) -> bool:
    """Whether an account may see an attempt and its notes: who sees the problem, and the attempt's author."""
    is_author = bool(account_id) and account_id == attempt.account_id
    return is_author or can_see_problem(problem, account_id, is_admin=is_admin)


def check_slug(text: str) -> str:
    """A slug as it is; raises ``invalid_argument`` where it has not the form of one."""
    if len(text) > MAX_SLUG_CHARS or not _SLUG.fullmatch(text) or text.startswith(("prb_", "cmp_")):
        raise InvalidArgument(
            f"slug: {text[:80]!r} is no slug. Use 1 to {MAX_SLUG_CHARS} lower-case letters a to z, digits and '-', with"
            " a letter or digit at both ends.",
            argument="slug",
        )
    return text


def check_title(text: str) -> str:
    """A title without the white space around it and with line breaks as spaces."""
    title = " ".join(check_text(text, "title").split())
    if not title:
        raise InvalidArgument("title is empty.", argument="title")
    return check_text(title, "title", MAX_TITLE_CHARS)


def check_markdown(text: str, argument: str) -> str:
    """A Markdown text as it is; ``too_large`` over 1 MiB, ``invalid_argument`` where it is empty or no text."""
    if not text.strip():
        raise InvalidArgument(f"{argument} is empty. Write what is to be kept.", argument=argument)
    return check_body(text, argument)


def check_outcome(text: str) -> Outcome:
    """An outcome; raises ``invalid_argument`` for any other word."""
    for outcome in OUTCOMES:
        if text == outcome:
            return outcome
    raise InvalidArgument(
        f"outcome: {text[:40]!r} is none of {', '.join(OUTCOMES)}.",
        argument="outcome",
    )


def check_revision(number: int | None) -> int | None:
    """The number of a revision, or none; raises for what no problem can have."""
    if number is not None and not 1 <= number <= MAX_REVISIONS:
        raise InvalidArgument(
            f"revision: {str(number)[:20]} is no revision; they count from 1. 'get_problem' lists those of a problem.",
            argument="revision",
        )
    return number
