"""A copy of a whole store into another one, on any engine: every row as it is, the index made again from the notes.

The source is read as of one moment and never written. Each step is a transaction of the target that records how far it
is, so a copy may stop anywhere and the same call goes on. At the end both stores are read in full and compared. It must
not know where stores lie (``copy_places.py`` does).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from notewell.domain.times import format_time
from notewell.errors import InvalidArgument, Unavailable
from notewell.services.accounts import LOCAL_HANDLE
from notewell.services.copy_steps import Contents, batches, digest_of_space, steps, write
from notewell.services.progress import Progress, no_progress
from notewell.store import copied_tables, copies, index
from notewell.store.copied_tables import NO_SPACE
from notewell.store.copies import Copied, Copy
from notewell.store.database import Database, Reader, Tx

AGAIN = "The same command goes on where it was."


@dataclass(frozen=True, slots=True)
class CopyReport:
    """A copy that is complete."""

    finished_at: int
    is_new: bool
    """Whether this call finished it; else it was complete before, and nothing was changed."""
    went_on: bool
    """Whether an earlier call had begun it."""
    rows: dict[str, int]
    """By table, how many rows the source and the copy both hold."""


def copy(source: Database, target: Database, progress: Progress = no_progress) -> CopyReport:
    """Copies everything, or what an earlier call did not come to; a complete copy is left as it is.

    Raises ``invalid_argument`` where the target holds something else, and ``unavailable`` where a store cannot be
    reached or was written meanwhile: the same call then goes on.
    """
    source, target = _Named(source, "source"), _Named(target, "target")
    with source.read() as reader:
        source_id = copies.store_id(reader)
    with target.read() as reader:
        found = copies.copy_of(reader)
        is_itself = copies.store_id(reader) == source_id
    if is_itself:
        raise _refused("The target is the source itself, or a plain copy of its file. Name another place.")
    if found is not None and found.source_id == source_id and found.finished_at is not None:
        return _unchanged(source, found, found.finished_at, progress)
    run = _Run(source, target, progress)
    if found is None:
        run.begin(source_id)
    else:
        run.take_over(source_id, found)
    run.copy()
    return run.finish(went_on=found is not None)


def _refused(message: str) -> InvalidArgument:
    return InvalidArgument(message, argument="to")


def _written_to(spaces: int) -> Unavailable:
    return Unavailable(
        f"Somebody else wrote into the target ({_parts(spaces)}), so it is no copy any more. Stop whatever uses it, and"
        " copy into an empty place.",
        store="target",
    )


def _parts(count: int) -> str:
    """So many spaces, in words that say what they are."""
    return f"in {count:,} of its memories, problems or lists"


def _unchanged(source: Database, found: Copy, finished_at: int, progress: Progress) -> CopyReport:
    """The report on a copy that was complete before. Raises ``unavailable`` where its source has changed since."""
    with source.read() as reader:
        contents = Contents.of(reader)
        bar = _Bar(progress, "compare", contents.rows)
        digest = sum(digest_of_space(reader, contents, each, on_rows=bar.more) for each in contents.spaces)
    if copies.as_text(digest) != found.digest:
        raise Unavailable(
            f"This copy was complete at {format_time(finished_at)} and stays as it is, but the source has changed since"
            " then. For a copy of what it holds now, name an empty place.",
            finishedAt=format_time(finished_at),
        )
    return CopyReport(finished_at, False, False, _listed(contents))


def _listed(contents: Contents) -> dict[str, int]:
    rows = contents.by_table
    return {name: rows[name] for name in copied_tables.BY_NAME if name not in copied_tables.ALWAYS_THERE}


class _Run:
    """One call that writes into the target."""

    def __init__(self, source: Database, target: Database, progress: Progress) -> None:
        self._source = source
        self._target = target
        self._run_id = secrets.token_hex(8)
        self._progress = progress

    @contextmanager
    def _writing(self) -> Iterator[Tx]:
        """A transaction of the target, as long as no other run has taken over."""
        with self._target.write() as tx:
            if not copies.hold(tx, self._run_id):
                raise _refused(
                    "Another 'notewell copy' into the same place has taken over, so this one stopped. Let the other one"
                    " come to its end."
                )
            yield tx

    def begin(self, source_id: str) -> None:
        """Makes the empty target the copy. Raises ``invalid_argument`` where it holds anything."""
        with self._target.write() as tx:
            if held := _held(tx):
                raise _refused(
                    f"The target is not empty: it holds {held}. Name an empty place, so that nothing is lost or mixed"
                    " up: a file that is not there yet, or a new database."
                )
            if not copies.begin(tx, source_id, self._run_id):
                raise _refused("Another 'notewell copy' into the same place has just begun. Let it come to its end.")

    def take_over(self, source_id: str, found: Copy) -> None:
        """Goes on with an unfinished copy. Raises ``invalid_argument`` where it is one of another store."""
        with self._target.write() as tx:
            if not copies.take(tx, source_id, self._run_id):
                state = "an unfinished" if found.finished_at is None else "a"
                raise _refused(
                    f"The target is not empty: it holds {state} copy of another store, begun at"
                    f" {format_time(found.started_at)}. Name the store that it is a copy of, or an empty place."
                )

    def copy(self) -> None:
        """Copies what is missing, as the source is at this moment."""
        with self._source.read() as reader:
            contents = Contents.of(reader)
            done = self._without_stale(reader, contents)
            bar = _Bar(self._progress, "copy", contents.rows)
            bar.more(sum(contents.rows_of(each.space_id) for each in done.values() if each.is_complete))
            for batch in batches(steps(reader, contents, done)):
                with self._writing() as tx:
                    for step in batch:
                        write(tx, step)
                    for copied in {step.copied.space_id: step.copied for step in batch}.values():
                        copies.record(tx, copied)
                bar.more(sum(len(step.rows) for step in batch))

    def _without_stale(self, reader: Reader, contents: Contents) -> dict[str, Copied]:
        """How far each space is copied, after those that have changed in the source since were taken out again."""
        with self._target.read() as there:
            found = copies.progress(there)
        bar = _Bar(self._progress, "check", len(found))
        for space_id, copied in list(found.items()):
            if digest_of_space(reader, contents, space_id, copied) != copied.digest:
                self._take_out(copied)
                del found[space_id]
            bar.more(1)
        return found

    def _take_out(self, copied: Copied) -> None:
        """Removes a space from the target, where it is as it was copied."""
        space_id = copied.space_id
        with self._writing() as tx:
            if digest_of_space(tx, Contents.of_space(tx, space_id), space_id) != copied.digest:
                raise _written_to(1)
            if space_id != NO_SPACE:
                index.clear(tx, space_id)
            copied_tables.delete(tx, space_id)
            copies.forget(tx, space_id)

    def finish(self, *, went_on: bool) -> CopyReport:
        """Compares both stores in full with what was copied, and declares the copy complete.

        Raises ``unavailable`` where the source has changed since it was read, and where somebody wrote into the target.
        """
        with self._target.read() as there:
            done = copies.progress(there)
            contents = Contents.of(there)
            bar = _Bar(self._progress, "compare", 2 * contents.rows)
            spoiled = _differing(there, contents, done, bar.more)
        if spoiled:
            raise _written_to(len(spoiled))
        with self._source.read() as now:
            changed = _differing(now, Contents.of(now), done, bar.more)
        if changed:
            raise Unavailable(
                f"The source was written while it was copied ({_parts(len(changed))}), so the copy is not complete."
                " Stop every Notewell that uses the source, then run the same command again: it copies what changed.",
                store="source",
            )
        with self._writing() as tx:
            copies.finish(tx, sum(each.digest for each in done.values()))
            finished_at = tx.now
        self._target.empty_log()
        return CopyReport(finished_at, True, went_on, _listed(contents))


def _differing(
    reader: Reader, contents: Contents, done: Mapping[str, Copied], on_rows: Callable[[int], None]
) -> list[str]:
    """The spaces of a store that do not hold what was copied of them."""
    nothing = Copied("")
    return [
        space_id
        for space_id in sorted({*contents.spaces, *done})
        if digest_of_space(reader, contents, space_id, on_rows=on_rows) != done.get(space_id, nothing).digest
    ]


def _held(reader: Reader) -> str:
    """What a store holds, in words; empty where that is nothing but the account that every start makes."""
    rows = {name: count for name, count in _listed(Contents.of(reader)).items() if count}
    if rows == {"accounts": 1} and reader.rows("all_accounts")[0]["handle"] == LOCAL_HANDLE:
        return ""
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in rows.items())


class _Bar:
    """How far a stage is."""

    def __init__(self, progress: Progress, stage: str, total: int) -> None:
        self._progress = progress
        self._stage = stage
        self._total = total
        self._done = 0

    def more(self, count: int) -> None:
        """Tells that so much more is done."""
        self._done += count
        self._progress(self._stage, min(self._done, self._total), self._total)


class _Named:
    """A store whose errors say which of the two it is, and what to do."""

    def __init__(self, store: Database, name: str) -> None:
        self._store = store
        self._name = name

    @contextmanager
    def _naming(self) -> Iterator[None]:
        try:
            yield
        except Unavailable as error:
            if "store" in error.details:
                raise
            message = f"{error.message} (This was the {self._name}. {AGAIN})"
            raise type(error)(message, **error.details, store=self._name) from error

    @contextmanager
    def read(self, *, may_lag: bool = False) -> Iterator[Reader]:
        """A reading transaction."""
        with self._naming(), self._store.read(may_lag=may_lag) as reader:
            yield reader

    @contextmanager
    def write(self) -> Iterator[Tx]:
        """A writing transaction."""
        with self._naming(), self._store.write() as tx:
            yield tx

    def empty_log(self) -> None:
        """As the store does."""
        with self._naming():
            self._store.empty_log()

    def close(self) -> None:
        """As the store does."""
        self._store.close()
