"""Vectors in PostgreSQL with the extension pgvector: rows of ``note_embeddings`` beside those of ``note_vectors``.

Both hold the same numbers, so every engine gives the same cosines. Rows go with those that they are of (a foreign key);
what adds and shows them runs in the transaction of what it follows. Without the extension the table is not there, and
nothing here is asked for. It must not know how is searched (``pgvector_search.py``).
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Protocol, runtime_checkable

from notewell.store.database import Database, Reader, Row, Tx
from notewell.store.homes import PUBLIC_HOME
from notewell.store.migrate import migrations, run_script

MIGRATION = 4
INDEX_LEAST = 10_000
"""With so many public vectors a model gets an index for them; fewer are compared one by one in some 25 ms."""
INDEX_DIMENSIONS = 2_000
"""The index takes no vector with more numbers; these are always compared one by one."""
INDEX_PREFIX = "note_embeddings_hnsw_"

_INSERT = f"""
INSERT INTO note_embeddings (space_id, note_id, model_id, chunk, row_no, is_public, dimensions, embedding)
SELECT v.space_id, v.note_id, v.model_id, v.chunk, v.row_no, CASE WHEN s.home = {PUBLIC_HOME} THEN 1 ELSE 0 END,
  length(v.numbers), dequantized(v.scale, v.numbers)
FROM note_vectors AS v LEFT JOIN space_stats AS s ON s.space_id = v.space_id
"""
_MISSING = """NOT EXISTS (SELECT 1 FROM note_embeddings AS e WHERE e.space_id = v.space_id
  AND e.note_id = v.note_id AND e.model_id = v.model_id AND e.chunk = v.chunk)"""
# scatter: sweep
_MODELS = """
SELECT model_id, dimensions, quote_literal(model_id) AS quoted, count(*) AS vectors FROM note_embeddings
WHERE is_public = 1 GROUP BY model_id, dimensions
"""
_INDEXES = f"""
SELECT c.relname AS name, i.indisvalid AS is_valid,
  EXISTS (SELECT 1 FROM pg_stat_progress_create_index AS p WHERE p.index_relid = i.indexrelid) AS is_being_made
FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
WHERE i.indrelid = to_regclass('note_embeddings') AND c.relname LIKE '{INDEX_PREFIX}%'
"""


@runtime_checkable
class Server(Protocol):
    """A store that can run what cannot run inside a transaction."""

    def run_alone(self, sql: str) -> None:
        """Runs a statement outside any transaction."""


def is_there(reader: Reader) -> bool:
    """Whether the database compares vectors itself."""
    if reader.dialect.engine != "postgres":
        return False
    return bool(reader.rows_of("SELECT to_regclass('note_embeddings') IS NOT NULL AS found", {})[0]["found"])


def add(tx: Tx, space_id: str, note_id: str, model_id: str) -> None:
    """Takes over a note's vectors of a model, just stored."""
    sql = f"{_INSERT} WHERE v.space_id = :space_id AND v.note_id = :note_id AND v.model_id = :model_id"
    tx.run_sql(sql, {"space_id": space_id, "note_id": note_id, "model_id": model_id})


def show(tx: Tx, space_id: str, *, is_public: bool) -> None:
    """Lets the vectors of a space be found among the public ones, or not any more."""
    tx.run_sql(
        "UPDATE note_embeddings SET is_public = :is_public WHERE space_id = :space_id AND is_public <> :is_public",
        {"space_id": space_id, "is_public": int(is_public)},
    )


def complete(tx: Tx, space_id: str) -> None:
    """Takes over what a space's vectors are missing: a copy of a store writes those of ``note_vectors`` alone."""
    tx.run_sql(f"{_INSERT} WHERE v.space_id = :space_id AND {_MISSING}", {"space_id": space_id})


def take_up(tx: Tx) -> None:
    """Makes the table where the extension came after the store, and takes over what is missing in any space."""
    if tx.dialect.engine != "postgres":
        return
    if not is_there(tx):
        for statement in tx.dialect.before_migrations:
            tx.run_sql(statement, {})
        if not is_there(tx):  # nor did another process make it while this one waited
            (script,) = (each.scripts["postgres"] for each in migrations() if each.number == MIGRATION)
            run_script(tx, script)
    if is_there(tx):
        tx.run_sql(f"{_INSERT} WHERE {_MISSING}", {})  # scatter: sweep


def index_name(model_id: str, dimensions: int) -> str:
    """The name of the index over a model's public vectors."""
    return INDEX_PREFIX + blake2b(f"{dimensions}:{model_id}".encode(), digest_size=6).hexdigest()


def keep_indexes(store: Database) -> None:
    """Makes the index of each model that has many public vectors; drops those of models that are gone.

    Writers and searches go on meanwhile. What an earlier call had to leave half made is made again.
    """
    if not isinstance(store, Server):
        return
    with store.write() as tx:  # a standby, where readers may be sent, knows of no index that is being made
        statements = _index_statements(tx) if is_there(tx) else []
    for statement in statements:
        store.run_alone(statement)


def _index_statements(tx: Tx) -> list[str]:
    models = {index_name(row["model_id"], row["dimensions"]): row for row in tx.rows_of(_MODELS, {})}
    found = [row for row in tx.rows_of(_INDEXES, {}) if not row["is_being_made"]]
    useless = [row["name"] for row in found if row["name"] not in models or not row["is_valid"]]
    sound = {row["name"] for row in found} - set(useless)
    return [f"DROP INDEX CONCURRENTLY IF EXISTS {name}" for name in useless] + [
        _create(name, row)
        for name, row in models.items()
        if name not in sound and row["vectors"] >= INDEX_LEAST and row["dimensions"] <= INDEX_DIMENSIONS
    ]


def _create(name: str, model: Row) -> str:
    return (
        f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON note_embeddings"
        f" USING hnsw (CAST(embedding AS vector({model['dimensions']})) vector_cosine_ops)"
        f" WHERE is_public = 1 AND model_id = {model['quoted']} AND dimensions = {model['dimensions']}"
    )
