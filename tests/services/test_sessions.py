"""Passwords and sessions: who gets in, for how long, and how it ends."""

from __future__ import annotations

import pytest
from argon2 import PasswordHasher
from conftest import SettableClock

from notewell.domain.access import Actor
from notewell.errors import InvalidArgument, NotFound, RateLimited, Unauthenticated
from notewell.services import accounts, sessions
from notewell.services.accounts import DAY_MILLISECONDS, LAST_USE_MILLISECONDS
from notewell.services.sessions import IDLE_DAYS, SESSION_DAYS
from notewell.store.database import Database

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _fast_hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords are hashed with the least effort: what is tested here is not how long that takes."""
    fast = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(sessions, "_hasher", fast)
    monkeypatch.setattr(sessions, "_NOBODYS_HASH", fast.hash("nobody"))


@pytest.fixture
def store(database: Database) -> Database:
    """A store with an owner, who has a password, and somebody who has none."""
    accounts.create_account(database, "ana", is_admin=True)
    accounts.create_account(database, "cy")
    sessions.set_password(database, "ana", PASSWORD)
    return database


def actor_of(store: Database, secret: str) -> Actor | None:
    """Who a session stands for."""
    found = sessions.session_actor(store, secret)
    return None if found is None else found[0]


def rows(store: Database, sql: str) -> list[tuple[object, ...]]:
    """What a statement finds in the tables."""
    with store.read() as reader:
        return [tuple(row.values()) for row in reader.rows_of(sql, {})]


# Signing in


def test_a_session_acts_as_its_account_and_as_no_agent(store: Database) -> None:
    sessions.set_password(store, "cy", PASSWORD)
    _, of_owner = sessions.sign_in(store, "ana", PASSWORD)
    _, of_other = sessions.sign_in(store, " CY ", PASSWORD)

    owner, other = actor_of(store, of_owner), actor_of(store, of_other)

    assert owner is not None
    assert other is not None
    assert (owner.handle, owner.is_admin, owner.agent, owner.token_id) == ("ana", True, "", None)
    assert "admin" in owner.scopes
    assert (other.handle, other.is_admin) == ("cy", False)
    assert other.scopes == owner.scopes - {"admin"}


@pytest.mark.parametrize(
    ("handle", "password"),
    [
        ("ana", "another password"),
        ("ana", ""),
        ("ana", PASSWORD + " "),
        ("nobody", PASSWORD),
        ("cy", PASSWORD),
        ("", ""),
    ],
)
def test_who_does_not_get_in_is_not_told_why(store: Database, handle: str, password: str) -> None:
    with pytest.raises(Unauthenticated) as refusal:
        sessions.sign_in(store, handle, password)

    assert refusal.value.message == "The name and the password do not belong together."


@pytest.mark.parametrize("handle", ["nobody", "cy"])
def test_a_password_is_checked_also_where_there_is_none(
    store: Database, handle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str] = []

    def matches(hashed: str, password: str) -> bool:
        checked.append(hashed)
        return True

    monkeypatch.setattr(sessions, "_matches", matches)

    with pytest.raises(Unauthenticated):
        sessions.sign_in(store, handle, PASSWORD)

    assert len(checked) == 1


def test_a_password_is_the_same_however_its_letters_are_composed(store: Database) -> None:
    sessions.set_password(store, "ana", "pass\u00f6wort gut")

    sessions.check_password(store, "ana", "passo\u0308wort gut")


@pytest.mark.parametrize(
    "password",
    ["", "short", "123456789", "x" * 201, "a" * 20, "abababababab", "\u200b"],
    ids=lambda each: repr(each[:12]),
)
def test_a_bad_password_is_refused_and_the_old_one_stays(store: Database, password: str) -> None:
    with pytest.raises(InvalidArgument):
        sessions.set_password(store, "ana", password)

    sessions.check_password(store, "ana", PASSWORD)


def test_a_name_is_no_password(store: Database) -> None:
    accounts.create_account(store, "a-rather-long-name")

    with pytest.raises(InvalidArgument):
        sessions.set_password(store, "a-rather-long-name", "A-rather-long-name")


def test_no_password_is_set_for_somebody_who_is_not_there(store: Database) -> None:
    with pytest.raises(NotFound):
        sessions.set_password(store, "nobody", PASSWORD)


@pytest.mark.parametrize("password", ["x" * 1_000_000, "\ud800" * 20, "\x00" * 20])
def test_a_strange_password_is_only_a_wrong_one(store: Database, password: str) -> None:
    with pytest.raises(Unauthenticated):
        sessions.sign_in(store, "ana", password)


def test_neither_passwords_nor_secrets_are_kept(store: Database) -> None:
    _, secret = sessions.sign_in(store, "ana", PASSWORD)

    kept = repr(rows(store, "SELECT * FROM passwords") + rows(store, "SELECT * FROM sessions"))

    assert PASSWORD not in kept
    assert secret not in kept
    assert "$argon2id$" in kept


def test_a_password_is_hashed_anew_when_more_effort_is_wanted(store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    before = rows(store, "SELECT hash FROM passwords")
    monkeypatch.setattr(sessions, "_hasher", PasswordHasher(time_cost=2, memory_cost=8, parallelism=1))

    sessions.check_password(store, "ana", PASSWORD)
    after = rows(store, "SELECT hash FROM passwords")
    sessions.check_password(store, "ana", PASSWORD)

    assert before != after == rows(store, "SELECT hash FROM passwords")


def test_no_more_than_two_passwords_are_worked_on_at_once(store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "BUSY_SECONDS", 0.01)

    with sessions._turn():
        sessions.check_password(store, "ana", PASSWORD)
        with sessions._turn(), pytest.raises(RateLimited) as refusal:
            sessions.check_password(store, "ana", PASSWORD)
    sessions.check_password(store, "ana", PASSWORD)

    assert refusal.value.details["retryAfterSeconds"] == 5


# The end of sessions


def test_a_session_ends_when_nobody_uses_it(store: Database, clock: SettableClock) -> None:
    _, secret = sessions.sign_in(store, "ana", PASSWORD)

    for _ in range(3):
        clock.advance((IDLE_DAYS - 1) * DAY_MILLISECONDS)
        assert actor_of(store, secret) is not None
    clock.advance(IDLE_DAYS * DAY_MILLISECONDS)

    assert actor_of(store, secret) is None


def test_a_session_ends_at_last_however_much_it_is_used(store: Database, clock: SettableClock) -> None:
    _, secret = sessions.sign_in(store, "ana", PASSWORD)

    days = 0
    while actor_of(store, secret) is not None:
        clock.advance(10 * DAY_MILLISECONDS)
        days += 10

    assert days == SESSION_DAYS


def test_the_last_use_is_kept_to_the_minute(store: Database, clock: SettableClock) -> None:
    made, secret = sessions.sign_in(store, "ana", PASSWORD)
    actor = actor_of(store, secret)
    assert actor is not None

    clock.advance(LAST_USE_MILLISECONDS - 1)
    sessions.session_actor(store, secret)
    assert sessions.sessions(store, actor)[0].last_used_at == made.created_at
    clock.advance(1)
    sessions.session_actor(store, secret)

    assert sessions.sessions(store, actor)[0].last_used_at == made.created_at + LAST_USE_MILLISECONDS


def test_a_session_can_be_ended_alone_and_only_by_its_account(store: Database) -> None:
    sessions.set_password(store, "cy", PASSWORD)
    first, first_secret = sessions.sign_in(store, "ana", PASSWORD, " A\nbrowser ")
    _, second_secret = sessions.sign_in(store, "ana", PASSWORD)
    owner, other = actor_of(store, first_secret), actor_of(store, sessions.sign_in(store, "cy", PASSWORD)[1])
    assert owner is not None
    assert other is not None
    assert {each.browser for each in sessions.sessions(store, owner)} == {"A browser", ""}

    with pytest.raises(NotFound):
        sessions.sign_out(store, other, first.id)
    sessions.sign_out(store, owner, first.id)
    with pytest.raises(NotFound):
        sessions.sign_out(store, owner, first.id)

    assert actor_of(store, first_secret) is None
    assert actor_of(store, second_secret) is not None


def test_all_sessions_but_one_can_be_ended(store: Database) -> None:
    kept, kept_secret = sessions.sign_in(store, "ana", PASSWORD)
    secrets = [sessions.sign_in(store, "ana", PASSWORD)[1] for _ in range(3)]
    owner = actor_of(store, kept_secret)
    assert owner is not None

    assert sessions.sign_out_elsewhere(store, owner, kept.id) == 3

    assert [actor_of(store, secret) for secret in secrets] == [None] * 3
    assert actor_of(store, kept_secret) is not None
    assert sessions.sign_out_elsewhere(store, owner) == 1


def test_a_new_password_ends_all_sessions_but_the_one_that_asks(store: Database) -> None:
    kept, kept_secret = sessions.sign_in(store, "ana", PASSWORD)
    _, other_secret = sessions.sign_in(store, "ana", PASSWORD)

    sessions.set_password(store, "ana", "another password", keep_session_id=kept.id)

    assert actor_of(store, kept_secret) is not None
    assert actor_of(store, other_secret) is None
    with pytest.raises(Unauthenticated):
        sessions.sign_in(store, "ana", PASSWORD)


def test_a_login_that_was_on_its_way_does_not_outlive_a_new_password(
    store: Database, monkeypatch: pytest.MonkeyPatch, clock: SettableClock
) -> None:
    right = sessions._matches

    def overtaken(hashed: str, password: str) -> bool:
        is_right = right(hashed, password)
        monkeypatch.setattr(sessions, "_matches", right)
        clock.advance(1)
        sessions.set_password(store, "ana", "another password")
        return is_right

    monkeypatch.setattr(sessions, "_matches", overtaken)

    with pytest.raises(Unauthenticated):
        sessions.sign_in(store, "ana", PASSWORD)
    assert rows(store, "SELECT id FROM sessions") == []


def test_sessions_that_are_over_are_swept_out_at_the_next_login(store: Database, clock: SettableClock) -> None:
    sessions.sign_in(store, "ana", PASSWORD)
    clock.advance(IDLE_DAYS * DAY_MILLISECONDS)
    kept, secret = sessions.sign_in(store, "ana", PASSWORD)

    assert rows(store, "SELECT id FROM sessions") == [(kept.id,)]
    actor = actor_of(store, secret)
    assert actor is not None
    assert [each.id for each in sessions.sessions(store, actor)] == [kept.id]


@pytest.mark.parametrize("secret", ["", "x", "\ud800", "a" * 100_000, "' OR 1=1 --"])
def test_an_unknown_secret_is_nobody(store: Database, secret: str) -> None:
    assert sessions.session_actor(store, secret) is None


def test_whether_anybody_can_sign_in_is_known(store: Database) -> None:
    ana, cy = accounts.account_actor(store, "ana"), accounts.account_actor(store, "cy")

    assert sessions.has_passwords(store)
    assert (sessions.has_password(store, ana.account_id), sessions.has_password(store, cy.account_id)) == (True, False)


def test_nobody_can_sign_in_to_an_empty_store(database: Database) -> None:
    assert not sessions.has_passwords(database)
