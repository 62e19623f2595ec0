"""Where the embedder process of a store listens, and the lock that keeps it the only one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

MAX_SOCKET_PATH_BYTES = 100
"""Unix sockets' paths end at 104 to 108 bytes."""


def _name(setting: str) -> str:
    """One process for each setting: another model is another process."""
    return f"embedder-{blake2b(setting.encode(), digest_size=4).hexdigest()}"


def lock_path(home: Path, setting: str) -> Path:
    """The file whose lock the embedder process of a data folder holds."""
    return home / f"{_name(setting)}.lock"


def socket_path(home: Path, setting: str) -> Path:
    """The socket in the data folder; for a folder with a very long path, in a private folder for temporary files."""
    path = home / f"{_name(setting)}.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES:
        return path
    key = blake2b(os.fsencode(home.resolve()), digest_size=6).hexdigest()
    folder = Path(tempfile.gettempdir()) / f"notewell-{os.getuid()}-{key}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder.name} belongs to somebody else")
    folder.chmod(0o700)
    return folder / path.name


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Whether the lock was free and is held now; the system frees it when the process ends, however it ends."""
    import fcntl  # noqa: PLC0415 - absent on Windows, where nothing calls this

    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True
