"""A process that writes notes and tells of each one when it is acknowledged; the drills start it, race it and kill it.

    python -m benchmarks.drills.writer HOME NAME [--count N] [--append NOTE_ID --threads T] [--file-limit BYTES]

It prints ``ready``, waits for a line, and then prints ``kept ID WORD`` for each write that was acknowledged: the note
of that id holds that word, which no other note holds. Every third write is an append to the note before. At a failure
it prints ``failed CODE MESSAGE`` and ends with 1.
"""

from __future__ import annotations

import argparse
import resource
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

from benchmarks.common.stores import config_of
from notewell.app import App
from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit
from notewell.errors import NotewellError
from notewell.services import memory
from notewell.services.memory import Filing

TEXT = "The committee kept the rate because inflation stayed below its forecast for months. 降息预期未变。\n"
SHARED_COLLECTION = "Shared drill"


def main() -> int:
    """Writes what the arguments ask for; the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("name")
    parser.add_argument("--count", type=int, default=0, help="0: until killed")
    parser.add_argument("--append", help="append to this note instead of making notes")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--file-limit", type=int, help="no file may grow beyond so many bytes")
    given = parser.parse_args()
    print("ready", flush=True)
    sys.stdin.readline()
    if given.file_limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (given.file_limit, resource.RLIM_INFINITY))
    try:
        app = App(config_of(given.home, given.name))
        actor = app.default_actor()
        if given.append:
            _append(app, actor, given)
        else:
            for note_id, word in _writes(app, actor, given.name, given.count):
                print(f"kept {note_id} {word}", flush=True)
        app.close()
    except NotewellError as error:
        print(f"failed {error.code} {error.message}", flush=True)
        return 1
    return 0


def word_of(name: str, number: int) -> str:
    """A word that no other write holds: letters only, so that it is one word to the analyzer."""
    letters = "".join(chr(ord("a") + int(digit)) for digit in str(number))
    return f"q{name}x{letters}z"


def _writes(app: App, actor: Actor, name: str, wanted: int) -> Iterator[tuple[str, str]]:
    last = ""
    for number in range(wanted) if wanted else count():
        word = word_of(name, number)
        if number % 3 == 2:
            memory.update(app.store, actor, last, Edit(append=f"Later: {word}.", add_tags=("appended",)))
        else:
            draft = Draft(f"Drill {name} {number}", f"{word}\n{TEXT}", word, tags=("drill", name), symbols=("NVDA",))
            last = memory.create(app.store, actor, draft, Filing(SHARED_COLLECTION, creates=True)).view.note.id
        yield last, word


def _append(app: App, actor: Actor, given: argparse.Namespace) -> None:
    def append(number: int) -> str:
        word = word_of(given.name, number)
        memory.update(app.store, actor, given.append, Edit(append=word))
        return word

    with ThreadPoolExecutor(given.threads) as pool:
        for word in pool.map(append, range(given.count)):
            print(f"kept {given.append} {word}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
