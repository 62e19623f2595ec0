"""Accounts and tokens: who there is, and who a request comes from.

A token is ``nw_`` and 256 random bits, shown once and kept only as its SHA-256: with that much chance in it no slow
hash is needed. On the machine itself, without a token, the one local account acts.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from notewell.domain.access import TOKEN_SCOPES, Actor, TokenScope
from notewell.domain.notes import MAX_AGENT_CHARS, check_text
from notewell.errors import InvalidArgument, NotFound, Unauthenticated
from notewell.store.database import Database, Reader, Row

LOCAL_HANDLE = "local"
DEFAULT_SCOPES: tuple[TokenScope, ...] = ("memory:read", "memory:write", "research:read", "research:write")
LAST_USE_MILLISECONDS = 60_000
"""How exact a token's last use is kept: writing it at every request would make each read a write."""
DAY_MILLISECONDS = 86_400_000
_HANDLE = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Account:
    """A person."""

    id: str
    handle: str
    is_admin: bool
    created_at: int


@dataclass(frozen=True, slots=True)
class Token:
    """An API key of an account, without its secret."""

    id: str
    hint: str
    """The first characters of the secret, to tell tokens apart."""
    agent: str
    scopes: tuple[TokenScope, ...]
    created_at: int
    expires_at: int | None
    last_used_at: int | None
    revoked_at: int | None


def _account(row: Row) -> Account:
    return Account(row["id"], row["handle"], bool(row["is_admin"]), row["created_at"])


def _token(row: Row) -> Token:
    return Token(
        row["id"],
        row["hint"],
        row["agent"],
        tuple(row["scopes"].split()),
        row["created_at"],
        row["expires_at"],
        row["last_used_at"],
        row["revoked_at"],
    )


def local_actor(store: Database, agent: str = "") -> Actor:
    """The one local account, made where it is missing, with every scope."""
    with store.read() as reader:
        rows = reader.rows("account_by_key", handle_key=LOCAL_HANDLE)
    account = _account(rows[0]) if rows else create_account(store, LOCAL_HANDLE, is_admin=True, may_exist=True)
    return Actor(account.id, account.handle, frozenset(TOKEN_SCOPES), check_agent(agent), is_admin=account.is_admin)


def create_account(store: Database, handle: str, *, is_admin: bool = False, may_exist: bool = False) -> Account:
    """A new account; raises ``invalid_argument`` for a handle that is taken (unless it may be) or has a bad form."""
    key = handle.strip().lower()
    if not _HANDLE.fullmatch(key):
        raise InvalidArgument(
            f"handle: {handle[:60]!r} is no handle. Use 1 to 40 letters a to z, digits, '-' and '_', with a letter or"
            " digit at both ends.",
            argument="handle",
        )
    with store.write() as tx:
        is_new = tx.run(
            "insert_account",
            id=tx.new_id("acc"),
            handle=key,
            handle_key=key,
            is_admin=int(is_admin),
            now=tx.now,
        )
        if not is_new and not may_exist:
            raise InvalidArgument(f"handle: there is an account {key!r} already.", argument="handle")
        return _account(tx.rows("account_by_key", handle_key=key)[0])


def accounts(store: Database) -> list[Account]:
    """All accounts by handle."""
    with store.read() as reader:
        return [_account(row) for row in reader.rows("all_accounts")]


def handles(store: Database, account_ids: Iterable[str]) -> dict[str, str]:
    """The handles of these accounts by id, as far as they are there."""
    with store.read() as reader:
        rows = reader.rows("handles", ids=list(dict.fromkeys(account_ids)))
    return {row["id"]: row["handle"] for row in rows}


def _find(reader: Reader, handle: str) -> Account:
    rows = reader.rows("account_by_key", handle_key=handle.strip().lower())
    if not rows:
        known = ", ".join(row["handle"] for row in reader.rows("all_accounts")) or "none yet"
        raise NotFound(f"There is no account {handle[:60]!r} (there are: {known}).")
    return _account(rows[0])


def account_actor(store: Database, handle: str, agent: str = "") -> Actor:
    """An account acting on its own machine, with every scope. Raises ``not_found``."""
    with store.read() as reader:
        account = _find(reader, handle)
    return Actor(account.id, account.handle, frozenset(TOKEN_SCOPES), check_agent(agent), is_admin=account.is_admin)


def check_agent(label: str) -> str:
    """An agent's label without the white space around it; raises ``invalid_argument`` over 100 characters."""
    return check_text(" ".join(label.split()), "agent", MAX_AGENT_CHARS)


def create_token(
    store: Database, handle: str, agent: str, scopes: Iterable[str] = DEFAULT_SCOPES, days: int | None = None
) -> tuple[Token, str]:
    """A new token of an account, and its secret, which is never shown again."""
    unknown = [scope for scope in scopes if scope not in TOKEN_SCOPES]
    if unknown:
        raise InvalidArgument(
            f"scopes: {unknown[0][:40]!r} is no scope. There are: {', '.join(TOKEN_SCOPES)}.", argument="scopes"
        )
    if days is not None and not 1 <= days <= 36_500:
        raise InvalidArgument(f"days: {days} is outside 1 to 36,500.", argument="days")
    secret = f"nw_{secrets.token_urlsafe(32)}"
    with store.write() as tx:
        account = _find(tx, handle)
        token_id = tx.new_id("tok")
        tx.run(
            "insert_token",
            id=token_id,
            account_id=account.id,
            secret_hash=_hash(secret),
            hint=secret[:8],
            agent=check_agent(agent),
            scopes=" ".join(dict.fromkeys(scopes)),
            now=tx.now,
            expires_at=None if days is None else tx.now + days * DAY_MILLISECONDS,
        )
        rows = tx.rows("tokens_of_account", account_id=account.id)
        return next(_token(row) for row in rows if row["id"] == token_id), secret


def tokens(store: Database, handle: str) -> list[Token]:
    """The tokens of an account, oldest first, revoked ones too. Raises ``not_found``."""
    with store.read() as reader:
        account = _find(reader, handle)
        return [_token(row) for row in reader.rows("tokens_of_account", account_id=account.id)]


def revoke_token(store: Database, handle: str, token_id: str) -> None:
    """Ends a token at once. Raises ``not_found`` where the account has no such live token."""
    with store.write() as tx:
        account = _find(tx, handle)
        if not tx.run("revoke_token", account_id=account.id, id=token_id, now=tx.now):
            raise NotFound(f"Account {account.handle} has no live token {token_id[:40]!r}.")


def has_live_token(store: Database) -> bool:
    """Whether anybody could sign in with a token."""
    with store.read() as reader:
        return bool(reader.rows("count_live_tokens", now=reader.now)[0]["tokens"])


def token_actor(store: Database, secret: str, agent: str = "") -> Actor:
    """Who a token stands for; its own agent label goes before the one given. Raises ``unauthenticated``."""
    with store.read() as reader:
        rows = reader.rows("token_by_secret", secret_hash=_hash(secret))
        now = reader.now
    if not rows:
        raise Unauthenticated(
            "The token is unknown. Make one with 'notewell token create' and send it as a bearer token."
        )
    row = rows[0]
    if row["revoked_at"] is not None:
        raise Unauthenticated(f"The token {row['hint']}… was revoked. Make a new one with 'notewell token create'.")
    if row["expires_at"] is not None and row["expires_at"] <= now:
        raise Unauthenticated(f"The token {row['hint']}… has expired. Make a new one with 'notewell token create'.")
    if now - (row["last_used_at"] or 0) >= LAST_USE_MILLISECONDS:
        with store.write() as tx:
            tx.run("touch_token", id=row["id"], now=tx.now)
    scopes: frozenset[TokenScope] = frozenset(row["scopes"].split())
    is_admin = bool(row["is_admin"]) and "admin" in scopes
    return Actor(row["account_id"], row["handle"], scopes, row["agent"] or check_agent(agent), row["id"], is_admin)


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def check_store(store: Database) -> None:
    """Raises ``unavailable`` where the store cannot be read or written: it counts its own calls."""
    with store.write() as tx:
        tx.run("write_health_check")
