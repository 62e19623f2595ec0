"""What a schema says of sizes holds: one more than the most, or one less than the least, is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from clients import Json, open_app
from research_record import attempt, campaign, problem, write

from notewell.app import App
from notewell.domain.notes import Draft
from notewell.errors import NotewellError
from notewell.services import memory
from notewell.surfaces.operations import OPERATIONS, Operation
from notewell.surfaces.schemas import plain_schema

TEXTS: Json = {
    "body": "text",
    "body_md": "text",
    "outcome": "failed",
    "slug": "slug",
    "statement_md": "text",
    "summary_md": "text",
    "symbol": "NVDA",
    "title": "text",
}
"""A value for each argument that an operation needs, but for what names something that is there."""


def beyond(schema: Json) -> list[Any]:
    """Values just outside what a schema of an argument allows; other types than it names are not meant here."""
    values: list[Any] = []
    if "maxLength" in schema:
        values.append("x" * (schema["maxLength"] + 1))
    if "maximum" in schema:
        values.append(schema["maximum"] + 1)
    if "minimum" in schema:
        values.append(schema["minimum"] - 1)
    if schema.get("type") == "array":
        values += [[item] for item in beyond(schema["items"])]
        if "maxItems" in schema:
            values.append([f"x{number}" for number in range(schema["maxItems"] + 1)])
        if "minItems" in schema:
            values.append([])
    return values


CASES = [
    pytest.param(operation, name, value, id=f"{operation.name}-{name}-{number}")
    for operation in OPERATIONS
    for name, each in plain_schema(operation.arguments, "validation")["properties"].items()
    for number, value in enumerate(beyond(each))
]


@dataclass(frozen=True)
class Filled:
    """A store in which everything that an operation may name is there."""

    app: App
    memory_note: str
    research: Json

    def needed_by(self, operation: Operation) -> Json:
        """The arguments without which an operation does nothing."""
        id_ = self.memory_note if operation.tool_set == "memory" else self.research["id"]
        known = {**TEXTS, **self.research, "id": id_, "ids": [self.memory_note]}
        return {name: known[name] for name in plain_schema(operation.arguments, "validation").get("required", ())}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """A store with one thing of each kind, all of them the local account's."""
    with open_app(tmp_path_factory.mktemp("limits")) as app:
        owner = app.default_actor()
        group = campaign(app.store, owner, "group")
        on = attempt(app.store, owner, problem(app.store, owner, campaign=group.id))
        note = memory.create(app.store, owner, Draft("title", "body")).view.note.id
        names = {"campaign": group.id, "problem": on.problem_id, "attempt_id": on.id}
        yield Filled(app, note, {**names, "id": write(app.store, owner, on, "text")})


@pytest.mark.parametrize(("operation", "name", "value"), CASES)
def test_what_a_schema_does_not_allow_is_refused(operation: Operation, name: str, value: Any, filled: Filled) -> None:
    arguments = {**filled.needed_by(operation), name: value}

    with pytest.raises(NotewellError) as refused:
        operation.call(filled.app, filled.app.default_actor(), arguments)

    # The error names the argument, or the field of the note that "addTags" would make too large; some codes say it.
    told = str(refused.value.details.get("argument", name)).lower()
    assert name.lower().endswith(told)
    assert refused.value.code != "not_found" or name in filled.research


def test_there_are_limits_of_each_kind() -> None:
    assert len(CASES) > 50
