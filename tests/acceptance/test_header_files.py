"""Each kind of difficult header as a research note, by REST and the command line: kept byte for byte, never refused.

The texts are those of ``header_cases`` (public files that broke other parsers, in our own words). What is no text at
all is refused with an error that says what to do: bytes that are no UTF-8, a NUL character, half a surrogate pair.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from clients import LOCAL, CliSurface, Json, open_app
from header_cases import CASES, HeaderCase
from serving import serving

from notewell.domain.header import ParsedHeader
from notewell.surfaces.server import make_asgi

UTF_16 = "---\r\ntitle: Wide\r\n---\r\nBody.\r\n".encode("utf-16")
TEXTS = [case for case in CASES if "\0" not in case.text and "\ud800" not in case.text]
NO_TEXTS = [case for case in CASES if case not in TEXTS]


@dataclass(frozen=True)
class Desk:
    """A server with a running attempt on it."""

    client: httpx2.Client
    home: Path
    attempt_id: str

    def add(self, content: bytes) -> httpx2.Response:
        """The answer to a new note that is sent as JSON."""
        return self.client.post(
            f"/api/attempts/{self.attempt_id}/notes", content=content, headers={"content-type": "application/json"}
        )

    def add_text(self, text: str) -> httpx2.Response:
        """The same, with the JSON made here; every character beyond ASCII escaped."""
        return self.add(json.dumps({"body_md": text}).encode())


@contextmanager
def open_desk(home: Path) -> Iterator[Desk]:
    """A problem and an attempt at it."""
    with (
        open_app(home) as app,
        serving(make_asgi(app, LOCAL)) as url,
        httpx2.Client(base_url=url, timeout=30, verify=False) as client,
    ):
        made = {"slug": "headers", "title": "Headers", "statement_md": "Keep them all.", "publish": True}
        assert client.post("/api/problems", json=made).status_code == 201
        started = client.post("/api/attempts", json={"problem": "headers"}).json()
        yield Desk(client, home, started["id"])


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One for all cases of this file."""
    with open_desk(tmp_path_factory.mktemp("home")) as opened:
        yield opened


def shown_header(expected: ParsedHeader | None) -> Json:
    """A header as REST shows it: empty lists for none, absent for what is not there."""
    if expected is None:
        return {"tags": [], "builds_on": [], "extra": []}
    fields: Json = {"tags": list(expected.tags), "builds_on": list(expected.builds_on), "extra": list(expected.extra)}
    for name in ("title", "kind", "model"):
        if (value := getattr(expected, name)) is not None:
            fields[name] = value
    return fields


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case.name)
def test_a_difficult_header_is_read_by_the_rule_and_kept_byte_for_byte(case: HeaderCase, desk: Desk) -> None:
    made = desk.add_text(case.text)
    assert made.status_code == 201, made.text
    note = desk.client.get(f"/api/notes/{made.json()['id']}").json()

    assert note["body_md"] == case.text
    assert note["header"] == made.json()["header"] == shown_header(case.expected)
    expected_body = case.text if case.expected is None else case.expected.body
    assert note["body_md_without_header"] == expected_body
    assert case.text.endswith(expected_body)


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case.name)
def test_an_edit_to_a_difficult_header_keeps_it_too(case: HeaderCase, desk: Desk) -> None:
    note_id = desk.add_text("before").json()["id"]

    changed = desk.client.patch(f"/api/notes/{note_id}", content=json.dumps({"body_md": case.text}).encode())

    assert changed.status_code == 200, changed.text
    assert changed.json()["header"] == shown_header(case.expected)
    assert desk.client.get(f"/api/notes/{note_id}").json()["body_md"] == case.text


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case.name)
def test_a_file_comes_in_by_the_command_line_and_out_again_the_same(
    case: HeaderCase, desk: Desk, tmp_path: Path
) -> None:
    file = tmp_path / "note.md"
    file.write_bytes(case.text.encode())
    command_line = CliSurface(desk.home)

    code, output = command_line.run(["research", "note", "add", desk.attempt_id, "--body-file", str(file), "--json"])

    assert code == 0, output
    shown = desk.client.get(f"/api/notes/{json.loads(output)['id']}").json()
    assert shown["body_md"].encode() == file.read_bytes()


@pytest.mark.parametrize("case", NO_TEXTS, ids=lambda case: case.name)
def test_what_is_no_text_is_refused_with_the_place_of_the_fault(case: HeaderCase, desk: Desk) -> None:
    refused = desk.add_text(case.text)

    error = refused.json()["error"]
    assert (refused.status_code, error["code"], error["argument"]) == (400, "invalid_argument", "body_md")
    assert "NUL" in error["message"] or "surrogate" in error["message"]
    assert "at character" in error["message"]


def test_a_utf_16_file_is_refused_by_the_command_line_with_what_to_do(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "wide.md"
    file.write_bytes(UTF_16)

    code, output = CliSurface(desk.home).run(
        ["research", "note", "add", desk.attempt_id, "--body-file", str(file), "--json"]
    )

    error = json.loads(output)["error"]
    assert (code, error["code"]) == (1, "invalid_argument")
    assert "wide.md is no UTF-8 text (byte 1)" in error["message"]
    assert "iconv" in error["message"]


def test_a_utf_16_file_in_a_request_is_refused_with_what_to_do(desk: Desk) -> None:
    for content in (UTF_16, b'{"body_md": "' + UTF_16 + b'"}'):
        refused = desk.add(content)
        error = refused.json()["error"]
        assert (refused.status_code, error["code"]) == (400, "invalid_argument")
        assert "UTF-8" in error["message"]


def test_every_kind_of_difficulty_is_there() -> None:
    assert len(TEXTS) >= 70
    assert any(case.expected is None for case in TEXTS)
    assert all(case.expected is None or case.expected.has_header for case in TEXTS)
    assert len(NO_TEXTS) == 3
