"""The command line calls the operations: same arguments, same results, same errors as MCP."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from cli_runs import Run, add, read
from mcp import Client

from notewell.app import App
from notewell.config import from_environment
from notewell.surfaces.mcp import make_server

pytest_plugins = ["cli_fixtures"]


def test_json_is_what_mcp_sends(run: Run) -> None:
    first = add(run, "Fed outlook", "--tag", "macro", "--symbol", "nvda", "--summary", "What is expected.")
    add(run, "Other", "--collection", "Ideas", "--create-collection", body="rate cuts and 降息")
    cases: list[tuple[tuple[str, ...], str, dict[str, Any]]] = [
        (("note", "search", "cuts", "priced"), "notesSearch", {"query": "cuts priced"}),
        (("note", "search", "降息", "--match", "all"), "notesSearch", {"query": "降息", "match": "all"}),
        (("note", "search", "x", "--mode", "both"), "notesSearch", {"query": "x", "mode": "both"}),
        (("note", "list", "--tag", "macro", "--limit", "1"), "notesSearch", {"tags": ["macro"], "limit": 1}),
        (("note", "list", "--unfiled", "--sort", "title"), "notesSearch", {"unfiled": True, "sort": "title"}),
        (("note", "list", "--created-from", "2020-01-01"), "notesSearch", {"createdFrom": "2020-01-01"}),
        (("note", "show", first, "--max-chars", "4"), "noteRead", {"ids": [first], "maxChars": 4}),
        (("collection", "list"), "noteCollections", {}),
    ]
    app = App(from_environment())

    async def ask() -> list[Any]:
        async with Client(make_server(app, "all", lambda _context: app.default_actor())) as client:
            return [(await client.call_tool(tool, values)).structured_content for _, tool, values in cases]

    sent = anyio.run(ask)
    app.close()

    assert [read(run(*words, "--json")) for words, _, _ in cases] == sent


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("note", "add", "x" * 201, "--body", ""), "invalid_argument"),
        (("note", "add", "x", "--body", "", "--collection", "None"), "unknown_collection"),
        (("note", "add", "x", "--body", "", "--symbol", "no symbol!"), "invalid_symbol"),
        (("note", "search", "!!!"), "invalid_query"),
        (("note", "search", "x", "--mode", "semantic"), "semantic_unavailable"),
        (("note", "list", "--status", "gone"), "invalid_argument"),
        (("note", "list", "--limit", "0"), "invalid_argument"),
        (("note", "edit", "nte_0123456789", "--append", "x"), "not_found"),
        (("note", "rm", "nte_0123456789", "--yes"), "not_found"),
        (("note", "edit", "42", "--append", "x"), "invalid_argument"),
        (("note", "edit", "nte_0123456789"), "invalid_argument"),
        (("note", "history", "nte_0123456789"), "not_found"),
        (("note", "list", "--as", "nobody"), "not_found"),
        (("collection", "rename", "None", "Some"), "unknown_collection"),
        (("symbol", "no symbol!"), "invalid_symbol"),
        (("token", "revoke", "tok_0123456789"), "not_found"),
        (("import", "no-such-file.jsonl"), "invalid_argument"),
    ],
)
def test_an_error_has_its_code_and_the_exit_code_1(run: Run, words: tuple[str, ...], code: str) -> None:
    plain = run(*words, code=1)
    error = read(run(*words, "--json", code=1))["error"]

    assert error["code"] == code
    assert plain.stdout == ""
    assert plain.stderr == f"error: {error['message']}\n"


@pytest.mark.parametrize(
    "words",
    [
        ("nte",),
        ("note", "add"),
        ("note", "add", "x"),
        ("note", "add", "x", "--body", "a", "--body-file", "b"),
        ("note", "search"),
        ("note", "list", "--colection", "x"),
        ("note", "list", "--limit", "many"),
        ("note", "show", "nte_0123456789", "nte_0123456780", "--raw"),
        ("note", "edit", "nte_0123456789", "--no-tags", "--tag", "a"),
        ("serve", "--port", "70000"),
        ("mcp", "--tools", "none"),
    ],
)
def test_a_wrong_command_line_is_the_exit_code_2(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words, code=2)

    assert result.stdout == ""
    assert "Usage: notewell" in result.stderr


def test_a_note_is_saved_edited_filed_archived_and_brought_back(run: Run) -> None:
    note_id = add(run, "Draft", "--tag", "old", "--symbol", "brk.b")

    edited = read(
        run("note", "edit", note_id, "--append", "More.", "--add-tag", "new", "--remove-tag", "old", "--no-symbols",
            "--collection", "Ideas", "--create-collection", "--title", "Final", "--json")
    )  # fmt: skip
    archived = read(run("note", "archive", note_id, "--json"))
    active = read(run("note", "edit", note_id, "--status", "active", "--unfile", "--json"))

    assert (edited["title"], edited["tags"], edited["symbols"], edited["collection"]) == ("Final", ["new"], [], "Ideas")
    assert archived["status"] == "archived"
    assert active["changed"] == ["collection", "status"]
    assert read(run("note", "show", note_id, "--json"))["notes"][0]["body"] == "Cuts are priced in.\nMore."


def test_a_whole_body_needs_the_version_that_was_read(run: Run) -> None:
    note_id = add(run)

    assert "ifVersion" in run("note", "edit", note_id, "--body", "new", code=1).stderr
    run("note", "edit", note_id, "--body", "new", "--if-version", "1")
    assert read(run("note", "edit", note_id, "--body", "x", "--if-version", "1", "--json", code=1))["error"] == {
        "code": "version_conflict",
        "message": f"ifVersion: 1 is not the current version of {note_id}, which is 2. Read the note again, redo your"
        " change on what it says now, and send that version.",
        "currentVersion": 2,
    }


def test_an_earlier_state_is_read_and_restored(run: Run) -> None:
    note_id = add(run, "First", body="old text")
    run("note", "edit", note_id, "--body", "new text", "--if-version", "1", "--title", "Second")

    listed = run("note", "history", note_id).stdout
    earlier = run("note", "history", note_id, "--version", "1").stdout
    restored = read(run("note", "restore", note_id, "1", "--json"))

    assert listed.index("Second") < listed.index("First")
    assert "old text" in earlier
    assert (restored["version"], restored["changed"]) == (3, ["title", "body"])
    assert run("note", "show", note_id, "--raw").stdout_bytes == b"old text"


def test_the_same_key_makes_one_note(run: Run) -> None:
    assert add(run, "x", "--idempotency-key", "k") == add(run, "x", "--idempotency-key", "k")
    assert "Already there:" in run("note", "add", "x", "--body", "Cuts are priced in.", "--idempotency-key", "k").stdout


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_deleting_a_note_asks_and_takes_no_for_an_answer(run: Run, answer: str) -> None:
    note_id = add(run)

    asked = run("note", "rm", note_id, stdin=answer, code=1)

    assert "Fed outlook" in asked.stderr
    assert "Nothing was deleted" in asked.stderr
    run("note", "show", note_id)


@pytest.mark.parametrize(("words", "answer"), [(("--yes",), ""), ((), "y\n")])
def test_deleting_a_note_that_was_confirmed(run: Run, words: tuple[str, ...], answer: str) -> None:
    note_id = add(run)

    gone = read(run("note", "rm", note_id, *words, "--json", stdin=answer))

    assert gone == {"id": note_id, "title": "Fed outlook", "deleted": True}
    run("note", "show", note_id, code=1)


def test_deleting_a_collection_asks_and_keeps_its_notes(run: Run) -> None:
    add(run, "x", "--collection", "Rate Cuts", "--create-collection")

    asked = run("collection", "rm", "rate-cuts", stdin="n\n", code=1)
    gone = read(run("collection", "rm", "rate-cuts", "--json", stdin="y\n"))

    assert "'Rate Cuts' (1 notes stay)" in asked.stderr
    assert gone == {"name": "rate-cuts", "unfiled": 1}
    assert read(run("note", "list", "--unfiled", "--json"))["total"] == 1


def test_collections_are_made_and_renamed(run: Run) -> None:
    run("collection", "create", "Ideas")
    run("collection", "rename", "ideas", "Old ideas")

    assert "Old ideas" in run("collection", "list").stdout
