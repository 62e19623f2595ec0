"""The command line on a whole store: accounts, tokens, import, export, health, servers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runs import Run, add, process, read
from clients import open_app

from notewell.app import App
from notewell.config import from_environment
from notewell.services import sessions

pytest_plugins = ["cli_fixtures"]


def test_another_account_has_a_memory_of_its_own(run: Run) -> None:
    add(run, "Mine")
    run("account", "create", "ben")
    add(run, "Theirs", "--as", "ben")

    assert [card["title"] for card in read(run("note", "list", "--json"))["cards"]] == ["Mine"]
    assert [card["title"] for card in read(run("note", "list", "--as", "ben", "--json"))["cards"]] == ["Theirs"]
    assert [each["handle"] for each in read(run("account", "list", "--json"))["accounts"]] == ["ben", "local"]


def test_a_password_is_set_for_the_pages(run: Run, home: Path) -> None:
    run("account", "create", "ben")
    for words in (("ben",), ()):
        assert read(run("account", "password", *words, "--json", stdin="several plain words\n"))["passwordSet"]
    short = read(run("account", "password", "ben", "--json", stdin="short\n", code=1))
    nobody = read(run("account", "password", "eve", "--json", stdin="several plain words\n", code=1))

    assert "10 to 200" in short["error"]["message"]
    assert nobody["error"]["code"] == "not_found"
    with open_app(home) as app:
        for handle in ("ben", "local"):
            sessions.check_password(app.store, handle, "several plain words")


def test_a_token_acts_as_its_account_within_its_scopes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("account", "create", "ben")
    made = run("token", "create", "--account", "ben", "--agent", "codex", "--scope", "memory:read")
    secret = made.stdout.strip()
    assert secret.startswith("nw_")
    assert "it is not shown again" in made.stderr
    add(run, "Mine")

    monkeypatch.setenv("NOTEWELL_TOKEN", secret)

    assert read(run("note", "list", "--json"))["total"] == 0
    for words in (
        ("note", "add", "x", "--body", ""),
        ("note", "list", "--as", "local"),
        ("token", "create"),
        ("token", "list"),
        ("account", "create", "eve"),
        ("account", "password", "eve"),
        ("doctor",),
        ("reindex",),
    ):
        assert read(run(*words, "--json", code=1))["error"]["code"] == "forbidden"


def test_a_revoked_token_ends_at_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    made = read(run("token", "create", "--agent", "codex", "--days", "3", "--json"))
    assert made["token"] not in run("token", "list").stdout

    run("token", "revoke", made["id"])

    assert "revoked" in run("token", "list").stdout
    monkeypatch.setenv("NOTEWELL_TOKEN", made["token"])
    assert read(run("note", "list", "--json", code=1))["error"]["code"] == "unauthenticated"


def test_a_person_has_no_agent_label_and_an_agent_its_own(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    person = read(run("note", "add", "x", "--body", "", "--json"))
    monkeypatch.setenv("NOTEWELL_AGENT", "cron")
    agent = read(run("note", "add", "y", "--body", "", "--json"))

    assert "agent" not in person
    assert agent["agent"] == "cron"


def test_an_export_is_imported_by_another_store(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note_id = add(run, "First", "--collection", "Ideas", "--create-collection")
    run("note", "edit", note_id, "--append", "more")
    file = tmp_path / "notes.jsonl"
    run("export", str(file))
    out = run("export")
    assert out.stdout_bytes == file.read_bytes()
    assert "1 notes" in out.stderr
    assert file.stat().st_mode & 0o777 == 0o600

    monkeypatch.setenv("NOTEWELL_HOME", str(tmp_path / "other"))
    report = read(run("import", str(file), "--json"))
    again = read(run("import", "-", "--json", stdin=file.read_bytes()))

    assert (report["created"], report["newCollections"], report["notKept"]) == (1, ["Ideas"], {})
    assert (again["created"], again["unchanged"]) == (0, 1)
    assert run("export").stdout_bytes == file.read_bytes()


def test_an_export_never_writes_over_a_file_unasked(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text("precious")

    run("export", str(file), code=1)
    assert file.read_text() == "precious"
    run("export", str(file), "--force")
    assert file.read_text() == ""


def test_an_import_report_says_what_was_not_kept(run: Run) -> None:
    note_id = add(run)
    lines = [{"title": "a", "body": "", "mood": 1}, {"id": note_id, "title": "else", "body": ""}]

    shown = run("import", "-", stdin="\n".join(map(json.dumps, lines))).stdout

    assert "2 lines read: 1 notes made, 0 already there." in shown
    assert f"line 2: {note_id}" in shown
    assert "mood (1)" in shown


def test_a_bad_import_names_its_lines(run: Run) -> None:
    result = run("import", "-", stdin='{"title": "a", "body": ""}\nnonsense\n', code=1)

    assert "line 2: no JSON" in result.stderr
    assert read(run("note", "list", "--json"))["total"] == 0


def test_the_doctor_says_what_is_wrong_and_reindex_mends_it(run: Run) -> None:
    add(run)
    assert "All is well." in run("doctor").stdout
    app = App(from_environment())
    with app.store.write() as tx:
        tx.run_sql("DELETE FROM note_tags", {})
        tx.run_sql("UPDATE space_stats SET tokens = 1", {})
    app.close()

    report = read(run("doctor", "--json", code=1))

    assert (report["healthy"], report["findings"][0]["check"]) == (False, "space_stats")
    assert "notewell reindex" in run("doctor", code=1).stdout
    assert "Indexed 1 notes" in run("reindex").stdout
    assert read(run("doctor", "--json"))["healthy"]


@pytest.mark.parametrize("damage", ["garbage", "truncated", "text"])
def test_a_damaged_file_is_told_without_a_trace_back(run: Run, home: Path, damage: str) -> None:
    lines = [json.dumps({"title": f"Note {number}", "body": "words " * 500}) for number in range(20)]
    run("import", "-", stdin="\n".join(lines))
    file = home / "notewell.db"
    raw = file.read_bytes()
    half = len(raw) // 2 // 4096 * 4096
    damaged = {
        "garbage": raw[:half] + b"\xa5" * 8192 + raw[half + 8192 :],
        "truncated": raw[:half],
        "text": b"hello" * 999,
    }
    file.write_bytes(damaged[damage])

    shown = run("doctor", code=1)

    assert "damaged" in shown.stdout
    assert "Traceback" not in shown.output


def test_mcp_speaks_protocol_only_and_ends_with_its_input(home: Path) -> None:
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
    }

    done = process("mcp", "--tools", "memory", stdin=json.dumps(request).encode() + b"\n")

    assert done.returncode == 0, done.stderr
    (answer,) = (json.loads(line) for line in done.stdout.splitlines())
    assert answer["result"]["serverInfo"]["name"] == "notewell"


def test_a_server_open_to_others_needs_a_token_first(run: Run) -> None:
    assert "nobody has a password or a token" in run("serve", "--host", "0.0.0.0", code=1).stderr
