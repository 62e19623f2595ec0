"""Reads what the conformance suite found and holds it against the baseline; knows no server and starts nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

Baseline = Mapping[str, list[str]]
"""Scenarios and single checks (``scenario:check``) that may fail, by the reason."""

_FOLDER = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
_ANNOUNCED = re.compile(r"^=== Running scenario: (\S+) ===$", re.MULTILINE)


@dataclass(frozen=True)
class Found:
    """What one scenario showed."""

    passed: int
    failures: dict[str, str]
    """What went wrong, by check."""


@dataclass
class Verdict:
    """A run held against its baseline."""

    passed: list[str] = field(default_factory=list)
    expected: dict[str, list[str]] = field(default_factory=dict)
    """The scenarios that failed as the baseline says, by its reason."""
    not_exercised: list[str] = field(default_factory=list)
    """Scenarios that found nothing to check, since what they are about is optional."""
    wrong: list[str] = field(default_factory=list)
    """Failures beyond the baseline, and entries of the baseline that failed nowhere."""
    checks: int = 0
    """Checks that passed."""


def read_results(folder: Path, printed: str) -> dict[str, Found]:
    """What every scenario that the suite announced has found; one that left no result counts as failed."""
    found = {}
    for file in sorted(folder.glob("*/checks.json")):
        match = _FOLDER.fullmatch(file.parent.name)
        assert match is not None, file
        checks = json.loads(file.read_text(encoding="utf-8"))
        failures = {each["id"]: each.get("errorMessage") or "" for each in checks if each["status"] == "FAILURE"}
        found[match["scenario"]] = Found(sum(each["status"] == "SUCCESS" for each in checks), failures)
    lost = Found(0, {"no-result": "the scenario ended without a result"})
    return found | {scenario: lost for scenario in _ANNOUNCED.findall(printed) if scenario not in found}


def read_baseline(file: Path, server: str, revision: str) -> Baseline:
    """The baseline of one run."""
    baseline: Baseline = yaml.safe_load(file.read_text(encoding="utf-8"))[server][revision]
    return baseline


def judge(results: Mapping[str, Found], baseline: Baseline) -> Verdict:
    """A run's scenarios sorted by how they came out."""
    reasons = {entry: reason for reason, entries in baseline.items() for entry in entries}
    verdict = Verdict()
    used: set[str] = set()
    for scenario, found in results.items():
        verdict.checks += found.passed
        entries = {check: _entry_for(reasons, scenario, check) for check in found.failures}
        used |= {entry for entry in entries.values() if entry}
        wrong = [f"{scenario}:{check} {found.failures[check]}" for check, entry in entries.items() if not entry]
        verdict.wrong += wrong
        if wrong:
            continue
        if found.failures:
            reason = reasons[next(iter(entries.values()))]
            verdict.expected.setdefault(reason, []).append(scenario)
        elif found.passed:
            verdict.passed.append(scenario)
        else:
            verdict.not_exercised.append(scenario)
    verdict.wrong += [f"{entry} stands in the baseline and does not fail" for entry in reasons if entry not in used]
    if not verdict.passed:
        verdict.wrong.append("no scenario passed")
    return verdict


def _entry_for(reasons: Mapping[str, str], scenario: str, check: str) -> str:
    """The entry of the baseline that covers a failure; empty where there is none."""
    single = f"{scenario}:{check}"
    return single if single in reasons else scenario if scenario in reasons else ""
