"""Writes a report of an experiment: one HTML file with everything in it, which needs no network and prints well."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from solvers.experiments.chart_data import ChartData
from solvers.experiments.claims import ClaimVerdict
from solvers.experiments.findings import Findings
from solvers.experiments.html_tables import (
    claims_table,
    definitions,
    graph_pictures,
    graphs_table,
    html,
    left_out_table,
    published_table,
    results_tables,
)
from solvers.experiments.machines import hosts_sentence
from solvers.experiments.report_style import SCRIPT, STYLE
from solvers.experiments.svg import chart_figure, style
from solvers.host.files import replace_atomically
from solvers.text import plural
from solvers.version import __version__

_CLASSES = {ClaimVerdict.HOLDS: "holds", ClaimVerdict.FAILS: "fails", ClaimVerdict.UNTESTABLE: "none"}


def write_report(findings: Findings, path: Path | str) -> Path:
    """Write the report; an existing file is replaced.

    Raises
    ------
    FileNotWritten
    """
    with replace_atomically(path) as temporary:
        temporary.write_text(report_html(findings), encoding="utf-8")
    return Path(path)


def report_html(findings: Findings) -> str:
    """The report as the text of an HTML page."""
    experiment = findings.experiment
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none';style-src 'unsafe-inline';img-src data:;script-src 'unsafe-inline'\">"
        f"<title>{html(experiment.title)} – Tautline</title><style>{STYLE}{style()}</style></head><body><main>"
    )
    return f"{head}{''.join(_sections(findings))}</main><script>{SCRIPT}</script></body></html>\n"


def _sections(findings: Findings) -> Iterator[str]:
    experiment = findings.experiment
    yield _heading(findings)
    if findings.judgements:
        yield "<h2>Claims</h2>"
        yield "<p>What the paper states, what that was taken to mean, and the figure measured here.</p>"
        yield claims_table(findings.judgements, _CLASSES)
    if findings.charts:
        yield "<h2>Charts</h2>"
        if experiment.published:
            yield "<p>Filled marks were measured here; hollow ones are the values of the paper, on its hardware.</p>"
        if any(mark.is_disturbed for chart in findings.charts for line in chart.lines for mark in line.marks):
            yield "<p>Ringed marks may be disturbed by what else the machine did.</p>"
        told = "Click a name to hide its line; point at a mark for its numbers, and to find it in the other charts."
        yield f'<p class="muted screen">{told}</p>'
        yield from (_figure(chart) for chart in findings.charts)
    yield "<h2>Results</h2>"
    yield (
        "<p>Median of the total times, with its 95 % confidence interval, or the whole range where fewer than six "
        "trials were made. Every answer was verified by a program that shares no code with the solvers.</p>"
    )
    several = hosts_sentence(findings.measurements)
    if several:
        yield f"<p>{html(several)}</p>"
    yield from results_tables(experiment, findings.measurements, with_machine=bool(several))
    if findings.others:
        yield "<h3>Other machines and versions</h3>"
        yield "<p>Kept runs of this experiment that were made elsewhere; they are in no chart and no claim.</p>"
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
    kicker = f"{where} · scale {findings.scale.value} · {date} · Tautline {__version__}"
    lead = f'<p class="lead">{html(experiment.question)}</p>' if experiment.question else ""
    counts = Counter(judgement.verdict for judgement in findings.judgements)
    tally = "".join(
        f'<div><b class="{_CLASSES[verdict]}">{counts[verdict]}</b>{_counted(verdict, counts[verdict])}</div>'
        for verdict in ClaimVerdict
        if findings.judgements
    )
    points = f"<div><b>{len(findings.measurements)}</b>{_noun(len(findings.measurements), 'point')} measured</div>"
    left = f"<div><b>{len(findings.omissions)}</b>left out</div>" if findings.omissions else ""
    head = f'<p class="kicker">{html(kicker)}</p><h1>{html(experiment.title)}</h1>{lead}'
    return f'{head}<div class="tally">{tally}{points}{left}</div>'


def _counted(verdict: ClaimVerdict, count: int) -> str:
    words = {
        ClaimVerdict.HOLDS: ("claim holds", "claims hold"),
        ClaimVerdict.FAILS: ("claim does not hold", "claims do not hold"),
        ClaimVerdict.UNTESTABLE: ("not testable here", "not testable here"),
    }
    return words[verdict][count != 1]


def _noun(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def _figure(chart: ChartData) -> str:
    caption = f"<figcaption>{html(chart.remark)}</figcaption>" if chart.remark else ""
    return f"<figure>{chart_figure(chart)}{caption}</figure>"


def _method(findings: Findings) -> Iterator[str]:
    experiment, plan = findings.experiment, findings.measuring.plan
    if experiment.method:
        yield f"<p>{html(experiment.method)}</p>"
    trials = "as many trials as the precision needs" if plan.trials is None else plural(plan.trials, "timed trial")
    warmups = "warm-ups as needed" if plan.warmups is None else plural(plan.warmups, "warm-up")
    yield f"<p>Each point: {html(warmups)}, then {html(trials)}; kernels are compiled outside the timed trials.</p>"
    disturbed = [
        found for found in findings.measurements if any(d.kind.value != "not_a_gpu" for d in found.kept.disturbances)
    ]
    if disturbed:
        words = f"{len(disturbed)} of {plural(len(findings.measurements), 'point')} may be disturbed"
        words += " by what else the machine did; they are ringed in the charts and marked in the tables"
        yield f"<p>{html(words)}.</p>"
    yield definitions(_machine(findings))


def _machine(findings: Findings) -> Iterator[tuple[str, str]]:
    machines = dict.fromkeys(
        (f"{found.machine.host}: " if found.machine.host else "")
        + (found.machine.cpu or "unknown")
        + ("" if found.machine.cores is None else f", {plural(found.machine.cores, 'core')}")
        for found in findings.measurements
    )
    devices = dict.fromkeys(f"{f.kept.device}, {f.kept.driver}" for f in findings.measurements if f.kept.device)
    yield "Processor", "; ".join(machines) or "–"
    yield "System", "; ".join(dict.fromkeys(f.machine.system for f in findings.measurements)) or "–"
    yield "Kernels on", "; ".join(devices) or "no device"
    if devices and not all(found.on_gpu for found in findings.measurements if found.kept.device):
        yield "Note", "The kernels ran on the processor through OpenCL, not on a GPU."
    times = sorted(found.kept.started_utc for found in findings.measurements if found.kept.started_utc)
    if times:
        yield "Measured", times[0][:10] if times[0][:10] == times[-1][:10] else f"{times[0][:10]} to {times[-1][:10]}"
    yield "Tautline", "; ".join(dict.fromkeys(f.app_version for f in findings.measurements)) or __version__
    yield "Python", sys.version.split()[0]


def _citation(findings: Findings) -> Iterator[str]:
    experiment = findings.experiment
    command = f"python main.py experiment {experiment.id} --scale {findings.scale.value} --report report.html"
    yield f"<pre>{html(command)}</pre>"
    if experiment.citation:
        yield f"<p>The paper: {html(experiment.citation)}</p>"
    tool = f"Tautline {__version__}, a desktop laboratory for shortest-path algorithms on GPUs."
    yield f"<p>This report: {html(tool)}</p>"
