"""No error of the driver leaves the store: each becomes one of ours, which says what to do and never holds a text."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from conftest import counted_ids
from postgres_stores import open_postgres, server_url

from notewell.errors import Internal, Interrupted, Unavailable
from notewell.store.postgres import PostgresDatabase
from notewell.store.postgres_errors import translated

SECRET = "a text of somebody's note"


def classes(base: type[psycopg.Error]) -> Iterator[type[psycopg.Error]]:
    """Every error of the driver."""
    yield base
    for each in base.__subclasses__():
        yield from classes(each)


@pytest.mark.parametrize("kind", sorted(set(classes(psycopg.Error)), key=repr))
def test_every_error_of_the_driver_becomes_one_of_ours(kind: type[psycopg.Error]) -> None:
    error = translated(kind(SECRET))

    assert isinstance(error, Unavailable | Internal)
    assert SECRET not in repr(error.as_dict())


@pytest.mark.parametrize(
    ("state", "is_worth_trying"),
    [
        ("40001", True),
        ("40P01", True),
        ("08006", True),
        ("57P01", True),
        ("25006", True),
        ("55P03", False),
        ("53100", False),
        ("42501", False),
        ("23505", False),
    ],
)
def test_only_what_changed_nothing_and_may_pass_is_tried_again(state: str, is_worth_trying: bool) -> None:
    kind = psycopg.errors.lookup(state)

    assert isinstance(translated(kind(SECRET)), Interrupted) == is_worth_trying


def test_what_is_no_address_is_told_with_an_example() -> None:
    with pytest.raises(Unavailable, match="postgresql://NAME:PASSWORD"):
        PostgresDatabase("postgresql://a b:c@[:x/")


@pytest.mark.postgres
def test_a_connection_that_was_lost_while_idle_is_replaced() -> None:
    store = open_postgres(lambda: 1_780_000_000_000, counted_ids())
    with store.read() as reader:
        (mine,) = reader.rows_of("SELECT pg_backend_pid() AS pid", {})
    with psycopg.connect(server_url(), autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", (mine["pid"],))

    with store.read() as reader:
        assert reader.rows_of("SELECT 1 AS one", {})[0]["one"] == 1
    store.close()


@pytest.mark.postgres
def test_a_connection_that_is_lost_inside_a_transaction_is_worth_trying_again() -> None:
    store = open_postgres(lambda: 1_780_000_000_000, counted_ids())

    def broken_off() -> None:
        with store.write() as tx:
            (mine,) = tx.rows_of("SELECT pg_backend_pid() AS pid", {})
            with psycopg.connect(server_url(), autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s)", (mine["pid"],))
            tx.rows("newest_row_anywhere")

    with pytest.raises(Interrupted):
        broken_off()
    store.close()
