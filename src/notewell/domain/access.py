"""Who acts, what their token allows, and whose notes a search may see.

Every read and write of the product takes an ``Actor``; there is no query without one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from notewell.errors import Forbidden, Unauthenticated

TokenScope = Literal["memory:read", "memory:write", "research:read", "research:write", "admin"]
TOKEN_SCOPES: tuple[TokenScope, ...] = ("memory:read", "memory:write", "research:read", "research:write", "admin")


@dataclass(frozen=True, slots=True)
class Actor:
    """An account, the token it came with, and the agent behind one call."""

    account_id: str
    handle: str
    scopes: frozenset[TokenScope]
    agent: str = ""
    """The label of the agent; empty where a person acts."""
    token_id: str | None = None
    """None where no token was needed: on the machine itself."""
    is_admin: bool = False
    """Whether the account is an administrator and the token, if there is one, carries that scope."""

    def require(self, scope: TokenScope) -> None:
        """Raises ``forbidden`` unless the token carries the scope, ``unauthenticated`` where nobody signed in."""
        if scope in self.scopes:
            return
        if not self.account_id:
            raise Unauthenticated(
                "A token is needed for this: without one this server only shows the public research record. Make one"
                " with 'notewell token create' and send it as 'Authorization: Bearer …'."
            )
        raise Forbidden(
            f"This token does not carry the scope {scope} (it has: {', '.join(sorted(self.scopes)) or 'none'})."
            f" Ask the owner of account {self.handle} for a token with it.",
            scope=scope,
        )


ANONYMOUS = Actor("", "", frozenset(("research:read",)))
"""Somebody who did not sign in: sees the public record."""


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Whose notes a search may see: one account's memory, the public record, or one problem."""

    space_id: str | None
    """The account or the problem; None is the public record."""
    is_memory: bool = True


PUBLIC_RECORD = SearchScope(None, is_memory=False)
"""All problems that anybody may see."""
