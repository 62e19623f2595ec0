"""Where the embedder process of a store listens, and the lock that keeps it the only one."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

MAX_SOCKET_PATH_BYTES = 100
"""Unix sockets' paths end at 104 to 108 bytes."""


def process_key(setting: str, model_id: str) -> str:
    """What the process is named after: another setting, or the same one with other weights, is another process."""
    return f"embedder-{blake2b(f'{setting} {model_id}'.encode(), digest_size=4).hexdigest()}"


def lock_path(home: Path, key: str) -> Path:
    """The file whose lock the embedder process of a data folder holds."""
    return home.resolve() / f"{key}.lock"


def socket_path(home: Path, key: str) -> Path:
    """The socket in the data folder; for a folder with a very long path, in a private folder for temporary files.

    However the data folder's path is spelled, it is the same socket.
    """
    path = home.resolve() / f"{key}.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES:
        return path
    name = blake2b(os.fsencode(path.parent), digest_size=6).hexdigest()
    folder = Path(tempfile.gettempdir()) / f"notewell-{os.getuid()}-{name}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if status.st_uid != os.getuid() or not stat.S_ISDIR(status.st_mode):
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
