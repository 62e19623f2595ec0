"""A group of commands that imports the module of a command only when that command is called."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import click


class LazyCommand(NamedTuple):
    """A command that is not imported yet."""

    name: str
    place: str
    """Module below ``notewell.surfaces.cli`` and the command's name in it: ``note:note``."""
    help: str
    """Its line in the list of commands."""


class Section(NamedTuple):
    """Commands that stand together in the list."""

    title: str
    commands: tuple[LazyCommand, ...]


class LazyGroup(click.Group):
    """A group whose commands come from a table, in its order, under its headings."""

    def __init__(self, *args: Any, sections: Sequence[Section], **extra: Any) -> None:
        super().__init__(*args, **extra)
        self._sections = sections
        self._places = {command.name: command.place for section in sections for command in section.commands}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of the table."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, imported now; None where there is none."""
        if cmd_name not in self._places:
            return None
        module, _, attribute = self._places[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"notewell.surfaces.cli.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands without importing any."""
        width = max(len(name) for name in self._places)
        for section in self._sections:
            with formatter.section(section.title):
                formatter.write_dl([(command.name.ljust(width), command.help) for command in section.commands])
