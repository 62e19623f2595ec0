"""Notewell's own HTTP server, plus the tools, prompts and resources that the conformance suite asks for by name.

Only the handlers are added: transport, guard, tools/list and the calls of Notewell's own tools are the product's. What
the fixtures are named and say is the suite's choice; their shape follows the SDK's everything-server (MIT).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast
from unittest import mock

import mcp_types as types
from dialogue_fixtures import ASK_CONTEXT, DIALOGUES
from mcp.server.lowlevel.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from starlette.types import ASGIApp

from notewell.app import App
from notewell.domain.access import Actor
from notewell.surfaces.guard import HttpSettings
from notewell.surfaces.mcp import Context, ToolSet, make_server
from notewell.surfaces.server import make_asgi

IMAGE = types.ImageContent(
    data="iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
    mime_type="image/png",
)
AUDIO = types.AudioContent(data="UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=", mime_type="audio/wav")


def _text(text: str) -> types.TextContent:
    return types.TextContent(text=text)


def _embedded(uri: str, mime_type: str, text: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=text))


CONTENTS: dict[str, list[types.ContentBlock]] = {
    "test_simple_text": [_text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [AUDIO],
    "test_embedded_resource": [
        _embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        _text("Multiple content types test:"),
        IMAGE,
        _embedded("test://mixed-content-resource", "application/json", '{"test": "data", "value": 123}'),
    ],
    "test_error_handling": [_text("This tool intentionally returns an error for testing")],
    "test_x_mcp_header": [_text("The header fits.")],
    "json_schema_2020_12_tool": [_text("json_schema_2020_12_tool")],
}
"""The tools that always say the same."""

_ANY: dict[str, Any] = {"type": "object", "properties": {}}
SCHEMAS: dict[str, dict[str, Any]] = {
    "test_x_mcp_header": {
        "type": "object",
        "properties": {"region": {"type": "string", "description": "A region.", "x-mcp-header": "Region"}},
    },
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
}
"""The tools whose arguments matter."""

RESOURCES: dict[str, types.TextResourceContents | types.BlobResourceContents] = {
    "test://static-text": types.TextResourceContents(
        uri="test://static-text", mime_type="text/plain", text="This is the content of the static text resource."
    ),
    "test://static-binary": types.BlobResourceContents(
        uri="test://static-binary", mime_type="image/png", blob=IMAGE.data
    ),
    "test://template/123/data": types.TextResourceContents(
        uri="test://template/123/data",
        mime_type="application/json",
        text=json.dumps({"id": "123", "templateTest": True, "data": "Data for ID: 123"}),
    ),
}
TEMPLATE = types.ResourceTemplate(name="template", uri_template="test://template/{id}/data")

PROMPTS: dict[str, Callable[[dict[str, str]], list[types.ContentBlock]]] = {
    "test_simple_prompt": lambda _: [_text("This is a simple prompt for testing.")],
    "test_prompt_with_arguments": lambda given: [
        _text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")
    ],
    "test_prompt_with_embedded_resource": lambda given: [
        _embedded(given["resourceUri"], "text/plain", "Embedded resource content for testing."),
        _text("Please process the embedded resource above."),
    ],
    "test_prompt_with_image": lambda _: [IMAGE, _text("Please analyze the image above.")],
}
PROMPT_ARGUMENTS = {
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
}
ASKING_PROMPT = "test_input_required_result_prompt"


def add_tools(server: Server[Any]) -> None:
    """Puts the suite's tools beside the product's; what they do not know goes to the product's handlers."""
    own_list, own_call = (server.get_request_handler(method) for method in ("tools/list", "tools/call"))
    assert own_list is not None
    assert own_call is not None
    names = (*CONTENTS, *DIALOGUES)

    async def list_tools(context: Context, params: types.PaginatedRequestParams) -> types.ListToolsResult:
        own = cast(types.ListToolsResult, await own_list.handler(context, params))
        added = [types.Tool(name=name, description=name, input_schema=SCHEMAS.get(name, _ANY)) for name in names]
        return own.model_copy(update={"tools": [*own.tools, *added]})

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if params.name in CONTENTS:
            return types.CallToolResult(content=CONTENTS[params.name], is_error=params.name == "test_error_handling")
        if params.name in DIALOGUES:
            answer = DIALOGUES[params.name](context, params)
            return types.CallToolResult(content=[_text(answer)]) if isinstance(answer, str) else answer
        return cast(types.CallToolResult, await own_call.handler(context, params))

    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)


def add_prompts(server: Server[Any]) -> None:
    """Adds the suite's prompts and an empty completion of their arguments."""

    async def list_prompts(_context: Context, _params: types.PaginatedRequestParams) -> types.ListPromptsResult:
        prompts = [
            types.Prompt(
                name=name,
                description=name,
                arguments=[types.PromptArgument(name=each, required=True) for each in PROMPT_ARGUMENTS.get(name, ())],
            )
            for name in (*PROMPTS, ASKING_PROMPT)
        ]
        return types.ListPromptsResult(prompts=prompts)

    async def get_prompt(
        context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        if params.name == ASKING_PROMPT:
            answer = ASK_CONTEXT(context, params)
            if not isinstance(answer, str):
                return answer
            contents: list[types.ContentBlock] = [_text(answer)]
        else:
            contents = PROMPTS[params.name](params.arguments or {})
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=each) for each in contents])

    async def complete(_context: Context, _params: types.CompleteRequestParams) -> types.CompleteResult:
        return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))

    server.add_request_handler("prompts/list", types.PaginatedRequestParams, list_prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, get_prompt)
    server.add_request_handler("completion/complete", types.CompleteRequestParams, complete)


def add_resources(server: Server[Any]) -> None:
    """Adds the suite's resources, and what the older revision asks of them and of the log."""

    async def list_resources(_context: Context, _params: types.PaginatedRequestParams) -> types.ListResourcesResult:
        listed = [types.Resource(name=uri, uri=uri, mime_type=each.mime_type) for uri, each in RESOURCES.items()]
        return types.ListResourcesResult(resources=listed)

    async def list_templates(
        _context: Context, _params: types.PaginatedRequestParams
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[TEMPLATE])

    async def read(_context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if params.uri not in RESOURCES:
            raise MCPError(types.INVALID_PARAMS, "There is no such resource.", {"uri": params.uri})
        return types.ReadResourceResult(contents=[RESOURCES[params.uri]])

    async def accept(_context: Context, _params: types.RequestParams) -> types.EmptyResult:
        return types.EmptyResult()

    server.add_request_handler("resources/list", types.PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read)
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, accept)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, accept)
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, accept)


def make_server_with_fixtures(app: App, tool_set: ToolSet, actor_of: Callable[[Context], Actor]) -> Server[Any]:
    """The product's server with the suite's fixtures added."""
    server = make_server(app, tool_set, actor_of)
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=server.name))
    add_tools(server)
    add_prompts(server)
    add_resources(server)
    return server


@contextmanager
def asgi_with_fixtures(app: App, settings: HttpSettings) -> Iterator[ASGIApp]:
    """The product's whole HTTP application, made around the server with the fixtures."""
    with mock.patch("notewell.surfaces.server.make_server", make_server_with_fixtures):
        made = make_asgi(app, settings)
    yield made
