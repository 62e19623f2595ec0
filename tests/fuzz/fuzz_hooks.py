"""What schemathesis is told in its own process: ids and words that are there, and two checks of every answer.

``FUZZ_SITE`` in the environment holds the mark, and with ``aims`` the values to put in by the name of a parameter.
"""

from __future__ import annotations

import json
import os
from typing import Any

import schemathesis
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from schemathesis.core.failures import Failure

Json = dict[str, Any]
Case = schemathesis.Case[Any]

SITE: Json = json.loads(os.environ["FUZZ_SITE"])
MARK: str = SITE["mark"]
AIMS: dict[str, list[Any]] = SITE["aims"]


@schemathesis.check
def no_text_of_another_account(
    _context: schemathesis.CheckContext, response: schemathesis.Response, _case: Case
) -> None:
    """The other account's private texts hold a word that nobody sends: no answer may hold it."""
    answer = f"{response.headers} {response.text}"
    assert MARK not in answer.lower(), "the answer holds a private text of another account"


@schemathesis.check
def no_defect(_context: schemathesis.CheckContext, response: schemathesis.Response, _case: Case) -> None:
    """No status of 500 and above, but for a search by meaning, which this server does not have."""
    is_switched_off = response.status_code == 503 and response.json()["error"]["code"] == "semantic_unavailable"
    assert response.status_code < 500 or is_switched_off, f"status {response.status_code}: {response.text[:500]}"


@schemathesis.hook
def filter_failure(
    _context: schemathesis.HookContext, failure: Failure, case: Case, _response: schemathesis.Response
) -> bool:
    """Two things are meant to be taken though no schema says so: null for not given, an empty text for no filter."""
    query = [text for value in (case.query or {}).values() for text in (value if isinstance(value, list) else [value])]
    body = list(case.body.values()) if isinstance(case.body, dict) else []
    is_meant = "" in query or any(value is None for value in (*query, *body))
    return "negative_data_rejection" not in failure.checks or not is_meant


def aimed(values: Any) -> SearchStrategy[Any]:
    """The same parameters, or with something that is there in place of one of them."""
    places = sorted(AIMS.keys() & values.keys()) if isinstance(values, dict) else []
    if not places:
        return st.just(values)

    def put_in(place: str) -> SearchStrategy[Json]:
        return st.sampled_from(AIMS[place]).map(lambda value: {**values, place: value})

    return st.just(values) | st.sampled_from(places).flatmap(put_in)


if AIMS:

    @schemathesis.hook
    def flatmap_path_parameters(_context: schemathesis.HookContext, path_parameters: Json) -> SearchStrategy[Json]:
        """Paths of what is there."""
        return aimed(path_parameters)

    @schemathesis.hook
    def flatmap_query(_context: schemathesis.HookContext, query: Json) -> SearchStrategy[Json]:
        """Searches that find something, in places that are there."""
        return aimed(query)

    @schemathesis.hook
    def flatmap_body(_context: schemathesis.HookContext, body: Any) -> SearchStrategy[Any]:
        """Writes on what is there."""
        return aimed(body)
