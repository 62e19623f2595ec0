"""Each row of ``rows.tsv`` has a test of its own, a marker on another one, or a line that says why we differ."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parents[1]
DECISION = TESTS.parent / "docs" / "decisions" / "0009-reports.md"
_OF_A_ROW = re.compile(r"test_([a-j]\d+)_")
_LINE = re.compile(r"^\| ([A-J]\d+) \|", re.MULTILINE)


def rows() -> list[str]:
    """The ids of all rows, in order."""
    head, *lines = (HERE / "rows.tsv").read_text("utf-8").splitlines()
    assert head == "id\tright behaviour"
    return [line.split("\t")[0] for line in lines]


def named_in(source: str) -> set[str]:
    """The rows that the tests of a file name in their names."""
    names = [node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    return {found[1].upper() for name in names if (found := _OF_A_ROW.match(name))}


def marked_in(source: str) -> set[str]:
    """The rows that the tests of a file name in ``@pytest.mark.report``."""
    return {
        row
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        for decorator in node.decorator_list
        for row in _row_of(decorator)
    }


def _row_of(decorator: ast.expr) -> Iterator[str]:
    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.report":
        yield from (str(ast.literal_eval(argument)) for argument in decorator.args)


def sources(pattern: str) -> list[str]:
    """The texts of the test files that a pattern names."""
    return [file.read_text("utf-8") for file in sorted(TESTS.rglob(pattern))]


def answered() -> dict[str, set[str]]:
    """The rows that are answered, by how."""
    return {
        "test": set().union(*(named_in(source) for source in sources("acceptance/reports/test_*.py"))),
        "marker": set().union(*(marked_in(source) for source in sources("test_*.py"))),
        "decision": set(_LINE.findall(DECISION.read_text("utf-8"))),
    }


def test_every_row_is_answered() -> None:
    found = set().union(*answered().values())

    assert [row for row in rows() if row not in found] == []


def test_no_answer_names_a_row_that_is_not_there() -> None:
    known = set(rows())

    assert {how: given - known for how, given in answered().items() if given - known} == {}


def test_every_row_stands_once_and_says_what_is_right() -> None:
    lines = (HERE / "rows.tsv").read_text("utf-8").splitlines()[1:]

    assert len(set(rows())) == len(lines) == 83
    assert [line for line in lines if not re.fullmatch(r"[A-J]\d+\t[A-Z].+\.", line)] == []


def test_an_answer_is_seen_where_it_stands() -> None:
    source = "@pytest.mark.slow\n@pytest.mark.report('J1')\ndef test_x(): ...\ndef test_a1_y(): ...\ndef a2_z(): ...\n"

    assert (named_in(source), marked_in(source)) == ({"A1"}, {"J1"})
    assert _LINE.findall("| id |\n|---|\n| I2 | none | x |\ntext | I3 |\n") == ["I2"]
