"""REST by its OpenAPI document, with requests that schemathesis makes up, against a real server with two accounts.

Nothing may end in a defect or hang, every answer is as documented, and nothing of the other account's private notes
comes out or changes. ``./dev test --fuzz`` runs it for as long as it is told.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from budget import FUZZ_MINUTES
from fuzz_site import MARK, FuzzSite, aims_at, fuzz_site

RUN_SECONDS = int(FUZZ_MINUTES * 60 / 4)
"""Each of the two runs here has a quarter of the time, the properties have the rest."""
ANSWER_SECONDS = 10
HANG_SECONDS = 30

CHECKS = (
    "no_defect",
    "no_text_of_another_account",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
    "ignored_auth",
)


def run_schemathesis(folder: Path, site: FuzzSite, aims: dict[str, list[Any]], *words: str) -> None:
    """Runs it for its time; fails with its report where it found something."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "SCHEMATHESIS_HOOKS": "fuzz_hooks",
        "FUZZ_SITE": json.dumps({"mark": MARK, "aims": aims}),
    }
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{site.url}/api/openapi.json", "--no-color"]
    command += ["--header", f"Authorization: Bearer {site.token}", "--generation-database", "none"]
    command += ["--max-time", str(RUN_SECONDS), "--max-response-time", str(ANSWER_SECONDS)]
    command += ["--request-timeout", str(HANG_SECONDS), "--continue-on-failure", *words]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.fuzz
@pytest.mark.skipif("NOTEWELL_FUZZ_MINUTES" not in os.environ, reason="takes minutes: ./dev test --fuzz")
@pytest.mark.timeout(RUN_SECONDS + 300)
@pytest.mark.parametrize("is_aimed", [False, True], ids=["made-up", "aimed"])
def test_no_request_is_answered_otherwise_than_documented(is_aimed: bool, tmp_path: Path) -> None:
    # A value that is put in may be good where the document asks for a bad one, so that check is for the first run only.
    checks = CHECKS if is_aimed else (*CHECKS, "negative_data_rejection", "missing_required_header")
    mode = ("--mode", "positive", "--phases", "fuzzing,stateful") if is_aimed else ("--mode", "all")
    with fuzz_site(tmp_path / "home") as site:
        before = site.other_texts()
        run_schemathesis(tmp_path, site, aims_at(site) if is_aimed else {}, "--checks", ",".join(checks), *mode)
        assert site.other_texts() == before
        assert MARK in before
