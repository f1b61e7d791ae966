"""Charts as SVG elements of a page, whose colours and script are the page's."""

from __future__ import annotations

import re
from html import escape
from zlib import crc32

from solvers.picture.charts.drawing import clean
from solvers.picture.charts.files import chart_svg
from solvers.picture.charts.table import ChartData
from solvers.picture.colours import DARK, LIGHT, Tokens
from solvers.picture.palette import PAPER

_GROUP = re.compile(r'<g id="(line|key|mark)-(\d+)">')
_STYLE = re.compile(r' style="([^"]*)"')
_ROLES = ("text", "muted", "grid", "outline")  # of the scheme's colours


def page_svg(chart: ChartData) -> str:
    """A chart for a page: an SVG element that takes the page's width, with titles on its
    marks, colours that follow its variables, and attributes that its script looks for.
    """
    text = chart_svg(chart)
    text = text[text.index("<svg") :]
    marks = [mark for line in chart.lines for mark in line.marks]

    def opened(found: re.Match[str]) -> str:
        kind, number = found[1], int(found[2])
        if kind == "key":
            return f'<g class="key" data-key="{number}">'
        if kind == "line":
            return f'<g data-line="{number}">'
        point = f' data-point="{_text(marks[number].point)}"' if marks[number].point else ""
        return f"<g{point}><title>{_text(marks[number].words)}</title>"

    text = _GROUP.sub(opened, text)
    text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", text, flags=re.DOTALL)
    text = _STYLE.sub(lambda found: _attributes(found[1]), text)
    text = re.sub(r' width="\d+px" height="\d+px"', "", text, count=1)
    label = f'class="chart" stroke-linejoin="round" role="img" aria-label="{_text(chart.title)}"'
    names = {getattr(LIGHT, role).lower(): role for role in _ROLES}
    names[PAPER.light.lower()] = "paper"
    for line in chart.lines:
        names.setdefault(line.colour.light.lower(), f"of-{line.colour.light[1:]}")
    text = re.sub(r' xmlns(:xlink)?="[^"]*"', "", text).replace("xlink:href", "href")
    # identifiers are the document's, which may have several charts
    tag = f"c{crc32(chart.title.encode())}-"
    text = re.sub(r'id="([mpDF]?[^"]+)"', rf'id="{tag}\1"', text)
    text = re.sub(r'(url\(#|href="#)', rf"\1{tag}", text)
    found = re.compile("#[0-9a-f]{6}")
    text = found.sub(lambda m: f"var(--{names[m[0]]})" if m[0] in names else m[0], text)
    return text.replace("<svg ", f"<svg {label} ", 1)


def page_style(charts: tuple[ChartData, ...]) -> str:
    """The style sheet of the charts of a page, for both schemes."""
    colours = {line.colour for chart in charts for line in chart.lines}

    def variables(t: Tokens) -> str:
        found = [f"--{role}:{getattr(t, role)};" for role in _ROLES]
        found.append(f"--paper:{PAPER.on(t.dark)};")
        found += [f"--of-{one.light[1:]}:{one.on(t.dark)};" for one in sorted(colours)]
        return "".join(found)

    return (
        f".chart{{{variables(LIGHT)}}}"
        f"@media screen and (prefers-color-scheme:dark){{.chart{{{variables(DARK)}}}}}"
        ".chart .off{display:none}"
    )


def _attributes(style: str) -> str:
    """Attributes for the declarations of a style, which a page's policy does not allow."""
    found = []
    for declaration in filter(None, map(str.strip, style.split(";"))):
        name, value = (part.strip() for part in declaration.split(":", 1))
        if name == "font":
            # as matplotlib before 3.11 writes it
            looks, _, family = value.partition("px ")
            *weights, size = looks.split()
            found += [f'font-size="{size}px"', f'font-family="{family}"']
            found += [f'font-weight="{weight}"' for weight in weights]
        else:
            found.append(f'{name}="{value}"')
    return "".join(f" {attribute}" for attribute in found)


def _text(text: str) -> str:
    return escape(clean(text))
