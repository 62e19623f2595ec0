"""``/tokens``: the keys that a person's agents and programs sign in with."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.domain.access import TOKEN_SCOPES, Actor
from notewell.domain.notes import MAX_AGENT_CHARS
from notewell.errors import InvalidArgument, NotFound
from notewell.services import accounts
from notewell.services.accounts import DEFAULT_SCOPES, Token
from notewell.surfaces.web.shell import Confirmation, Web

PATH = "/tokens"
DAYS = ("30", "90", "365", "")
"""How long a token may be valid; empty is until it is revoked."""
DEFAULT_DAYS = "90"


def routes(web: Web) -> list[Route]:
    """The pages of tokens."""
    store = web.app.store

    def shown(request: Request, problem: str = "", status: int = 200) -> Response:
        actor = web.actor(request)
        found = accounts.tokens(store, actor.handle)
        form = web.form(request) if request.method == "POST" else None
        return web.render(
            request,
            "tokens.html",
            status,
            tokens=sorted(found, key=lambda each: (each.revoked_at is not None, -each.created_at)),
            scopes=_offered(actor),
            chosen=form.values("scopes") if form else DEFAULT_SCOPES,
            agent=form.text("agent") if form else "",
            days=form.line("days") if form else DEFAULT_DAYS,
            all_days=DAYS,
            max_agent_chars=MAX_AGENT_CHARS,
            problem=problem,
        )

    def make(request: Request) -> Response:
        form, actor = web.form(request), web.actor(request)
        scopes = [scope for scope in _offered(actor) if scope in form.values("scopes")]
        if not scopes:
            return shown(request, "no_scope", 400)
        days = form.line("days")
        if days not in DAYS:
            raise InvalidArgument(f"days: {days[:20]!r} is none of 30, 90 and 365.", argument="days")
        try:
            token, secret = accounts.create_token(
                store, actor.handle, form.text("agent"), scopes, int(days) if days else None
            )
        except InvalidArgument:
            return shown(request, "bad_agent", 400)
        # Shown here and nowhere else: an address or a cookie would keep it.
        return web.render(request, "tokens/made.html", token=token, secret=secret, mcp_url=f"{_origin(request)}/mcp")

    def ask_revoke(request: Request) -> Response:
        token = _live_token(web, request)
        t = web.texts(request, "tokens")
        return web.confirm(
            request,
            Confirmation(
                t("revoke_title", hint=token.hint),
                t("revoke_message", agent=token.agent or t("no_agent")),
                t("revoke"),
                f"{PATH}/{token.id}/revoke",
                PATH,
            ),
        )

    def revoke(request: Request) -> Response:
        accounts.revoke_token(store, web.actor(request).handle, request.path_params["id"])
        return web.redirect(request, PATH, "tokens.revoked_now")

    return [
        web.get(PATH, shown),
        web.post(PATH, make),
        web.get(f"{PATH}/{{id}}/revoke", ask_revoke),
        web.post(f"{PATH}/{{id}}/revoke", revoke),
    ]


def _offered(actor: Actor) -> tuple[str, ...]:
    """The scopes that somebody may give away: their own."""
    return tuple(scope for scope in TOKEN_SCOPES if scope in actor.scopes and (scope != "admin" or actor.is_admin))


def _live_token(web: Web, request: Request) -> Token:
    """The token that a path names. Raises ``not_found``."""
    for token in accounts.tokens(web.app.store, web.actor(request).handle):
        if token.id == request.path_params["id"] and token.revoked_at is None:
            return token
    raise NotFound("You have no such token, or it was revoked already.")


def _origin(request: Request) -> str:
    return str(request.base_url).rstrip("/")
