"""Charts as files: SVG, PNG, PDF, CSV of exactly what is drawn, and pgfplots for LaTeX; and
what of a chart is drawn.

A view shows all lines of a chart or some of them, on linear or logarithmic axes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from solvers.errors import InputError
from solvers.picture.charts.drawing import ChartPage
from solvers.picture.charts.files import write_chart_file
from solvers.picture.charts.table import Axis, ChartData, ChartMark, Line
from solvers.system.files import replace_atomically, write_new_files
from solvers.text import ungrouped

_SCALE = 2.5  # of the pixels of a picture
_COLUMNS = (
    "chart",
    "line",
    "kind",
    "x_axis",
    "x",
    "y_axis",
    "y",
    "low",
    "high",
    "disturbed",
    "remark",
)
_LOOKS = {"published": "only marks, mark=o", "ideal": "dashed, no marks", "measured": "mark=*"}
_LATEX = {
    **{character: rf"\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "×": r"$\times$",
    "⁹": r"\textsuperscript{9}",
    "\u202f": r"\,",
}


ENDINGS = (".png", ".svg", ".pdf", ".csv", ".tex")


def write_charts(
    charts: Sequence[ChartData],
    # created if it does not exist; existing files are kept, new ones are numbered
    folder: Path | str,
    name: str,  # beginning of the files' names
    *,
    pgfplots: bool = False,
) -> tuple[Path, ...]:
    """Write every chart as SVG, PNG and PDF, and what they show as one CSV; with ``pgfplots``
    also LaTeX.

    Raises FileNotWritten.
    """
    writers: dict[str, Callable[[Path], None]] = {}
    for number, chart in enumerate(charts, 1):
        stem = f"{name}-{number}-{_slug(chart.title)}"
        for suffix in (".svg", ".png", ".pdf"):
            writers[f"{stem}{suffix}"] = _drawing(chart, suffix)
        if pgfplots:
            writers[f"{stem}.tex"] = partial(_write_text, pgfplots_of(chart))
    writers[f"{name}-charts.csv"] = partial(_write_csv, charts)
    return write_new_files(folder, writers)


def write_chart(chart: ChartData, path: Path) -> None:
    """Write one chart in the format that the ending of ``path`` names; an existing file
    is replaced.

    Raises InputError if the ending is none of `ENDINGS`; FileNotWritten.
    """
    suffix = path.suffix.lower()
    if suffix not in ENDINGS:
        raise InputError(
            f"{path.name}: a chart is written as {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}."
        )
    writers: dict[str, Callable[[Path], None]] = {
        ".csv": partial(_write_csv, (chart,)),
        ".tex": partial(_write_text, pgfplots_of(chart)),
    }
    with replace_atomically(path) as temporary:
        writers.get(suffix, _drawing(chart, suffix))(temporary)


def _drawing(chart: ChartData, suffix: str) -> Callable[[Path], None]:
    page = ChartPage()
    if suffix == ".png":  # as wide as a slide
        page = ChartPage(round(_SCALE * page.width), round(_SCALE * page.height), _SCALE * page.dpi)
    return lambda path: write_chart_file(chart, path, page, suffix)


def chart_stem(chart: ChartData, name: str) -> str:
    """Beginning of the name of a chart's file."""
    return f"{name}-{_slug(chart.title)}"


def _write_text(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8")


def _write_csv(charts: Sequence[ChartData], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        for chart in charts:
            writer.writerows(_rows(chart))


def _rows(chart: ChartData) -> Iterable[tuple[object, ...]]:
    for line in chart.lines:
        for mark in line.marks:
            place = chart.x.categories[round(mark.x)] if chart.x.categories else f"{mark.x:g}"
            names = (
                ungrouped(chart.title),
                ungrouped(line.label),
                line.kind,
                chart.x.label,
                ungrouped(place),
                chart.y.label,
            )
            disturbed = "true" if mark.is_disturbed else "false"
            yield (
                *names,
                _number(mark.y),
                _number(mark.low),
                _number(mark.high),
                disturbed,
                mark.words,
            )


def _number(value: float) -> str:
    return f"{value:.9g}"


def pgfplots_of(chart: ChartData) -> str:
    """A chart for pgfplots, to be read by ``\\input`` in a document that loads the package."""
    options = [
        f"title={{{_latex(chart.title)}}}",
        f"xlabel={{{_latex(chart.x.label)}}}",
        f"ylabel={{{_latex(chart.y.label)}}}",
        "legend pos=outer north east",
        "legend cell align=left",
        "grid=major",
    ]
    options += ["xmode=log"] * chart.x.is_log + ["ymode=log"] * chart.y.is_log
    if chart.x.categories:
        names = ",".join(f"{{{_latex(name)}}}" for name in chart.x.categories)
        places = ",".join(str(i) for i in range(len(chart.x.categories)))
        options += [
            f"xtick={{{places}}}",
            f"xticklabels={{{names}}}",
            "x tick label style={rotate=30,anchor=east}",
        ]
    if chart.is_stacked:
        options += ["ybar stacked", "ymin=0"]
    body = "\n".join(_plot(line, is_stacked=chart.is_stacked) for line in chart.lines)
    head = "% Needs \\usepackage{pgfplots} and \\pgfplotsset{compat=1.18}.\n\\begin{tikzpicture}"
    axis = f"\\begin{{axis}}[{', '.join(options)}]\n{body}\n\\end{{axis}}"
    return f"{head}\n{axis}\n\\end{{tikzpicture}}\n"


def _plot(line: Line, *, is_stacked: bool) -> str:
    bars = "" if is_stacked or line.is_ideal else ", error bars/.cd, y dir=both, y explicit"
    options = "" if is_stacked else f"+[{_LOOKS[line.kind]}{bars}]"
    table = "x y plus minus\\\\\n" + "".join(_table_row(mark) for mark in line.marks)
    columns = "x=x, y=y, y error plus=plus, y error minus=minus, row sep=\\\\"
    return (
        f"\\addplot{options} table[{columns}] {{{table}}};\n"
        f"\\addlegendentry{{{_latex(line.label)}}}"
    )


def _table_row(mark: ChartMark) -> str:
    plus, minus = max(0.0, mark.high - mark.y), max(0.0, mark.y - mark.low)
    return f"{_number(mark.x)} {_number(mark.y)} {_number(plus)} {_number(minus)}\\\\\n"


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", ungrouped(title).lower()).strip("-")[:40] or "chart"


@dataclass(frozen=True)
class ChartView:
    """Choices of a reader; the chart's own where None."""

    hidden: frozenset[int] = frozenset()  # indices of lines
    x_log: bool | None = None
    y_log: bool | None = None

    def toggled(self, chart: ChartData, line: int) -> ChartView:
        """With that line hidden if it was shown, and shown if it was hidden; references
        of one name go together.
        """
        label = chart.lines[line].label
        same = {i for i, one in enumerate(chart.lines) if one.is_ideal and one.label == label}
        return replace(self, hidden=self.hidden ^ (same if line in same else {line}))


def can_be_log(chart: ChartData) -> tuple[bool, bool]:
    """Whether the x and the y axis can be logarithmic: numbers above 0, and no stacked bars."""
    marks = [mark for line in chart.lines for mark in line.marks]
    x = not chart.x.categories and bool(marks) and all(mark.x > 0 for mark in marks)
    return x, not chart.is_stacked and bool(marks) and all(mark.y > 0 for mark in marks)


def viewed(chart: ChartData, view: ChartView) -> ChartData:
    """The chart with the axes of a view, and all its lines."""
    return replace(chart, x=_with_scale(chart.x, view.x_log), y=_with_scale(chart.y, view.y_log))


def exported(chart: ChartData, view: ChartView) -> ChartData:
    """As `viewed`, without the hidden lines: exactly what is drawn."""
    found = viewed(chart, view)
    return replace(
        found, lines=tuple(line for i, line in enumerate(found.lines) if i not in view.hidden)
    )


def _with_scale(axis: Axis, is_log: bool | None) -> Axis:
    return axis if is_log is None else replace(axis, is_log=is_log)
