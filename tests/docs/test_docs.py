"""The pages say what the code does: generated ones are fresh, links lead somewhere, examples and commands are real."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest
from page_blocks import PAGES, README, ROOT, blocks_of, name_of, prose_of, shell_texts_of
from reference_settings import ADVICE

from notewell.errors import NotewellError
from notewell.surfaces.cli.main import cli
from notewell.surfaces.operations import of_surface
from notewell.surfaces.problems import STATUSES

WITH_COMMANDS = [page for page in PAGES if page.parent.name not in ("reference", "decisions")]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_INLINE_COMMAND = re.compile(r"`((?:\S*/)?notewell(?: [^`]+)?)`")


def anchors_of(page: Path) -> set[str]:
    """The anchors that Markdown viewers give the headings of a page."""
    found = _HEADING.findall(prose_of(page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """The script that writes ``docs/reference``."""
    spec = importlib.util.spec_from_file_location("generate_reference", ROOT / "docs" / "reference" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# The reference


def test_the_reference_says_what_the_code_says(generator: ModuleType) -> None:
    assert generator.stale() == [], "run .venv/bin/python docs/reference/generate.py"


def test_a_page_that_was_changed_by_hand_is_stale(
    generator: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in generator.PAGES:
        text = (generator.FOLDER / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text.replace("# Errors", "# Error"), encoding="utf-8")
    monkeypatch.setattr(generator, "FOLDER", tmp_path)

    assert "errors.md" in generator.stale()


def test_every_error_code_has_a_status_and_an_advice() -> None:
    codes = {each.code for each in error_classes(NotewellError)}

    assert codes == set(STATUSES) == set(ADVICE)


def error_classes(root: type[NotewellError]) -> Iterator[type[NotewellError]]:
    """All kinds of error of the product."""
    for each in root.__subclasses__():
        if each.__module__ == "notewell.errors":
            yield each
            yield from error_classes(each)


def test_the_settings_page_names_every_variable_that_the_code_reads() -> None:
    page = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    sources = [file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.py")]
    read = {name for source in sources for name in re.findall(r'"(NOTEWELL_[A-Z_]+)"', source)}

    assert {name for name in read if f"`{name}`" not in page} == set()


# Links and examples


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    links = [link for link in _LINK.findall(prose_of(page)) if "://" not in link and not link.startswith("mailto:")]

    assert [link for link in links if not leads_somewhere(page, link)] == []


def leads_somewhere(page: Path, link: str) -> bool:
    """Whether a link's file is there, and in a page its heading."""
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not anchor or anchor in anchors_of(target))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_json_block_is_json(page: Path) -> None:
    for block in blocks_of(page):
        if block.language == "json":
            json.loads(block.text)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_page_names_a_path_of_the_machine_that_it_was_written_on(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert re.findall(r"(?<![\w./])/(?:work|root|tmp|home/\w+)/\S*", text) == []


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_python_that_a_page_shows_stands_in_the_code_so(page: Path) -> None:
    sources = [dedented(file.read_text(encoding="utf-8")) for file in (ROOT / "src").rglob("*.py")]
    shown = [dedented(block.text) for block in blocks_of(page) if block.language == "python"]

    assert [text for text in shown if not any(text in source for source in sources)] == []


def dedented(text: str) -> str:
    """A text without the spaces at both ends of its lines."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


# Names and commands


def test_the_readme_names_the_tools_that_there_are() -> None:
    rows = [line.split("|")[1] for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}

    assert named == {operation.tool for operation in of_surface("mcp")}


def test_the_readme_is_short_and_leads_to_every_page() -> None:
    text = README.read_text(encoding="utf-8")
    folders = ("start", "how-to", "why", "reference")
    pages = [name_of(page) for page in PAGES if page.parent.name in folders]

    assert len(text.splitlines()) <= 150
    assert [page for page in pages if f"({page})" not in text] == []


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_every_command_of_a_page_can_be_called_so(page: Path) -> None:
    lines = [line for text in shell_texts_of(page) for line in text.replace("\\\n", " ").splitlines()]

    assert {line: reason for line in lines if (reason := refusal(line))} == {}


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_every_command_that_a_page_mentions_is_there(page: Path) -> None:
    lines = _INLINE_COMMAND.findall(prose_of(page))

    # "notewell note rm" in a sentence is a name, and may lack what a call needs.
    wrong = {line: reason for line in lines if (reason := refusal(line)) and not reason.startswith("Missing")}
    assert wrong == {}


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_the_addresses_of_examples_are_such_as_a_server_reads(page: Path) -> None:
    addresses = [each for text in shell_texts_of(page) for each in re.findall(r"https?://[^\s']+", text)]

    # Servers of HTTP refuse an address with letters beyond ASCII; curl takes them by --data-urlencode.
    assert [address for address in addresses if not address.isascii()] == []


def refusal(line: str) -> str | None:
    """What the command line says against a call of ``notewell``; None where it takes it, or it is another program."""
    words = shlex.split(line, comments=True)
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words = words[1:]
    if not words or words[0].rpartition("/")[2] != "notewell":
        return None
    end = next((place for place, word in enumerate(words) if word in ("|", ">", ">>", "&&", "&")), len(words))
    try:
        parse(words[1:end])
    except click.UsageError as error:
        return error.format_message()
    except click.exceptions.Exit:
        return None
    return None


def parse(words: list[str]) -> None:
    """Reads a command line as click does, without running it. Raises ``UsageError``."""
    command: click.Command = cli
    context = click.Context(cli, info_name="notewell")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        inner = command.get_command(context, words[0])
        if inner is None:
            raise click.UsageError(f"There is no command {words[0]!r}.")
        command, words = inner, words[1:]
        if isinstance(command, click.Group):
            context = click.Context(command, parent=context)
    if words or not isinstance(command, click.Group):
        command.make_context(command.name, words, parent=context)


def test_a_command_that_is_not_there_is_refused() -> None:
    assert refusal("notewell note shwo nte_1 > file") is not None
    assert refusal("NOTEWELL_HOME=there notewell note show") is not None
    assert refusal("/path/to/notewell note show nte_1 | less  # reads it") is None
