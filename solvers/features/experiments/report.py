"""Writes a report of an experiment: one HTML file with everything in it, which needs no
network and prints well.

`Findings` are everything that a run of an experiment found: what reports, windows and
commands show. In the tables of the report every text that is not ours is escaped. The
style sheet is light and dark on screen, light on paper.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path

from solvers.core.result_view import NOTHING, ResultView
from solvers.features.experiments.charts import ChartMaker
from solvers.features.experiments.claims import ClaimVerdict, Judgement, judge
from solvers.features.experiments.graphs import GraphPicture
from solvers.features.experiments.grid import graph_titles
from solvers.features.experiments.measure import ExperimentRun
from solvers.features.experiments.measurement import (
    Measurement,
    Omission,
    as_results,
    difference,
    elsewhere,
    hosts_sentence,
)
from solvers.features.experiments.spec import Experiment, ExperimentScale, Measuring
from solvers.picture.charts.page import page_style, page_svg
from solvers.picture.charts.table import ChartData
from solvers.picture.palette import DARK, LIGHT
from solvers.program import typed_command
from solvers.running.records import trials_text
from solvers.system.files import replace_atomically
from solvers.system.html_parts import base64_of, font_faces, source_hash
from solvers.text import (
    format_count,
    format_duration,
    format_ratio,
    format_value,
    plural,
    printable,
)
from solvers.version import __version__

_CLASSES = {
    ClaimVerdict.HOLDS: "holds",
    ClaimVerdict.FAILS: "fails",
    ClaimVerdict.UNCERTAIN: "none",
    ClaimVerdict.UNTESTABLE: "none",
}


_SCHEMES = f"""
:root{{color-scheme:light dark;
{LIGHT.css()}--line:#d9dce0;--soft:#f5f6f7;--accent:#0067a3;--bad:#b54708}}
@media screen and (prefers-color-scheme:dark){{
:root{{{DARK.css()}--line:#343b43;--soft:#1e2328;--accent:#66bdf0;--bad:#f0803c}}}}"""


def write_report(findings: Findings, path: Path | str) -> Path:
    """Write the report; an existing file is replaced; raises FileNotWritten."""
    with replace_atomically(path) as temporary:
        temporary.write_text(report_html(findings), encoding="utf-8")
    return Path(path)


def report_html(findings: Findings) -> str:
    """The report as the text of an HTML page."""
    experiment = findings.experiment
    styles = f"{font_faces()}{_SCHEMES}{_shared('report.css')}{page_style(tuple(findings.charts))}"
    script = _shared("report.js")
    allowed = (
        f"style-src {source_hash(styles)};font-src data:;img-src "
        f"data:;script-src {source_hash(script)}"
    )
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src '
        f"'none';{allowed};base-uri 'none'\">"
        f"<title>{html(experiment.title)} – "
        f"Tautpath</title><style>{styles}</style></head><body><main>"
    )
    return f"{head}{''.join(_sections(findings))}</main><script>{script}</script></body></html>\n"


def _sections(findings: Findings) -> Iterator[str]:
    experiment = findings.experiment
    yield _heading(findings)
    if findings.judgements:
        yield "<h2>Claims</h2>"
        yield "<p>What the paper states, how that is interpreted here, and what was measured.</p>"
        yield claims_table(findings.judgements, _CLASSES)
    if findings.charts:
        yield "<h2>Charts</h2>"
        if experiment.published:
            yield (
                "<p>Filled marks were measured here; hollow ones are the values of "
                "the paper, on its hardware.</p>"
            )
        if any(
            mark.is_disturbed
            for chart in findings.charts
            for line in chart.lines
            for mark in line.marks
        ):
            yield "<p>Ringed marks may have been disturbed by other work of the machine.</p>"
        told = (
            "Click a name to hide its line; point at a mark for its numbers, "
            "and to find it in the other charts."
        )
        yield f'<p class="muted screen">{told}</p>'
        yield from (_figure(chart) for chart in findings.charts)
    yield "<h2>Results</h2>"
    yield (
        "<p>Median of the total times, with its 95 % confidence interval, or the whole range where "
        "fewer than six trials were made. Every answer was verified by a program that shares no "
        "code with the solvers.</p>"
    )
    several = hosts_sentence(findings.measurements)
    if several:
        yield f"<p>{html(several)}</p>"
    yield from results_tables(experiment, findings.measurements, with_machine=bool(several))
    yield _trials(findings)
    if findings.others:
        yield "<h3>Other machines and versions</h3>"
        yield "<p>Kept runs of this experiment from elsewhere; no chart or claim uses them.</p>"
        yield from results_tables(experiment, findings.others, with_machine=True)
    if findings.omissions:
        yield "<h2>Left out</h2>"
        yield left_out_table(findings.omissions)
    if experiment.published:
        yield "<h2>Published values</h2>"
        yield published_table(experiment)
    yield "<h2>Method and machine</h2>"
    yield from _method(findings)
    yield "<h2>Graphs</h2>"
    yield graph_pictures(findings.measurements, findings.pictures)
    yield graphs_table(findings.measurements)
    yield "<h2>Repeat and cite</h2>"
    yield from _citation(findings)


def _heading(findings: Findings) -> str:
    experiment = findings.experiment
    where = f"{experiment.paper}, {experiment.place}" if experiment.paper else "own experiment"
    date = datetime.now(UTC).astimezone().strftime("%Y-%m-%d")
    kicker = f"{where} · scale {findings.scale.value} · {date} · Tautpath {__version__}"
    lead = f'<p class="lead">{html(experiment.question)}</p>' if experiment.question else ""
    counts = Counter(judgement.verdict for judgement in findings.judgements)
    tally = "".join(
        f'<div><b class="{_CLASSES[verdict]}">{counts[verdict]}</b>'
        f"{_counted(verdict, counts[verdict])}</div>"
        for verdict in ClaimVerdict
        if findings.judgements
    )
    measured = len(findings.measurements)
    points = f"<div><b>{measured}</b>point{'s' * (measured != 1)} measured</div>"
    left = f"<div><b>{len(findings.omissions)}</b>left out</div>" if findings.omissions else ""
    head = f'<p class="kicker">{html(kicker)}</p><h1>{html(experiment.title)}</h1>{lead}'
    return f'{head}<div class="tally">{tally}{points}{left}</div>'


def _counted(verdict: ClaimVerdict, count: int) -> str:
    words = {
        ClaimVerdict.HOLDS: ("claim holds", "claims hold"),
        ClaimVerdict.FAILS: ("claim does not hold", "claims do not hold"),
        ClaimVerdict.UNCERTAIN: ("uncertain", "uncertain"),
        ClaimVerdict.UNTESTABLE: ("not testable here", "not testable here"),
    }
    return words[verdict][count != 1]


def _trials(findings: Findings) -> str:
    """A link to the table of all trials, which is in the page."""
    table = trials_text(as_results(findings.measurements), findings.experiment.key(findings.scale))
    data = base64_of(table.encode(errors="backslashreplace"))
    name = f"{findings.experiment.id}-trials.csv"
    return (
        f'<p><a download="{html(name)}" href="data:text/csv;base64,{data}">'
        "All trials as CSV</a></p>"
    )


def _figure(chart: ChartData) -> str:
    caption = f"<figcaption>{html(chart.remark)}</figcaption>" if chart.remark else ""
    return f"<figure>{page_svg(chart)}{caption}</figure>"


def _method(findings: Findings) -> Iterator[str]:
    experiment, plan = findings.experiment, findings.measuring.plan
    if experiment.method:
        yield f"<p>{html(experiment.method)}</p>"
    trials = (
        "as many trials as the precision needs"
        if plan.trials is None
        else plural(plan.trials, "timed trial")
    )
    warmups = "warm-ups as needed" if plan.warmups is None else plural(plan.warmups, "warm-up")
    yield (
        f"<p>Each point: {html(warmups)}, then {html(trials)}; "
        "kernels are compiled outside the timed trials.</p>"
    )
    disturbed = [found for found in findings.measurements if found.doubts]
    if disturbed:
        words = (
            f"{len(disturbed)} of {plural(len(findings.measurements), 'point')} may be disturbed"
        )
        words += (
            " by other work of the machine; they are ringed in the charts and marked in the tables"
        )
        yield f"<p>{html(words)}.</p>"
    yield definitions(_machine(findings))


def _machine(findings: Findings) -> Iterator[tuple[str, str]]:
    machines = dict.fromkeys(
        (f"{found.machine.host}: " if found.machine.host else "")
        + (found.machine.cpu or "unknown")
        + ("" if found.machine.cores is None else f", {plural(found.machine.cores, 'core')}")
        for found in findings.measurements
    )
    devices = dict.fromkeys(
        f"{f.kept.device_name}, {f.kept.driver}"
        for f in findings.measurements
        if f.kept.device_name
    )
    yield "Processor", "; ".join(machines) or "–"
    yield "System", "; ".join(dict.fromkeys(f.machine.system for f in findings.measurements)) or "–"
    yield "Kernels on", "; ".join(devices) or "no device"
    if devices and not all(
        found.on_gpu for found in findings.measurements if found.kept.device_name
    ):
        yield "Note", "The kernels ran on the processor through OpenCL, not on a GPU."
    times = sorted(
        found.kept.started_utc for found in findings.measurements if found.kept.started_utc
    )
    if times:
        yield (
            "Measured",
            times[0][:10]
            if times[0][:10] == times[-1][:10]
            else f"{times[0][:10]} to {times[-1][:10]}",
        )
    yield (
        "Tautpath",
        "; ".join(dict.fromkeys(f.run.app_version for f in findings.measurements)) or __version__,
    )
    yield "Python", sys.version.split()[0]


def _citation(findings: Findings) -> Iterator[str]:
    experiment = findings.experiment
    command = (
        f"{typed_command()} experiment {experiment.id} --scale "
        f"{findings.scale.value} --report report.html"
    )
    yield f"<pre>{html(command)}</pre>"
    if experiment.citation:
        yield f"<p>The paper: {html(experiment.citation)}</p>"
    tool = f"Tautpath {__version__}, a desktop laboratory for shortest-path algorithms on GPUs."
    yield f"<p>This report: {html(tool)}</p>"


@dataclass(frozen=True)
class Findings:
    """What was measured, left out, drawn and judged."""

    experiment: Experiment
    scale: ExperimentScale
    measuring: Measuring
    measurements: Sequence[Measurement]
    omissions: Sequence[Omission]
    charts: Sequence[ChartData]
    judgements: Sequence[Judgement]
    others: Sequence[Measurement] = ()  # of other machines or versions, for comparison
    # of the graphs, by their hashes
    pictures: Mapping[str, GraphPicture] = field(default_factory=dict)


def findings_of(run: ExperimentRun, outcomes: Iterable[Measurement | Omission]) -> Findings:
    """Charts and verdicts of a run, whole or interrupted; takes up to a second, as it
    measures the device's memory.
    """
    request = run.request
    experiment, scale, ended = request.experiment, request.scale, list(outcomes)
    order = {id(one.point): index for index, one in enumerate(request.forecast.points)}
    measured = sorted(
        (one for one in ended if isinstance(one, Measurement)), key=lambda one: order[id(one.point)]
    )
    omissions = [one for one in ended if isinstance(one, Omission)]
    bandwidth = run.memory_bandwidth() if measured else None
    return Findings(
        experiment,
        scale,
        request.measuring,
        measured,
        omissions,
        ChartMaker(experiment, measured, bandwidth).all(),
        judge(experiment, scale, measured, omissions),
        elsewhere(experiment, scale, request.store, measured),
        run.pictures,
    )


def html(text: str) -> str:
    """Text of users and files, escaped for HTML."""
    return escape(printable(text).replace("\\u202f", "\u202f"))


def _table(
    header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()
) -> str:
    """A table of cells that are HTML already; columns in ``numbers`` are aligned to the right."""
    kinds = [' class="n"' if i in numbers else "" for i in range(len(header))]
    head = "".join(f"<th{kind}>{cell}</th>" for cell, kind in zip(header, kinds, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(row, kinds, strict=True))
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of names and values."""
    return (
        "<dl>"
        + "".join(f"<dt>{html(name)}</dt><dd>{html(value)}</dd>" for name, value in pairs)
        + "</dl>"
    )


def claims_table(judgements: Sequence[Judgement], classes: Mapping[ClaimVerdict, str]) -> str:
    rows = []
    for found in judgements:
        figure = html(found.figure or NOTHING)
        for words in filter(None, (found.reason, found.remark)):
            figure += f'<br><span class="muted">{html(words)}</span>'
        claim = f'{html(found.claim.text)}<br><span class="muted">{html(found.claim.source)}</span>'
        verdict = (
            f'<span class="verdict {classes[found.verdict]}">{html(found.verdict.value)}</span>'
        )
        rows.append((claim, html(found.needed), figure, verdict))
    return _table(("claim", "taken as", "measured", "verdict"), rows)


def results_tables(
    experiment: Experiment, measurements: Sequence[Measurement], *, with_machine: bool = False
) -> Iterator[str]:
    """One table for each graph; without a speed-up where the baseline was measured on
    another kind of machine.
    """
    for title, group in groupby(measurements, key=lambda found: found.point.graph.title):
        found = list(group)
        graph = found[0].graph
        size = f"{plural(graph.vertices, 'vertex', 'vertices')}, {plural(graph.arcs, 'arc')}"
        yield f'<h3>{html(title)} <span class="muted">· {html(size)}</span></h3>'
        base = next(
            (one for one in found if one.label == experiment.baseline and one.is_timed), None
        )
        header = [
            "variant",
            "median",
            "interval or range",
            "trials",
            "speed-up",
            "iterations",
            "proved",
        ]
        rows = [list(_result_row(one, base)) for one in found]
        if with_machine:
            header.append("machine")
            rows = [[*row, html(_where(one))] for row, one in zip(rows, found, strict=True)]
        yield _table(header, rows, (1, 2, 3, 4, 5))


def _where(found: Measurement) -> str:
    device = f", {found.kept.device_name}" if found.kept.device_name else ""
    host = f"{found.machine.host}: " if found.machine.host else ""
    return f"{host}{found.machine.cpu or 'unknown'}{device}, Tautpath {found.run.app_version}"


def _result_row(found: Measurement, base: Measurement | None) -> Iterator[str]:
    doubts = [d.words for d in found.doubts]
    mark = f' <span title="{html(" ".join(doubts))}">*</span>' if doubts else ""
    view = ResultView(found.kept)
    yield html(found.point.title) + mark
    if not found.kept.times():
        yield from (
            html(view.outcome),
            NOTHING,
            "0",
            NOTHING,
            NOTHING,
            html(found.kept.error or NOTHING),
        )
        return
    median, (low, high) = found.median() or 0.0, found.spread()
    comparable = base is not None and not difference((found, base))
    ratio = None if base is None or not comparable else found.ratio_to(base)
    yield html(format_duration(median))
    yield html(f"{format_duration(low)} – {format_duration(high)}")
    yield str(len(found.kept.times()))
    yield NOTHING if ratio is None else html(format_ratio(ratio.value))
    yield NOTHING if found.kept.iterations is None else html(format_count(found.kept.iterations))
    yield html(view.proof_cell)


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
            where = ", ".join(
                f"{name} {titles.get(value) or format_value(value)}"
                for name, value in point.at.items()
            )
            time = ("" if entry.exact else "about ") + format_duration(point.ms)
            rows.append(
                (
                    html(entry.series),
                    html(where),
                    html(time),
                    html(entry.hardware),
                    html(entry.source),
                )
            )
    return _table(("series", "where", "time", "hardware", "source"), rows, (2,))


def graph_pictures(
    measurements: Sequence[Measurement], pictures: Mapping[str, GraphPicture]
) -> str:
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
        given = ", ".join(
            f"{name} {format_value(value)}" for name, value in graph.source.parameters.items()
        )
        rows[graph.sha256] = (
            html(found.point.graph.title),
            html(format_count(graph.vertices)),
            html(format_count(graph.arcs)),
            html(f"{origin} ({given})" if given else origin),
            f"<code>{html(graph.sha256[:16])}</code>",
        )
    return _table(("graph", "vertices", "arcs", "origin", "SHA-256"), list(rows.values()), (1, 2))


@cache
def _shared(name: str) -> str:
    """What all reports share: their style sheet or their script."""
    return "\n" + Path(__file__).with_name(name).read_text("utf-8")
