"""Tables of the report of an experiment, as HTML. Every text that is not ours is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby

from solvers.contracts.results import Status
from solvers.errors import printable
from solvers.experiments.claims import ClaimVerdict, Judgement
from solvers.experiments.experiment import Experiment
from solvers.experiments.graph_picture import GraphPicture
from solvers.experiments.grid import graph_titles
from solvers.experiments.machines import difference
from solvers.experiments.measurement import Measurement, Omission
from solvers.running.comparison import ratio_of_medians
from solvers.text import format_count, format_duration, format_ratio, format_value, plural

_NOTHING = "–"


def html(text: str) -> str:
    return escape(printable(text).replace("\\u202f", "\u202f"))


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """A table of cells that are HTML already; columns in ``numbers`` are aligned to the right."""
    kinds = [' class="n"' if i in numbers else "" for i in range(len(header))]
    head = "".join(f"<th{kind}>{cell}</th>" for cell, kind in zip(header, kinds, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(row, kinds, strict=True)) + "</tr>"
        for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{html(name)}</dt><dd>{html(value)}</dd>" for name, value in pairs) + "</dl>"


def claims_table(judgements: Sequence[Judgement], classes: Mapping[ClaimVerdict, str]) -> str:
    rows = []
    for found in judgements:
        figure = html(found.figure or _NOTHING)
        for words in filter(None, (found.reason, found.remark)):
            figure += f'<br><span class="muted">{html(words)}</span>'
        claim = f'{html(found.claim.text)}<br><span class="muted">{html(found.claim.source)}</span>'
        verdict = f'<span class="verdict {classes[found.verdict]}">{html(found.verdict.value)}</span>'
        rows.append((claim, html(found.needed), figure, verdict))
    return _table(("claim", "taken as", "measured", "verdict"), rows)


def results_tables(
    experiment: Experiment, measurements: Sequence[Measurement], *, with_machine: bool = False
) -> Iterator[str]:
    """One table for each graph; without a speed-up where the baseline was measured on another kind of machine."""
    for title, group in groupby(measurements, key=lambda found: found.point.graph.title):
        found = list(group)
        graph = found[0].graph
        size = f"{plural(graph.vertices, 'vertex', 'vertices')}, {plural(graph.arcs, 'arc')}"
        yield f'<h3>{html(title)} <span class="muted">· {html(size)}</span></h3>'
        base = next((one for one in found if one.label == experiment.baseline and one.is_timed), None)
        header = ["variant", "median", "interval or range", "trials", "speed-up", "iterations", "proved"]
        rows = [list(_result_row(one, base)) for one in found]
        if with_machine:
            header.append("machine")
            rows = [[*row, html(_where(one))] for row, one in zip(rows, found, strict=True)]
        yield _table(header, rows, (1, 2, 3, 4, 5))


def _where(found: Measurement) -> str:
    device = f", {found.kept.device}" if found.kept.device else ""
    host = f"{found.machine.host}: " if found.machine.host else ""
    return f"{host}{found.machine.cpu or 'unknown'}{device}, Tautline {found.app_version}"


def _result_row(found: Measurement, base: Measurement | None) -> Iterator[str]:
    doubts = [d.words for d in found.kept.disturbances if d.kind.value != "not_a_gpu"]
    mark = f' <span title="{html(" ".join(doubts))}">*</span>' if doubts else ""
    yield html(found.point.title) + mark
    if not found.kept.times():
        status = "interrupted" if found.kept.status is None else found.kept.status.value.replace("_", " ")
        yield from (html(status), _NOTHING, "0", _NOTHING, _NOTHING, html(found.kept.error or _NOTHING))
        return
    median, (low, high) = found.median() or 0.0, found.spread()
    comparable = base is not None and not difference((found, base))
    ratio = None if base is None or not comparable else ratio_of_medians(found.kept.times(), base.kept.times())
    yield html(format_duration(median))
    yield html(f"{format_duration(low)} – {format_duration(high)}")
    yield str(len(found.kept.times()))
    yield _NOTHING if ratio is None else html(format_ratio(ratio.value))
    yield _NOTHING if found.kept.iterations is None else html(format_count(found.kept.iterations))
    yield html(_proved(found))


def _proved(found: Measurement) -> str:
    verdict = found.kept.verdict
    if found.kept.status is not Status.OK:
        return _NOTHING if found.kept.status is None else found.kept.status.value.replace("_", " ")
    if verdict is None:
        return "not run"
    return verdict.answer if verdict.verified else f"no: {format_count(verdict.wrong_vertices)} wrong"


def left_out_table(omissions: Sequence[Omission]) -> str:
    """Points with the same reason share a row."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in omissions:
        groups.setdefault((one.point.graph.title, one.reason), []).append(one.point.title)
    rows = [
        (html(graph), html("; ".join(dict.fromkeys(points))), html(reason))
        for (graph, reason), points in groups.items()
    ]
    return _table(("graph", "variants", "why"), rows)


def published_table(experiment: Experiment) -> str:
    rows, titles = [], graph_titles(experiment)
    for entry in experiment.published:
        for point in entry.points:
            where = ", ".join(f"{name} {titles.get(value) or format_value(value)}" for name, value in point.at.items())
            time = ("" if entry.exact else "about ") + format_duration(point.ms)
            rows.append((html(entry.series), html(where), html(time), html(entry.hardware), html(entry.source)))
    return _table(("series", "where", "time", "hardware", "source"), rows, (2,))


def graph_pictures(measurements: Sequence[Measurement], pictures: Mapping[str, GraphPicture]) -> str:
    """A small picture of each graph; "" if there are none."""
    titles = {found.graph.sha256: found.point.graph.title for found in measurements}
    cards = []
    for digest, title in titles.items():
        if (picture := pictures.get(digest)) is not None:
            image = f'<img src="{picture.data_uri}" alt="{html(picture.words)}">'
            caption = f"<b>{html(title)}</b><br>{html(picture.words)}"
            cards.append(f"<figure>{image}<figcaption>{caption}</figcaption></figure>")
    return f'<div class="graphs">{"".join(cards)}</div>' if cards else ""


def graphs_table(measurements: Sequence[Measurement]) -> str:
    """Each graph once, with its hash, so that others can tell whether theirs is the same."""
    rows: dict[str, tuple[str, ...]] = {}
    for found in measurements:
        graph = found.graph
        made = graph.source.generator
        origin = f"generated: {made}" if made else "file"
        given = ", ".join(f"{name} {format_value(value)}" for name, value in graph.source.parameters.items())
        rows[graph.sha256] = (
            html(found.point.graph.title), html(format_count(graph.vertices)), html(format_count(graph.arcs)),
            html(f"{origin} ({given})" if given else origin), f"<code>{html(graph.sha256[:16])}</code>",
        )  # fmt: skip
    return _table(("graph", "vertices", "arcs", "origin", "SHA-256"), list(rows.values()), (1, 2))
