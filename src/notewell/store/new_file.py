"""A file that appears under its name whole or not at all: written beside it, synced, then renamed.

A process that is killed leaves the part under a hidden name, which the next one of the same name removes. It must not
know what is in the file.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_ENDING = ".part"


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """The path of an empty file, its owner's alone, that takes the wanted name when the block ends without an error.

    Raises ``OSError``.
    """
    start = f".{path.name}."
    for part in path.parent.iterdir():
        if part.name.startswith(start) and part.name.endswith(_ENDING):
            _remove_abandoned(part)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=start, suffix=_ENDING)
    try:
        _hold(handle)
        yield Path(name)
        sync(Path(name))
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
    finally:
        os.close(handle)
    sync(path.parent)


def _remove_abandoned(part: Path) -> None:
    """Removes a part unless somebody is writing it."""
    with contextlib.suppress(FileNotFoundError), part.open("rb") as file:
        if _hold(file.fileno()):
            part.unlink()


def _hold(handle: int) -> bool:
    """Holds an open file against everybody else until it is closed; False where somebody else has it."""
    if sys.platform == "win32":
        return False  # parts that were left stay there
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def sync(path: Path) -> None:
    """Has the disk keep what a file or folder holds, so that a power cut loses none of it."""
    if path.is_dir() and sys.platform == "win32":
        return  # folders cannot be opened there
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
