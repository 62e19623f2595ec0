"""Every page is there on PostgreSQL, and says what it says on SQLite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from browsing import Site, text_of
from clients import LOCAL
from postgres_stores import new_database
from serving import serving
from shown import NOTES, OTHERS, RECORD, Shown, show

from notewell.app import App
from notewell.config import Config
from notewell.surfaces.server import make_asgi

pytestmark = pytest.mark.postgres

OF_THE_ENGINE = ("/", "/admin", "/overview", "/tokens")
"""Pages that show where the store is, its sizes and its times."""
_VARYING = re.compile(
    r"\b(?:nte|att|prb|cmp|acc|tok|ses)_[0-9a-z]+|\d{4}-\d\d-\d\d(?: \d\d:\d\d)?|\d+ (?:second|minute)s? ago"
)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Shown, Shown]]:
    """The same store on each engine, SQLite first."""
    with ExitStack() as stack:
        yield (
            stack.enter_context(_shown(tmp_path_factory.mktemp("file"), None)),
            stack.enter_context(_shown(tmp_path_factory.mktemp("server"), new_database())),
        )


@contextmanager
def _shown(home: Path, database_url: str | None) -> Iterator[Shown]:
    app = App(Config(home, embedder="none", database_url=database_url))
    try:
        with serving(make_asgi(app, LOCAL)) as url:
            yield show(Site(app, url))
    finally:
        app.close()


def _same(text: str) -> str:
    """A page's text without what differs between two runs."""
    return _VARYING.sub("…", text)


@pytest.mark.parametrize("address", [*NOTES, *RECORD, *OTHERS])
def test_a_page_is_the_same_on_both_engines(address: str, both: tuple[Shown, Shown]) -> None:
    answers = []
    for shown in both:
        with shown.site.visit() as visitor:
            answers.append(visitor.get(shown.path(address)))

    of_file, of_server = answers
    assert of_server.status_code == of_file.status_code < 500
    if address not in OF_THE_ENGINE:
        assert _same(text_of(of_server)) == _same(text_of(of_file))
