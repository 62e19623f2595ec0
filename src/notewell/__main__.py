"""The ``notewell`` command."""

from __future__ import annotations


def main() -> None:
    """Runs the command line."""
    from notewell.surfaces.cli.main import cli  # noqa: PLC0415

    cli()


if __name__ == "__main__":
    main()
