"""``notewell backup`` and ``notewell restore``: while others write, for people and for programs."""

from __future__ import annotations

import threading
from pathlib import Path

import apsw
import pytest
from cli_runs import Run, add, process, read
from clients import open_app

from notewell.domain.notes import Draft
from notewell.services import memory

pytest_plugins = ["cli_fixtures"]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other database than those that a test names."""
    monkeypatch.delenv("NOTEWELL_DATABASE_URL", raising=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The name of a backup that is not there yet."""
    return tmp_path / "notes.db"


def use(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names another data folder."""
    monkeypatch.setenv("NOTEWELL_HOME", str(folder))


def test_a_memory_comes_back_in_another_folder(
    run: Run, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_id = add(run, "Fed outlook", body="降息 rates\r\n")
    shown = run("note", "show", note_id).stdout

    assert run("backup", str(file)).stdout == f"1 notes ({file.stat().st_size:,} bytes) written to {file}.\n"
    use(tmp_path / "there", monkeypatch)
    restored = run("restore", str(file)).stdout

    assert restored == f"1 notes restored to {tmp_path / 'there' / 'notewell.db'}.\n"
    assert run("note", "show", note_id).stdout == shown
    assert read(run("note", "search", "降息", "--json"))["cards"][0]["id"] == note_id
    assert read(run("doctor", "--json"))["healthy"]


def test_programs_are_told_what_was_done(run: Run, file: Path, home: Path) -> None:
    add(run)
    made = read(run("backup", str(file), "--json"))
    restored = read(run("restore", str(file), "--force", "--json"))

    assert made == {"file": str(file), "bytes": file.stat().st_size, "notes": 1, "schema": made["schema"]}
    assert restored["kept"].startswith(f"{home / 'notewell.db'}.before-restore-20")
    assert {**restored, "kept": ""} == {
        "file": str(file),
        "store": str(home / "notewell.db"),
        "notes": 1,
        "schema": made["schema"],
        "kept": "",
    }


def test_a_store_that_was_replaced_can_be_used_again(
    run: Run, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(run, "First")
    run("backup", str(file))
    add(run, "Second")

    refused = read(run("restore", str(file), "--json", code=1))["error"]
    kept = read(run("restore", str(file), "--force", "--json"))["kept"]

    assert (refused["argument"], "holds 2 notes" in refused["message"]) == ("force", True)
    assert [card["title"] for card in read(run("note", "list", "--json"))["cards"]] == ["First"]
    use(tmp_path / "older", monkeypatch)
    run("restore", kept)
    assert {card["title"] for card in read(run("note", "list", "--json"))["cards"]} == {"First", "Second"}


def test_a_backup_has_every_note_that_was_acknowledged_before_it_began(run: Run, home: Path, file: Path) -> None:
    add(run)
    acknowledged: list[str] = []
    has_begun, is_done = threading.Event(), threading.Event()

    def write() -> None:
        with open_app(home) as app:
            actor = app.default_actor()
            while not is_done.is_set():
                made = memory.create(app.store, actor, Draft(f"Note {len(acknowledged)}", "rates " * 200))
                acknowledged.append(made.view.note.id)
                if len(acknowledged) == 100:
                    has_begun.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert has_begun.wait(60)
        before = list(acknowledged)
        finished = process("backup", str(file))
    finally:
        is_done.set()
        writer.join()

    assert finished.returncode == 0, finished.stderr
    connection = apsw.Connection(str(file), apsw.SQLITE_OPEN_READONLY)
    found = [row[0] for row in connection.execute("SELECT id FROM notes WHERE title <> 'Fed outlook' ORDER BY row_no")]
    connection.close()
    # All of them, then those of one moment: no gap.
    assert found == acknowledged[: len(found)]
    assert len(before) <= len(found) < len(acknowledged)


def test_a_server_that_runs_keeps_its_store(run: Run, home: Path, file: Path) -> None:
    add(run)
    run("backup", str(file))
    with open_app(home) as app:
        app.default_actor()
        finished = process("restore", str(file), "--force")

    assert finished.returncode == 1
    assert b"is in use. Stop every Notewell" in finished.stderr
    assert [each.name for each in home.iterdir() if "restore" in each.name or each.name.endswith(".part")] == []


def test_a_token_needs_the_right_to_all_notes_and_restores_nothing(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = [
        read(run("token", "create", "--agent", "a", *words, "--json"))["token"]
        for words in (("--scope", "memory:read"), ("--scope", "admin"))
    ]

    monkeypatch.setenv("NOTEWELL_TOKEN", tokens[0])
    assert read(run("backup", str(file), "--json", code=1))["error"]["code"] == "forbidden"
    assert not file.exists()
    monkeypatch.setenv("NOTEWELL_TOKEN", tokens[1])
    run("backup", str(file))
    assert "NOTEWELL_TOKEN" in read(run("restore", str(file), "--json", code=1))["error"]["message"]


def test_a_store_on_a_server_is_backed_up_by_its_own_tools(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")

    for command in ("backup", "restore"):
        message = read(run(command, str(file), "--json", code=1))["error"]["message"]
        assert "pg_dump" in message
        assert "notewell copy" in message
