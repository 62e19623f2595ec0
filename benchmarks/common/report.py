"""Figures beside their reference and their bar, as an aligned table or as JSON.

It knows what a bar is; it must not know how anything is measured.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure."""

    name: str
    value: float
    unit: str = ""
    reference: float | None = None
    """The same thing measured on the peer in the same run."""
    at_least: float | None = None
    at_most: float | None = None
    bar_on: str = "value"
    """What the bar is for: ``value``, or ``ratio`` (value over reference)."""
    remark: str = ""

    @property
    def ratio(self) -> float | None:
        """The value over the reference."""
        return self.value / self.reference if self.reference else None

    @property
    def is_met(self) -> bool | None:
        """Whether the bar is met; None where there is no bar."""
        judged = self.ratio if self.bar_on == "ratio" else self.value
        if judged is None or (self.at_least is None and self.at_most is None):
            return None
        return (self.at_least is None or judged >= self.at_least) and (self.at_most is None or judged <= self.at_most)

    @property
    def bar(self) -> str:
        """The bar as it is shown."""
        sign, bound = (">=", self.at_least) if self.at_least is not None else ("<=", self.at_most)
        if bound is None:
            return ""
        return f"{sign} {shown(bound)}" + (" x" if self.bar_on == "ratio" else "")

    @property
    def verdict(self) -> str:
        """``ok``, ``MISSED``, or nothing where there is no bar."""
        return {None: "", True: "ok", False: "MISSED"}[self.is_met]


def shown(number: float | None) -> str:
    """A number in four figures or so; nothing for None."""
    if number is None:
        return ""
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    if abs(number) >= 100:
        return f"{number:.1f}"
    return f"{number:.3f}" if abs(number) < 10 else f"{number:.2f}"


_HEADINGS = ("what", "figure", "unit", "reference", "ratio", "bar", "", "remark")


def table(figures: Sequence[Figure]) -> str:
    """The figures as lines of aligned columns; columns that nothing fills are left out."""
    rows = [_HEADINGS, *(_cells(figure) for figure in figures)]
    used = [index for index in range(len(_HEADINGS)) if any(row[index] for row in rows[1:])]
    widths = {index: max(len(row[index]) for row in rows) for index in used}
    lines = []
    for row in rows:
        cells = [
            row[index].rjust(widths[index]) if index in (1, 3, 4) else row[index].ljust(widths[index]) for index in used
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _cells(figure: Figure) -> tuple[str, ...]:
    return (
        figure.name,
        shown(figure.value),
        figure.unit,
        shown(figure.reference),
        shown(figure.ratio),
        figure.bar,
        figure.verdict,
        figure.remark,
    )


def print_report(title: str, figures: Sequence[Figure], *, as_json: bool) -> int:
    """Prints the figures; the exit code: 1 where a bar is missed."""
    missed = [figure for figure in figures if figure.is_met is False]
    if as_json:
        rows = [
            {**asdict(figure), "ratio": figure.ratio, "bar": figure.bar, "is_met": figure.is_met} for figure in figures
        ]
        print(json.dumps({"title": title, "figures": rows, "missed": len(missed)}, ensure_ascii=False, indent=1))
    else:
        print(f"\n{title}\n{table(figures)}")
        if missed:
            print(
                f"\n{len(missed)} of {len(figures)} figures miss their bar: {', '.join(each.name for each in missed)}"
            )
    sys.stdout.flush()
    return 1 if missed else 0
