"""Several processes write to one file at once and lose nothing: a short form of ``./dev bench faults``."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.drills import drills

pytestmark = pytest.mark.slow


def test_writes_of_four_processes_are_all_there_and_indexed(tmp_path: Path) -> None:
    outcome = drills.many_processes(tmp_path, processes=4, writes=50)

    assert outcome.problems == []
    assert outcome.writes == 200


def test_fifty_appends_to_one_note_at_once_are_all_there(tmp_path: Path) -> None:
    outcome = drills.parallel_appends(tmp_path, processes=5, appends=10)

    assert outcome.problems == []
    assert outcome.writes == 50
