"""A process that writes notes to a store in PostgreSQL, whatever becomes of the server; the failover drill starts it.

    python -m benchmarks.drills.failover_writer URL HOME NAME

It prints ``ready``, waits for a line, and then writes one note after another until there is a file ``HOME/stop``:
``kept SECONDS NOTE_ID NUMBER`` for each note that was acknowledged, and when (by the clock that all processes share);
``again NOTE_ID`` where the note turned out to have been made by a call that failed, and ``untrue NOTE_ID`` where none
of these calls had said that it might have been; ``failed CODE MESSAGE`` for a call that failed. A call that is told
``unavailable`` is repeated as it was, with its idempotency key; at any other error, or when nothing helps for
``PATIENCE_SECONDS``, it ends with 1. SIGUSR1 has it tell on standard error where it hangs.
"""

from __future__ import annotations

import argparse
import faulthandler
import signal
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from benchmarks.drills.writer import SHARED_COLLECTION, TEXT, word_of
from notewell.app import App
from notewell.config import Config
from notewell.domain.notes import Draft
from notewell.errors import NotewellError, Unavailable
from notewell.services import memory
from notewell.services.memory import Filing

PATIENCE_SECONDS = 30.0
"""How long one note is tried before the store counts as gone."""
PAUSE_SECONDS = 0.05
"""Between two tries."""
LIFE_SECONDS = 120.0
"""A writer whose drill was killed ends by itself."""
STOP_NAME = "stop"
MAX_LINES = 4

Write = Callable[[int], tuple[str, bool]]
"""Makes the note of a number: its id, and whether an earlier call had made it."""


def main() -> int:
    """Writes to the store that the arguments name; the exit code."""
    faulthandler.register(signal.SIGUSR1)
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("home", type=Path)
    parser.add_argument("name")
    given = parser.parse_args()
    app = App(Config(given.home, agent=given.name, database_url=given.url))
    actor = app.default_actor()

    def write(number: int) -> tuple[str, bool]:
        made = memory.create(
            app.store,
            actor,
            draft_of(given.name, number),
            Filing(SHARED_COLLECTION, creates=True),
            idempotency_key=title_of(given.name, number),
        )
        return made.view.note.id, made.is_repeated

    code = write_until_told(write, given.home)
    app.close()
    return code


def title_of(name: str, number: int) -> str:
    """The title that no other write of the drill has."""
    return f"Failover {name} {number}"


def draft_of(name: str, number: int) -> Draft:
    """What a writer of a name writes as the note of a number: the same text each time."""
    word = word_of(name, number)
    body = f"{word}\n{TEXT * (1 + number % MAX_LINES)}"
    return Draft(title_of(name, number), body, word, tags=("drill", name), symbols=("NVDA",))


def write_until_told(write: Write, home: Path) -> int:
    """Writes note after note until the drill says stop; the exit code."""
    tell("ready")
    sys.stdin.readline()
    end = time.monotonic() + LIFE_SECONDS
    for number in count():
        if (home / STOP_NAME).exists() or time.monotonic() > end:
            return 0
        try:
            _keep(write, number)
        except NotewellError:
            return 1
    raise AssertionError


def _keep(write: Write, number: int) -> None:
    """Writes one note, as often as it takes. Raises what no repetition helps against."""
    end = time.monotonic() + PATIENCE_SECONDS
    may_be_kept = False
    while True:
        try:
            note_id, is_repeated = write(number)
        except NotewellError as error:
            tell(f"failed {error.code} {error.message}")
            may_be_kept |= bool(error.details.get("outcomeUnknown"))
            if not isinstance(error, Unavailable) or time.monotonic() > end:
                raise
            time.sleep(PAUSE_SECONDS)
        else:
            tell(f"kept {time.monotonic():.6f} {note_id} {number}")
            if is_repeated:
                tell(f"{'again' if may_be_kept else 'untrue'} {note_id}")
            return


def tell(line: str) -> None:
    """One line on standard output, at once."""
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
