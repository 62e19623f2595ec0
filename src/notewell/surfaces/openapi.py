"""What the OpenAPI document says of each operation, written from its argument and result models."""

from __future__ import annotations

import re
from typing import Any

from notewell.surfaces.operations import Operation, Route
from notewell.surfaces.problems import STATUSES
from notewell.surfaces.schemas import plain_schema

_PLACES = re.compile(r"\{(\w+)\}")
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "error"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "string", "enum": sorted(STATUSES)}, "message": {"type": "string"}},
        },
    },
}
_PROBLEMS = (400, 401, 403, 404, 409, 412, 413, 429, 500, 503)


def describe(operation: Operation, route: Route) -> dict[str, Any]:
    """The parameters, request body and responses of one route."""
    schema = plain_schema(operation.arguments, "validation")
    required = set(schema.get("required", ()))
    described: dict[str, Any] = {"parameters": [], "responses": _responses(operation, route)}
    body: dict[str, Any] = {}
    places = {route.argument(place): place for place in _PLACES.findall(route.path)}
    for name, each in schema["properties"].items():
        if name in places:
            described["parameters"].append(_path_parameter(places[name], each))
        elif route.method in ("GET", "DELETE"):
            described["parameters"].append(_query_parameter(name, each, name in required))
        else:
            body[name] = each
    if body:
        wanted = sorted(required & set(body))
        content = {"type": "object", "properties": body, "additionalProperties": False}
        if wanted:
            content["required"] = wanted
        described["requestBody"] = {"required": bool(wanted), "content": {"application/json": {"schema": content}}}
    for header, argument in (
        ("If-Match", "ifVersion"),
        ("If-Match", "if_version"),
        ("Idempotency-Key", "idempotencyKey"),
    ):
        if argument in body:
            described["parameters"].append(
                {"name": header, "in": "header", "required": False, "schema": {"type": "string"}}
            )
    return described


def _path_parameter(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    shown = {"type": "string"} if schema.get("type") == "array" else schema
    return {"name": name, "in": "path", "required": True, "schema": shown}


def _query_parameter(name: str, schema: dict[str, Any], is_required: bool) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": is_required, "schema": schema}


def _responses(operation: Operation, route: Route) -> dict[str, Any]:
    result = plain_schema(operation.result, "serialization")
    if route.is_single:
        result = result["properties"]["notes"]["items"]
    responses: dict[str, Any] = {
        str(route.status): {"description": "Done.", "content": {"application/json": {"schema": result}}}
    }
    for status in _PROBLEMS:
        codes = ", ".join(code for code, each in STATUSES.items() if each == status) or "version_conflict"
        responses[str(status)] = {
            "description": f"A problem: {codes}.",
            "content": {"application/problem+json": {"schema": _PROBLEM}},
        }
    return responses
