"""What a person sees of the command line: help, texts as they are, nothing hidden, and a quick start."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from cli_runs import Run, add, process, read

from notewell.surfaces.cli.lazy import LazyGroup
from notewell.surfaces.cli.main import SECTIONS, cli
from notewell.surfaces.cli.text import clean, marked, search_lines, table
from notewell.surfaces.operations import of_surface

pytest_plugins = ["cli_fixtures"]


def test_without_words_it_explains_itself(run: Run) -> None:
    shown = run().stdout

    assert "Try it:" in shown
    for section in SECTIONS:
        assert section.title in shown
        assert all(command.help in shown for command in section.commands)


def commands(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    """Every command below a group, with the words that call it."""
    found: list[tuple[tuple[str, ...], click.Command]] = []
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found += commands(command, (*path, name))
        else:
            found.append(((*path, name), command))
    return found


def test_every_command_and_option_has_a_help_text() -> None:
    for path, command in commands(cli):
        assert command.help, path
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, (path, parameter.name)


def test_every_command_takes_json_except_the_servers() -> None:
    without = {path for path, command in commands(cli) if not any("--json" in each.opts for each in command.params)}

    assert without == {("mcp",), ("serve",), ("worker",)}


def test_every_operation_has_its_command() -> None:
    known = {" ".join(path) for path, _ in commands(cli)}

    assert {operation.command for operation in of_surface("cli", "memory")} <= known


def test_help_never_imports_a_command() -> None:
    assert isinstance(cli, LazyGroup)

    shown = process("-h", environment={"PYTHONPROFILEIMPORTTIME": "1"}).stderr.decode()

    assert "notewell.surfaces.cli.note" not in shown
    assert "notewell.surfaces.cli.main" in shown


def test_the_version_needs_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "notewell", "--version"], capture_output=True, check=True
    )

    assert done.stdout.startswith(b"notewell ")
    imported = {line.rsplit(b"|", 1)[-1].strip().decode() for line in done.stderr.splitlines()}
    roots = {name.split(".")[0] for name in imported}
    assert roots & {"mcp", "mcp_types", "fastapi", "starlette", "apsw", "regex", "pydantic", "rich", "anyio"} == set()
    assert not {
        name for name in imported if name.startswith(("notewell.store", "notewell.services", "notewell.domain"))
    }


TEXTS = (
    b"",
    b"no end",
    b"\r\nwindows\r\n\r\n",
    "降息预期 \u2028 🏦\n".encode(),
    b"\xef\xbb\xbfmark",
    b"--looks-like-an-option",
)


@pytest.mark.parametrize("raw", TEXTS)
def test_a_body_goes_in_and_out_byte_for_byte(run: Run, tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "body.txt"
    file.write_bytes(raw)

    from_file = read(run("note", "add", "a", "--body-file", str(file), "--json"))["id"]
    from_stdin = read(run("note", "add", "b", "--body", "-", "--json", stdin=raw))["id"]
    run("note", "edit", from_stdin, "--body-file", "-", "--if-version", "1", stdin=raw)

    assert run("note", "show", from_file, "--raw").stdout_bytes == raw
    assert run("note", "show", from_stdin, "--raw").stdout_bytes == raw


def test_a_body_that_is_no_utf8_is_refused(run: Run) -> None:
    assert "no UTF-8 text (byte 3)" in run("note", "add", "x", "--body", "-", stdin=b"ab\xff", code=1).stderr


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONIOENCODING": "latin-1"}])
def test_every_script_survives_a_plain_locale(home: Path, locale: dict[str, str]) -> None:
    saved = process(
        "note",
        "add",
        "降息展望",
        "--body",
        "-",
        "--tag",
        "宏观",
        "--json",
        stdin="Müller 🏦".encode(),
        environment=locale,
    )
    found = process("note", "search", "降息", environment=locale)
    shown = process("note", "show", json.loads(saved.stdout)["id"], "--raw", environment=locale)

    assert json.loads(saved.stdout.decode("utf-8"))["title"] == "降息展望"
    assert "降息展望" in found.stdout.decode("utf-8")
    assert "#宏观" in found.stdout.decode("utf-8")
    assert shown.stdout == "Müller 🏦".encode()


def test_a_search_shows_what_is_missing_and_the_next_page(run: Run) -> None:
    for number in range(3):
        add(run, f"Note {number}", "--tag", "macro", body="rate cuts")
    add(run, "Half", body="rate only")

    page = run("note", "search", "rate", "cuts", "--limit", "2").stdout
    cursor = page.rsplit("--cursor ", 1)[1].strip()
    rest = run("note", "search", "rate", "cuts", "--limit", "2", "--cursor", cursor).stdout

    assert "3 with every word; 2 shown." in page
    assert "#macro" in page
    assert "Note 0" in rest
    assert "Half" not in page
    assert "without: cuts" in run("note", "search", "rate", "cuts").stdout


def test_a_search_that_finds_nothing_helps(run: Run) -> None:
    add(run)

    shown = run("note", "search", "zebra").stdout

    assert "No notes found." in shown
    assert "Try fewer or other words" in shown


def test_a_long_note_says_how_to_read_on(run: Run) -> None:
    note_id = add(run, body="0123456789")

    assert "[characters 0 to 4 of 10; read on with --from 4]" in run("note", "show", note_id, "--max-chars", "4").stdout


def test_nothing_in_a_note_moves_the_terminal_or_hides(run: Run) -> None:
    note_id = add(run, "evil \u202etitle", body="\x1b[2Jwiped\u200b\r over")

    shown = run("note", "show", note_id).stdout + run("note", "search", "wiped").stdout

    assert not set("\x1b\u202e\u200b\r") & set(shown)
    assert "<U+001B>[2Jwiped<U+200B><U+000D> over" in shown
    assert "evil <U+202E>title" in shown


def test_joiners_and_line_ends_are_no_tricks() -> None:
    assert clean("a\u200db\u200cc\n\td") == "a\u200db\u200cc\n\td"


def test_matches_stand_out() -> None:
    assert click.unstyle(marked("a match\nhere", [[2, 7]])) == "a match here"
    assert "\x1b[32m\x1b[1mmatch\x1b[0m" in marked("a match here", [[2, 7]])


def test_columns_line_up_for_wide_characters() -> None:
    lines = list(table(["A", "B"], [["降息", "x"], ["a", "y"]]))

    assert [click.unstyle(line) for line in lines] == ["A     B", "降息  x", "a     y"]


def test_a_list_by_meaning_says_how_far_to_trust_it() -> None:
    card: dict[str, object] = {
        "id": "nte_1",
        "title": "T",
        "tags": [],
        "symbols": [],
        "status": "active",
        "updatedAt": "2026-12-01T00:00:00Z",
    }
    card = {**card, "summary": "", "snippet": "", "highlights": [], "score": 0.81, "zScore": 3.2}
    semantic = {
        "cards": [card],
        "cursor": "abc",
        "coverage": {"embedded": 1, "notes": 50},
        "weak": "Nothing stands out.",
    }
    shown = click.unstyle("\n".join(search_lines({"mode": "both", "keyword": {"cards": []}, "semantic": semantic})))

    assert "stands out by 3.2 standard deviations (cosine 0.81)" in shown
    assert "1 of 50 notes are embedded so far" in shown
    assert "Nothing stands out." in shown
    assert "with --mode semantic --cursor abc" in shown
