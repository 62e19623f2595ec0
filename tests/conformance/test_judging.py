"""The judge of ``./dev test --conformance``, on results made up here; the run itself needs Node."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conformance_run import BASELINE, REVISIONS, SERVERS
from judging import Found, judge, read_baseline, read_results

GOOD = Found(2, {})
BAD = Found(1, {"check": "broken"})
BASE = {"not offered": ["bad"]}


def test_what_the_baseline_names_may_fail_and_is_told_with_its_reason() -> None:
    verdict = judge({"good": GOOD, "bad": BAD, "idle": Found(0, {})}, BASE)

    assert (verdict.passed, verdict.expected, verdict.not_exercised) == (["good"], {"not offered": ["bad"]}, ["idle"])
    assert (verdict.wrong, verdict.checks) == ([], 3)


@pytest.mark.parametrize("results", [{"good": GOOD}, {"good": GOOD, "bad": GOOD}])
def test_an_entry_of_the_baseline_that_does_not_fail_is_wrong(results: dict[str, Found]) -> None:
    assert judge(results, BASE).wrong == ["bad stands in the baseline and does not fail"]


def test_a_failure_beyond_the_baseline_is_wrong() -> None:
    verdict = judge({"good": GOOD, "bad": BAD, "other": BAD}, BASE)

    assert verdict.wrong == ["other:check broken"]
    assert "other" not in verdict.passed


def test_a_single_check_excuses_no_other_one() -> None:
    results = {"good": GOOD, "bad": Found(1, {"check": "broken", "more": "broken, too"})}

    assert judge(results, {"not offered": ["bad:check"]}).wrong == ["bad:more broken, too"]


def test_a_run_without_scenarios_is_wrong() -> None:
    assert judge({}, {}).wrong == ["no scenario passed"]


def test_a_scenario_that_left_no_result_has_failed(tmp_path: Path) -> None:
    folder = tmp_path / "server-tools-list-2026-12-01T15-53-56-908Z"
    folder.mkdir()
    (folder / "checks.json").write_text(json.dumps([{"id": "a", "status": "SUCCESS"}, {"id": "b", "status": "INFO"}]))
    printed = "=== Running scenario: tools-list ===\n\n=== Running scenario: ping ===\n"

    found = read_results(tmp_path, printed)

    assert found["tools-list"] == Found(1, {})
    assert list(found["ping"].failures) == ["no-result"]


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("revision", REVISIONS)
def test_no_entry_of_the_baseline_stands_twice(server: str, revision: str) -> None:
    entries = [entry for group in read_baseline(BASELINE, server, revision).values() for entry in group]

    assert sorted(set(entries)) == sorted(entries)
