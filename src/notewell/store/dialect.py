"""Every difference between the engines, in one list.

The statements in ``store/sql`` are written once. Where the engines cannot agree, a statement holds ``{name}`` and the
dialect says what stands there; each entry says why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

_FULLTEXT = re.compile(r"\{create_fulltext:(\w+)\}")
_TRIGGER = re.compile(r"\{create_trigger:([^:]+):([^}]+)\}")
_UNINDEXED = re.compile(r"\{unindexed:([\w.]+)\}")
_PLACE = re.compile(r"^-- place: (\w+) (everywhere|by space)$", re.MULTILINE)
_TEXT = re.compile(r"\bTEXT\b")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one engine writes for each difference."""

    engine: Literal["sqlite", "postgres"]
    """Also the ending of the migrations that only it runs."""
    words: dict[str, str] = field(default_factory=dict)
    """What stands for each ``{name}``."""
    before_migrations: tuple[str, ...] = ()
    """Run at the start of every transaction that looks at or changes the schema."""

    def fill(self, sql: str) -> str:
        """The statement with each difference filled in."""
        sql = _FULLTEXT.sub(lambda match: create_fulltext(match[1]), sql)
        sql = _TRIGGER.sub(r"CREATE TRIGGER \1 BEGIN \2 ; END", sql)
        sql = _UNINDEXED.sub(lambda match: self.unindexed(match[1]), sql)
        for name, text in self.words.items():
            sql = sql.replace("{" + name + "}", text)
        return sql

    def fill_script(self, script: str) -> str:
        """A migration with each difference filled in: types, and where its tables lie."""
        if self.engine == "postgres":
            script = _PLACE.sub(r"SELECT place('\1', '\2');", script)
            # As SQLite compares texts; the ranges of prefixes rely on it, and so does equal order on both engines.
            script = _TEXT.sub('TEXT COLLATE "C"', script)
        return self.fill(script)

    def unindexed(self, column: str) -> str:
        """A column that no index is to be used for; PostgreSQL's planner knows better than we do."""
        return f"+{column}" if self.engine == "sqlite" else column


SQLITE = Dialect(
    engine="sqlite",
    words={
        "without_rowid": "WITHOUT ROWID",  # narrow tables keep their rows inside the primary key
        "blob": "BLOB",
        "double": "REAL",
        "for_update": "",
        "has_migrations": "EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'migrations')",
        "table_names": "SELECT name FROM sqlite_schema WHERE type = 'table'",
        "new_store_id": "lower(hex(randomblob(16)))",
        "skip_locked": "",  # there is one writer at a time
        # The greatest row number within one millisecond, plus one; row numbers are unique in the whole file.
        "next_row_no": "coalesce((SELECT max(row_no) + 1 FROM notes WHERE row_no BETWEEN :first AND :last), :first)",
    },
)

POSTGRES = Dialect(
    engine="postgres",
    words={
        "without_rowid": "",
        "blob": "BYTEA",
        "double": "DOUBLE PRECISION",
        "for_update": "FOR UPDATE",
        "has_migrations": "to_regclass('migrations') IS NOT NULL",
        "table_names": "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
        "new_store_id": "replace(CAST(gen_random_uuid() AS text), '-', '')",
        "skip_locked": "FOR UPDATE SKIP LOCKED",  # workers pass each other's jobs by
        # Writers do not see each other's rows; a sequence that comes round after two million keeps numbers apart.
        "next_row_no": ":first + nextval('row_numbers')",
    },
    before_migrations=(
        # One process at a time; the number means nothing.
        "SELECT pg_advisory_xact_lock(7214906531)",
        """
        CREATE OR REPLACE FUNCTION place(placed text, how text) RETURNS void LANGUAGE plpgsql AS $place$
        BEGIN
          IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN RETURN; END IF;
          IF to_regclass(placed) IS NULL THEN RETURN; END IF; -- what an extension that is not there would need
          PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
          IF how = 'everywhere' THEN
            EXECUTE format('SELECT create_reference_table(%L)', placed);
          ELSIF placed = 'space_stats' THEN
            EXECUTE format('SELECT create_distributed_table(%L, %L, shard_count => 16)', placed, 'space_id');
          ELSE
            EXECUTE format('SELECT create_distributed_table(%L, %L, colocate_with => %L)', placed, 'space_id',
              'space_stats');
          END IF;
        END $place$
        """,
    ),
)

# All ASCII punctuation belongs to terms (`c++`, `.net`): only blanks part them, so each analyzed term stays one token.
_TOKENIZER = """tokenize="ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\\]^_`{|}~'\""""


def create_fulltext(home: str) -> str:
    """The statements that make the full-text tables of one home (DESIGN 11): terms, and unstemmed words."""
    return (
        f"CREATE VIRTUAL TABLE fts_{home} USING fts5(title, summary, labels, body, f,"
        f" content='', contentless_delete=1, {_TOKENIZER});\n"
        f"CREATE VIRTUAL TABLE words_{home} USING fts5(title, summary, labels, body, f,"
        f" content='', contentless_delete=1, detail=column, {_TOKENIZER})"
    )
