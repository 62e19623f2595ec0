"""Arguments and results as every surface reads and writes them: one model each, plain JSON schemas, clear errors.

Limits stand in the schemas for clients to see, but the services check them, so that each surface gives the same error
with the same code. Schemas hold no ``$ref``, no ``anyOf`` and no type unions: some clients refuse those.
"""

from __future__ import annotations

import json
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import ErrorDetails, core_schema

from notewell.errors import InvalidArgument
from notewell.surfaces.half_pairs import half_pair_in

JsonObject = dict[str, Any]
Model = TypeVar("Model", bound=BaseModel)


class Arguments(BaseModel):
    """The base of all inputs: unknown names are refused, null means not given, lists may come as JSON text."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=False)

    @model_validator(mode="before")
    @classmethod
    def _read_as_clients_send(cls, values: object) -> object:
        if not isinstance(values, dict):
            return values
        fields = fields_by_argument(cls)
        read = {}
        for name, value in values.items():
            field = fields.get(name)
            if field is not None and value is None and not field.is_required():
                continue
            read[name] = _read(field, value) if field is not None else value
            _check_texts(name, read[name])
        return read


class Filters(Arguments):
    """Inputs of searches and listings: an empty text in an optional filter means no filter, too."""

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, values: object) -> object:
        if not isinstance(values, dict):
            return values
        fields = fields_by_argument(cls)
        return {
            name: value
            for name, value in values.items()
            if value != "" or name not in fields or fields[name].is_required()
        }


class Output(BaseModel):
    """The base of all results: what is absent is left out, never null."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    def as_json(self) -> JsonObject:
        """The result as surfaces send it."""
        return self.model_dump(by_alias=True, exclude_none=True, mode="json")


@cache
def fields_by_argument(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a model by the names that callers use."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def is_list(field: FieldInfo) -> bool:
    """Whether a field takes a list of texts."""
    return "list[" in str(field.annotation)


def _check_texts(name: str, value: object) -> None:
    """Raises ``invalid_argument`` where a text is no text: the models' own reader would not say what is wrong."""
    for text in value if isinstance(value, list) else [value]:
        if not isinstance(text, str):
            continue
        if half := half_pair_in(text):
            raise InvalidArgument(
                f"{name} holds half of a surrogate pair ({half[0]} at character {half[1]}), which is no text. Send the"
                " whole character, or leave it out.",
                argument=name,
            )
        if (place := text.find("\0")) >= 0:
            raise InvalidArgument(
                f"{name} holds a NUL character (at character {place}), which is no text. Remove it and send it again.",
                argument=name,
            )


def _read(field: FieldInfo, value: object) -> object:
    """A list that came as JSON text as a list; a truth value for a number as text, so that it is refused."""
    if is_list(field) and isinstance(value, str) and value.strip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    is_number = "int" in str(field.annotation)
    return json.dumps(value) if is_number and isinstance(value, bool) else value


def parse_arguments(model: type[Model], values: object) -> Model:
    """The checked arguments; raises ``invalid_argument`` that names the argument, the value and the way on."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        # A misspelt name is the cause where another one is missing, so it is told first.
        details = sorted(error.errors(include_url=False), key=lambda detail: detail["type"] != "extra_forbidden")
        raise _argument_error(model, details[0]) from None


_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": 'a list of texts, such as ["a", "b"]',
    "model_type": "an object with arguments",
    "model_attributes_type": "an object with arguments",
    "dict_type": "an object with arguments",
}


def _argument_error(model: type[BaseModel], detail: ErrorDetails) -> InvalidArgument:
    names = list(fields_by_argument(model))
    place = [str(part) for part in detail["loc"]]
    name = place[0] if place else "arguments"
    if detail["type"] == "extra_forbidden":
        near = get_close_matches(name, names, n=1, cutoff=0.5)
        guess = f" Did you mean {near[0]!r}?" if near else ""
        known = f"There are: {', '.join(names)}." if names else "It takes none."
        return InvalidArgument(f"Unknown argument {name[:60]!r}.{guess} {known}", argument=name[:60])
    if detail["type"] == "missing":
        return InvalidArgument(f"{name} is missing; it is required.", argument=name)
    shown = repr(detail["input"])
    shown = shown if len(shown) <= 80 else f"{shown[:80]}…"
    where = name if len(place) < 2 else f"{name}[{place[1]}]"
    if detail["type"] == "literal_error":
        return InvalidArgument(f"{where}: {shown} is none of {detail['ctx']['expected']}.", argument=name)
    kind = _KINDS.get(detail["type"])
    if kind is None:
        return InvalidArgument(f"{where}: {shown} is not valid ({detail['msg']}).", argument=name)
    return InvalidArgument(f"{where}: {shown} is not {kind}.", argument=name)


class _PlainSchema(GenerateJsonSchema):
    """Optional means absent, so a schema never offers null beside its type."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        made = super().default_schema(schema)
        if made.get("default", 0) is None or made.get("default") == []:
            made.pop("default", None)
        return made


@cache
def plain_schema(model: type[BaseModel], mode: Literal["validation", "serialization"]) -> JsonObject:
    """The JSON schema of a model as one plain object, its parts written out where they stand.

    It is made once for MCP, REST and every route (most of a start was spent here), so nobody changes it.
    """
    schema = model.model_json_schema(by_alias=True, mode=mode, schema_generator=_PlainSchema)
    definitions = schema.pop("$defs", {})
    plain: JsonObject = _inlined(schema, definitions)
    plain.pop("description", None)
    return plain


def _inlined(value: Any, definitions: JsonObject) -> Any:
    if isinstance(value, list):
        return [_inlined(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        target = definitions[value["$ref"].rsplit("/", 1)[-1]]
        return _inlined({**target, **{key: item for key, item in value.items() if key != "$ref"}}, definitions)
    is_property_list = "properties" in value
    kept = {key: item for key, item in value.items() if key != "title" or not isinstance(item, str)}
    inlined = {key: _inlined(item, definitions) for key, item in kept.items() if key != "properties"}
    if is_property_list:
        inlined["properties"] = {name: _inlined(item, definitions) for name, item in value["properties"].items()}
    return inlined
