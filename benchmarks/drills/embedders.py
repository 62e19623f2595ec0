"""A process that works on a store's queue with a model that knows no meaning; the drills start it, race it and kill it.

    python -m benchmarks.drills.embedders HOME [--count N] [--seconds S] [--forever]

It prints ``ready``, waits for a line, embeds until nothing is due, and tells at its end how many texts it embedded; or
it works as ``notewell worker`` does, forever. Each call of the model takes ``--seconds``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.common.stores import REPOSITORY
from notewell.app import App
from notewell.config import Config
from notewell.embedders.fake import FakeEmbedder
from notewell.services.embedding import BATCH_JOBS, step
from notewell.worker import Worker

if TYPE_CHECKING:
    from notewell.services.ports import Vectors


class SlowEmbedder(FakeEmbedder):
    """Takes its time for each call, without taking a processor."""

    def __init__(self, seconds: float) -> None:
        super().__init__(16)
        self._seconds = seconds

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors, after a wait."""
        time.sleep(self._seconds)
        return super().embed_documents(texts)


class EmbeddingProcess:
    """One such process; it begins when it is told to go."""

    def __init__(self, home: Path, *options: str) -> None:
        command = [sys.executable, "-m", "benchmarks.drills.embedders", str(home), *options]
        self._process = subprocess.Popen(
            command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def wait_ready(self) -> None:
        """Returns when the process has loaded everything and waits for ``go``."""
        assert self._process.stdout is not None
        if self._process.stdout.readline().strip() != "ready":
            raise RuntimeError("the embedding process did not start")

    def go(self) -> None:
        """Lets it begin."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """Ends the process as a crash does."""
        self._process.kill()
        self._process.communicate()

    def embedded(self) -> int:
        """How many texts it embedded, when it has ended."""
        out, _ = self._process.communicate(timeout=60)
        return int(out.split()[-1])


def main() -> int:
    """Works as the arguments say; the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("--count", type=int, default=BATCH_JOBS)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--forever", action="store_true")
    given = parser.parse_args()
    embedder = SlowEmbedder(given.seconds)
    app = App(Config(given.home), embedder)
    print("ready", flush=True)
    sys.stdin.readline()
    if given.forever:
        Worker(app).run()
    while not step(app.store, embedder, given.count).is_idle:
        pass
    print(len(embedder.embedded), flush=True)
    app.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
