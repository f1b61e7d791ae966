"""Files of charts: PNG, SVG and PDF. No Qt."""

from __future__ import annotations

import io
import re
from pathlib import Path

from solvers.errors import ParameterError
from solvers.picture.charts.drawing import ChartPage, clean, drawn
from solvers.picture.charts.table import ChartData

SUFFIXES = (".png", ".svg", ".pdf")
_FALLBACKS = "'Tautpath Sans', Inter, 'DejaVu Sans', 'Segoe UI', Helvetica, Arial, sans-serif"
_FAMILY = re.compile(r"'Tautpath Sans'(?:, [^;\"]*)?sans-serif")


def write_chart_file(chart: ChartData, path: Path, page: ChartPage, suffix: str) -> None:
    """Write a chart in the format of ``suffix``, such as ".svg".

    Raises ParameterError for a suffix that is none of `SUFFIXES`, OSError.
    """
    if suffix not in SUFFIXES:
        takes = f"it takes {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise ParameterError("chart", "path", suffix or "no suffix", takes)
    if suffix == ".svg":
        path.write_text(chart_svg(chart, page), encoding="utf-8")
        return
    with drawn(chart, page) as figure:
        data = io.BytesIO()
        about = {"Title": _whole_title(chart), "CreationDate": None} if suffix == ".pdf" else None
        figure.savefig(data, format=suffix[1:], dpi="figure", metadata=about)
    content = data.getvalue()
    if suffix == ".png":
        content = _with_resolution(content, page.dpi)
    path.write_bytes(content)


def chart_svg(chart: ChartData, page: ChartPage | None = None) -> str:
    """A chart as the text of an SVG file."""
    page = page or ChartPage()
    with drawn(chart, page) as figure:
        data = io.StringIO()
        figure.savefig(data, format="svg", metadata={"Title": _whole_title(chart), "Date": None})
    text = _FAMILY.sub(_FALLBACKS, data.getvalue())
    size = f'width="{page.width}px" height="{page.height}px"'
    return re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', size, text, count=1)


def _whole_title(chart: ChartData) -> str:
    return clean(": ".join(filter(None, (chart.title, chart.subtitle))))


def _with_resolution(content: bytes, dpi: float) -> bytes:
    """The PNG with its resolution stated."""
    from PIL import Image

    data = io.BytesIO()
    Image.open(io.BytesIO(content)).save(data, "PNG", dpi=(dpi, dpi))
    return data.getvalue()
