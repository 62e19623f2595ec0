"""The rooms of the code, the arrows between them, and the sizes of what stands in them (DESIGN 12, house style).

Read with ``ast``, so nothing is imported. There is no list of exceptions: code that breaks a rule changes.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "notewell"

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
MAX_PARAMETERS = 5

ARROWS = {
    "errors": (),
    "domain": ("errors",),
    "store": ("domain", "errors"),
    "services": ("domain", "store", "errors"),
    "embedders": ("services.ports", "errors"),
    "surfaces": ("app", "worker", "services", "domain", "store.database", "errors", "config"),
    "worker": ("app", "services", "domain", "store.database", "errors", "config"),
    "config": ("errors",),
    "app": ("services", "domain", "store", "embedders", "errors", "config"),
    "__main__": ("app", "surfaces", "errors", "config"),
    "__init__": (),
}
"""Which rooms and modules a room may import besides itself.

``app`` puts the rooms below the surfaces together and is handed to them; of the store they know the protocol only.
"""

STANDARD_LIBRARY = set(sys.stdlib_module_names)
DOMAIN_LIBRARIES = {"regex", "Stemmer"}
LAZY_ROOMS = ("surfaces.cli", "app", "__main__", "embedders")
"""Where an import may stand inside a function: lazy commands, their wiring, and optional packages."""


class Import(NamedTuple):
    """One import statement's target."""

    module: str
    """In full: ``notewell.domain.terms``, ``apsw``."""
    is_lazy: bool
    """Whether it stands inside a function."""
    is_for_types: bool
    """Whether it stands under ``if TYPE_CHECKING``."""


def python_files(*folders: str) -> list[Path]:
    """Every Python file of some folders of the project."""
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def name_of(file: Path) -> str:
    """A source file's dotted name below ``notewell``; a package has its folder's."""
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts if len(parts) == 1 or parts[-1] != "__init__" else parts[:-1])


@cache
def tree_of(file: Path) -> ast.Module:
    """A file's syntax tree."""
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def modules() -> dict[str, Path]:
    """Every module of the product by its dotted name below ``notewell``."""
    return {name_of(file): file for file in python_files("src")}


def room_of(module: str) -> str:
    """The room of a module, by its dotted name below ``notewell``."""
    return max((room for room in ARROWS if is_within(module, room)), key=len, default=module)


def is_within(module: str, place: str) -> bool:
    """Whether a module is a place or lies in it."""
    return module == place or module.startswith(place + ".")


def imports_of(file: Path) -> list[Import]:
    """Everything that a file imports."""
    return list(_imports(tree_of(file), is_lazy=False, is_for_types=False))


def _imports(node: ast.AST, *, is_lazy: bool, is_for_types: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, is_lazy, is_for_types) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = "." * node.level + (node.module or "")
        yield from (Import(_target(base, alias.name), is_lazy, is_for_types) for alias in node.names)
    is_lazy |= isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    is_guard = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    for child in ast.iter_child_nodes(node):
        is_guarded = is_guard and isinstance(node, ast.If) and child in node.body
        yield from _imports(child, is_lazy=is_lazy, is_for_types=is_for_types or is_guarded)


def _target(base: str, name: str) -> str:
    """What ``from base import name`` imports: the module of that name where there is one, else the base."""
    inner = f"{base}.{name}".removeprefix("notewell.")
    return f"notewell.{inner}" if inner in modules() else base


def inner_imports(module: str) -> set[str]:
    """The modules of the product that a module imports, by their names below ``notewell``."""
    found = {each.module for each in imports_of(modules()[module])}
    return {name.removeprefix("notewell.") for name in found if name.startswith("notewell.")}


def functions_of(file: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a file."""
    return [node for node in ast.walk(tree_of(file)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def parameter_count(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many parameters a caller may fill; ``self`` and ``cls`` are not filled by one."""
    spread = [each for each in (function.args.vararg, function.args.kwarg) if each]
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    own = len(names) - (names[:1] in (["self"], ["cls"]))
    return own + len(function.args.kwonlyargs) + len(spread)


def shown(file: Path) -> str:
    """A file as a message names it."""
    return str(file.relative_to(ROOT))


# Arrows


def test_every_module_stands_in_a_room() -> None:
    assert [module for module in modules() if room_of(module) not in ARROWS] == []


@pytest.mark.parametrize("room", ARROWS)
def test_a_room_imports_only_what_its_arrows_allow(room: str) -> None:
    wrong = [
        f"{module} imports {target}"
        for module in modules()
        if room_of(module) == room
        for target in inner_imports(module)
        if not any(is_within(target, allowed) for allowed in (room, *ARROWS[room]))
    ]

    assert wrong == []


def test_the_domain_takes_two_libraries_and_the_standard_one() -> None:
    import_names = {
        (module, each.module.partition(".")[0])
        for module, file in modules().items()
        if is_within(module, "domain")
        for each in imports_of(file)
    }
    allowed = DOMAIN_LIBRARIES | STANDARD_LIBRARY | {"notewell"}

    assert [pair for pair in sorted(import_names) if pair[1] not in allowed] == []


def test_errors_import_the_standard_library_only() -> None:
    assert {each.module.partition(".")[0] for each in imports_of(modules()["errors"])} <= STANDARD_LIBRARY


@pytest.mark.parametrize("library", ["apsw", "sqlite3", "psycopg", "asyncpg"])
def test_only_the_store_knows_its_drivers(library: str) -> None:
    users = [name for name, file in modules().items() if library in {each.module for each in imports_of(file)}]

    assert [name for name in users if not is_within(name, "store")] == []


@pytest.mark.parametrize("room", ["domain", "services", "store", "embedders"])
def test_asynchronous_code_stands_in_the_surfaces_only(room: str) -> None:
    wrong = [
        module
        for module, file in modules().items()
        if is_within(module, room) and any(isinstance(node, ast.AsyncFunctionDef) for node in ast.walk(tree_of(file)))
    ]

    assert wrong == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {module: inner_imports(module) & modules().keys() for module in modules()}

    while free := {module for module, targets in graph.items() if not targets & graph.keys()}:
        graph = {module: targets for module, targets in graph.items() if module not in free}

    assert graph == {}


def test_imports_are_absolute() -> None:
    wrong = [shown(file) for file in python_files("src") if any(each.module[0] == "." for each in imports_of(file))]

    assert wrong == []


def test_imports_stand_at_the_top_but_for_lazy_commands_and_optional_packages() -> None:
    wrong = [
        f"{module} imports {each.module} inside a function"
        for module, file in modules().items()
        for each in imports_of(file)
        if each.is_lazy and not any(is_within(module, room) for room in LAZY_ROOMS)
    ]

    assert wrong == []


# Sizes


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "docs"])
def test_no_file_has_more_lines_than_the_house_style_allows(folder: str) -> None:
    sizes = {shown(file): len(file.read_text(encoding="utf-8").splitlines()) for file in python_files(folder)}

    assert {name: size for name, size in sizes.items() if size > MAX_FILE_LINES} == {}


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "docs"])
def test_no_function_has_more_lines_than_the_house_style_allows(folder: str) -> None:
    sizes = {
        f"{shown(file)}:{function.lineno} {function.name}": (function.end_lineno or 0) - function.lineno + 1
        for file in python_files(folder)
        for function in functions_of(file)
    }

    assert {name: size for name, size in sizes.items() if size > MAX_FUNCTION_LINES} == {}


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "docs"])
def test_no_function_has_more_parameters_than_the_house_style_allows(folder: str) -> None:
    counts = {
        f"{shown(file)}:{function.lineno} {function.name}": parameter_count(function)
        for file in python_files(folder)
        for function in functions_of(file)
    }

    assert {name: count for name, count in counts.items() if count > MAX_PARAMETERS} == {}


# Docstrings


def test_every_module_says_what_it_is_for_in_its_own_words() -> None:
    docstrings = {module: ast.get_docstring(tree_of(file)) for module, file in modules().items()}
    first_lines = [docstring.splitlines()[0] for docstring in docstrings.values() if docstring]

    assert [module for module, docstring in docstrings.items() if not docstring] == []
    assert len(set(first_lines)) == len(first_lines)


def test_every_public_function_and_class_has_a_docstring() -> None:
    wrong = [
        f"{shown(file)}:{node.lineno} {node.name}"
        for file in python_files("src")
        for node in public_definitions(tree_of(file))
        if not ast.get_docstring(node)
    ]

    assert wrong == []


def public_definitions(
    tree: ast.Module | ast.ClassDef,
) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions and classes that other modules see, methods included."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public_definitions(node)
