"""What a caller is told of PostgreSQL's errors: never their text, which may hold a note's."""

from __future__ import annotations

import psycopg
from psycopg import errors

from notewell.errors import Internal, Interrupted, NotewellError, Unavailable

NOT_REPLICATED = "01000"
"""The warning of a commit that was broken off while it waited for the standby."""
SEARCH_SECONDS = 20
"""What one statement of a search may take before the server stops it."""
_PASSING = ("08", "57P01", "57P02", "57P03", "25006", "XX000")
"""Beginnings of states that another connection, a moment later, may not meet: a lost connection, a server that stops,
starts or was demoted to a standby, a worker of a cluster that is away."""
_CONFLICTS = ("40001", "40P01")
_DISK = ("53100", "58030")
_FULL = ("53200", "53300", "53400")
_SETUP = ("28", "3D000", "42501", "0A000")


def is_passing(error: psycopg.Error) -> bool:
    """Whether the same may go well on a new connection."""
    if error.sqlstate is None:
        # libpq itself: no server, a broken connection, or a refusal that it passes on as text only.
        return isinstance(error, psycopg.OperationalError) and not _is_refusal(error)
    return error.sqlstate.startswith(_PASSING) or error.sqlstate in ("53300",)


def _is_refusal(error: psycopg.Error) -> bool:
    text = str(error)
    refusals = (
        "authentication",
        "not support SSL",
        "does not exist",
        "no pg_hba.conf",
        "role ",
        "invalid ",
        "could not translate",
    )
    return any(each in text for each in refusals)


def outcome_unknown() -> Unavailable:
    """The error of a commit of which nobody can tell whether it was kept."""
    return Unavailable(
        "The connection to the database was lost at the very moment of saving, so it is not known whether this was"
        " saved. Read before you write again, or repeat the same request with its idempotency key.",
        outcomeUnknown=True,
    )


def translated(error: psycopg.Error) -> NotewellError:
    """The error for a caller."""
    state = error.sqlstate or ""
    if state in _CONFLICTS:
        return Interrupted("Two writers met and this one gave way. Nothing was changed; try again.")
    if isinstance(error, errors.QueryCanceled):
        return Unavailable(
            f"The database stopped this after {SEARCH_SECONDS} seconds: it asks for too much. Use fewer or rarer"
            " words, or narrow the search with filters."
        )
    if isinstance(error, errors.LockNotAvailable):
        return Unavailable(
            "The store is busy: another process writes in the same place. Nothing was changed; try again."
        )
    if state in _DISK:
        return Unavailable("The database's disk is full or failing, so nothing was saved. Free some space; try again.")
    if is_passing(error) and state not in _FULL:
        return Interrupted("The database cannot be reached just now. Nothing was changed; try again in a moment.")
    if state in _FULL:
        return Unavailable("The database has no room for more connections or work. Nothing was changed; try again.")
    if state.startswith(_SETUP) or not state:
        return Unavailable(
            "The database does not let this role do what Notewell needs: it must own the database's tables, and the"
            " extension btree_gin must be there or be one that it may make (an administrator runs CREATE EXTENSION"
            " btree_gin). Nothing was changed. See docs/how-to/scale.md; the server's log says more."
        )
    if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted):
        return Unavailable("The database is damaged. Stop writing to it, and go back to a backup or a standby.")
    return Internal("The store met a defect of Notewell. Nothing was changed; please report it.")
