"""The wiring: the one place that knows all rooms and puts a store, its engine and the services' needs together."""

from __future__ import annotations

from notewell.config import Config
from notewell.domain.access import Actor
from notewell.errors import Unavailable
from notewell.services import accounts
from notewell.store import fts5
from notewell.store.migrate import migrate
from notewell.store.sqlite import SqliteDatabase


class App:
    """An open store and who acts on it by default."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.store = _open(config)

    def default_actor(self, agent: str = "") -> Actor:
        """Who acts where a request names nobody: the token of the environment, else the local account."""
        label = self.config.agent or agent
        if self.config.token is not None:
            return accounts.token_actor(self.store, self.config.token, label)
        return accounts.local_actor(self.store, label)

    def close(self) -> None:
        """Closes the store."""
        self.store.close()


def _open(config: Config) -> SqliteDatabase:
    """The store of a data folder, made and migrated where needed. Raises ``unavailable``."""
    try:
        config.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise Unavailable(
            f"The data folder {config.home} cannot be made ({error.strerror}). Name another one in NOTEWELL_HOME."
        ) from error
    store = SqliteDatabase(config.database_path, prepare=fts5.prepare)
    migrate(store)
    return store
