"""The first page: who is told where the notes are, and a client's setting that leads to the same notes."""

from __future__ import annotations

import html
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browsing import Person, site, text_of
from clients import LOCAL, with_settings

from notewell.config import Config, from_environment
from notewell.surfaces.web.connecting import client_setting, database_name

GENERIC = {"command": "notewell", "args": ["mcp"]}


def shown_setting(person: Person, path: str = "/") -> Any:
    """The setting on a page, as a client reads it."""
    found = re.search(r"<code>(\{.*?\})</code>", person.get(path).text, re.DOTALL)
    assert found is not None
    return json.loads(html.unescape(found[1]))["mcpServers"]["notewell"]


@pytest.mark.parametrize("path", ["/", "/notes"])
def test_the_owner_at_hand_is_shown_the_setting_of_this_store(path: str, tmp_path: Path) -> None:
    with site(tmp_path) as opened, opened.visit() as person:
        setting = shown_setting(person, path)
        told = text_of(person.get("/"))

    assert Path(setting["command"]) == Path(sys.executable).parent / "notewell"
    assert setting["env"] == {"NOTEWELL_HOME": str(tmp_path)}
    assert f"kept in {tmp_path}" in told


@pytest.mark.parametrize(
    "settings",
    [with_settings(host="0.0.0.0"), replace(LOCAL, is_token_required=True), replace(LOCAL, allowed_hosts=("notes",))],
)
def test_nobody_else_is_told_the_folder(settings: Any, tmp_path: Path) -> None:
    with site(tmp_path, settings) as opened:
        opened.add_person("ann")
        with opened.visit() as stranger, opened.visit() as ann:
            ann.sign_in("ann")
            answers = [stranger.get("/"), ann.get("/")]
            found = [shown_setting(each) for each in (stranger, ann)]

    assert [str(tmp_path) in each.text for each in answers] == [False, False]
    assert found == [GENERIC, GENERIC]


def test_who_comes_through_a_proxy_is_not_told_the_folder(tmp_path: Path) -> None:
    with site(tmp_path) as opened, opened.visit() as person:
        told = person.client.get("/", headers={"x-forwarded-for": "192.0.2.1"})

    assert str(tmp_path) not in told.text


def test_a_store_in_postgresql_is_named_without_its_folder_and_its_password(tmp_path: Path) -> None:
    with site(tmp_path) as opened, opened.visit() as person:
        opened.app.config = replace(opened.app.config, database_url="postgresql://me:secret@db.example:5432/notes")
        setting, told = shown_setting(person), person.get("/")

    assert "kept in the PostgreSQL database db.example/notes." in text_of(told).replace(" .", ".")
    assert setting["env"] == {"NOTEWELL_DATABASE_URL": "postgresql://…"}
    assert [each for each in ("secret", "me:", str(tmp_path)) if each in told.text] == []


def test_a_setting_says_no_folder_where_it_is_the_usual_one() -> None:
    setting = json.loads(client_setting(Config(from_environment({}).home)))

    assert "env" not in setting["mcpServers"]["notewell"]


def test_the_bare_name_stands_where_the_program_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    assert json.loads(client_setting(Config(tmp_path)))["mcpServers"]["notewell"]["command"] == "notewell"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:secret@db.example:5432/notes?sslmode=require", "db.example/notes"),
        ("postgres://one:5432,two:5433/notes", "one,two/notes"),
        ("postgresql:///notes", "notes"),
        ("postgresql://[::1]:5432/notes", "[::1]/notes"),
        ("postgresql://db.example/notes?password=se@cret", ""),
        ("postgresql://me:se/cret@db.example/notes", ""),
        ("postgresql://me:123/cret@db.example/notes", ""),
        ("postgresql://me:123?cret@db.example/notes", ""),
        ("postgresql://me:se@cret@db.example/notes", ""),
    ],
)
def test_the_name_of_a_database_never_holds_a_password(url: str, shown: str) -> None:
    assert database_name(url) == shown
