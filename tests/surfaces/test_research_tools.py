"""The research tools as agents and programs see them: what the spec says that they return, alike on MCP and REST.

From the note-discovery spec:
- Writing well remains the convention the tool description teaches: one finding per Note, written at the moments that
  matter (an approach chosen, a blocker, a surprise, a change of plan, the end of a phase), with what was done
  elsewhere.
- search_notes over MCP and GET /api/notes/search take the same parameters and return the same cards.
- A hit is {id, attempt_id, problem_id, problem_slug, problem_title, author_handle, note_kind, title, kind, tags,
  builds_on, model, created_at, updated_at, attempt_outcome, attempt_ended_at, snippet, score}.
- get_note (or GET /api/notes/{id}) returns the canonical Note, its parsed header, body_md_without_header, and the
  Attempt it belongs to. Agents passing working_attempt_id have the read recorded.
- Digests are surfaced ahead of the stream in get_problem. Without search words the stream is of the displayed revision.
- A deployment without an embedder keeps the keyword index: by meaning it says why not.

And promise 3 of DESIGN 1: every reply has a limit; what is cut is marked, with the way to read on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from clients import LOCAL, Json, McpSurface, RestSurface, mcp_surface, open_app, operation_named, rest_at
from mcp.client.streamable_http import streamable_http_client
from research_record import attempt, campaign, person, problem, write
from serving import serving

from notewell.app import App
from notewell.domain.access import Actor
from notewell.services import research, research_notes
from notewell.surfaces.server import make_asgi

MAX_REPLY_CHARS = 40_000
CARD = {
    "id",
    "attempt_id",
    "problem_id",
    "problem_slug",
    "problem_title",
    "author_handle",
    "note_kind",
    "title",
    "kind",
} | {
    "tags",
    "builds_on",
    "model",
    "created_at",
    "updated_at",
    "attempt_outcome",
    "attempt_ended_at",
    "snippet",
    "score",
}
HEADER = "---\ntitle: {title}\nkind: {kind}\ntags: [sat]\nbuilds_on: [att_1q8w4e6r9t]\nmodel: opus\n---\n"


@dataclass(frozen=True)
class Desk:
    """One server, reached both ways by its owner."""

    app: App
    actor: Actor
    mcp: McpSurface
    rest: RestSurface

    def both(self, operation: str, **arguments: Any) -> Json:
        """What both surfaces answer, which must be the same; an argument's trailing ``_`` is dropped."""
        given = {name.rstrip("_"): value for name, value in arguments.items()}
        answer = self.mcp.call(operation, given)
        assert self.rest.call(operation, given) == answer
        return answer


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A server with a campaign, two problems and an ended attempt with 30 notes; tests add what they name."""
    with ExitStack() as stack:
        app = stack.enter_context(open_app(tmp_path_factory.mktemp("desk")))
        url = stack.enter_context(serving(make_asgi(app, LOCAL)))
        mcp = stack.enter_context(mcp_surface(streamable_http_client(f"{url}/mcp"), "2026"))
        rest = stack.enter_context(rest_at(url))
        opened = Desk(app, app.default_actor(), mcp, rest)
        fill(opened)
        yield opened


def fill(desk: Desk) -> None:
    """The notes that all tests read."""
    store, actor = desk.app.store, desk.actor
    campaign(store, actor, "solvers")
    sat = problem(store, actor, "sat", campaign="solvers")
    problem(store, actor, "empty")
    running = attempt(store, actor, sat)
    for number in range(30):
        kind = "digest" if number in (3, 7) else "finding"
        write(store, actor, running, HEADER.format(title=f"Note {number}", kind=kind) + "zebra and more")
    research_notes.end_attempt(store, actor, running.id, "progress", "Summary of zebra.")


def test_the_description_of_add_note_teaches_to_write_well() -> None:
    taught = operation_named("research.add").description

    for words in (
        "One finding per note",
        "an approach chosen",
        "a blocker",
        "a surprise",
        "a change of plan",
        "the end of a phase",
        "sources, scripts, their output",
        "title",
        "kind",
        "tags",
        "builds_on",
        "model",
    ):
        assert words in taught


SEARCHES: list[Json] = [
    {},
    {"query": "zebra"},
    {"query": "zebra okapi", "match": "all"},
    {"problem": "sat", "limit": 3},
    {"campaign": "solvers", "query": "zebra", "sort": "newest"},
    {"kind": "Digest"},
    {"note_kind": "summary"},
    {"tags": ["sat", "SAT"]},
    {"builds_on": "att_1q8w4e6r9t"},
    {"model": "OPUS"},
    {"author": "local"},
    {"outcome": "progress"},
    {"revision": 1},
    {"since": "2020-01-01", "until": "2100-01-01"},
    {"query": "zebra", "mode": "both", "problem": "sat"},
    {"query": "", "kind": "", "problem": None},
]


@pytest.mark.parametrize("asked", SEARCHES, ids=json.dumps)
def test_a_search_means_the_same_on_mcp_and_rest(asked: Json, desk: Desk) -> None:
    answer = desk.both("research.search", **asked)

    cards = answer["keyword"]["cards"] if asked.get("mode") == "both" else answer["cards"]
    assert cards or asked.get("match") == "all"


@pytest.mark.parametrize("asked", [{"query": "zebra"}, {}])
def test_pages_follow_their_cursor_on_both(asked: Json, desk: Desk) -> None:
    first = desk.both("research.search", **asked, problem="sat", limit=20)
    second = desk.both("research.search", **asked, problem="sat", limit=20, cursor=first["cursor"])

    shown = [card["id"] for card in first["cards"] + second["cards"]]
    assert len(shown) == len(set(shown)) == first["total"] == 31
    assert "cursor" not in second


def test_a_card_has_the_fields_of_the_spec_and_no_body(desk: Desk) -> None:
    (card,) = desk.both("research.search", query="title:7", kind="digest")["cards"]

    assert CARD - set(card) == set()
    assert (card["title"], card["kind"], card["tags"], card["model"]) == ("Note 7", "digest", ["sat"], "opus")
    assert (card["problem_slug"], card["attempt_outcome"], card["author_handle"]) == ("sat", "progress", "local")
    assert not {"body", "body_md", "body_md_without_header"} & set(card)


def test_a_note_comes_with_its_header_its_text_without_it_and_its_attempt(desk: Desk) -> None:
    note_id = desk.both("research.search", kind="digest", problem="sat")["cards"][0]["id"]

    note = desk.both("research.get", id=note_id)

    assert note["body_md"].endswith(note["body_md_without_header"])
    assert note["body_md_without_header"] == "zebra and more"
    assert note["header"] == {
        "title": "Note 7",
        "kind": "digest",
        "tags": ["sat"],
        "builds_on": ["att_1q8w4e6r9t"],
        "model": "opus",
        "extra": [],
    }
    assert (note["attempt"]["id"], note["attempt"]["outcome"]) == (note["attempt_id"], "progress")


@pytest.mark.parametrize("start", [0, 40, 90])
def test_a_part_of_a_note_is_the_same_part_of_its_text_without_the_header(start: int, desk: Desk) -> None:
    note_id = desk.both("research.search", kind="digest", problem="sat")["cards"][0]["id"]
    whole = desk.both("research.get", id=note_id)

    part = desk.both("research.get", id=note_id, from_=start, max_chars=50)

    header_chars = len(whole["body_md"]) - len(whole["body_md_without_header"])
    assert part["body_md"] == whole["body_md"][start : start + 50]
    assert part["body_md_without_header"] == whole["body_md"][max(start, header_chars) : start + 50]
    assert part["part"]["of"] == len(whole["body_md"])


# A problem


def test_a_problem_shows_its_digests_before_the_stream(desk: Desk) -> None:
    shown = desk.both("problem.get", problem="sat")

    assert [card["title"] for card in shown["digests"]] == ["Note 7", "Note 3"]
    assert [card["title"] for card in shown["recent"]] == [
        "Summary of zebra.",
        *(f"Note {n}" for n in range(29, 20, -1)),
    ]
    assert list(shown).index("digests") < list(shown).index("recent")
    assert (shown["statement_md"], shown["attempts"], shown["attempts_running"]) == ("Solve sat.", 1, 0)


def test_a_problem_shows_the_stream_of_the_revision_that_is_displayed_and_counts_all_notes(desk: Desk) -> None:
    store, actor = desk.app.store, desk.actor
    made = problem(store, actor, "revised")
    old = write(store, actor, attempt(store, actor, made), "old work")
    digest = write(store, actor, attempt(store, actor, made), "---\nkind: digest\n---\n")
    research.revise_problem(store, actor, "revised", "Again.")
    new = write(store, actor, attempt(store, actor, made), "new work")

    now, before = desk.both("problem.get", problem="revised"), desk.both("problem.get", problem="revised", revision=1)

    assert [card["id"] for card in now["recent"]] == [new]
    assert [card["id"] for card in before["recent"]] == [old]
    assert [card["id"] for shown in (now, before) for card in shown["digests"]] == [digest, digest]
    assert (now["statement_md"], before["statement_md"]) == ("Again.", "Solve revised.")
    assert [each["number"] for each in now["revisions"]] == [2, 1]
    (listed,) = desk.both("problem.list", query="revised")["problems"]
    assert now["notes"] == before["notes"] == listed["notes"] == 3
    assert desk.both("problem.get", problem="revised", revision=3)["error"]["code"] == "not_found"


def test_a_long_statement_is_read_in_parts(desk: Desk) -> None:
    statement = "x" * 16_000 + "the end"
    research.create_problem(
        desk.app.store, desk.actor, research.ProblemDraft("long-statement", "Long", statement, publishes=True)
    )

    first = desk.both("problem.get", problem="long-statement")
    rest = desk.both("problem.get", problem="long-statement", from_=first["part"]["next"])

    assert first["statement_md"] + rest["statement_md"] == statement
    assert "next" not in rest["part"]


def test_a_list_of_problems_goes_on_where_it_was_even_if_the_last_one_is_hidden_meanwhile(desk: Desk) -> None:
    store, stranger = desk.app.store, person(desk.app.store, "cy")
    for number in range(5):
        problem(store, desk.actor, f"many-{number}")

    def listed(**more: str) -> Json:
        given = {"query": "many", "limit": 2, **more}
        return operation_named("problem.list").call(desk.app, stranger, given).as_json()

    first = listed()
    research.publish_problem(store, desk.actor, "many-3", is_published=False)
    problem(store, desk.actor, "many-new")
    second = listed(cursor=first["cursor"])
    third = listed(cursor=second["cursor"])

    assert [[each["slug"] for each in page["problems"]] for page in (first, second, third)] == [
        ["many-4", "many-3"],
        ["many-2", "many-1"],
        ["many-0"],
    ]
    assert "cursor" not in third


# Limits


def size(answer: Json) -> int:
    """How many characters a model reads."""
    return len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))


def test_a_note_with_a_very_long_header_is_answered_within_the_limit_and_says_what_is_cut(desk: Desk) -> None:
    running = attempt(desk.app.store, desk.actor, problem(desk.app.store, desk.actor, "long-header"))
    lines = "\n".join(f"colour-{number}: something else" for number in range(9_000))
    note_id = write(desk.app.store, desk.actor, running, f"---\ntitle: T\n{lines}\n---\nThe end.")

    for answer in (
        desk.both("research.get", id=note_id),
        desk.both("research.search", problem="long-header"),
        desk.mcp.call("research.add", {"attempt_id": running.id, "body_md": f"---\ntitle: T\n{lines}\n---\n"}),
    ):
        assert size(answer) <= MAX_REPLY_CHARS
    header = desk.both("research.get", id=note_id)["header"]
    assert header["extra"][0] == "colour-0: something else"
    assert "of 9,000" in header["cut"]
    assert "body_md" in header["cut"]


def test_of_very_many_citing_notes_the_newest_are_named_and_the_rest_told(desk: Desk) -> None:
    running = attempt(desk.app.store, desk.actor, problem(desk.app.store, desk.actor, "cited"))
    base = write(desk.app.store, desk.actor, running, "zebra")
    citing = [
        write(desk.app.store, desk.actor, running, f"---\ntitle: {'t' * 190}\nbuilds_on: [{base}]\n---\n{number}")
        for number in range(60)
    ]

    answer = desk.both("research.get", id=base)

    shown = [each["id"] for each in answer["built_on_by"]]
    assert shown == citing[::-1][: len(shown)]
    assert len(shown) < 60
    assert "builds_on" in answer["built_on_by_cut"]
    assert size(answer) <= MAX_REPLY_CHARS
    assert desk.both("research.search", builds_on=base)["total"] == 60


def test_a_note_with_everything_as_long_as_it_may_be_fits_into_one_reply(desk: Desk) -> None:
    running = attempt(desk.app.store, desk.actor, problem(desk.app.store, desk.actor, "long"))
    extra = "\n".join(f"colour-{number}: something else" for number in range(200))
    base = write(desk.app.store, desk.actor, running, wide_header(extra) + "text in lines\n" * 9_000)
    for _ in range(30):
        write(desk.app.store, desk.actor, running, f"---\ntitle: {'字' * 200}\nbuilds_on: [{base}]\n---\n")

    answer = desk.both("research.get", id=base)

    assert {"part", "built_on_by_cut"} <= set(answer)
    assert "cut" in answer["header"]
    assert size(answer) <= MAX_REPLY_CHARS


def wide_header(extra: str = "") -> str:
    """A header whose fields are as long as they may be."""
    links = ", ".join(f"nte_{number:026d}" for number in range(50))
    tags = ", ".join(f"{'t' * 58}{number:02d}" for number in range(20))
    lines = [f"title: {'字' * 200}", f"kind: {'k' * 40}", f"tags: [{tags}]", f"builds_on: [{links}]"]
    return "\n".join(["---", *lines, f"model: {'m' * 100}", extra, "---", ""])


def test_cards_with_everything_as_long_as_it_may_be_fit_into_one_reply(desk: Desk) -> None:
    running = attempt(desk.app.store, desk.actor, problem(desk.app.store, desk.actor, "wide"))
    for _ in range(20):
        write(desk.app.store, desk.actor, running, wide_header() + "zebra")

    answer = desk.both("research.search", problem="wide", query="zebra", limit=50)
    again = desk.both("problem.get", problem="wide")

    assert size(answer) <= MAX_REPLY_CHARS
    assert "cut" in answer
    assert size(again) <= MAX_REPLY_CHARS


# Versions


def test_if_match_guards_an_edit_as_if_version_does(tmp_path: Path) -> None:
    with open_app(tmp_path) as app, serving(make_asgi(app, LOCAL)) as url, rest_at(url) as rest:
        actor = app.default_actor()
        running = attempt(app.store, actor, problem(app.store, actor))
        note_id = write(app.store, actor, running, "one")
        path = f"/api/notes/{note_id}"

        assert rest.client.get(path).headers["etag"] == '"1"'
        assert rest.client.patch(path, json={"body_md": "two"}, headers={"if-match": '"1"'}).status_code == 200
        stale = rest.client.patch(path, json={"body_md": "three"}, headers={"if-match": '"1"'})

        assert (stale.status_code, stale.json()["error"]["code"]) == (412, "version_conflict")
        assert rest.client.get(path).json()["body_md"] == "two"


def test_search_by_meaning_without_a_model_says_why_not(desk: Desk) -> None:
    assert desk.both("research.search", query="zebra", mode="semantic")["error"]["code"] == "semantic_unavailable"
    both = desk.both("research.search", query="zebra", mode="both", problem="sat")
    assert both["keyword"]["total"] == 31
    assert both["semantic"]["unavailable"]


@pytest.mark.parametrize(
    ("name", "given", "argument"),
    [
        ("research.search", {"query": "zebra", "revision": 10**30}, "revision"),
        ("research.search", {"query": "zebra", "model": "m" * 101}, "model"),
        ("research.search", {"query": "zebra", "tags": [f"t{number}" for number in range(21)]}, "tags"),
        ("problem.get", {"problem": "sat", "revision": 10**30}, "revision"),
        ("problem.get", {"problem": "sat", "from": -1}, "from"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_its_name(
    desk: Desk, name: str, given: dict[str, Any], argument: str
) -> None:
    error = desk.both(name, **given)["error"]
    assert (error["code"], argument in error["message"]) == ("invalid_argument", True)


def test_filters_that_nothing_passes_say_so(desk: Desk) -> None:
    assert desk.both("research.search", builds_on="nte_0000000000000009")["help"]["hint"]


def test_a_text_publishes_nothing(desk: Desk) -> None:
    assert desk.rest.call("campaign.create", {"slug": "c9", "title": "T", "publish": "yes"})["error"]
