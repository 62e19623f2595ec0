"""Brings a store to the newest schema: numbered files, each run once, one process at a time.

``NNNN_name.sql`` runs on every engine, ``NNNN_name.ENGINE.sql`` after it on one. A store that a newer Notewell has
migrated is refused, since this one would not know its tables.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from notewell.errors import Unavailable
from notewell.store.database import Database, Reader, Tx

_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)


class Migration(NamedTuple):
    """One step of the schema."""

    number: int
    name: str
    scripts: dict[str, str]
    """By engine; the empty key is the part that every engine runs."""


@cache
def migrations() -> tuple[Migration, ...]:
    """All steps in order."""
    found: dict[int, Migration] = {}
    for file in sorted(files("notewell.store").joinpath("migrations").iterdir(), key=lambda each: len(each.name)):
        match = re.fullmatch(r"(\d{4})_(\w+?)(?:\.(\w+))?\.sql", file.name)
        if match:
            number, name, engine = int(match[1]), match[2], match[3] or ""
            migration = found.setdefault(number, Migration(number, name, {}))
            migration.scripts[engine] = file.read_text(encoding="utf-8")
    return tuple(found[number] for number in sorted(found))


def migrate(database: Database) -> int:
    """Runs what is missing, each step in its own transaction; returns how many steps ran.

    Several processes may start at once: the first one migrates, the others find nothing left to do. Raises
    ``unavailable`` for a store of a newer Notewell.
    """
    newest = migrations()[-1].number
    with database.read() as reader:
        done = _last(reader)
    if done > newest:
        raise Unavailable(
            f"This store has schema {done}, but this Notewell knows only {newest}. Start the newer Notewell that wrote"
            " it, or update this one."
        )
    count = 0
    for migration in migrations():
        if migration.number > done:
            with database.write() as tx:
                count += _run(tx, migration)
    return count


def _last(reader: Reader) -> int:
    """The number of the newest step that a store has; 0 for an empty one."""
    if not reader.rows("has_migrations")[0]["found"]:
        return 0
    return reader.rows("last_migration")[0]["number"] or 0


def _prepare(tx: Tx) -> None:
    """Lets nobody else migrate until the transaction ends."""
    for statement in tx.dialect.before_migrations:
        tx.run_sql(statement, {})
    tx.run("create_migrations")


def _run(tx: Tx, migration: Migration) -> int:
    _prepare(tx)
    if _last(tx) >= migration.number:
        return 0
    for engine in ("", tx.dialect.engine):
        run_script(tx, migration.scripts.get(engine, ""))
    tx.run("record_migration", number=migration.number, name=migration.name, now=tx.now)
    return 1


def run_script(tx: Tx, script: str) -> None:
    """Runs each statement of a script, which ends its lines with ``;`` and holds none inside a value."""
    script = _COMMENT.sub("", tx.dialect.fill_script(script))
    for statement in re.split(r";\s*(?:\n|$)", script):
        if statement.strip():
            tx.run_sql(statement, {})
