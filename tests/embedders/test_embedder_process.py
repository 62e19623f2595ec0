"""The embedder process for real, with a tiny model: starts, races, kills; and the default model for five servers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tiny_bert import write_tiny_bert

from benchmarks.speeds.shared_model import ANSWER, model_ended, model_processes, search_from_many
from notewell.embedders.choose import from_setting
from notewell.embedders.fake import FakeEmbedder
from notewell.embedders.places import process_key, socket_path
from notewell.embedders.shared import SharedEmbedder
from notewell.errors import SemanticUnavailable
from notewell.services.ports import EmbedderUnavailable

WAIT_SECONDS = 20


@pytest.fixture
def setting(tmp_path: Path) -> str:
    """A model of BERT's shape in a folder."""
    return f"onnx:{write_tiny_bert(tmp_path / 'model')}"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path.resolve() / "home"
    folder.mkdir()
    with model_ended(folder):
        yield folder


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """The processes that this test started."""
    processes: list[subprocess.Popen[bytes]] = []
    start = SharedEmbedder._start

    def kept(asking: SharedEmbedder) -> subprocess.Popen[bytes]:
        processes.append(start(asking))
        return processes[-1]

    monkeypatch.setattr(SharedEmbedder, "_start", kept)
    yield processes
    for process in processes:
        process.kill()
        process.wait(WAIT_SECONDS)


def shared(home: Path, setting: str) -> SharedEmbedder:
    inner = from_setting(setting)
    assert not isinstance(inner, EmbedderUnavailable)
    return SharedEmbedder(inner, home, setting)


def command(home: Path, *options: str) -> list[str]:
    return [sys.executable, "-P", "-m", "notewell.embedders.daemon", str(home), *options]


@pytest.mark.slow
def test_the_vectors_are_the_models_and_a_killed_process_is_replaced(
    home: Path, setting: str, started: list[subprocess.Popen[bytes]]
) -> None:
    embedder, inner = shared(home, setting), from_setting(setting)
    assert not isinstance(inner, EmbedderUnavailable)
    texts = ["disk failed", "bread : salt"]

    before = embedder.embed_documents(texts)
    started[0].kill()
    started[0].wait(WAIT_SECONDS)
    assert socket_path(home, process_key(setting, embedder.model_id)).exists()
    after = embedder.embed_documents(texts)

    assert np.allclose(before, inner.embed_documents(texts), atol=1e-6)
    assert np.array_equal(before, after)
    assert model_processes(home) == [started[1].pid]


@pytest.mark.slow
def test_of_several_that_start_at_once_one_stays(home: Path, setting: str) -> None:
    environment = {**os.environ, "NOTEWELL_EMBEDDER": setting}
    inner = from_setting(setting)
    assert not isinstance(inner, EmbedderUnavailable)
    options = ("--model-id", inner.model_id, "--idle-seconds", "5")
    racing = [subprocess.Popen(command(home, *options), env=environment) for _ in range(4)]
    until = time.monotonic() + WAIT_SECONDS
    while sum(process.poll() is None for process in racing) > 1 and time.monotonic() < until:
        time.sleep(0.05)

    running = [process for process in racing if process.poll() is None]
    assert len(running) == 1
    assert len(shared(home, setting).embed_queries(["disk"])) == 1
    assert model_processes(home) == [running[0].pid]
    # Idle from now on, it ends well and takes its socket along.
    assert [process.wait(WAIT_SECONDS) for process in racing] == [0, 0, 0, 0]
    assert not list(home.glob("*.sock"))


@pytest.mark.slow
def test_a_process_without_its_model_tells_the_reason(home: Path) -> None:
    embedder = SharedEmbedder(FakeEmbedder(8), home, "onnx:/nowhere/at/all")
    with pytest.raises(SemanticUnavailable, match="which is not there"):
        embedder.embed_queries(["disk"])


@pytest.mark.slow
def test_modules_of_the_folder_that_somebody_works_in_are_not_loaded(
    home: Path, setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name in ("numpy", "json", "socket", "notewell"):
        (project / f"{name}.py").write_text("raise SystemExit('code of a project')\n", "utf-8")
    monkeypatch.chdir(project)

    assert len(shared(home, setting).embed_queries(["disk"])) == 1


@pytest.mark.slow
def test_five_servers_that_search_at_once_share_one_model(tmp_path: Path) -> None:
    served = search_from_many(tmp_path.resolve(), 5)

    assert served.first_titles == (ANSWER,) * 5
    assert len(served.model_megabytes) == 1
    assert max(served.server_megabytes) < min(served.model_megabytes)
