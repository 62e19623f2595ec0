"""Fixtures of the tests of the pages of notes; a plugin, so that it is loaded once for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Person, Site, site
from note_pages import add, agent

from notewell.domain.notes import Edit, Note
from notewell.services import memory
from notewell.services.memory import Filing


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Site]:
    """A server with an empty store."""
    with site(tmp_path) as opened:
        yield opened


@pytest.fixture
def person(here: Site) -> Iterator[Person]:
    """Somebody at that server's own machine."""
    with here.visit() as visitor:
        yield visitor


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Person, Note]]:
    """A server whose one note has a history and a collection, for tests that change nothing."""
    with site(tmp_path_factory.mktemp("filled")) as opened, opened.visit() as visitor:
        note = add(opened, body="# One\n\n### Two", filing=Filing("Macro", True), tags=("red",), symbols=("NVDA",))
        yield opened, visitor, memory.update(opened.app.store, agent(opened), note.id, Edit(append="more")).view.note
