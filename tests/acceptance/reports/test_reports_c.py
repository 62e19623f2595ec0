"""Headers and lists that other products lost or mistook: rows C12 to C16."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from clients import ONE_OF_EACH, CliSurface, Json, Surface, open_app, open_surface
from report_notes import EVERY, read_one

from notewell.services import research
from notewell.services.research import ProblemDraft

pytest_plugins = ["report_fixtures"]


class Desk:
    """A surface with a running attempt."""

    def __init__(self, surface: Surface, attempt_id: str) -> None:
        self.surface = surface
        self.attempt_id = attempt_id

    def add(self, body_md: str) -> Json:
        """A new research note, as it is read afterwards."""
        made = self.surface.call("research.add", {"attempt_id": self.attempt_id, "body_md": body_md})
        assert "error" not in made, made
        return self.surface.call("research.get", {"id": made["id"], "max_chars": 1_000_000})


@pytest.fixture(scope="module", params=[each for each in EVERY if each.values != ("cli",)])
def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Each surface that passes research notes as arguments, for the notes of all tests."""
    home = tmp_path_factory.mktemp("home")
    with open_app(home) as app:
        actor = app.default_actor()
        made = research.create_problem(app.store, actor, ProblemDraft("sat", "SAT", "Solve it.", publishes=True))
        attempt, _ = research.start_attempt(app.store, actor, made.id, "")
    with open_surface(request.param, home) as surface:
        yield Desk(surface, attempt.id)


@pytest.mark.parametrize(
    ("block", "field", "kept", "extra"),
    [
        ("title: First\ntitle: Second", "title", "First", ["title: Second"]),
        ("kind: finding\nkind: plan", "kind", "finding", ["kind: plan"]),
        ("model: a\nmodel: b", "model", "a", ["model: b"]),
        ("Title: First\ntitle: Second", "title", "First", ["title: Second"]),
        ("title: T\na: 1\na: 2", "title", "T", ["a: 1", "a: 2"]),
        ("tags: one\ntags: two", "tags", ["one", "two"], []),
    ],
)
def test_c12_a_key_given_twice_loses_nothing_and_says_what_it_left_out(
    block: str, field: str, kept: Any, extra: list[str], desk: Desk
) -> None:
    text = f"---\n{block}\n---\nText."
    note = desk.add(text)

    assert (note["header"][field], note["header"]["extra"]) == (kept, extra)
    assert note["body_md"] == text


def test_c12_a_name_given_twice_in_a_line_of_an_import_is_refused(tmp_path: Path) -> None:
    cli = CliSurface(tmp_path)

    code, output = cli.run(["import", "-", "--json"], b'{"title": "a", "title": "b", "body": ""}\n')

    assert (code, json.loads(output)["error"]["code"]) == (1, "invalid_argument")
    assert "'title' stands twice" in output


@pytest.mark.parametrize(
    "content", ['{"title": "a", "title": "b", "body": "c"}', '{"title":"T","body":"x","body":"y"}']
)
def test_c12_a_name_given_twice_in_a_request_is_refused(content: str, tmp_path: Path) -> None:
    with open_surface("rest", tmp_path) as surface:
        client: httpx2.Client = surface.client  # type: ignore[attr-defined]  # of the surface REST
        answer = client.post("/api/memory/notes", content=content.encode())

        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_argument")
        assert "twice" in answer.json()["error"]["message"]
        assert surface.call("memory.search", {"status": "any"})["total"] == 0


_LEVELS = "\n".join(f"l{number}: &l{number} [{', '.join([f'*l{number - 1}'] * 9)}]" for number in range(1, 11))
BOMBS = {
    "a cycle": "x: &a [*a]",
    "ten levels of aliases": f"l0: &l0 [lol]\n{_LEVELS}",
    "a tag of a language": "x: !!python/object/apply:os.system ['exit 1']",
    "a tag of a type": "title: !!binary aGk=",
    "a merge": "base: &b {a: 1}\nmore:\n<<: *b",
    "a very long flow": "tags: " + "[" * 20_000,
    "many keys": "\n".join(f"k{number}: {number}" for number in range(5_000)),
}


@pytest.mark.parametrize("kind", BOMBS)
@pytest.mark.parametrize("title", ["title: T\n", ""])
def test_c13_what_only_yaml_understands_stays_text_and_is_never_expanded(kind: str, title: str, desk: Desk) -> None:
    text = f"---\n{title}{BOMBS[kind]}\n---\nText."

    note = desk.add(text)

    assert note["body_md"] == text
    # Nothing grows: all that is shown of a block are pieces of it.
    assert len(json.dumps(note["header"])) < 3 * len(text) + 200
    assert "lol" * 2 not in json.dumps(note["header"]["extra"])


LISTS = [
    "next steps:\n- one\n- two, with a comma\n-   three",
    "---\nnext_steps:\n  - [x] done\n  - \"quoted\"\ntags: [a, 'b, c']\n---\n",
    "- [ ] open\n- [x] done\n",
    "1. one\r\n2. two\r\n",
    "[]",
    "[a, b]",
]


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_c15_lists_are_the_same_after_an_export_and_an_import(name: str, tmp_path: Path) -> None:
    tags, symbols = ["a", "b, c", 'say "hi"', "[x]", "降息", "- d", "e: f"], ["NVDA", "BRK-B", "000834", "^GSPC"]
    given = {"title": "Lists", "tags": tags, "symbols": symbols, "summary": "- one\n- two"}
    with open_surface(name, tmp_path / "one") as surface:
        made = [surface.call("memory.create", {**given, "body": body})["id"] for body in LISTS]
        before = [read_one(surface, note_id) for note_id in made]
    _, exported = CliSurface(tmp_path / "one").run(["export"])

    CliSurface(tmp_path / "two").run(["import", "-"], exported.encode())

    with open_surface(name, tmp_path / "two") as surface:
        after = [read_one(surface, note_id) for note_id in made]
    assert after == before
    assert [(note["body"], note["tags"], note["symbols"]) for note in after] == [
        (each, tags, symbols) for each in LISTS
    ]
    assert CliSurface(tmp_path / "two").run(["export"])[1] == exported


PLAIN = [
    "- [x] done\n- [ ] open\n",
    "[x] a task without a dash",
    "[24:33 - 24:41] Ana: we ship on Friday #friday [not: a tag]",
    "[00:01] tags: none\n[00:02] title: nothing",
    "[[A link]] and [key:: value] and (key:: value)",
    "title: not a header\n\ntext",
    "tags:\n- a\n- b\n",
    "---\n[x] done\n---\n",
    "#hashtag in the first line",
    "+++\ntitle = 'toml'\n+++\n",
]


@pytest.mark.parametrize("text", PLAIN)
def test_c16_tasks_and_transcripts_are_plain_text_of_a_research_note(text: str, desk: Desk) -> None:
    note = desk.add(text)

    assert note["header"] == {"tags": [], "builds_on": [], "extra": []}
    assert note["body_md"] == note["body_md_without_header"] == text


@pytest.mark.parametrize("text", [*PLAIN, "---\ntitle: T\ntags: [a]\n---\nThe header of a memory note is text."])
def test_c16_tasks_and_transcripts_are_plain_text_of_a_memory_note(text: str, each_kind: Surface) -> None:
    made = each_kind.call("memory.create", {"title": "Talk", "body": text})

    note = read_one(each_kind, made["id"])

    each_kind.call("memory.delete", {"id": made["id"]})
    assert (note["title"], note["body"], note["tags"], note["symbols"]) == ("Talk", text, [], [])
