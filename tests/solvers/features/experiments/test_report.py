"""The report: complete, of one file, and safe whatever names it shows."""

from __future__ import annotations

import base64
import csv
import io
import re
from dataclasses import replace
from html.parser import HTMLParser

from solvers.features.experiments.charts import ChartMaker
from solvers.features.experiments.claims import judge
from solvers.features.experiments.graphs import GraphPicture
from solvers.features.experiments.measurement import Omission
from solvers.features.experiments.report import Findings, report_html, write_report
from solvers.features.experiments.spec import ExperimentScale
from solvers.running.kept_run import MachineFacts
from tests.solvers.features.experiments.measured import by_label, points
from tests.solvers.features.experiments.samples import sample

TIMES = {"scan": [4.0] * 6, "heap, arity 2": [2.0] * 6}
VOID = {"meta", "br", "img"}


class _Nesting(HTMLParser):
    """Notes tags that are not closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.faults, self.tags = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


def made(tmp_path, *changes):
    experiment, scale = sample(tmp_path, *changes), ExperimentScale.SMALL
    measurements = by_label(experiment, TIMES)
    omissions = [Omission(points(experiment)[2], "it needs 5.4 GB; 2 GB are free")]
    charts = ChartMaker(experiment, measurements).all()
    judgements = judge(experiment, scale, measurements, omissions)
    return Findings(
        experiment, scale, experiment.measuring[scale], measurements, omissions, charts, judgements
    )


def test_the_report_tells_what_was_measured_left_out_and_claimed(tmp_path):
    page = report_html(made(tmp_path))
    for words in (
        "An own experiment",
        "Is a heap faster than a scan?",
        "A scan takes longer.",
        "not testable here",
        "it needs 5.4 GB; 2 GB are free",
        "Some machine",
        "Test processor",
        "2 cores",
        "Linux 6",
        "Table 1",
        "main.py experiment own",
        "0" * 16,
        "1.98×",
        "2026-11-20",
    ):
        assert words in page, words


def test_digits_are_grouped_in_names_of_graphs_and_published_values(tmp_path):
    sizes = ("vertices = [20, 40]", "vertices = [512, 4096]")
    at = ("{ vertices = 40, time", '{ graph = "random, vertices 4096", vertices = 4096, time')
    page = report_html(made(tmp_path, sizes, at))
    assert "graph random, vertices 4\u202f096, vertices 4\u202f096" in page
    assert "<h3>random, vertices 4\u202f096 " in page
    assert "vertices 4096" not in page.replace('data-point="', "").split("<svg")[0]


def test_the_page_is_well_formed_and_loads_nothing(tmp_path):
    page = report_html(findings := made(tmp_path))
    parser = _Nesting()
    parser.feed(page)
    assert parser.faults == []
    assert parser.open == []
    links = [given["href"] for tag, given in parser.tags if tag != "use" and "href" in given]
    assert not [tag for tag, given in parser.tags if "src" in given]
    assert [link.partition(",")[0] for link in links] == ["data:text/csv;base64"]
    table = base64.b64decode(links[0].partition(",")[2]).decode()
    assert len(list(csv.DictReader(io.StringIO(table)))) == sum(
        len(one.kept.trials) for one in findings.measurements
    )
    assert "unsafe-inline" not in page
    assert not re.search(r"url\((?!data:|#)|@import|https?://", page)
    assert sum(tag == "svg" for tag, _ in parser.tags) == 1
    assert "prefers-color-scheme:dark" in page
    assert "@media print" in page


def test_names_cannot_break_out(tmp_path):
    evil = "</table><script>alert(1)</script>"
    page = report_html(made(tmp_path, ('title = "An own experiment"', f'title = "{evil}"')))
    assert evil not in page
    assert "&lt;script&gt;" in page


def test_measurements_of_another_machine_stand_apart(tmp_path):
    findings = made(tmp_path)
    found = findings.measurements[0]
    machine = MachineFacts("Other processor", 64, "Linux 5")
    other = replace(found, run=replace(found.run, machine=machine, app_version="0.0.9"))
    page = report_html(replace(findings, others=[other]))
    assert "Other machines and versions" in page
    assert "Other processor, Tautpath 0.0.9" in page
    assert "Other machines" not in report_html(findings)


def test_the_report_is_written_whole(tmp_path):
    path = write_report(made(tmp_path), tmp_path / "report.html")
    assert path.read_text(encoding="utf-8").endswith("</html>\n")


def test_pictures_of_the_graphs_are_within_the_page(tmp_path):
    findings = made(tmp_path)
    digest = findings.measurements[0].graph.sha256
    page = report_html(
        replace(findings, pictures={digest: GraphPicture(b"picture", 'The "network"')})
    )
    parser = _Nesting()
    parser.feed(page)
    (image,) = [given for tag, given in parser.tags if tag == "img"]
    assert image == {"src": "data:image/png;base64,cGljdHVyZQ==", "alt": 'The "network"'}
    assert "img-src data:" in page
    assert "<img" not in report_html(findings)


def test_a_point_has_one_name_in_all_charts_of_the_page(tmp_path):
    second = 'title = "Time by size"\n[[chart]]\nkind = "work"\ntitle = "Work"'
    page = report_html(made(tmp_path, ('title = "Time by size"', second)))
    assert page.count('data-point="scan on random, vertices 20"') == 2
