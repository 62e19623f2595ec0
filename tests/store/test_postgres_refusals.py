"""A database that cannot be reached is told with the setting that names it, what is wrong and what to do."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from postgres_stores import new_database, server_url

from notewell.app import App
from notewell.config import Config
from notewell.errors import InvalidArgument, NotewellError, Unavailable
from notewell.store import postgres
from notewell.store.postgres import PostgresDatabase

PASSWORD = "hunter2"


def with_password(url: str) -> str:
    """The address with a password, which no message may show."""
    return url.replace("notewell@", f"notewell:{PASSWORD}@")


def closed_port(url: str) -> str:
    """The address with a port at which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return url.replace(f":{urlsplit(url).port}", f":{free.getsockname()[1]}")


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda url: url.replace("/postgres", "/no_such_database"),
            r"'no_such_database' at 127\.0\.0\.1:\d+ is not there",
        ),
        (lambda url: url.replace("notewell:", "nobody_here:"), "refuses the role 'nobody_here' or its password"),
        (lambda url: url + "?sslmode=require", "does not agree on TLS"),
        (lambda url: url + "?sslmode=quatsch", "(is no address|does not agree on TLS)"),
        (lambda url: url + "?nosuchoption=1", "options behind [?] are PostgreSQL's own"),
        (lambda url: url.replace("127.0.0.1", "nosuch.invalid"), "a host whose name is not known here"),
        (closed_port, "did not answer within"),
    ],
)
@pytest.mark.parametrize("setting", ["NOTEWELL_DATABASE_URL", "--from or --to"])
def test_a_wrong_address_is_told_with_its_setting(
    change: Callable[[str], str], says: str, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "WAIT_SECONDS", 0.3)
    with pytest.raises(Unavailable, match=says) as caught:
        PostgresDatabase(change(with_password(server_url()))).named(setting).run_alone("SELECT 1")

    assert type(caught.value) is Unavailable  # nobody waits for the same once more
    assert setting in caught.value.message or "or the one you gave" in caught.value.message
    assert PASSWORD not in caught.value.message


@pytest.mark.postgres
def test_a_database_that_cannot_hold_every_text_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    url = new_database()
    name = urlsplit(url).path.strip("/")
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}"'.encode())
        connection.execute(f"CREATE DATABASE \"{name}\" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0".encode())

    with pytest.raises(Unavailable, match="encoding LATIN1, which cannot hold every text"):
        App(Config(tmp_path, database_url=url, embedder="none"))
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert row == (0,)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (
            {"database_url": f"host=127.0.0.1 dbname=nw password={PASSWORD}"},
            "NOTEWELL_DATABASE_URL does not begin with",
        ),
        ({"database_url": " "}, "NOTEWELL_DATABASE_URL does not begin with postgresql://"),
        ({"database_url": "notes.db"}, "only NOTEWELL_HOME"),
        ({"database_url": f"mysql://u:{PASSWORD}@h/x"}, "NOTEWELL_DATABASE_URL does not begin with"),
        ({"database_read_url": "postgresql://u@h/x"}, "NOTEWELL_DATABASE_URL is not"),
        ({"database_url": "postgresql://u@h/x", "database_read_url": f"mysql://u:{PASSWORD}@h/x"}, "READ_URL does not"),
    ],
)
def test_what_is_no_address_makes_no_store(settings: dict[str, str], says: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with pytest.raises(InvalidArgument, match=says) as caught:
        App(Config(home, embedder="none", **settings))  # type: ignore[arg-type]  # texts by name

    assert PASSWORD not in caught.value.message
    assert not home.exists()


@pytest.mark.postgres
def test_searches_are_not_answered_from_another_store(tmp_path: Path) -> None:
    first, second = new_database(), new_database()
    App(Config(tmp_path, embedder="none", database_url=second)).close()

    with pytest.raises(NotewellError, match="READ_URL leads to another store"):
        App(Config(tmp_path, embedder="none", database_url=first, database_read_url=second))
    App(Config(tmp_path, embedder="none", database_url=first, database_read_url=first)).close()
