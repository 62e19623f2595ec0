"""One process holds the model for all: found, started, restarted, kept to its owner, and gone when nobody asks."""

from __future__ import annotations

import os
import shutil
import socket
import struct
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from notewell.embedders import daemon, shared
from notewell.embedders.daemon import Daemon
from notewell.embedders.fake import FakeEmbedder
from notewell.embedders.places import MAX_SOCKET_PATH_BYTES, process_key, socket_path
from notewell.embedders.shared import BATCH_CHARS, SharedEmbedder
from notewell.errors import SemanticUnavailable
from notewell.services.ports import EmbedderUnavailable

if TYPE_CHECKING:
    from notewell.services.ports import Embedder, Vectors

SETTING = "fake"
WAIT_SECONDS = 10


def eventually(is_so: Callable[[], bool]) -> bool:
    """Whether something becomes so in reasonable time."""
    until = time.monotonic() + WAIT_SECONDS
    while not is_so() and time.monotonic() < until:
        time.sleep(0.01)
    return is_so()


class Host:
    """Daemons in threads of this process, started as ``SharedEmbedder`` asks for them."""

    def __init__(self) -> None:
        self.embedder: Embedder | EmbedderUnavailable = FakeEmbedder(8)
        self.idle_seconds = 60.0
        self.threads: list[threading.Thread] = []
        self.paths: list[Path] = []

    def start(self, asking: SharedEmbedder) -> Process:
        """What takes the place of ``SharedEmbedder._start``."""
        home, key = asking._home, process_key(SETTING, asking.model_id)
        process = Daemon(self.embedder, home, key, self.idle_seconds)
        self.paths.append(process._path)
        self.threads.append(threading.Thread(target=process.serve))
        self.threads[-1].start()
        return Process(thread=self.threads[-1])

    def stop(self) -> None:
        """Ends all of them."""
        for path in self.paths:
            path.unlink(missing_ok=True)
        for thread in self.threads:
            thread.join(WAIT_SECONDS)
            assert not thread.is_alive()


class Process:
    """A started process as far as its starter looks at it."""

    def __init__(self, exit_code: int = 0, thread: threading.Thread | None = None) -> None:
        self._exit_code = exit_code
        self._thread = thread

    def poll(self) -> int | None:
        """The exit code; None while it runs."""
        return None if self._thread and self._thread.is_alive() else self._exit_code


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary files: the tests' own has too long a path for a socket."""
    with tempfile.TemporaryDirectory(prefix="nw") as folder:
        monkeypatch.setattr(tempfile, "gettempdir", lambda: folder)
        yield Path(folder)


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    made = Host()
    monkeypatch.setattr(daemon, "TICK_SECONDS", 0.02)
    monkeypatch.setattr(SharedEmbedder, "_start", lambda asked: made.start(asked))
    yield made
    made.stop()


def asking(home: Path) -> SharedEmbedder:
    """The embedder of a data folder, of which another process knows the model."""
    home.mkdir(parents=True, exist_ok=True)
    return SharedEmbedder(FakeEmbedder(8), home, SETTING)


# Answers


def test_texts_come_back_as_the_models_vectors_questions_told_from_notes(host: Host, tmp_path: Path) -> None:
    model = host.embedder = FakeEmbedder(8)
    texts = ["one", "降息 \ud800", "", "three"]

    documents = asking(tmp_path).embed_documents(texts)
    queries = asking(tmp_path).embed_queries(["one"])

    assert np.array_equal(documents, FakeEmbedder(8).embed_documents(texts))
    assert np.array_equal(queries[0], documents[0])
    assert (model.document_calls, model.query_calls, len(host.threads)) == (1, 1, 1)


def test_it_says_what_the_model_is_without_asking_the_process(host: Host, tmp_path: Path) -> None:
    embedder = asking(tmp_path)
    assert (embedder.model_id, embedder.dimension) == ("fake;1", 8)
    assert embedder.document_limit_chars == FakeEmbedder.document_limit_chars
    assert host.threads == []


def test_many_texts_go_in_several_requests_and_stay_in_order(host: Host, tmp_path: Path) -> None:
    model = host.embedder = FakeEmbedder(8)
    texts = [f"{number} {'x' * (BATCH_CHARS // 3)}" for number in range(7)]

    assert np.array_equal(asking(tmp_path).embed_documents(texts), FakeEmbedder(8).embed_documents(texts))

    assert model.document_calls > 1
    assert asking(tmp_path).embed_documents([]).shape == (0, 8)


@pytest.mark.parametrize("reason", ["switched off", "the package is missing"])
def test_the_reason_why_there_is_no_model_travels(host: Host, tmp_path: Path, reason: str) -> None:
    host.embedder = EmbedderUnavailable(reason)
    with pytest.raises(SemanticUnavailable, match=reason):
        asking(tmp_path).embed_queries(["x"])


def test_the_reason_of_a_failure_travels_and_the_next_request_is_answered(host: Host, tmp_path: Path) -> None:
    model = host.embedder = FakeEmbedder(8)
    model.fail(SemanticUnavailable("The file is damaged."))
    embedder = asking(tmp_path)

    with pytest.raises(SemanticUnavailable, match="The file is damaged"):
        embedder.embed_queries(["x"])
    assert len(embedder.embed_queries(["x"])) == 1


class BrokenEmbedder(FakeEmbedder):
    """A model with a defect."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Raises what no embedder promises to raise."""
        raise ZeroDivisionError("a defect")


def test_a_defect_of_the_model_is_told_and_ends_nothing(host: Host, tmp_path: Path) -> None:
    host.embedder = BrokenEmbedder(8)
    embedder = asking(tmp_path)

    with pytest.raises(SemanticUnavailable, match="ZeroDivisionError"):
        embedder.embed_queries(["x"])
    assert len(embedder.embed_documents(["x"])) == 1
    assert len(host.threads) == 1


# Whose it is


def test_the_socket_is_its_owners_alone(host: Host, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        asking(tmp_path).embed_queries(["x"])
    finally:
        os.umask(before)
    assert host.paths[0].parent == tmp_path.resolve()
    assert host.paths[0].stat().st_mode & 0o777 == 0o600


def test_a_data_folder_with_a_very_long_path_has_its_socket_in_a_private_folder(
    host: Host, tmp_path: Path, temporary: Path
) -> None:
    home = tmp_path / "x" / ("long" * 30)

    assert len(asking(home).embed_queries(["x"])) == 1

    (path,) = host.paths
    assert len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES
    assert path.parent.parent == temporary
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert socket_path(home, "other").parent == path.parent
    assert socket_path(home.parent / ("else" * 30), "other").parent != path.parent


def test_a_private_folder_that_is_somebody_elses_is_not_used(host: Host, tmp_path: Path, temporary: Path) -> None:
    home = tmp_path / "x" / ("long" * 30)
    theirs = socket_path(home, "other").parent
    theirs.rmdir()
    theirs.symlink_to(temporary)

    with pytest.raises(SemanticUnavailable, match="belongs to somebody else"):
        asking(home).embed_queries(["x"])
    assert host.threads == []


@pytest.mark.usefixtures("temporary")
def test_however_the_data_folder_is_spelled_there_is_one_process(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / ("long" * 30)
    home.mkdir()
    (tmp_path / "link").symlink_to(home)
    monkeypatch.chdir(tmp_path)

    for spelling in (home, tmp_path / "link", Path("link"), tmp_path / "." / "link" / ".." / home.name):
        assert len(asking(spelling).embed_queries(["x"])) == 1

    assert len(host.threads) == 1


def test_another_model_is_another_process(host: Host, tmp_path: Path) -> None:
    """A program that was updated must not get its vectors from the process of the old one."""
    for model_id in ("old", "new"):
        SharedEmbedder(FakeEmbedder(8, model_id=model_id), tmp_path, SETTING).embed_queries(["x"])
    assert len(host.threads) == 2
    assert isinstance(daemon._expected(FakeEmbedder(8, model_id="new"), "old"), EmbedderUnavailable)


HOSTILE = {
    "nothing": b"",
    "half a length": b"\0\0",
    "a length without its message": struct.pack(">I", 1_000),
    "an endless message": struct.pack(">I", 2**32 - 1),
    "no JSON": struct.pack(">I", 4) + b"\xff\xfe{[",
    "an empty message": struct.pack(">I", 0),
    "a very deep message": struct.pack(">I", 200_000) + b"[" * 200_000,
    "a list": struct.pack(">I", 2) + b"[]",
    "a request without texts": struct.pack(">I", 2) + b"{}",
    "texts that are numbers": struct.pack(">I", 13) + b'{"texts":[1]}',
    "garbage": bytes(range(256)) * 10,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_message_ends_its_own_conversation_only(host: Host, tmp_path: Path, kind: str) -> None:
    embedder = asking(tmp_path)
    embedder.embed_queries(["x"])
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.connect(str(host.paths[0]))
        peer.sendall(HOSTILE[kind])
        peer.shutdown(socket.SHUT_WR)
        peer.settimeout(WAIT_SECONDS)
        try:
            answer = peer.recv(1_000)
        except ConnectionResetError:
            answer = b""

    assert answer[4:] in (b"", b'{"error": "The request to the embedder process holds no texts."}')
    assert len(embedder.embed_queries(["x"])) == 1
    assert len(host.threads) == 1


# Its life


def test_empty_texts_are_texts(host: Host, tmp_path: Path) -> None:
    assert (len(asking(tmp_path).embed_documents(["", "x", ""])), len(host.threads)) == (3, 1)


def test_it_ends_when_idle_and_is_started_again_when_needed(host: Host, tmp_path: Path) -> None:
    host.idle_seconds = 0.05
    embedder = asking(tmp_path)
    embedder.embed_queries(["x"])

    assert eventually(lambda: not host.threads[0].is_alive())
    assert not host.paths[0].exists()
    assert len(embedder.embed_queries(["x"])) == 1
    assert len(host.threads) >= 2


class WaitingEmbedder(FakeEmbedder):
    """Works until it is allowed to end."""

    def __init__(self) -> None:
        super().__init__(8)
        self.may_end = threading.Event()
        self.has_begun = threading.Event()

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As the fake embedder, later."""
        self.has_begun.set()
        assert self.may_end.wait(WAIT_SECONDS)
        return super().embed_queries(texts)


def test_it_does_not_end_while_it_works(host: Host, tmp_path: Path) -> None:
    model = host.embedder = WaitingEmbedder()
    host.idle_seconds = 0.1
    answers: list[Vectors] = []
    client = threading.Thread(target=lambda: answers.append(asking(tmp_path).embed_queries(["x"])))
    client.start()
    assert model.has_begun.wait(WAIT_SECONDS)

    host.threads[-1].join(0.3)
    assert host.threads[-1].is_alive()

    model.may_end.set()
    client.join(WAIT_SECONDS)
    assert len(answers[0]) == 1


def test_a_model_that_takes_too_long_is_given_up(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = host.embedder = WaitingEmbedder()
    monkeypatch.setattr(shared, "QUERY_SECONDS", 0.05)
    embedder = asking(tmp_path)

    with pytest.raises(SemanticUnavailable, match="did not answer"):
        embedder.embed_queries(["first"])

    model.may_end.set()
    monkeypatch.setattr(shared, "QUERY_SECONDS", 30.0)
    # The late answer to the first question must not be taken for that to the second.
    assert np.array_equal(embedder.embed_queries(["second"]), FakeEmbedder(8).embed_queries(["second"]))


def test_a_data_folder_that_is_removed_ends_it_and_is_not_made_again(host: Host, tmp_path: Path) -> None:
    home = tmp_path / "home"
    asking(home).embed_queries(["x"])

    shutil.rmtree(home)

    assert eventually(lambda: not host.threads[0].is_alive())
    assert not home.exists()


@pytest.mark.usefixtures("temporary")
def test_a_removed_data_folder_with_a_very_long_path_ends_it_too(host: Host, tmp_path: Path) -> None:
    home = tmp_path / "x" / ("long" * 30)
    asking(home).embed_queries(["x"])

    shutil.rmtree(home)

    assert eventually(lambda: not host.threads[0].is_alive())
    assert not host.paths[0].exists()


def test_one_whose_place_was_taken_ends_and_leaves_the_others_socket(host: Host, tmp_path: Path) -> None:
    embedder = asking(tmp_path)
    embedder.embed_queries(["x"])
    host.paths[0].unlink()
    host.start(embedder)

    assert eventually(lambda: not host.threads[0].is_alive())
    assert len(asking(tmp_path).embed_queries(["x"])) == 1
    assert len(host.threads) == 2


def test_a_process_that_dies_in_the_middle_of_a_request_is_started_again_once(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = asking(tmp_path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dying:
        path = socket_path(tmp_path, process_key(SETTING, "fake;1"))
        dying.bind(str(path))
        dying.listen()
        died = threading.Thread(target=take_one_and_die, args=(dying, path))
        died.start()

        assert len(embedder.embed_queries(["x"])) == 1

        died.join(WAIT_SECONDS)
    assert len(host.threads) == 1


def take_one_and_die(listener: socket.socket, path: Path) -> None:
    """Reads a request and goes away without an answer."""
    stream, _ = listener.accept()
    stream.recv(1_000)
    path.unlink()
    stream.close()


def test_a_process_that_cannot_start_is_not_started_over_and_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[SharedEmbedder] = []

    def fail(asked: SharedEmbedder) -> Process:
        starts.append(asked)
        return Process(1)

    monkeypatch.setattr(SharedEmbedder, "_start", fail)

    with pytest.raises(SemanticUnavailable, match="could not start"):
        asking(tmp_path).embed_queries(["x"])
    assert len(starts) == 1
