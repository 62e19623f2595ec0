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
    page = _Tokens(web)
    return [
        web.get(PATH, page.shown),
        web.post(PATH, page.make),
        web.get(f"{PATH}/{{id}}/revoke", page.ask_revoke),
        web.post(f"{PATH}/{{id}}/revoke", page.revoke),
    ]


class _Tokens:
    """The handlers of tokens."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._store = web.app.store

    def shown(self, request: Request, problem: str = "", status: int = 200) -> Response:
        actor = self._web.actor(request)
        found = accounts.tokens(self._store, actor.handle)
        form = self._web.form(request) if request.method == "POST" else None
        return self._web.render(
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

    def make(self, request: Request) -> Response:
        form, actor = self._web.form(request), self._web.actor(request)
        scopes = [scope for scope in _offered(actor) if scope in form.values("scopes")]
        if not scopes:
            return self.shown(request, "no_scope", 400)
        days = form.line("days")
        if days not in DAYS:
            raise InvalidArgument(f"days: {days[:20]!r} is none of 30, 90 and 365.", argument="days")
        try:
            token, secret = accounts.create_token(
                self._store, actor.handle, form.text("agent"), scopes, int(days) if days else None
            )
        except InvalidArgument:
            return self.shown(request, "bad_agent", 400)
        # Shown here and nowhere else: an address or a cookie would keep it.
        return self._web.render(
            request, "tokens/made.html", token=token, secret=secret, mcp_url=f"{_origin(request)}/mcp"
        )

    def ask_revoke(self, request: Request) -> Response:
        token = _live_token(self._web, request)
        t = self._web.texts(request, "tokens")
        return self._web.confirm(
            request,
            Confirmation(
                t("revoke_title", hint=token.hint),
                t("revoke_message", agent=token.agent or t("no_agent")),
                t("revoke"),
                f"{PATH}/{token.id}/revoke",
                PATH,
            ),
        )

    def revoke(self, request: Request) -> Response:
        accounts.revoke_token(self._store, self._web.actor(request).handle, request.path_params["id"])
        return self._web.redirect(request, PATH, "tokens.revoked_now")


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
