"""The two stores of a copy, opened and looked at: whether there is one, of which schema, and whether one may be made.

It must not know the engines: whoever calls hands in what opens a store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from notewell.errors import InvalidArgument, NotFound, Unavailable
from notewell.store import copied_tables, copies, places
from notewell.store.database import Database, Reader
from notewell.store.migrate import migrate, migrations
from notewell.store.places import FILE_NAME, Place

Open = Callable[[str], Database]
"""Opens the store at a file's path or a PostgreSQL address, as it is."""
_OURS = frozenset((*copied_tables.BY_NAME, *copied_tables.DERIVED, *copied_tables.OWN))
_SIGNS = frozenset(("migrations", "space_stats", "accounts"))
"""Tables of every store, of whatever schema."""


def _is_store(names: frozenset[str]) -> bool:
    return names >= _SIGNS


def parse_places(source: str, target: str) -> tuple[Place, Place]:
    """The two places that somebody names. Raises ``invalid_argument``, also where they are one."""
    ends = places.parse(source, "from"), places.parse(target, "to")
    first, second = ends
    if first.address == second.address or _is_same_file(first, second):
        raise InvalidArgument(
            f"--from and --to are the same store, {first.shown}. Name another place for the copy.", argument="to"
        )
    return ends


def _is_same_file(first: Place, second: Place) -> bool:
    if first.path is None or second.path is None or not first.path.exists() or not second.path.exists():
        return False
    return first.path.samefile(second.path)


@contextmanager
def opened_source(place: Place, open_store: Open) -> Iterator[Database]:
    """The store that is to be copied, closed at the end; it is neither made nor migrated.

    Raises ``not_found`` where there is none, and ``unavailable`` for another schema than this Notewell's.
    """
    if place.path is not None and not _is_store(places.tables_of_file(place.path)):
        raise _no_store(place)
    store = open_store(place.address)
    try:
        with store.read() as reader:
            if not _is_store(copies.table_names(reader)):
                raise _no_store(place)
            schema = reader.rows("last_migration")[0]["number"] or 0
            _check_schema(place, schema)
            copies.require_finished(reader)
        yield store
    finally:
        store.close()


def _no_store(place: Place) -> NotFound:
    return NotFound(f"There is no Notewell store at {place.shown}. Name the one that is to be copied.", argument="from")


def _check_schema(place: Place, schema: int) -> None:
    newest = migrations()[-1].number
    if schema > newest:
        raise Unavailable(
            f"The store at {place.shown} has schema {schema}, but this Notewell knows only {newest}. Copy it with the"
            " newer Notewell that wrote it."
        )
    if schema < newest:
        raise Unavailable(
            f"The store at {place.shown} has schema {schema}, and this Notewell copies schema {newest}. Stop every"
            f" Notewell that uses it and bring it up to date first: {_use_once(place)}"
        )


def _use_once(place: Place) -> str:
    """A command that opens a store as every command does, which brings it up to date."""
    if place.path is None:
        return f"NOTEWELL_DATABASE_URL={place.shown} notewell doctor"
    if place.path.name == FILE_NAME:
        return f"NOTEWELL_HOME={place.path.parent} notewell doctor"
    return f"move the file to {FILE_NAME} in a folder of its own, then NOTEWELL_HOME=THAT_FOLDER notewell doctor"


@contextmanager
def opened_target(place: Place, open_store: Open) -> Iterator[Database]:
    """The store that is copied into, closed at the end; it is made where nothing is there yet.

    Raises ``invalid_argument`` where something else is there, or a store of another schema.
    """
    is_there = _is_target_there(place)
    if place.path is not None and not is_there:
        _make_file(place)
    store = open_store(place.address)
    try:
        with store.read() as reader:
            _check_target(place, reader)
        migrate(store)
        yield store
    finally:
        store.close()


def _check_target(place: Place, reader: Reader) -> None:
    names = copies.table_names(reader)
    if not _is_store(names):
        if foreign := sorted(names & _OURS):
            raise InvalidArgument(
                f"{place.shown} has tables that are not Notewell's but have the same names ({', '.join(foreign[:5])})."
                " Name a new database.",
                argument="to",
            )
        return
    schema, newest = reader.rows("last_migration")[0]["number"] or 0, migrations()[-1].number
    # One that holds nothing may be a copy that was stopped while its tables were made.
    if schema != newest and copied_tables.holds_rows(reader, names):
        raise InvalidArgument(
            f"The target is not empty: {place.shown} is a store with schema {schema}, while this Notewell writes schema"
            f" {newest}. Name an empty place.",
            argument="to",
        )


def _is_target_there(place: Place) -> bool:
    """Whether a file holds a store already. Raises ``invalid_argument`` where it holds anything else."""
    if place.path is None:
        return True
    try:
        names = places.tables_of_file(place.path)
    except Unavailable as error:
        raise InvalidArgument(f"--to: {error.message} Name another place.", argument="to") from error
    if names and not _is_store(names):
        raise InvalidArgument(
            f"{place.shown} is a file of something else (it has the table {min(names)}). Name a file that is not there"
            " yet.",
            argument="to",
        )
    return bool(names)


def _make_file(place: Place) -> None:
    """Makes the file for its owner alone, and its folder."""
    assert place.path is not None
    try:
        place.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        place.path.touch(mode=0o600)
    except OSError as error:
        raise InvalidArgument(
            f"{place.shown} cannot be made ({error.strerror}). Name another place.", argument="to"
        ) from error


def how_to_use(place: Place) -> str:
    """How to have Notewell use a store, in one sentence."""
    if place.path is None:
        return "Start Notewell with NOTEWELL_DATABASE_URL set to the address that you gave as --to."
    folder = place.path.resolve().parent
    if place.path.name == FILE_NAME:
        return f"Start Notewell with NOTEWELL_HOME={folder} and without NOTEWELL_DATABASE_URL."
    return (
        f"Move the file to {FILE_NAME} in a folder of its own, then start Notewell with NOTEWELL_HOME set to that"
        " folder and without NOTEWELL_DATABASE_URL."
    )
