"""Where a store lies, as a person names it: a file, a data folder, or a PostgreSQL address.

Looks at a file without changing it, so that a wrong name makes no store and turns nobody else's file into one. It must
not know what is done with a store.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import apsw

from notewell.errors import InvalidArgument, Unavailable
from notewell.store.dialect import SQLITE

POSTGRES_SCHEMES = ("postgresql://", "postgres://")
FILE_NAME = "notewell.db"
"""The store's file in a data folder."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store lies or is to lie."""

    address: str
    """A file's path or a PostgreSQL address, to open it by."""
    path: Path | None
    """None where a server has it."""
    shown: str
    """How a message names it: without a password."""


def parse(text: str, argument: str) -> Place:
    """The place that somebody names. Raises ``invalid_argument``.

    A path is a data folder where there is such a folder, or where nothing is there and the name has no ending.
    """
    if text.startswith(POSTGRES_SCHEMES):
        return Place(text, None, _without_password(text))
    if "://" in text or not text.strip():
        raise InvalidArgument(
            f"--{argument}: {text.partition('://')[0][:20]!r} is no kind of place. Name a file, a data folder, or an"
            " address that begins with postgresql://.",
            argument=argument,
        )
    path = Path(text).expanduser()
    if path.is_dir() or (not path.exists() and (not path.suffix or text.endswith("/"))):
        path = path / FILE_NAME
    return Place(str(path), path, str(path))


def _without_password(url: str) -> str:
    """An address as far as it may be shown: what stands before the host may hold a password, and so may the options."""
    scheme, _, rest = url.partition("://")
    user, at, host = rest.rpartition("@")
    return f"{scheme}://{user.partition(':')[0]}{at}{host.partition('?')[0]}"


def tables_of_file(path: Path) -> frozenset[str]:
    """The names of the tables in a SQLite file, which is not changed; none where nothing is there, or an empty file.

    Raises ``unavailable`` where it cannot be read, or is no SQLite file.
    """
    try:
        if not path.exists() or path.stat().st_size == 0:
            return frozenset()
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return frozenset(str(name) for (name,) in connection.execute(SQLITE.words["table_names"]))
        finally:
            connection.close()
    except (apsw.Error, OSError) as error:
        raise Unavailable(
            f"{path} cannot be read as a store: it is no SQLite file, is damaged, or may not be read by you."
        ) from error
