"""Fixtures of the tests of the reported inputs; a plugin, so that it is loaded once for all of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients import ONE_OF_EACH, Surface, open_surface
from report_notes import EVERY
from report_queries import write_corpus


@pytest.fixture(scope="module", params=EVERY)
def every_surface(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surface]:
    """Each surface on a store of its own, which every test leaves as empty as it was."""
    with open_surface(request.param, tmp_path_factory.mktemp("home")) as opened:
        yield opened


@pytest.fixture(scope="module", params=ONE_OF_EACH)
def each_kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surface]:
    """One surface of each kind, for tests of many cases; every test leaves the store as empty as it was."""
    with open_surface(request.param, tmp_path_factory.mktemp("home")) as opened:
        yield opened


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data folder that is not there yet."""
    return tmp_path / "home"


@pytest.fixture(scope="session")
def corpus_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the notes of all queries."""
    folder = tmp_path_factory.mktemp("corpus") / "home"
    write_corpus(folder)
    return folder


@pytest.fixture(scope="session", params=ONE_OF_EACH)
def corpus(
    request: pytest.FixtureRequest, corpus_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Surface]:
    """One surface of each kind on a copy of the notes of all queries, for tests that only search."""
    home = tmp_path_factory.mktemp("copy") / "home"
    shutil.copytree(corpus_folder, home)
    with open_surface(request.param, home) as opened:
        yield opened
