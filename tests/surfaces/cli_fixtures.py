"""Fixtures of the command line's tests; a plugin, so that it is loaded once for all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runs import Run
from click.testing import CliRunner, Result

from notewell.surfaces.cli.main import cli


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own, named by the environment."""
    folder = tmp_path / "home"
    monkeypatch.setenv("NOTEWELL_HOME", str(folder))
    monkeypatch.setenv("NOTEWELL_EMBEDDER", "none")
    for name in ("NOTEWELL_TOKEN", "NOTEWELL_AGENT"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def run(home: Path) -> Run:
    """Runs one command line in this process."""

    def call(*words: str, stdin: bytes | str = b"", code: int = 0) -> Result:
        result = CliRunner().invoke(cli, list(words), input=stdin)
        assert result.exit_code == code, result.output
        return result

    return call
