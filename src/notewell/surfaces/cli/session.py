"""One command's work on the store: opens it, finds out who acts, and calls operations by their MCP names.

The models behind the operations take a third of a second to load, so that happens here, when a command runs, and never
for a help text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from notewell import config
from notewell.surfaces.cli.streams import handle

if TYPE_CHECKING:
    from notewell.app import App
    from notewell.domain.access import Actor
    from notewell.surfaces.operations import Operation


@contextmanager
def open_app() -> Iterator[App]:
    """The store of this environment, closed at the end."""
    from notewell.app import App  # noqa: PLC0415 - see above

    app = App(config.from_environment())
    try:
        yield app
    finally:
        app.close()


@contextmanager
def open_memory() -> Iterator[tuple[App, Actor]]:
    """The store, and who acts: ``--as``, else the account of ``NOTEWELL_TOKEN``, else the local one."""
    with open_app() as app:
        yield app, _actor(app)


def _actor(app: App) -> Actor:
    wanted = handle()
    if wanted is None:
        return app.default_actor()
    from notewell.services import accounts  # noqa: PLC0415 - see above

    require_admin(app)
    return accounts.account_actor(app.store, wanted, app.config.agent)


def require_admin(app: App) -> None:
    """Raises ``forbidden`` where a token acts that may not act for others; without one, the machine's owner does."""
    if app.config.token is not None:
        app.default_actor().require("admin")


def call(tool: str, values: dict[str, Any]) -> dict[str, Any]:
    """The result of one operation, as every surface sends it; values that are None are left out."""
    with open_memory() as (app, actor):
        return call_in(app, actor, tool, values)


def call_in(app: App, actor: Actor, tool: str, values: dict[str, Any]) -> dict[str, Any]:
    """The same in a store that is open already."""
    given = {name: value for name, value in values.items() if value is not None}
    return _operation(tool).call(app, actor, given).as_json()


def _operation(tool: str) -> Operation:
    from notewell.surfaces.operations import OPERATIONS  # noqa: PLC0415 - see above

    return next(operation for operation in OPERATIONS if operation.tool == tool)
