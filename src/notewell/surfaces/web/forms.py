"""Forms that only our own pages can send: their fields, and the token that shows where a form comes from.

Two proofs are asked for. The browser says that the form was on a page of this server (``Sec-Fetch-Site``, else
``Origin``), and the form holds a token that is made from a cookie which only this server reads: that of the session,
else one that is there for forms alone. It must not know what a form is for.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.requests import Request

from notewell.errors import Forbidden, InvalidArgument

TOKEN_FIELD = "form_token"
MAX_FIELDS = 500
_FORM_TYPE = "application/x-www-form-urlencoded"


class Form:
    """The fields of a form that was sent."""

    def __init__(self, fields: list[tuple[str, str]]) -> None:
        self._fields = fields

    def text(self, name: str, default: str = "") -> str:
        """A field with its line ends as they were written: browsers send each as CR and LF."""
        found = [value for key, value in self._fields if key == name]
        return found[-1].replace("\r\n", "\n") if found else default

    def line(self, name: str, default: str = "") -> str:
        """A field of one line, without the white space around it."""
        return self.text(name, default).strip()

    def values(self, name: str) -> list[str]:
        """All values of a field, such as the boxes that were ticked."""
        return [value for key, value in self._fields if key == name]

    def is_on(self, name: str) -> bool:
        """Whether a box was ticked or a button of that name was pressed."""
        return bool(self.text(name))


def is_own_request(headers: Mapping[str, str]) -> bool:
    """Whether a browser says that a request comes from a page of this server; one that says nothing has not said so."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    scheme, _, authority = headers.get("origin", "").partition("://")
    return scheme in ("http", "https") and authority.lower() == headers.get("host", "").lower()


def token_of(seed: str, purpose: str = "form") -> str:
    """The token that belongs to a cookie; it tells nothing of it."""
    return hmac.new(seed.encode("utf-8", "surrogatepass"), purpose.encode(), sha256).hexdigest()[:32]


def read_form(headers: Headers, body: bytes) -> Form:
    """The fields of a form's request. Raises ``invalid_argument`` for another kind of content."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM_TYPE:
        raise InvalidArgument(f"A page takes forms as {_FORM_TYPE} only; programs use /api.")
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError:
        raise InvalidArgument("The form could not be read: its text is not UTF-8, or it has too many fields.") from None
    return Form(pairs)


def check_form(request: Request, form: Form, seed: str) -> None:
    """Raises ``forbidden`` unless a form comes from a page that this server made for the same browser."""
    if not is_own_request(request.headers):
        raise Forbidden("This form was not sent from a page of this server, so nothing was done.")
    if not seed or not hmac.compare_digest(form.text(TOKEN_FIELD).encode(), token_of(seed).encode()):
        raise Forbidden(
            "This form belongs to another session, so nothing was done. Load its page again and send it once more."
        )
