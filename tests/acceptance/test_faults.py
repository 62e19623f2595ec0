"""Kills, full disks and racing first starts lose nothing that was acknowledged (short: ``./dev bench faults``)."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from benchmarks.common.stores import DATABASE_NAME
from benchmarks.drills import drills
from benchmarks.drills.checks import differences_from_rebuild, lost
from benchmarks.drills.processes import Kept, Writer, run_together

pytestmark = pytest.mark.slow


@pytest.mark.report("E1")
def test_a_killed_writer_loses_no_acknowledged_note(tmp_path: Path) -> None:
    outcome = drills.kills(tmp_path, 5)

    assert outcome.problems == []
    assert outcome.writes > 0


@pytest.mark.report("E13")
def test_a_full_disk_is_told_and_loses_no_acknowledged_note(tmp_path: Path) -> None:
    outcome = drills.full_disk(tmp_path)

    assert outcome.problems == []


@pytest.mark.report("E10")
def test_two_first_starts_on_an_empty_folder_make_one_store(tmp_path: Path) -> None:
    outcome = drills.first_starts(tmp_path, 3)

    assert outcome.problems == []
    assert outcome.writes == 6


def test_the_checks_see_a_lost_note_and_a_missing_index_entry(tmp_path: Path) -> None:
    kept = run_together([Writer(tmp_path, "ana", "--count", "3")])[0].kept
    assert lost(tmp_path, kept) == []
    assert differences_from_rebuild(tmp_path) == []
    connection = apsw.Connection(str(tmp_path / DATABASE_NAME))
    connection.execute("DELETE FROM fts_0 WHERE rowid = (SELECT max(row_no) FROM notes)").fetchall()
    connection.close()

    problems = lost(tmp_path, [*kept, Kept("nte_0000000000", "nowhere")])

    assert differences_from_rebuild(tmp_path) == ["fts_0 differs from a rebuild"]
    assert len(problems) == 3
