"""``notewell research`` and ``notewell sweep``: a whole attempt from the command line, for programs and for people."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_runs import Run, read

from notewell.app import App
from notewell.config import Config
from notewell.surfaces.operations import OPERATIONS

pytest_plugins = ["cli_fixtures"]

HEADER = (
    "---\r\ntitle: Stalls above 40k\r\nkind: dead_end\r\ntags: [über-wichtig]\r\nmodel: opus\r\nlicence: MIT\r\n---\r\n"
)


def made(run: Run, *words: str, stdin: bytes = b"") -> str:
    """The id of what a command made."""
    found: str = read(run("research", *words, "--json", stdin=stdin))["id"]
    return found


@pytest.fixture
def running(run: Run) -> str:
    """A running attempt at the public problem ``sat``."""
    made(run, "problem", "create", "--slug", "sat", "--title", "SAT", "--statement", "Solve it.", "--publish")
    return made(run, "attempt", "start", "sat", "--model", "opus")


def operation(home: Path, tool: str, values: dict[str, Any]) -> dict[str, Any]:
    """What an operation returns."""
    app = App(Config(home, embedder="none"))
    try:
        found = next(each for each in OPERATIONS if each.tool == tool)
        return found.call(app, app.default_actor(), values).as_json()
    finally:
        app.close()


def test_json_is_what_the_operations_return(run: Run, home: Path, running: str) -> None:
    note = made(run, "note", "add", running, "--body", HEADER + "Zebra.")
    cases: list[tuple[tuple[str, ...], str, dict[str, Any]]] = [
        (("campaign", "list"), "listCampaigns", {}),
        (("problem", "list"), "list_problems", {}),
        (("problem", "list", "no", "such", "--limit", "1"), "list_problems", {"query": "no such", "limit": 1}),
        (("problem", "show", "sat", "--revision", "1", "--from", "2"), "get_problem", {"problem": "sat", "from": 2}),
        (("attempt", "show", running), "getAttempt", {"attempt_id": running}),
        (
            ("note", "show", note, "--from", "4", "--max-chars", "9"),
            "get_note",
            {"id": note, "from": 4, "max_chars": 9},
        ),
        (("search",), "search_notes", {}),
        (("search", "zebra", "okapi"), "search_notes", {"query": "zebra okapi"}),
        (
            ("search", "zebra", "--mode", "both", "--match", "all"),
            "search_notes",
            {"query": "zebra", "mode": "both", "match": "all"},
        ),
        (
            ("search", "--kind", "dead_end", "--tag", "ber-wichtig"),
            "search_notes",
            {"kind": "dead_end", "tags": ["ber-wichtig"]},
        ),
        (
            ("search", "--problem", "sat", "--model", "Opus", "--revision", "1"),
            "search_notes",
            {"problem": "sat", "model": "Opus", "revision": 1},
        ),
        (
            ("search", "--attempt-id", running, "--note-kind", "note"),
            "search_notes",
            {"attempt_id": running, "note_kind": "note"},
        ),
        (
            ("search", "--author", "local", "--since", "2020-01-01", "--until", "2100-01-01"),
            "search_notes",
            {"author": "local", "since": "2020-01-01", "until": "2100-01-01"},
        ),
        (
            ("search", "--builds-on", note, "--outcome", "failed", "--sort", "newest"),
            "search_notes",
            {"builds_on": note, "outcome": "failed", "sort": "newest"},
        ),
    ]

    printed = [read(run("research", *words, "--json")) for words, _, _ in cases]

    assert printed == [operation(home, tool, values) for _, tool, values in cases]


def test_a_whole_attempt_can_be_made_from_the_command_line(run: Run) -> None:
    group = ("campaign", "create", "--slug", "solvers", "--title", "Solvers", "--description", "All of them.")
    assert read(run("research", *group, "--publish", "--json"))["published"]
    statement = ("--statement", "Solve it.", "--campaign", "solvers")
    problem = read(run("research", "problem", "create", "--slug", "sat", "--title", "SAT", *statement, "--json"))
    assert (problem["published"], problem["public"]) == (False, False)
    assert read(run("research", "problem", "publish", "sat", "--json"))["public"]
    revised = read(run("research", "problem", "revise", "sat", "--statement", "Again.", "--title", "SAT 2", "--json"))
    assert (revised["revision"], revised["title"]) == (2, "SAT 2")
    attempt = made(run, "attempt", "start", "sat")
    note = made(run, "note", "add", attempt, "--body", "Zebra.")
    edit = ("research", "note", "edit", note, "--body", "Okapi.", "--if-version", "1", "--json")
    assert read(run(*edit))["version"] == 2
    assert read(run(*edit, code=1))["error"]["code"] == "version_conflict"
    ended = read(run("research", "attempt", "end", attempt, "--outcome", "failed", "--summary", "No.", "--json"))
    assert ended["outcome"] == "failed"
    assert (
        read(run("research", "note", "add", attempt, "--body", "late", "--json", code=1))["error"]["code"] == "frozen"
    )
    assert read(run("research", "search", "okapi", "--json"))["total"] == 1
    for words in (("campaign", "unpublish", "solvers"), ("campaign", "publish", "solvers", "--unpublished")):
        assert not read(run("research", *words, "--json"))["published"]
        assert read(run("research", "search", "okapi", "--json"))["total"] == 0
    assert read(run("research", "campaign", "show", "solvers", "--json"))["problems"][0]["slug"] == "sat"


BYTES = "---\r\ntitle: x\r\n---\r\n\tBody\r\nwith blanks at its end \u2028 \U0001f389 \n\t".encode()


@pytest.mark.parametrize("way", ["file", "standard input", "file from standard input"])
def test_texts_come_in_byte_for_byte(way: str, run: Run, running: str, tmp_path: Path) -> None:
    file = tmp_path / "note.md"
    file.write_bytes(BYTES)
    given = {"file": ("-file", str(file)), "standard input": ("", "-"), "file from standard input": ("-file", "-")}[way]
    stdin = b"" if way == "file" else BYTES

    note = made(run, "note", "add", running, f"--body{given[0]}", given[1], stdin=stdin)
    ended = ("attempt", "end", running, "--outcome", "failed", f"--summary{given[0]}", given[1])
    summary = read(run("research", *ended, "--json", stdin=stdin))["summary"]["id"]
    slug = ("problem", "create", "--slug", "other", "--title", "x", f"--statement{given[0]}", given[1])
    run("research", *slug, stdin=stdin)

    for each in (note, summary):
        assert run("research", "note", "show", each, "--raw").stdout_bytes == BYTES
    assert read(run("research", "problem", "show", "other", "--json"))["statement_md"].encode() == BYTES


def test_a_file_that_is_no_utf_8_is_refused(run: Run, running: str, tmp_path: Path) -> None:
    file = tmp_path / "wide.md"
    file.write_bytes("text".encode("utf-16"))

    for words in (
        ("note", "add", running, "--body-file", str(file)),
        ("attempt", "end", running, "--outcome", "failed", "--summary-file", str(file)),
        ("problem", "revise", "sat", "--statement-file", str(file)),
    ):
        assert "is no UTF-8 text (byte 1)" in run("research", *words, code=1).stderr


@pytest.mark.parametrize(
    "words",
    [
        ("note", "add", "att_0000000000"),
        ("note", "add", "att_0000000000", "--body", "x", "--body-file", "x"),
        ("note", "edit", "nte_0000000000"),
        ("attempt", "end", "att_0000000000", "--outcome", "failed"),
        ("attempt", "end", "att_0000000000", "--summary", "x"),
        ("problem", "create", "--slug", "x", "--title", "x"),
        ("problem", "revise", "x"),
        ("campaign", "create", "--slug", "x"),
        ("nonsense",),
    ],
)
def test_a_wrong_command_line_exits_with_2(words: tuple[str, ...], run: Run) -> None:
    run("research", *words, code=2)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("problem", "show", "none"), "not_found"),
        (("campaign", "show", "none"), "not_found"),
        (("attempt", "start", "none"), "not_found"),
        (("attempt", "show", "42"), "invalid_argument"),
        (("attempt", "end", "att_0000000000", "--outcome", "won", "--summary", "x"), "invalid_argument"),
        (("note", "show", "nte_0000000000"), "not_found"),
        (("note", "rm", "nte_0000000000", "--yes"), "not_found"),
        (("search", "***"), "invalid_query"),
        (("search", "x", "--limit", "51"), "invalid_argument"),
        (("problem", "create", "--slug", "No slug", "--title", "x", "--statement", "x"), "invalid_argument"),
    ],
)
def test_an_error_has_its_code_and_the_exit_code_1(words: tuple[str, ...], code: str, run: Run) -> None:
    assert read(run("research", *words, "--json", code=1))["error"]["code"] == code
    assert run("research", *words, code=1).stderr.startswith("error: ")


def test_a_person_sees_of_a_note_what_an_agent_reads(run: Run, running: str) -> None:
    note = made(run, "note", "add", running, "--body", HEADER + "Zebra \u202e turned. <!-- hidden -->")
    made(run, "note", "add", running, "--body", f"---\nbuilds_on: [{note}]\ntitle: The next one\n---\n")

    shown = run("research", "note", "show", note).stdout

    for text in (
        "Stalls above 40k",
        "dead_end",
        "#ber-wichtig",
        "über-wichtig",
        "opus",
        "licence: MIT",
        "Zebra <U+202E> turned. <!-- hidden -->",
        "sat, revision 1",
        "running",
        "The next one",
    ):
        assert text in shown


def test_people_see_problems_digests_and_cards_in_words(run: Run, running: str) -> None:
    made(run, "note", "add", running, "--body", HEADER + "Zebra and okapi.")
    made(run, "note", "add", running, "--body", "---\nkind: digest\ntitle: What is known\n---\nZebra.")
    problem = run("research", "problem", "show", "sat").stdout
    found = run("research", "search", "zebra", "okapi").stdout
    run("research", "attempt", "end", running, "--outcome", "failed", "--summary", "No way.")

    assert problem.index("Solve it.") < problem.index("What is known") < problem.index("Stalls above 40k")
    assert found.index("Stalls above 40k") < found.index("What is known") < found.index("without: okapi")
    assert "SAT (sat)" in found
    assert "failed" in run("research", "attempt", "show", running).stdout
    assert "public" in run("research", "problem", "list").stdout
    assert "No notes found." in run("research", "search", "quagga").stdout
    assert "Make one" in run("research", "campaign", "list").stdout


def test_a_cut_statement_and_note_say_how_to_read_on(run: Run, running: str) -> None:
    note = made(run, "note", "add", running, "--body", "zebra " * 99)

    first = run("research", "note", "show", note, "--max-chars", "60").stdout

    assert "read on with --from 60" in first
    assert "of 594" in first


@pytest.mark.parametrize("answer", ["n\n", ""])
def test_deleting_asks_and_takes_no_for_an_answer(answer: str, run: Run, running: str) -> None:
    note = made(run, "note", "add", running, "--body", "# Zebra")

    assert "Zebra" in run("research", "note", "rm", note, stdin=answer, code=1).stderr
    run("research", "note", "show", note)
    assert read(run("research", "note", "rm", note, "--yes", "--json")) == {"id": note, "deleted": True}
    run("research", "note", "show", note, code=1)


def test_another_account_sees_only_what_is_published(run: Run, running: str) -> None:
    run("account", "create", "cy")
    made(run, "note", "add", running, "--body", "Zebra.")
    run("research", "problem", "unpublish", "sat")

    assert read(run("research", "search", "zebra", "--as", "cy", "--json"))["total"] == 0
    assert read(run("research", "problem", "list", "--as", "cy", "--json"))["total"] == 0
    assert (
        read(run("research", "problem", "show", "sat", "--as", "cy", "--json", code=1))["error"]["code"] == "not_found"
    )


def test_reads_and_searches_are_recorded_on_the_working_attempt(run: Run, running: str) -> None:
    note = made(run, "note", "add", running, "--body", "Zebra.")
    working = ("--working-attempt-id", running, "--json")

    assert read(run("research", "search", "zebra", *working))["search_recorded"]
    assert read(run("research", "note", "show", note, *working))["read_recorded"]
    assert read(run("research", "attempt", "show", running, "--json"))["reads"] == [note]


def test_a_sweep_tells_what_it_did(run: Run, home: Path, running: str) -> None:
    made(run, "note", "add", running, "--body", "Zebra.")
    app = App(Config(home, embedder="none"))
    with app.store.write() as tx:
        tx.run_sql("UPDATE note_index SET header_version = 0", {})
    app.close()

    first = read(run("sweep", "--json"))
    told = run("sweep").stdout

    assert (first["spacesReindexed"], first["notesReindexed"], first["problemsPutInStep"]) == (1, 1, 0)
    assert "Indexed 0 notes" in told


def test_a_sweep_needs_an_administrator(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = read(run("token", "create", "--json"))["token"]
    monkeypatch.setenv("NOTEWELL_TOKEN", secret)

    assert read(run("sweep", "--json", code=1))["error"]["code"] == "forbidden"


@pytest.mark.parametrize(
    "words", [("--help",), ("research", "--help"), ("research", "note", "--help"), ("sweep", "-h")]
)
def test_help_needs_no_store_and_no_models(words: tuple[str, ...]) -> None:
    program = (
        "import sys; from notewell.surfaces.cli.main import cli; cli(sys.argv[1:], standalone_mode=False);"
        "print(sorted({'apsw', 'pydantic', 'mcp', 'fastapi'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.splitlines()[-1] == "[]"
    assert "research" in done.stdout or "sweep" in done.stdout
