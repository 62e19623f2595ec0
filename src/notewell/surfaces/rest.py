"""REST: the operations as routes, with the same arguments, results and errors as the tools.

``ETag`` is a note's version, ``If-Match`` its check on a change, ``Idempotency-Key`` the key of a new note.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI
from pydantic.fields import FieldInfo
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from notewell import __version__
from notewell.app import App
from notewell.domain.access import Actor
from notewell.errors import Internal, InvalidArgument, NotewellError, NotFound
from notewell.surfaces.guard import ACTOR
from notewell.surfaces.openapi import describe
from notewell.surfaces.operations import Operation, Route, of_surface
from notewell.surfaces.problems import problem
from notewell.surfaces.schemas import fields_by_argument, is_list
from notewell.surfaces.threads import in_thread

_log = logging.getLogger(__name__)
_ETAG = re.compile(r'(?:W/)?"(?P<version>\d{1,15})"')

Endpoint = Callable[[Request], Awaitable[Response]]


def make_rest(app: App, **options: Any) -> FastAPI:
    """A FastAPI application with every operation that REST has; ``options`` go to FastAPI."""
    api = FastAPI(
        title="Notewell",
        version=__version__,
        summary="A notes server for AI agents and for the people who own what agents write.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        **options,
    )
    for operation in of_surface("rest"):
        for route in operation.routes:
            api.add_api_route(
                route.path,
                _answered(_endpoint(app, operation, route)),
                methods=[route.method],
                operation_id=f"{operation.tool}{route.suffix}",
                summary=operation.title,
                description=operation.description,
                status_code=route.status,
                response_class=JSONResponse,
                openapi_extra=describe(operation, route),
                tags=[operation.name.partition(".")[0]],
                include_in_schema=True,
            )
    return api


def actor_of(request: Request) -> Actor:
    """Who a request comes from, as the guard found out."""
    actor: Actor = request.scope[ACTOR]
    return actor


def _answered(endpoint: Endpoint) -> Endpoint:
    """The endpoint with its errors as problems; the outermost handler of this surface."""

    async def answered(request: Request) -> Response:
        try:
            return await endpoint(request)
        except ClientDisconnect:
            return Response(None, 400)  # nobody reads it
        except NotewellError as error:
            status = 412 if error.code == "version_conflict" and "if-match" in request.headers else None
            return problem(error, status)
        except Exception:  # noqa: BLE001 - the caller learns of a defect, the log learns of its cause
            _log.exception("%s %s failed", request.method, request.scope.get("path"))
            return problem(Internal("Notewell met a defect in itself; nothing was changed. Please report it."))

    return answered


def _endpoint(app: App, operation: Operation, route: Route) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        values = await _values(request, operation, route)
        _read_headers(request, values, operation)
        actor = actor_of(request)
        result = await in_thread(lambda: operation.call(app, actor, values).as_json())
        if route.is_single:
            result = _single(result)
        headers = {}
        if isinstance(result.get("version"), int):
            headers["ETag"] = f'"{result["version"]}"'
            if request.method == "GET" and request.headers.get("if-none-match") == headers["ETag"]:
                return Response(None, 304, headers)
        return JSONResponse(result, route.status, headers)

    return endpoint


def _single(result: dict[str, Any]) -> dict[str, Any]:
    """The one note that was asked for by its path; raises ``not_found``."""
    if not result["notes"]:
        raise NotFound(f"There is no note {result['notFound'][0]} in this memory. It may have been deleted.")
    note: dict[str, Any] = result["notes"][0]
    return note


async def _values(request: Request, operation: Operation, route: Route) -> dict[str, Any]:
    """The arguments of a request: from its path and query, or from its JSON body."""
    fields = fields_by_argument(operation.arguments)
    values: dict[str, Any] = {}
    for name in request.query_params:
        values[name] = _query_value(request, name, fields.get(name))
    if route.method in ("POST", "PATCH"):
        body = await _json_body(request)
        if twice := sorted(set(values) & set(body)):
            raise InvalidArgument(f"{twice[0]} stands both in the query and in the body.", argument=twice[0])
        values |= body
    for place, text in request.path_params.items():
        name = route.argument(place)
        if name in values and values[name] != text:
            raise InvalidArgument(f"{name} stands in the path; leave it out elsewhere.", argument=name)
        values[name] = [text] if name in fields and is_list(fields[name]) else text
    return values


def _query_value(request: Request, name: str, field: FieldInfo | None) -> str | list[str]:
    given = request.query_params.getlist(name)
    if field is not None and is_list(field):
        return given[0] if len(given) == 1 and given[0].lstrip().startswith("[") else given
    if len(given) > 1:
        raise InvalidArgument(f"{name} stands {len(given)} times in the query; once is enough.", argument=name[:60])
    return given[0]


async def _json_body(request: Request) -> dict[str, Any]:
    raw = await request.body()
    try:
        body = json.loads(raw) if raw else {}
    except (ValueError, RecursionError):
        raise InvalidArgument("The body is not JSON (in UTF-8). Send an object with the arguments.") from None
    if not isinstance(body, dict):
        raise InvalidArgument("The body is JSON but no object. Send an object with the arguments.")
    return body


def _read_headers(request: Request, values: dict[str, Any], operation: Operation) -> None:
    """Takes the arguments that HTTP carries in headers."""
    fields = fields_by_argument(operation.arguments)
    if (key := request.headers.get("idempotency-key")) and "idempotencyKey" in fields:
        values.setdefault("idempotencyKey", key)
    match = request.headers.get("if-match")
    if match is None or match == "*":
        return
    argument = next((name for name in ("ifVersion", "if_version") if name in fields), None)
    if argument is None:
        raise InvalidArgument(f"If-Match has no meaning for {operation.title.lower()}; leave it out.")
    tag = _ETAG.fullmatch(match.strip())
    if tag is None:
        raise InvalidArgument(f"If-Match {match[:40]!r} is no ETag of a note, which is its version in quotes.")
    if values.setdefault(argument, int(tag["version"])) != int(tag["version"]):
        raise InvalidArgument(f"If-Match and {argument} name different versions.", argument=argument)
