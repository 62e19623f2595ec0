"""Backups of a store that is a file: made while servers run, checked, and put back all or nothing.

For whoever holds the store: a backup has every account's notes. It must not know how the engine copies
(``store/backups.py``) nor how a file comes to be whole (``store/new_file.py``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from notewell.domain.times import format_time
from notewell.errors import Damaged, InvalidArgument, NotFound, Unavailable
from notewell.services.progress import Progress, no_progress
from notewell.store import backups
from notewell.store.backups import FileState
from notewell.store.database import Clock, system_clock
from notewell.store.migrate import migrations
from notewell.store.new_file import new_file, sync

KEPT = ".before-restore-"
"""Stands between the name of a store that was replaced and the moment when it was."""


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was made."""

    file: str
    bytes: int
    notes: int
    """Memory and research notes together."""
    schema: int


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """A store that was put back."""

    file: str
    """The backup."""
    store: str
    """Where it lies now."""
    notes: int
    """Memory and research notes together."""
    schema: int
    kept: str | None
    """The file of the store that was there before; None where there was none."""


def backup(
    store: Path | None, target: Path, *, replaces: bool = False, progress: Progress = no_progress
) -> BackupReport:
    """Copies a store's file, as it is at one moment, to a new file, while others write it; the copy is checked.

    ``store`` is None where a server has it. Raises ``invalid_argument`` for a server and for a target that may not be
    written, ``not_found`` where there is no store, ``unavailable`` where it is damaged or the disk is full.
    """
    path = _file_of(store, "backs up")
    if not backups.state_of(path).is_store:
        raise NotFound(f"There is no store at {path}. Name its data folder in NOTEWELL_HOME.")
    with _appearing(_writable(target, path, replaces=replaces)) as part:
        backups.copy_file(path, part, lambda done, total: progress("copy", done, total))
        state = _checked(part, progress)
        size = part.stat().st_size
    return BackupReport(str(target), size, state.notes, state.schema)


def restore(
    file: Path,
    store: Path | None,
    *,
    replaces: bool = False,
    progress: Progress = no_progress,
    clock: Clock = system_clock,
) -> RestoreReport:
    """Puts a backup in the place of a store; what was there is kept beside it.

    ``store`` is None where a server has it. Raises ``invalid_argument`` for a file that is no intact store of a schema
    known here, and, unless it ``replaces``, where a store with notes is there; ``unavailable`` where that is in use.
    Nothing is changed then.
    """
    path = _file_of(store, "restores").resolve()
    _check_backup(file, path)
    has_file = path.exists() and path.stat().st_size > 0
    if has_file and not replaces:
        _require_no_notes(path)
    with ExitStack() as held:
        write_log_back = held.enter_context(backups.taken(path)) if has_file else None
        kept = None
        with _appearing(path, makes_folder=True) as part:
            state = _restored(file, part, progress)
            if write_log_back is not None:
                write_log_back()
                kept = _keep(path, clock())
    return RestoreReport(str(file), str(path), state.notes, state.schema, None if kept is None else str(kept))


def _file_of(store: Path | None, does: str) -> Path:
    if store is None:
        raise InvalidArgument(
            f"This {does} a store in a file, and NOTEWELL_DATABASE_URL names one in PostgreSQL. Use pg_dump and"
            " pg_restore for that one, or copy it to a file: notewell copy --from ADDRESS --to FOLDER."
        )
    return store


def _writable(target: Path, store: Path, *, replaces: bool) -> Path:
    """Where the backup goes: a link stays, and what it leads to is replaced. Raises ``invalid_argument``."""
    if target.exists() and not replaces:
        raise InvalidArgument(f"{target} is there already. Choose another name, or pass --force.", argument="file")
    target = target.resolve()
    if target.exists() and not target.is_file():
        raise InvalidArgument(f"{target} is no file. Name one for the backup.", argument="file")
    if target == store.resolve() or any(target.with_name(target.name + end).exists() for end in backups.LOG_ENDINGS):
        raise InvalidArgument(f"{target} is a store that is in use. Name another file.", argument="file")
    return target


@contextmanager
def _appearing(path: Path, *, makes_folder: bool = False) -> Iterator[Path]:
    """A part that takes the name of a file when it is whole. Raises ``unavailable`` where it cannot be written."""
    is_new_folder = makes_folder and not path.parent.exists()
    try:
        if makes_folder:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with new_file(path) as part:
            yield part
    except OSError as error:
        raise Unavailable(f"{path} cannot be written ({error.strerror}). Nothing was changed.") from error
    finally:
        if is_new_folder and not path.exists():
            with suppress(OSError):
                path.parent.rmdir()


def _checked(part: Path, progress: Progress) -> FileState:
    """What a copy holds. Raises ``Damaged`` where it is not sound, as what it was copied from is then."""
    progress("check", 0, 1)
    if damage := backups.damage_of(part):
        raise Damaged(
            f"The store is damaged ({damage[0][:200]}), so no backup of it was kept. 'notewell doctor' says what is"
            " damaged; go back to an older backup, or save what can be read with 'notewell export'."
        )
    progress("check", 1, 1)
    return backups.state_of(part)


def _restored(file: Path, part: Path, progress: Progress) -> FileState:
    """Copies a backup and reads the copy in full; what it holds."""
    try:
        backups.copy_file(file, part, lambda done, total: progress("copy", done, total), is_still=True)
        return _checked(part, progress)
    except Damaged as error:
        raise _unfit(file, "it is damaged") from error


def _check_backup(file: Path, store: Path) -> None:
    """Raises ``invalid_argument`` for what cannot be restored, as far as its schema tells."""
    if not file.is_file() or not os.access(file, os.R_OK):
        raise InvalidArgument(
            f"{file} is no file that you may read. Name one that 'notewell backup' made.", argument="file"
        )
    if file.resolve() == store:
        raise InvalidArgument(f"{file} is the store itself. Name a backup of it.", argument="file")
    try:
        state = backups.state_of(file, is_still=True)
    except Damaged as error:
        raise _unfit(file, "it is damaged, or no file of SQLite") from error
    newest = migrations()[-1].number
    if not state.is_store:
        raise _unfit(file, "it is no Notewell store")
    if state.schema > newest:
        raise _unfit(file, f"it has schema {state.schema}, and this Notewell knows only {newest}; update it first")
    if state.is_unfinished_copy:
        raise _unfit(file, "it is a copy that was not finished")


def _unfit(file: Path, reason: str) -> InvalidArgument:
    return InvalidArgument(f"{file} cannot be restored: {reason}. Nothing was changed.", argument="file")


def _require_no_notes(path: Path) -> None:
    """Raises ``invalid_argument`` where a file holds notes, or may."""
    try:
        state = backups.state_of(path)
    except Damaged:
        holds = "is damaged"
    else:
        if state.is_store and not state.notes:
            return
        holds = f"holds {state.notes:,} notes" if state.is_store else "is no Notewell store"
    raise InvalidArgument(
        f"{path} is there and {holds}. Pass --force to put the backup in its place; it is kept beside it.",
        argument="force",
    )


def _keep(path: Path, now: int) -> Path:
    """Gives a store a second name, and its log, if it still has one, only that; returns the name."""
    moment = format_time(now).replace("-", "").replace(":", "")
    kept = next(each for each in _names(f"{path.name}{KEPT}{moment}", path.parent) if not each.exists())
    try:
        os.link(path, kept)
    except OSError:  # a disk without second names
        os.rename(path, kept)
    for ending in backups.LOG_ENDINGS:
        if (log := path.with_name(path.name + ending)).exists():
            os.rename(log, kept.with_name(kept.name + ending))
    sync(path.parent)
    return kept


def _names(name: str, folder: Path) -> Iterator[Path]:
    yield folder / name
    yield from (folder / f"{name}-{number}" for number in count(2))
