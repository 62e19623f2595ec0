"""What people do with collections, and agents do not: make empty ones, rename and delete them."""

from __future__ import annotations

from notewell.domain.access import Actor
from notewell.domain.collections import collection_key
from notewell.domain.notes import check_collection_name
from notewell.errors import InvalidArgument
from notewell.services.memory import find_collection, unknown_collection
from notewell.store import collections
from notewell.store.database import Database


def names(store: Database, actor: Actor) -> list[str]:
    """The names of all collections of a memory, without counting what lies in them."""
    actor.require("memory:read")
    with store.read() as reader:
        return [each.name for each in collections.of_space(reader, actor.account_id)]


def create(store: Database, actor: Actor, name: str) -> str:
    """Makes an empty collection; returns its name. Raises ``invalid_argument`` where the name is taken."""
    actor.require("memory:write")
    shown = check_collection_name(name)
    with store.write() as tx:
        tx.lock(actor.account_id)
        taken = find_collection(collections.of_space(tx, actor.account_id), shown)
        if taken is not None:
            raise InvalidArgument(f"There is a collection {taken.name!r} already.", argument="name")
        return collections.insert(tx, actor.account_id, shown).name


def rename(store: Database, actor: Actor, name: str, new_name: str) -> str:
    """Gives a collection another name; returns the new one. Its notes stay in it."""
    actor.require("memory:write")
    shown = check_collection_name(new_name)
    with store.write() as tx:
        tx.lock(actor.account_id)
        known = collections.of_space(tx, actor.account_id)
        collection = find_collection(known, name)
        if collection is None:
            raise unknown_collection(name, known)
        taken = find_collection(known, shown)
        if taken is not None and taken.id != collection.id:
            raise InvalidArgument(
                f"There is a collection {taken.name!r} already; two names that differ only in case, spaces, '-' or '_'"
                " mean the same.",
                argument="newName",
            )
        collections.rename(tx, actor.account_id, collection, shown)
    return shown


def delete(store: Database, actor: Actor, name: str, confirmed_name: str) -> int:
    """Removes a collection, after its name was typed again; returns how many notes became unfiled by it."""
    actor.require("memory:write")
    with store.write() as tx:
        tx.lock(actor.account_id)
        known = collections.of_space(tx, actor.account_id)
        collection = find_collection(known, name)
        if collection is None:
            raise unknown_collection(name, known)
        if collection_key(confirmed_name) != collection.key:
            raise InvalidArgument(
                f"To delete the collection {collection.name!r}, confirm with its name; its notes stay and become"
                " unfiled.",
                argument="confirm",
            )
        return collections.delete(tx, actor.account_id, collection)
