"""``notewell account`` and ``notewell token``: who there is on this machine's store, and their keys."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from notewell.surfaces.cli import text
from notewell.surfaces.cli.session import open_app, require_admin
from notewell.surfaces.cli.streams import is_json, print_json, show, with_json

if TYPE_CHECKING:
    from notewell.app import App
    from notewell.services.accounts import Account, Token


@click.group()
def account() -> None:
    """The people whose notes this store holds.

    On your own machine you need none: everything belongs to the account 'local'.
    """


@account.command()
@click.argument("handle")
@click.option("--admin", is_flag=True, help="May look after the whole store.")
@with_json
def create(handle: str, *, admin: bool) -> None:
    """Make an account for another person: a name of a to z, digits, '-' and '_'."""
    from notewell.services import accounts  # noqa: PLC0415 - a help text needs no store

    with open_app() as app:
        require_admin(app)
        made = accounts.create_account(app.store, handle, is_admin=admin)
    show(
        _account(made),
        lambda found: [
            f"Made the account {found['handle']}.",
            f"To sign in on the web pages: notewell account password {found['handle']}",
            f"A key for a program: notewell token create --account {found['handle']} --agent NAME",
        ],
    )


@account.command("list")
@with_json
def list_accounts() -> None:
    """List all accounts."""
    from notewell.services import accounts  # noqa: PLC0415 - a help text needs no store

    with open_app() as app:
        require_admin(app)
        found = [_account(each) for each in accounts.accounts(app.store)]
    show({"accounts": found}, _account_lines)


@account.command()
@click.argument("handle", default="local")
@with_json
def password(handle: str) -> None:
    """Set a password for the web pages.

    It ends the sessions that the account has. It is asked for twice, or read from standard input, whose first line is
    then the password. Without a HANDLE it is that of the account 'local', which is used on this machine.
    """
    from notewell.services import accounts, sessions  # noqa: PLC0415 - a help text needs no store

    with open_app() as app:
        require_admin(app)
        owner = accounts.local_actor(app.store).handle if handle == accounts.LOCAL_HANDLE else handle
        # An unknown name is told before anybody types a password.
        owner = accounts.account_actor(app.store, owner).handle
        sessions.set_password(app.store, owner, _typed_password(owner))
    show(
        {"handle": owner, "passwordSet": True},
        lambda found: [f"Set the password of {found['handle']}; other sessions of theirs have ended."],
    )


def _typed_password(owner: str) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.buffer.readline().decode("utf-8", "surrogateescape").rstrip("\r\n")
    question = f"New password of {owner}"
    return str(click.prompt(question, hide_input=True, confirmation_prompt="The same again", err=True))


def _account(each: Account) -> dict[str, Any]:
    from notewell.domain.times import format_time  # noqa: PLC0415 - a help text needs no store

    return {"id": each.id, "handle": each.handle, "admin": each.is_admin, "createdAt": format_time(each.created_at)}


def _account_lines(found: dict[str, Any]) -> Iterator[str]:
    if not found["accounts"]:
        yield "No accounts yet. The account 'local' is made with the first note."
        return
    rows = [
        [each["handle"], text.day(each["createdAt"]), "administrator" if each["admin"] else ""]
        for each in found["accounts"]
    ]
    yield from text.table(["HANDLE", "MADE", ""], rows)


@click.group()
def token() -> None:
    """Keys that programs sign in with.

    Needed where 'notewell serve' is open to other machines. A token acts as its account, within its scopes.
    """


_account_option = click.option("--account", "--as", "handle", metavar="HANDLE", help="Whose token (default: local).")


def _owner(app: App, handle: str | None) -> str:
    """The handle that a command is about; the local account is made where it is missing."""
    from notewell.services import accounts  # noqa: PLC0415 - a help text needs no store

    require_admin(app)
    return accounts.local_actor(app.store).handle if handle is None else handle


@token.command("create")
@_account_option
@click.option("--agent", default="", metavar="NAME", help="Which agent will use it; notes say so.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    help="memory:read, memory:write, research:read, research:write, admin;"
    " repeat it for several (default: all but admin).",
)
@click.option("--days", type=int, metavar="N", help="How long it is valid (default: until revoked).")
@with_json
def create_token(handle: str | None, agent: str, scopes: tuple[str, ...], days: int | None) -> None:
    """Make a token and print it, once: it cannot be shown again."""
    from notewell.services import accounts  # noqa: PLC0415 - a help text needs no store

    with open_app() as app:
        owner = _owner(app, handle)
        made, secret = accounts.create_token(app.store, owner, agent, scopes or accounts.DEFAULT_SCOPES, days)
    result = {**_token(made), "account": owner, "token": secret}
    if is_json():
        print_json(result)
        return
    # The secret alone on standard output, so that a script can take it.
    click.echo(
        f"Token {made.id} of {owner}, for: {', '.join(made.scopes)}. Keep it now; it is not shown again.", err=True
    )
    click.echo(secret)


@token.command("list")
@_account_option
@with_json
def list_tokens(handle: str | None) -> None:
    """List the tokens of an account, without their secrets."""
    from notewell.services import accounts  # noqa: PLC0415 - a help text needs no store

    with open_app() as app:
        owner = _owner(app, handle)
        found = [_token(each) for each in accounts.tokens(app.store, owner)]
    show({"account": owner, "tokens": found}, _token_lines)


def _token(each: Token) -> dict[str, Any]:
    from notewell.domain.times import format_time  # noqa: PLC0415 - a help text needs no store

    times = {
        "createdAt": each.created_at,
        "expiresAt": each.expires_at,
        "lastUsedAt": each.last_used_at,
        "revokedAt": each.revoked_at,
    }
    shown = {name: format_time(time) for name, time in times.items() if time is not None}
    return {"id": each.id, "hint": each.hint, "agent": each.agent, "scopes": list(each.scopes), **shown}


def _token_lines(found: dict[str, Any]) -> Iterator[str]:
    if not found["tokens"]:
        yield f"{found['account']} has no tokens. Make one: notewell token create --account {found['account']}"
        return
    rows = []
    for each in found["tokens"]:
        ends = f"until {text.day(each['expiresAt'])}" if "expiresAt" in each else "valid"
        state = click.style("revoked", fg="red") if "revokedAt" in each else ends
        used = text.day(each["lastUsedAt"]) if "lastUsedAt" in each else "never"
        rows.append(
            [each["id"], f"{each['hint']}…", text.line(each["agent"]) or "-", state, used, " ".join(each["scopes"])]
        )
    yield from text.table(["ID", "BEGINS", "AGENT", "STATE", "LAST USED", "SCOPES"], rows)


@token.command("revoke")
@click.argument("token_id", metavar="ID")
@_account_option
@with_json
def revoke(token_id: str, handle: str | None) -> None:
    """End a token at once; 'notewell token list' shows the ids."""
    from notewell.services import accounts  # noqa: PLC0415 - a help text needs no store

    with open_app() as app:
        accounts.revoke_token(app.store, _owner(app, handle), token_id)
    show({"id": token_id, "revoked": True}, lambda found: [f"Revoked {found['id']}."])
