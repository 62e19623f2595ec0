"""Several processes write to one store at once and lose nothing: a short form of ``./dev bench faults``."""

from __future__ import annotations

from pathlib import Path

import postgres_stores
import pytest
from conftest import ENGINES

from benchmarks.drills import drills

pytestmark = pytest.mark.slow


@pytest.fixture(params=sorted(ENGINES))
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of processes whose store lies in it, or in a database of its own."""
    if request.param == "postgres":
        monkeypatch.setenv("NOTEWELL_DATABASE_URL", postgres_stores.new_database())
    return tmp_path


@pytest.mark.report("E1")
def test_writes_of_four_processes_are_all_there_and_indexed(home: Path) -> None:
    outcome = drills.many_processes(home, processes=4, writes=50)

    assert outcome.problems == []
    assert outcome.writes == 200


@pytest.mark.report("E4")
def test_fifty_appends_to_one_note_at_once_are_all_there(home: Path) -> None:
    outcome = drills.parallel_appends(home, processes=5, appends=10)

    assert outcome.problems == []
    assert outcome.writes == 50
