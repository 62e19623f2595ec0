"""Why a PostgreSQL database cannot be reached or used, with the setting that names it: never a password.

The driver says why as text only, so its words are looked for; what they are not known for gets the general answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from notewell.errors import Unavailable
from notewell.store.postgres_errors import is_passing

WAIT_SECONDS = 10.0
"""For a server that takes connections, or for another writer of the same space."""
_SEE = "See docs/how-to/scale.md."


@dataclass(frozen=True, slots=True)
class Address:
    """A database as messages name it."""

    setting: str
    """What the person set."""
    servers: str
    database: str
    role: str

    @property
    def shown(self) -> str:
        """The database and where it is."""
        return f"database {self.database!r} at {self.servers}"


def address_of(setting: str, chosen: dict[str, Any]) -> Address:
    """The address in the driver's words for its parts."""
    hosts = str(chosen.get("host") or chosen.get("hostaddr") or "localhost").split(",")
    ports = str(chosen.get("port") or "5432").split(",")
    ports = ports if len(ports) == len(hosts) else ports[:1] * len(hosts)
    servers = ", ".join(f"{host}:{port}" for host, port in zip(hosts, ports, strict=True))
    role = str(chosen.get("user") or "")
    return Address(setting, servers[:200], str(chosen.get("dbname") or role)[:100], role[:100])


def refusal(error: psycopg.Error, address: Address) -> Unavailable:
    """What a caller is told where no connection could be made."""
    state, text = error.sqlstate or "", str(error).lower()
    if state.startswith("28") or any(each in text for each in ("authentication", 'role "', "no pg_hba.conf")):
        reason = f"refuses the role {address.role!r} or its password: the name, the password or pg_hba.conf is wrong."
    elif state == "3D000" or ('database "' in text and "does not exist" in text):
        reason = "is not there. Make it (createdb --encoding=UTF8), or name another one."
    elif "ssl" in text or "tls" in text:
        reason = "does not agree on TLS: look at sslmode and at the server's certificate."
    elif any(each in text for each in ("translate host", "name or service", "resolve host", "nodename nor servname")):
        reason = "has a host whose name is not known here."
    elif "invalid " in text and not is_passing(error):
        reason = "is no address: a port is a number to 65535, an option one of PostgreSQL's."
    elif state.startswith("53"):
        reason = "has no room for more connections: raise max_connections there, or put a pooler between."
    else:
        reason = (
            f"did not answer within {WAIT_SECONDS:.0f} seconds. See whether the server runs and listens there; if it is"
            " only starting, try again in a moment."
        )
    return Unavailable(f"The {address.shown} {reason} It comes from {address.setting}. Nothing was changed. {_SEE}")


def wrong_encoding(encoding: str, address: Address) -> Unavailable:
    """The error of a database that cannot hold every text."""
    return Unavailable(
        f"The {address.shown} has the encoding {encoding}, which cannot hold every text. Make one with ENCODING 'UTF8'"
        f" and name it in {address.setting}. Nothing was changed."
    )
