"""``notewell copy``: what it takes for a place, what it refuses, and how its copy is used."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from cli_runs import Run, add, process, read
from postgres_stores import new_database

from notewell.app import open_store
from notewell.config import from_environment
from notewell.store import copies, postgres
from notewell.store.migrate import migrations
from notewell.store.places import parse

pytest_plugins = ["cli_fixtures"]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other database than those that a test names."""
    monkeypatch.delenv("NOTEWELL_DATABASE_URL", raising=False)


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """A folder that is not there yet."""
    return tmp_path / "there"


@pytest.mark.postgres
def test_a_copy_on_a_server_serves_the_notes_and_tokens_of_the_file(
    run: Run, home: Path, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_id = add(run, "Fed outlook", body="降息 rates\r\n")
    run("note", "edit", note_id, "--append", "more")
    secret = read(run("token", "create", "--agent", "codex", "--json"))["token"]
    url = new_database()

    report = read(run("copy", "--from", str(home), "--to", url, "--json"))

    assert (report["outcome"], report["from"], report["to"]) == ("copied", str(home / "notewell.db"), url)
    assert (report["rows"]["notes"], report["rows"]["note_versions"], report["rows"]["tokens"]) == (1, 1, 1)
    assert "NOTEWELL_DATABASE_URL" in report["howToUse"]
    monkeypatch.setenv("NOTEWELL_DATABASE_URL", url)
    monkeypatch.setenv("NOTEWELL_TOKEN", secret)
    assert read(run("note", "search", "降息", "--json"))["cards"][0]["id"] == note_id
    monkeypatch.delenv("NOTEWELL_TOKEN")
    shown = run("note", "show", note_id).stdout

    back = run("copy", "--from", url, "--to", str(there))

    assert f"Copied {url} to {there / 'notewell.db'}" in back.stdout
    assert "1 earlier states of notes" in back.stdout
    assert f"NOTEWELL_HOME={there}" in back.stdout
    monkeypatch.delenv("NOTEWELL_DATABASE_URL")
    monkeypatch.setenv("NOTEWELL_HOME", str(there))
    assert run("note", "show", note_id).stdout == shown
    assert read(run("doctor", "--json"))["healthy"]


def test_a_copy_is_for_its_owner_alone(run: Run, home: Path, there: Path) -> None:
    add(run)

    run("copy", "--from", str(home / "notewell.db"), "--to", str(there / "inner" / "copy.db"))

    assert (there / "inner" / "copy.db").stat().st_mode & 0o777 == 0o600
    assert (there / "inner").stat().st_mode & 0o777 == 0o700


def test_a_second_run_changes_nothing_until_the_source_has_changed(run: Run, home: Path, there: Path) -> None:
    add(run)
    words = ("copy", "--from", str(home), "--to", str(there))
    first = read(run(*words, "--json"))

    assert read(run(*words, "--json")) == {**first, "outcome": "unchanged"}
    assert "is a complete copy already, since 20" in run(*words).stdout
    add(run, "Another")
    error = read(run(*words, "--json", code=1))["error"]
    assert error["code"] == "unavailable"
    assert "the source has changed since" in error["message"]


def stop(run: Run, home: Path, there: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Ends a copy by Ctrl-C just before it is declared complete; what the person sees."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(copies, "finish", interrupted)
        return run("copy", "--from", str(home), "--to", str(there), code=1).stderr


def test_a_stopped_copy_cannot_be_used_until_the_same_command_has_ended_it(
    run: Run, home: Path, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(run)
    assert "The same command goes on where it was." in stop(run, home, there, monkeypatch)
    with monkeypatch.context() as other:
        other.setenv("NOTEWELL_HOME", str(there))
        assert "a copy that is not finished" in run("note", "list", code=1).stderr
        assert "a copy that is not finished" in run("doctor", code=1).stdout
    assert "a copy that is not finished" in run("copy", "--from", str(there), "--to", f"{there}2", code=1).stderr

    report = read(run("copy", "--from", str(home), "--to", str(there), "--json"))

    assert report["outcome"] == "resumed"
    monkeypatch.setenv("NOTEWELL_HOME", str(there))
    assert read(run("note", "list", "--json"))["total"] == 1


# Sources


def foreign(path: Path) -> None:
    """A SQLite file of somebody else."""
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()


def text(path: Path) -> None:
    """A file that is no database."""
    path.write_text("this is a text, and no database at all" * 100)


SOURCES = {"nothing": None, "an empty file": Path.touch, "a text": text, "somebody else's database": foreign}


@pytest.mark.parametrize("kind", SOURCES)
def test_what_is_no_store_is_not_copied_and_not_made_one(run: Run, tmp_path: Path, there: Path, kind: str) -> None:
    path = tmp_path / "source.db"
    make = SOURCES[kind]
    if make is not None:
        make(path)
    before = path.read_bytes() if path.exists() else None

    error = read(run("copy", "--from", str(path), "--to", str(there), "--json", code=1))["error"]

    assert str(path) in error["message"]
    assert (path.read_bytes() if path.exists() else None) == before
    assert not there.exists()
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith("source")] == ["source.db"] * path.exists()


def test_a_data_folder_without_a_store_is_named(run: Run, tmp_path: Path, there: Path) -> None:
    assert (
        f"no Notewell store at {tmp_path / 'notewell.db'}"
        in run("copy", "--from", str(tmp_path), "--to", str(there), code=1).stderr
    )


@pytest.mark.postgres
def test_an_empty_database_is_no_source_and_stays_empty(run: Run, there: Path) -> None:
    url = new_database()

    assert f"no Notewell store at {url}" in run("copy", "--from", url, "--to", str(there), code=1).stderr

    store = open_store(url, from_environment())
    with store.read() as reader:
        assert reader.rows("table_names") == []
    store.close()


def set_schema(home: Path, change: str) -> None:
    """Makes a store one of an older or newer Notewell, as far as its own list says."""
    connection = apsw.Connection(str(home / "notewell.db"))
    connection.execute(change)
    connection.close()


def test_an_older_source_is_to_be_brought_up_to_date_first(run: Run, home: Path, there: Path) -> None:
    add(run)
    newest = migrations()[-1].number
    set_schema(home, f"DELETE FROM migrations WHERE number = {newest}")
    before = (home / "notewell.db").read_bytes()

    shown = run("copy", "--from", str(home), "--to", str(there), code=1).stderr

    assert f"has schema {newest - 1}" in shown
    assert f"NOTEWELL_HOME={home} notewell doctor" in shown
    assert (home / "notewell.db").read_bytes() == before
    assert not there.exists()


def test_a_newer_source_needs_its_own_notewell(run: Run, home: Path, there: Path) -> None:
    add(run)
    set_schema(home, "INSERT INTO migrations VALUES (99, 'later', 0)")

    assert "newer Notewell" in run("copy", "--from", str(home), "--to", str(there), code=1).stderr


# Targets


@pytest.mark.parametrize("make", [text, foreign])
def test_a_file_of_something_else_is_not_written_over(run: Run, home: Path, tmp_path: Path, make: object) -> None:
    add(run)
    path = tmp_path / "precious.db"
    make(path)  # type: ignore[operator]  # one of the two above
    before = path.read_bytes()

    assert str(path) in run("copy", "--from", str(home), "--to", str(path), code=1).stderr
    assert path.read_bytes() == before


@pytest.mark.postgres
def test_a_database_with_tables_of_the_same_names_is_refused(run: Run, home: Path) -> None:
    add(run)
    url = new_database()
    store = open_store(url, from_environment())
    with store.write() as tx:
        tx.run_sql("CREATE TABLE notes (id integer)", {})
        tx.run_sql("CREATE TABLE migrations (name text)", {})
    store.close()

    assert (
        "not Notewell's but have the same names (migrations, notes)"
        in run("copy", "--from", str(home), "--to", url, code=1).stderr
    )


def test_a_store_in_use_is_refused_by_what_it_holds(
    run: Run, home: Path, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(run)
    with monkeypatch.context() as other:
        other.setenv("NOTEWELL_HOME", str(there))
        add(run, "Theirs")

    error = read(run("copy", "--from", str(home), "--to", str(there), "--json", code=1))["error"]

    assert error["code"] == "invalid_argument"
    assert "not empty: it holds 1 accounts, 1 notes" in error["message"]


def test_a_store_of_an_older_schema_is_no_target(run: Run, home: Path, there: Path) -> None:
    add(run)
    run("copy", "--from", str(home), "--to", str(there))
    set_schema(there, f"DELETE FROM migrations WHERE number = {migrations()[-1].number}")

    assert "is a store with schema" in run("copy", "--from", str(home), "--to", str(there), code=1).stderr


def test_a_target_whose_tables_were_half_made_is_gone_on_with(
    run: Run, home: Path, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(run)
    with monkeypatch.context() as stopped:
        stopped.setattr("notewell.store.migrate.migrations", lambda: migrations()[:2])
        stopped.setattr("notewell.services.copying.copy", lambda *_: None)
        stopped.setattr("notewell.services.copy_places._check_schema", lambda *_: None)
        run("copy", "--from", str(home), "--to", str(there), code=1)

    assert read(run("copy", "--from", str(home), "--to", str(there), "--json"))["outcome"] == "copied"


@pytest.mark.parametrize("name", ["home", "home/notewell.db", "link.db"])
def test_a_store_is_not_copied_onto_itself_by_any_name(run: Run, home: Path, tmp_path: Path, name: str) -> None:
    add(run)
    (tmp_path / "link.db").symlink_to(home / "notewell.db")

    shown = run("copy", "--from", str(home), "--to", str(tmp_path / name), code=1).stderr

    assert "are the same store" in shown


# Who, and what is shown


def test_a_token_that_may_not_act_for_others_copies_nothing(
    run: Run, home: Path, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = read(run("token", "create", "--agent", "codex", "--json"))["token"]
    monkeypatch.setenv("NOTEWELL_TOKEN", secret)

    error = read(run("copy", "--from", str(home), "--to", str(there), "--json", code=1))["error"]

    assert error["code"] == "forbidden"
    assert not there.exists()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ana:secret@db:5432/notes?sslmode=require", "postgresql://ana@db:5432/notes"),
        ("postgres://ana@db/notes?password=secret", "postgres://ana@db/notes"),
        ("postgresql://:secret@a:1,b:2/notes", "postgresql://@a:1,b:2/notes"),
        ("postgresql:///notes?host=/run&password=secret", "postgresql:///notes"),
        ("postgresql://ana:sec/ret?@db/notes", "postgresql://ana@db/notes"),
    ],
)
def test_an_address_is_shown_without_a_password(url: str, shown: str) -> None:
    assert parse(url, "from").shown == shown
    assert parse(url, "from").address == url


@pytest.mark.parametrize("end", ["--from", "--to"])
def test_a_server_that_is_not_there_is_told_and_no_password(
    run: Run, home: Path, there: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    add(run)
    monkeypatch.setattr(postgres, "WAIT_SECONDS", 0)
    url = "postgresql://ana:secret@127.0.0.1:1/notes"
    places = {"--from": str(home), "--to": str(there), end: url}

    shown = run("copy", *(word for pair in places.items() for word in pair), code=1).output

    assert "did not answer" in shown
    assert "secret" not in shown
    assert not there.exists()


@pytest.mark.parametrize("place", ["mysql://x/y", "sqlite:///x", " "])
def test_what_is_no_place_is_said_to_be_none(run: Run, home: Path, place: str) -> None:
    assert "is no kind of place" in run("copy", "--from", str(home), "--to", place, code=1).stderr


def test_both_places_must_be_named(run: Run) -> None:
    assert read(run("copy", "--from", "x", "--json", code=2))["error"]["code"] == "invalid_argument"


def test_a_process_of_its_own_copies(run: Run, home: Path, there: Path) -> None:
    add(run)

    done = process("copy", "--from", str(home), "--to", str(there))

    assert done.returncode == 0, done.stderr
    assert b"1 notes" in done.stdout
