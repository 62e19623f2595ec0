"""Every error that Notewell tells somebody about, with its stable code.

    NotewellError
    ├── InvalidArgument      invalid_argument      a value breaks a rule that its message states
    │   ├── InvalidQuery     invalid_query         nothing in the words can be searched for
    │   └── InvalidSymbol    invalid_symbol        the text cannot be a market symbol
    ├── UnknownCollection    unknown_collection    no collection has that name
    ├── NotFound             not_found             no such thing, or it may not be seen
    ├── Forbidden            forbidden             the token lacks the scope
    ├── Unauthenticated      unauthenticated       no token, or one that is not valid
    ├── VersionConflict      version_conflict      somebody changed the note meanwhile
    ├── Frozen               frozen                the attempt has ended
    ├── TooLarge             too_large             over a size limit
    ├── RateLimited          rate_limited          too many requests
    ├── SemanticUnavailable  semantic_unavailable  search by meaning is off, with the reason
    ├── Unavailable          unavailable           the store cannot answer now (busy, full, read-only)
    │   ├── Damaged          unavailable           the store's file is not sound
    │   └── Interrupted      unavailable           it broke off; nothing was changed, so the same may be tried again
    └── Internal             internal              a defect of ours

A message says what was wrong, with the value, and what to do next: a model will read it.
This file imports nothing of Notewell.
"""

from __future__ import annotations

from typing import ClassVar


class NotewellError(Exception):
    """The root. ``details`` holds what a program may want besides the message."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def as_dict(self) -> dict[str, object]:
        """The object that every surface returns under ``error``: code, message, then the details."""
        return {"code": self.code, "message": self.message, **self.details}


class InvalidArgument(NotewellError):
    """A value breaks a rule; ``details["argument"]`` names the argument where one is to blame."""

    code = "invalid_argument"


class InvalidQuery(InvalidArgument):
    """Nothing in the words can be searched for."""

    code = "invalid_query"


class InvalidSymbol(InvalidArgument):
    """The text cannot be a market symbol."""

    code = "invalid_symbol"


class UnknownCollection(NotewellError):
    """No collection has that name; ``details["collections"]`` lists the real ones, nearest first."""

    code = "unknown_collection"


class NotFound(NotewellError):
    """There is no such thing, or it may not be seen: the two are not told apart."""

    code = "not_found"


class Forbidden(NotewellError):
    """The actor is known and may not do this."""

    code = "forbidden"


class Unauthenticated(NotewellError):
    """There is no token where one is needed, or it is unknown, expired or revoked."""

    code = "unauthenticated"


class VersionConflict(NotewellError):
    """An edit named a version that is not the current one; ``details`` holds the current state."""

    code = "version_conflict"


class Frozen(NotewellError):
    """The attempt has ended, so its notes change no more."""

    code = "frozen"


class TooLarge(NotewellError):
    """Something is over a size limit, which the message states."""

    code = "too_large"


class RateLimited(NotewellError):
    """Too many requests; ``details["retryAfterSeconds"]`` says when to come back."""

    code = "rate_limited"


class SemanticUnavailable(NotewellError):
    """Search by meaning cannot answer; the message gives the reason and the keyword way on."""

    code = "semantic_unavailable"


class Unavailable(NotewellError):
    """The store cannot answer now: busy, full, read-only, or damaged. Nothing was changed."""

    code = "unavailable"


class Damaged(Unavailable):
    """The store's file is not sound, or is no store's: writing to it could make it worse."""


class Interrupted(Unavailable):
    """The store broke off before anything was kept (a connection was lost, two writers met): worth trying again."""


class Internal(NotewellError):
    """A defect of ours. The caller learns that nothing was changed; the failure itself stands in the log."""

    code = "internal"
