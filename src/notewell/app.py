"""The wiring: the one place that knows all rooms and puts a store, its engine and the services' needs together."""

from __future__ import annotations

import contextlib
import importlib.util
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from notewell.config import Config
from notewell.domain.access import Actor
from notewell.errors import InvalidArgument, NotewellError, Unavailable
from notewell.services import accounts
from notewell.services.ports import Embedder, EmbedderUnavailable
from notewell.services.retry import persistently
from notewell.services.sweep import SweepReport, sweep, sweep_is_due
from notewell.store import copies, vectors
from notewell.store.database import Database
from notewell.store.migrate import migrate
from notewell.store.places import POSTGRES_SCHEMES

if TYPE_CHECKING:
    from notewell.services.semantic import SemanticSearch


class App:
    """An open store, who acts on it by default, and its search by meaning, loaded when first asked for."""

    def __init__(self, config: Config, embedder: Embedder | EmbedderUnavailable | None = None) -> None:
        self.config = config
        self.store = _open(config)
        self._embedder = embedder
        self._semantic: SemanticSearch | None = None
        self._lock = threading.Lock()

    def default_actor(self, agent: str = "") -> Actor:
        """Who acts where a request names nobody: the token of the environment, else the local account."""
        label = self.config.agent or agent
        if self.config.token is not None:
            secret = self.config.token
            return persistently(lambda: accounts.token_actor(self.store, secret, label))
        return persistently(lambda: accounts.local_actor(self.store, label))

    @property
    def embedder(self) -> Embedder | EmbedderUnavailable:
        """The embedder that the settings name, or why there is none; its model loads with its first text."""
        with self._lock:
            if self._embedder is None:
                self._embedder = _embedder(self.config)
            return self._embedder

    @property
    def semantic(self) -> SemanticSearch:
        """Search by meaning. Raises ``semantic_unavailable`` with the reason and the keyword way on."""
        embedder = self.embedder
        if isinstance(embedder, EmbedderUnavailable):
            raise embedder.error()
        from notewell.services.semantic import SemanticSearch  # noqa: PLC0415 - needs numpy, which is optional

        with self._lock:
            if self._semantic is None:
                self._semantic = SemanticSearch(self.store, embedder)
            return self._semantic

    def embed_step(self) -> bool:
        """Embeds some waiting notes; whether there were any that could be."""
        embedder = self.embedder
        if isinstance(embedder, EmbedderUnavailable) or not self._has_due_jobs():
            return False
        from notewell.services.embedding import step  # noqa: PLC0415 - needs numpy, which is optional

        return not (report := step(self.store, embedder)).is_idle and not report.failed

    def _has_due_jobs(self) -> bool:
        with self.store.read() as reader:
            return bool(vectors.spaces_with_due_jobs(reader, 1))

    def sweep(self) -> SweepReport:
        """The repair pass, with the backlog of the model in use."""
        embedder = self.embedder
        return sweep(self.store, None if isinstance(embedder, EmbedderUnavailable) else embedder.model_id)

    def sweep_if_due(self) -> SweepReport | None:
        """Sweeps where nobody has in the last hour, else None."""
        return self.sweep() if sweep_is_due(self.store) else None

    def close(self) -> None:
        """Closes the store."""
        self.store.close()


def _open(config: Config) -> Database:
    """The store of the settings, made and migrated where needed. Raises ``unavailable``, ``invalid_argument``."""
    _check_addresses(config)
    try:
        config.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise Unavailable(
            f"The data folder {config.home} cannot be made ({error.strerror}). Name another one in NOTEWELL_HOME."
        ) from error
    if config.database_url is None:
        _make_private(config)
    store = open_store(config.database_url or str(config.database_path), config)
    try:
        migrate(store)
        with store.read() as reader:
            copies.require_finished(reader)
            store_id = copies.store_id(reader)
        if config.database_read_url:
            _check_read_address(store, store_id)
    except NotewellError:
        store.close()
        raise
    return store


def _check_addresses(config: Config) -> None:
    """Raises ``invalid_argument`` for an address that leads nowhere; its value may hold a password and is not shown."""
    given = {"NOTEWELL_DATABASE_URL": config.database_url, "NOTEWELL_DATABASE_READ_URL": config.database_read_url}
    for setting, address in given.items():
        if address is not None and not address.startswith(POSTGRES_SCHEMES):
            raise InvalidArgument(
                f"{setting} does not begin with postgresql://. It is an address such as"
                " postgresql://NAME:PASSWORD@HOST:PORT/DATABASE; a store in a file needs none, only NOTEWELL_HOME."
            )
    if config.database_read_url and not config.database_url:
        raise InvalidArgument(
            "NOTEWELL_DATABASE_READ_URL is set and NOTEWELL_DATABASE_URL is not: it names where searches go besides."
        )


def _check_read_address(store: Database, store_id: str) -> None:
    """Raises ``invalid_argument`` where searches would be answered from another store."""
    try:
        with store.read(may_lag=True) as reader:
            found = copies.store_id(reader)
    except Unavailable:
        return  # a standby that is away now: searches will say so
    if found != store_id:
        raise InvalidArgument(
            "NOTEWELL_DATABASE_READ_URL leads to another store than NOTEWELL_DATABASE_URL: name a standby of it."
        )


def open_store(place: str, config: Config, setting: str = "NOTEWELL_DATABASE_URL") -> Database:
    """The store at a file's path or a PostgreSQL address, as it is; errors name the setting. Raises ``unavailable``."""
    if not place.startswith(POSTGRES_SCHEMES):
        if "://" in place:
            raise Unavailable(
                f"There is no engine for {place.partition('://')[0][:20]}://… A store is a file's path or an address"
                " that begins with postgresql://."
            )
        from notewell.store.fts5 import prepare  # noqa: PLC0415 - only the engine in use is loaded
        from notewell.store.sqlite import SqliteDatabase  # noqa: PLC0415 - as above

        return SqliteDatabase(Path(place), prepare=prepare)
    if importlib.util.find_spec("psycopg") is None:
        raise Unavailable(
            "PostgreSQL needs the package psycopg, which is not installed (pip install 'notewell[postgres]')."
        )
    from notewell.store.postgres import PostgresDatabase  # noqa: PLC0415 - only the engine in use is loaded

    read_url, is_pooled = config.database_read_url, config.is_database_pooled
    return PostgresDatabase(place, read_url=read_url, is_pooled=is_pooled).named(setting)


def _make_private(config: Config) -> None:
    """Makes the store's file, where it is missing, for its owner alone, whatever the folder allows."""
    with contextlib.suppress(OSError):  # what keeps it from being made, opening it tells
        config.database_path.touch(mode=0o600)


def _embedder(config: Config) -> Embedder | EmbedderUnavailable:
    from notewell.embedders.choose import from_setting  # noqa: PLC0415 - not needed for words
    from notewell.embedders.shared import SharedEmbedder  # noqa: PLC0415 - as above

    if config.embedder != "none" and importlib.util.find_spec("numpy") is None:
        return EmbedderUnavailable(
            "Search by meaning needs numpy, which is not installed (pip install 'notewell[local]'). Use keyword search."
        )
    chosen = from_setting(config.embedder, config.embedder_model, config.embedder_key)
    is_remote = config.embedder.startswith(("http:", "https:"))
    if isinstance(chosen, EmbedderUnavailable) or is_remote or not hasattr(socket, "AF_UNIX"):
        return chosen
    return SharedEmbedder(chosen, config.home, config.embedder)
