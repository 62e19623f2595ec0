"""The health of a store: ``doctor`` compares everything derived with a rebuild, ``reindex`` makes it again.

For whoever holds the store: it walks every account's notes and tells ids and counts, never a text. It must not
know how an engine keeps its full text (``store/health.py`` does).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from notewell.domain import ids
from notewell.errors import NotewellError
from notewell.services.comparison import SpaceComparison
from notewell.services.findings import MAX_EXAMPLES, Finding, Findings
from notewell.services.progress import Progress, no_progress
from notewell.services.sweep import has_drifted
from notewell.store import health, index
from notewell.store.database import Database, Reader, Row
from notewell.store.health import StoreFile
from notewell.store.migrate import migrations
from notewell.store.vectors import QueueState, queue_state

ADVICE = "Run 'notewell reindex' to make it again from the notes."


Check = Literal["file", "schema", "leftovers", "index", "vectors"]
VECTOR_OVERHEAD_BYTES = 17
"""What a vector takes in memory besides its numbers: factor, row number, space."""
VECTOR_SAMPLE = 500


@dataclass(frozen=True, slots=True)
class AccountNotes:
    """How many notes an account has; the handle is empty for notes of no account."""

    handle: str
    active: int
    archived: int


@dataclass(frozen=True, slots=True)
class ModelVectors:
    """The vectors of one model."""

    model_id: str
    notes: int
    vectors: int
    memory_bytes: int
    """What they take in each process that searches by meaning."""


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """What a check of a store found."""

    engine: str
    schema: int | None
    """None where it could not be read."""
    newest_schema: int
    files: tuple[StoreFile, ...]
    accounts: tuple[AccountNotes, ...]
    compared: int
    """How many notes had all their derived rows compared with a rebuild."""
    findings: tuple[Finding, ...]
    models: tuple[ModelVectors, ...] = ()
    queue: QueueState | None = None
    """How the notes to be embedded stand; None where it could not be read."""
    facts: tuple[tuple[str, str], ...] = ()
    """What the engine tells of itself, by name."""

    @property
    def is_healthy(self) -> bool:
        """Whether nothing that was found is an error."""
        return all(finding.severity != "error" for finding in self.findings)


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What was made again."""

    memories: int
    notes: int
    strays: int
    """Full-text rows of no note that were removed."""


def doctor(store: Database, path: Path | None, progress: Progress = no_progress) -> DoctorReport:
    """What is wrong with a store: its file, rows that a deletion left, and every derived row against a rebuild.

    ``path`` is the store's file; None where a server has it.
    A file too damaged to be read is a finding, not an error.
    """
    return _Examination(store, path, progress).report()


def unopened(path: Path | None, error: NotewellError) -> DoctorReport:
    """The report on a store that could not even be opened."""
    finding = Finding("error", "file", f"The store could not be opened: {error.message}")
    newest = migrations()[-1].number
    return DoctorReport(health.engine_of(path), None, newest, health.store_files(path), (), 0, (finding,))


class _Examination:
    """One run of the doctor."""

    def __init__(self, store: Database, path: Path | None, progress: Progress) -> None:
        self._store = store
        self._path = path
        self._progress = progress
        self._findings = Findings()
        self._schema: int | None = None
        self._accounts: tuple[AccountNotes, ...] = ()
        self._compared = 0
        self._models: tuple[ModelVectors, ...] = ()
        self._queue: QueueState | None = None
        self._facts: tuple[tuple[str, str], ...] = ()

    def report(self) -> DoctorReport:
        """Runs every check; one that cannot run is a finding of its own."""
        self._attempt("file", self._check_file)
        self._attempt("schema", self._read_overview)
        if not self._findings.holds("file"):
            self._attempt("leftovers", self._check_leftovers)
            self._attempt("index", self._compare_homes)
            self._attempt("vectors", self._check_vectors)
        else:
            self._findings.add("warning", "index", "Derived rows were not compared, since the file is damaged.")
        return DoctorReport(
            engine=health.engine_of(self._path),
            schema=self._schema,
            newest_schema=migrations()[-1].number,
            files=health.store_files(self._path),
            accounts=self._accounts,
            compared=self._compared,
            findings=self._findings.all(),
            models=self._models,
            queue=self._queue,
            facts=self._facts,
        )

    def _attempt(self, check: Check, step: Callable[[Reader], None]) -> None:
        try:
            with self._store.read() as reader:
                step(reader)
        except NotewellError as error:
            self._findings.add("error", check, f"This check could not run to its end: {error.message}")
        except (ValueError, LookupError):
            # Text that is no UTF-8, a list that is no JSON, an attempt that is not there: bytes that
            # SQLite has no reason to doubt.
            self._findings.add(
                "error", check, "A row holds bytes that are no text, so the file is damaged. Restore it from a backup."
            )

    def _check_vectors(self, reader: Reader) -> None:
        """The queue, the vectors of each model, and whether a sample of them is of their notes' texts."""
        self._queue = queue_state(reader)
        self._models = tuple(
            ModelVectors(
                row["model_id"], row["notes"], row["vectors"], row["bytes"] + row["vectors"] * VECTOR_OVERHEAD_BYTES
            )
            for row in reader.rows("vectors_by_model")
        )
        for reason, jobs in self._queue.reasons:
            self._findings.add("warning", "vectors", f"{jobs} notes could not be embedded yet: {reason}")
        for model in self._models:
            for row in reader.rows("vector_sample", model_id=model.model_id, count=VECTOR_SAMPLE):
                if has_drifted(row):
                    message = "A vector is of another text than its note's. 'notewell sweep' has it made again."
                    self._findings.add("error", "vectors", message, row["id"])

    def _check_file(self, reader: Reader) -> None:
        self._progress("file", 0, 1)
        self._facts = tuple(health.of(reader).facts(reader))
        for line in health.of(reader).damage(reader):
            self._findings.add(
                "error",
                "file",
                "The store's file is damaged. Keep a copy of it, export what can still be read ('notewell export'),"
                " and restore a backup.",
                line,
            )
        self._progress("file", 1, 1)

    def _read_overview(self, reader: Reader) -> None:
        self._schema = reader.rows("last_migration")[0]["number"]
        counts: dict[str, dict[str, int]] = {}
        for row in reader.rows("notes_per_account"):
            by_status = counts.setdefault(row["handle"] or "", {})
            if row["status"]:
                by_status[row["status"]] = by_status.get(row["status"], 0) + row["notes"]
        self._accounts = tuple(
            AccountNotes(handle, counts[handle].get("active", 0), counts[handle].get("archived", 0))
            for handle in sorted(counts)
        )
        # Benchmarks and tests write without accounts, so it is no error; nobody can sign in to such notes.
        if "" in counts:
            self._findings.add("warning", "accounts", "There are notes of an account that does not exist.")

    def _check_leftovers(self, reader: Reader) -> None:
        for row in reader.rows("leftover_rows"):
            if row["leftovers"]:
                message = f"{row['leftovers']:,} rows of {row['name']} belong to no note. {ADVICE}"
                self._findings.add("error", "leftovers", message)
        if lost := reader.rows("lost_collections")[0]["notes"]:
            self._findings.add("error", "collections", f"{lost:,} notes are filed in a collection that is not there.")
        if ahead := reader.rows("versions_ahead")[0]["versions"]:
            self._findings.add("error", "history", f"{ahead:,} earlier states are numbered like the present or later.")
        for row in reader.rows("notes_at_odds", row_bits=ids.ROW_BITS, count=MAX_EXAMPLES):
            message = "The note's own row is at odds with itself (its number and time, or its size and body)."
            self._findings.add("error", "notes", message, row["id"])

    def _compare_homes(self, reader: Reader) -> None:
        spaces = reader.rows("memory_spaces")
        total = _total(reader, spaces)
        there = health.of(reader).homes(reader)
        for home in sorted({row["home"] for row in spaces} | set(there)):
            mine = [row["space_id"] for row in spaces if row["home"] == home]
            if home not in there:
                self._findings.add("error", "terms", f"The full-text tables of home {home} are missing.")
                continue
            found = health.of(reader).sums(reader, home, lambda: self._progress("read index", self._compared, total))
            for space_id in mine:
                comparison = SpaceComparison(reader, space_id, found, self._findings)
                for count in comparison.run():
                    self._compared += count
                    self._progress("compare", self._compared, total)
            for name, rest in (("terms", found.fts), ("words", found.words)):
                if rest:
                    self._findings.add("error", name, f"{len(rest):,} full-text rows belong to no note. {ADVICE}")


def reindex(store: Database, progress: Progress = no_progress) -> ReindexReport:
    """Makes all derived rows again, each memory in one transaction, and removes full-text rows of no note."""
    with store.read() as reader:
        spaces = reader.rows("memory_spaces")
        total = _total(reader, spaces)
    done = strays = 0

    def count_note() -> None:
        nonlocal done
        done += 1
        progress("reindex", done, total)

    for row in spaces:
        with store.write() as tx:
            index.rebuild(tx, row["space_id"], count_note)
    with store.write() as tx:
        for home in health.of(tx).homes(tx):
            strays += health.of(tx).remove_strays(tx, home)
    return ReindexReport(len(spaces), done, strays)


def _total(reader: Reader, spaces: Sequence[Row]) -> int:
    """How many notes these spaces have."""
    counts = [reader.rows("space_counts", space_id=row["space_id"]) for row in spaces]
    return sum(row["notes"] for rows in counts for row in rows)
