"""A data folder that may not be written: every command says so, and nothing changes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from clients import open_app

from notewell.domain.notes import Draft
from notewell.services import memory

pytestmark = pytest.mark.slow

NOBODY = 65534
AS_SOMEBODY_ELSE = f"""
import importlib, os, pkgutil, sys, notewell
for each in pkgutil.walk_packages(notewell.__path__, "notewell."):
    if not each.name.endswith("__main__"):
        importlib.import_module(each.name)  # while this process may still read them
if os.getuid() == 0:  # root may write everywhere
    os.setgroups([]); os.setresgid({NOBODY}, {NOBODY}, {NOBODY}); os.setresuid({NOBODY}, {NOBODY}, {NOBODY})
from notewell.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("words", "has_store"),
    [
        (("note", "add", "New", "--body", "b"), True),
        (("note", "add", "New", "--body", "b"), False),
        (("serve", "--port", "0"), True),
        (("mcp",), True),
        (("doctor",), True),
    ],
)
def test_a_folder_that_may_not_be_written_is_told_and_stays_as_it_is(
    words: tuple[str, ...], has_store: bool, tmp_path: Path
) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if folder == Path(tempfile.gettempdir()).resolve():
            break
        folder.chmod(0o755)  # somebody else comes as far as the data folder
    home = tmp_path / "home"
    home.mkdir()
    if has_store:
        with open_app(home) as app:
            memory.create(app.store, app.default_actor(), Draft("Kept", "b"))
    before = {file.name: file.read_bytes() for file in home.iterdir()}
    for file in home.iterdir():
        file.chmod(0o444)
    home.chmod(0o555)

    ran = subprocess.run(
        [sys.executable, "-c", AS_SOMEBODY_ELSE, *words],
        env={**os.environ, "NOTEWELL_HOME": str(home), "NOTEWELL_EMBEDDER": "none"},
        input="",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    home.chmod(0o755)

    assert ran.returncode not in (0, -9)
    assert "read-only" in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
    assert {file.name: file.read_bytes() for file in home.iterdir()} == before
