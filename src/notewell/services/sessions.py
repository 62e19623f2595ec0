"""How people sign in on the pages: a password for each account, and sessions that can be ended from anywhere.

Passwords are kept as Argon2id; checking one takes 19 MiB for a moment, so two are checked at once and the rest waits.
A session's secret has 256 random bits and is kept only as its SHA-256, as tokens are. Who signs in is not told which of
handle and password was wrong.
"""

from __future__ import annotations

import secrets
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

from notewell.domain.access import TOKEN_SCOPES, Actor
from notewell.errors import InvalidArgument, NotFound, RateLimited, Unauthenticated
from notewell.services.accounts import DAY_MILLISECONDS, LAST_USE_MILLISECONDS, account_actor
from notewell.store.database import Database, Row

MIN_PASSWORD_CHARS = 10
MAX_PASSWORD_CHARS = 200
SESSION_DAYS = 180
IDLE_DAYS = 30
"""A session that nobody used for so long has ended."""
MAX_BROWSER_CHARS = 200
BUSY_SECONDS = 5.0
"""How long a password waits for its turn to be checked."""

# OWASP's figures of 2026 for Argon2id: 19 MiB, twice over, on one lane.
_hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
_turns = threading.BoundedSemaphore(2)
_NOBODYS_HASH = _hasher.hash(secrets.token_urlsafe(16))
"""What a password is checked against where there is no account: the answer takes as long."""


@dataclass(frozen=True, slots=True)
class Session:
    """A browser in which somebody is signed in."""

    id: str
    browser: str
    """What the browser said of itself."""
    created_at: int
    expires_at: int
    last_used_at: int


def _session(row: Row) -> Session:
    return Session(row["id"], row["browser"], row["created_at"], row["expires_at"], row["last_used_at"])


def has_passwords(store: Database) -> bool:
    """Whether anybody could sign in."""
    with store.read() as reader:
        return bool(reader.rows("count_passwords")[0]["passwords"])


def has_password(store: Database, account_id: str) -> bool:
    """Whether an account has a password."""
    with store.read() as reader:
        return bool(reader.rows("password_of_account", account_id=account_id))


def set_password(store: Database, handle: str, password: str, *, keep_session_id: str = "") -> None:
    """Gives an account a password, and ends all of its sessions but the one that asks for it.

    Raises ``not_found`` for an unknown handle, ``invalid_argument`` for a password that is too short or too long.
    """
    actor = account_actor(store, handle)
    hashed = _hashed(_checked(password, actor.handle))
    with store.write() as tx:
        tx.run("put_password", account_id=actor.account_id, hash=hashed, now=tx.now)
        tx.run("delete_other_sessions", account_id=actor.account_id, keep_id=keep_session_id)


def sign_in(store: Database, handle: str, password: str, browser: str = "") -> tuple[Session, str]:
    """A new session, and the secret that a browser keeps of it. Raises ``unauthenticated``."""
    row = _proven(store, handle, password)
    secret = secrets.token_urlsafe(32)
    with store.write() as tx:
        session_id = tx.new_id("ses")
        expires_at = tx.now + SESSION_DAYS * DAY_MILLISECONDS
        tx.run("delete_old_sessions", now=tx.now, idle_since=tx.now - IDLE_DAYS * DAY_MILLISECONDS)
        is_made = tx.run(
            "insert_session",
            id=session_id,
            account_id=row["id"],
            secret_hash=_hash(secret),
            browser=" ".join(browser.split())[:MAX_BROWSER_CHARS],
            now=tx.now,
            expires_at=expires_at,
            password_at=row["password_at"],
        )
        if not is_made:
            raise _refusal()
        return Session(session_id, browser, tx.now, expires_at, tx.now), secret


def check_password(store: Database, handle: str, password: str) -> None:
    """Raises ``unauthenticated`` unless it is the password of that account."""
    _proven(store, handle, password)


def session_actor(store: Database, secret: str) -> tuple[Actor, Session] | None:
    """Who a session's secret stands for, with every scope of their account; None for one that is unknown or over."""
    with store.read() as reader:
        rows, now = reader.rows("session_by_secret", secret_hash=_hash(secret)), reader.now
    if not rows:
        return None
    session = _session(rows[0])
    if session.expires_at <= now or session.last_used_at <= now - IDLE_DAYS * DAY_MILLISECONDS:
        return None
    if now - session.last_used_at >= LAST_USE_MILLISECONDS:
        with store.write() as tx:
            if not tx.run("touch_session", id=session.id, now=tx.now):
                return None
    is_admin = bool(rows[0]["is_admin"])
    scopes = frozenset(scope for scope in TOKEN_SCOPES if is_admin or scope != "admin")
    return Actor(rows[0]["account_id"], rows[0]["handle"], scopes, is_admin=is_admin), session


def sessions(store: Database, actor: Actor) -> list[Session]:
    """The sessions of an account that are not over, the one used last first."""
    with store.read() as reader:
        idle_since = reader.now - IDLE_DAYS * DAY_MILLISECONDS
        rows = reader.rows("sessions_of_account", account_id=actor.account_id, now=reader.now, idle_since=idle_since)
        return [_session(row) for row in rows]


def sign_out(store: Database, actor: Actor, session_id: str) -> None:
    """Ends a session of an account. Raises ``not_found`` where it has none of that id."""
    with store.write() as tx:
        if not tx.run("delete_session", account_id=actor.account_id, id=session_id):
            raise NotFound("There is no such session; it may have ended already.")


def sign_out_elsewhere(store: Database, actor: Actor, keep_session_id: str = "") -> int:
    """Ends every session of an account but one; how many there were."""
    with store.write() as tx:
        return tx.run("delete_other_sessions", account_id=actor.account_id, keep_id=keep_session_id)


def _proven(store: Database, handle: str, password: str) -> Row:
    """The row of the account whose password it is. Raises ``unauthenticated``."""
    with store.read() as reader:
        rows = reader.rows("password_by_handle", handle_key=handle.strip().lower()[:100])
    hashed = rows[0]["hash"] if rows else None
    is_right = _matches(hashed or _NOBODYS_HASH, _normal(password))
    if hashed is None or not is_right:
        raise _refusal()
    if _hasher.check_needs_rehash(hashed):
        renewed = _hashed(_normal(password))
        with store.write() as tx:
            tx.run("renew_password_hash", account_id=rows[0]["id"], hash=renewed, old_hash=hashed)
    return rows[0]


def _refusal() -> Unauthenticated:
    return Unauthenticated("The name and the password do not belong together.")


def _normal(password: str) -> str:
    """The same password however a keyboard composes its letters; far longer than allowed, it is none."""
    return unicodedata.normalize("NFC", password[: MAX_PASSWORD_CHARS * 4])


def _checked(password: str, handle: str) -> str:
    normal = _normal(password)
    if not MIN_PASSWORD_CHARS <= len(normal) <= MAX_PASSWORD_CHARS:
        raise InvalidArgument(
            f"password: it has {len(normal)} characters; use {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS}.",
            argument="password",
        )
    if normal.strip().lower() == handle or len(set(normal)) < 4:
        raise InvalidArgument("password: this one is guessed at once. Use several words.", argument="password")
    return normal


@contextmanager
def _turn() -> Iterator[None]:
    """Waits until fewer than two passwords are being worked on. Raises ``rate_limited``."""
    if not _turns.acquire(timeout=BUSY_SECONDS):
        raise RateLimited("Too many people sign in at this moment. Try again in a few seconds.", retryAfterSeconds=5)
    try:
        yield
    finally:
        _turns.release()


def _hashed(password: str) -> str:
    with _turn():
        return _hasher.hash(password.encode("utf-8", "surrogatepass"))


def _matches(hashed: str, password: str) -> bool:
    with _turn():
        try:
            return _hasher.verify(hashed, password.encode("utf-8", "surrogatepass"))
        except (VerifyMismatchError, VerificationError, InvalidHashError):
            return False


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
