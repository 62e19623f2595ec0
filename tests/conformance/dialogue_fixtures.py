"""The tools and the prompt of the conformance suite that ask something back (revision 2026-07-28).

Each returns an ``InputRequiredResult`` until the answers it wants have come. The suite names them and what they say;
Notewell itself asks nothing back.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from notewell.surfaces.mcp import Context

Asked = types.InputResponseRequestParams
Answers = dict[str, Any]
Round = types.InputRequiredResult | str
"""What is asked next, or the text that ends it."""


def ask(key: str, message: str, field: str, kind: str = "string") -> dict[str, types.InputRequest]:
    """A question to the person with one field to fill in."""
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return {key: types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))}


def sample(key: str, text: str) -> dict[str, types.InputRequest]:
    """A question to the client's model."""
    message = types.SamplingMessage(role="user", content=types.TextContent(text=text))
    return {
        key: types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[message], max_tokens=100))
    }


ROOTS: dict[str, types.InputRequest] = {"client_roots": types.ListRootsRequest()}


def answers_of(params: Asked) -> Answers:
    """The answers that came, by their keys, as JSON."""
    return {key: each.model_dump(mode="json") for key, each in (params.input_responses or {}).items()}


def requested(requests: dict[str, types.InputRequest], state: str | None = None) -> types.InputRequiredResult:
    """A result that wants answers first."""
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def once(
    requests: dict[str, types.InputRequest], say: Callable[[Answers], str], state: str | None = None
) -> Callable[[Context, Asked], Round]:
    """A tool that asks these until all of them are answered, and takes no state but the one it gave."""

    def run(_context: Context, params: Asked) -> Round:
        answers = answers_of(params)
        is_complete = requests.keys() <= answers.keys() and params.request_state == state
        return say(answers) if is_complete else requested(requests, state)

    return run


def three_rounds(_context: Context, params: Asked) -> Round:
    """A tool whose state says which question is open."""
    state = json.loads(params.request_state or '{"round": 0}')
    answers = answers_of(params)
    if state["round"] == 1 and "step1" in answers:
        name = answers["step1"]["content"]["name"]
        question = ask("step2", "Step 2: What is your favorite color?", "color")
        return requested(question, json.dumps({"round": 2, "name": name}))
    if state["round"] == 2 and "step2" in answers:
        return f"{state['name']} likes {answers['step2']['content']['color']}."
    return requested(ask("step1", "Step 1: What is your name?", "name"), '{"round": 1}')


def only_what_the_client_can(context: Context, _params: Asked) -> Round:
    """A tool that asks for nothing that the client did not declare."""
    declared = context.session.client_capabilities
    requests: dict[str, types.InputRequest] = {}
    if declared is None or declared.sampling is not None:
        requests |= sample("sample", "Say hello")
    if declared is None or declared.elicitation is not None:
        requests |= ask("ask", "What is your name?", "name")
    return requested(requests, "capability-gated")


def needs_sampling(context: Context, _params: Asked) -> Round:
    """A tool that is refused to a client without sampling."""
    declared = context.session.client_capabilities
    if declared is None or declared.sampling is None:
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This tool requires the client 'sampling' capability",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return "The client declared sampling."


CONFIRM = ask("confirm", "Please confirm", "ok", "boolean")
NAME = ask("user_name", "What is your name?", "name")
_PREFIX = "test_input_required_result_"

DIALOGUES: dict[str, Callable[[Context, Asked], Round]] = {
    f"{_PREFIX}elicitation": once(NAME, lambda answers: f"Hello, {answers['user_name']['content']['name']}!"),
    f"{_PREFIX}sampling": once(
        sample("capital_question", "What is the capital of France?"),
        lambda answers: f"Model said: {answers['capital_question']['content']['text']}",
    ),
    f"{_PREFIX}list_roots": once(ROOTS, lambda answers: f"{len(answers['client_roots']['roots'])} root(s)."),
    f"{_PREFIX}request_state": once(CONFIRM, lambda _: "state-ok: confirmation received", "request-state-nonce"),
    f"{_PREFIX}multiple_inputs": once(
        NAME | sample("greeting", "Generate a greeting") | ROOTS, lambda _: "All inputs received.", "multiple-inputs"
    ),
    f"{_PREFIX}multi_round": three_rounds,
    f"{_PREFIX}tampered_state": once(CONFIRM, lambda _: "state-ok", "round-1"),
    f"{_PREFIX}capabilities": only_what_the_client_can,
    "test_missing_capability": needs_sampling,
}
"""The tools by their names."""

ASK_CONTEXT = once(
    ask("user_context", "What context should the prompt use?", "context"),
    lambda answers: f"Use the following context: {answers['user_context']['content']['context']}",
)
"""The prompt ``test_input_required_result_prompt``."""
