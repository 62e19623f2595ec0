"""The rules that let one schema run on one machine and on many: held for each statement that is there or is made.

A statement on a table of notes names its space, so that it goes to one machine; the few that do not say so with
``-- scatter: why`` below their name. Every named statement is one that both engines understand.
"""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from conftest import is_postgres

from notewell.store.database import Database
from notewell.store.migrate import migrations
from notewell.store.postgres import _translated_sql
from notewell.store.statements import statements

PLACED = re.compile(r"^-- place: (\w+) (everywhere|by space)$", re.MULTILINE)
TABLE = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)")
PRIMARY_KEY = re.compile(r"PRIMARY KEY \((\w+)|^\s*(\w+) [A-Z]+ PRIMARY KEY", re.MULTILINE)
NAME = re.compile(r"(?<![:\w]):(\w+)(\.\.\.)?")
NAMES_SPACE = re.compile(r"\bspace_id(?: =|\))| space_id IN |\bspaces?\.space_id\b")
ENDING = re.compile(r"\s*--.*$", re.MULTILINE)
ALTERS = re.compile(r"^\s*(DROP|ALTER TABLE \w+ (DROP|RENAME|ALTER \w+ TYPE))", re.IGNORECASE | re.MULTILINE)


def scripts() -> str:
    """All migrations as one text."""
    return "\n".join(text for each in migrations() for text in each.scripts.values())


def placed() -> dict[str, str]:
    """How each table is placed where there are several machines."""
    return dict(PLACED.findall(scripts()))


def note_tables() -> list[str]:
    """The tables that lie with their space."""
    return [table for table, how in placed().items() if how == "by space"]


def test_every_table_says_where_it_lies() -> None:
    made = set(TABLE.findall(scripts())) - {"migrations"}

    assert {table for table in made if table not in placed()} <= {"sweeps", "vector_clock", "copies", "store_identity"}


@pytest.mark.parametrize("table", note_tables())
def test_every_key_of_a_note_table_begins_with_its_space(table: str) -> None:
    (definition,) = re.findall(rf"CREATE TABLE (?:IF NOT EXISTS )?{table} \((.*?)\n\)", scripts(), re.DOTALL)

    keys = [first or second for first, second in PRIMARY_KEY.findall(definition)]
    uniques = re.findall(r"UNIQUE \((\w+)", definition)
    assert {*keys, *uniques} == {"space_id"}


def test_no_index_makes_a_row_unique_across_spaces() -> None:
    unique = re.findall(r"CREATE UNIQUE INDEX \w+ ON \w+ \((\w+)", scripts())

    assert set(unique) == {"space_id"}


@pytest.mark.parametrize("name", sorted(statements()))
def test_a_statement_on_notes_names_their_space_or_says_why_it_asks_everywhere(name: str) -> None:
    source = _source(name)
    sql = ENDING.sub("", source)
    if not re.search(rf"\b({'|'.join(note_tables())})\b", sql):
        return

    is_scattered = "-- scatter: " in source
    assert is_scattered or ":space_id" in sql, f"{name}: name the space, or say '-- scatter: why'"


def _source(name: str) -> str:
    texts = [each.read_text(encoding="utf-8") for each in files("notewell.store").joinpath("sql").iterdir()]
    (found,) = re.findall(rf"^-- name: {name}\n(.*?)(?=^-- name: |\Z)", "\n".join(texts), re.DOTALL | re.MULTILINE)
    return str(found)


@pytest.mark.parametrize("name", sorted(statements()))
def test_an_engine_can_plan_every_named_statement(database: Database, name: str) -> None:
    sql = statements()[name]
    if sql.upper().startswith("CREATE"):
        return
    with database.write() as tx:
        asked = tx.dialect.fill(sql)
        values: dict[str, str | int | list[str] | None] = {}
        for parameter, is_list in NAME.findall(ENDING.sub("", asked)):
            values[parameter] = [] if is_list else None
        plan = tx.rows_of(f"EXPLAIN {asked}", values)

    assert plan


def test_migrations_only_add(database: Database) -> None:
    # Old and new processes run side by side while one after the other is updated: what is not used any more is taken
    # away by a later release, in a migration that says so in its name.
    for migration in migrations():
        if "contract" not in migration.name:
            assert [text for text in migration.scripts.values() if ALTERS.search(text)] == []
    assert database is not None


def test_parameters_are_told_from_casts_and_times() -> None:
    assert _translated_sql("SELECT x::text, :b, '100%' WHERE x IN (:c...)") == (
        b"SELECT x::text, %(b)s, '100%%' WHERE x = ANY(%(c)s)"
    )


def test_the_store_fixture_knows_its_engine(database: Database) -> None:
    with database.read() as reader:
        assert is_postgres(database) == (reader.dialect.engine == "postgres")
